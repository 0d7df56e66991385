/* What is known about processes: identity that survives reuse of pids, and the boot they live in. */
#ifndef AX_PROCESS_H
#define AX_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct process_id {
    pid_t pid;
    uint64_t start; /* clock ticks since boot, field 22 of /proc/PID/stat (proc(5)) */
};

#define BOOT_ID_SIZE 64

/* "same boot" is the kernel's boot id *and* the start time of pid 1 (containers share the host's boot id): `UUID/ticks`. */
void process_boot(char out[BOOT_ID_SIZE]);

bool process_identify(pid_t pid, struct process_id *out); /* false if there is none; zombies count */
bool process_alive(const struct process_id *p);           /* the same process, and not a zombie */
bool process_stopped(pid_t pid);                          /* state T (stopped by a signal) */

/* One line of /proc/PID/stat. */
struct process_facts {
    struct process_id id;
    pid_t parent, session;
    char state;       /* R S D T t Z X ... */
    int threads;
    char command[64]; /* raw: its owner chooses it */
};
bool process_read(pid_t pid, struct process_facts *out);
bool process_parse(const char *stat, size_t length, struct process_facts *out); /* pure */
bool process_over(const struct process_facts *f); /* a zombie: all its threads have ended */

int process_open(pid_t pid); /* pidfd_open(2), or -1 */
int process_signal(int handle, int number); /* pidfd_send_signal(2): 0, or -1 with errno */

#endif
