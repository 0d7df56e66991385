/* What a service manager is told: the protocol of sd_notify(3), datagrams of lines NAME=VALUE to the socket that $NOTIFY_SOCKET names. */
#ifndef AX_MANAGER_H
#define AX_MANAGER_H

/* Takes $NOTIFY_SOCKET out of the environment, so that no command inherits it. malloc'd; NULL: nobody wants to be told. */
char *manager_socket(void);

/* Sends `state`, such as "READY=1\nSTATUS=serving". A path, or `@` and an abstract name. Returns 0, or an errno; never waits. socket NULL: nothing is done. */
int manager_tell(const char *socket, const char *state);

#endif
