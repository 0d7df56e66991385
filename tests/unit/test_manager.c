#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/sys/manager.h"

static int listen_at(const char *name)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    strcpy(a.sun_path, name);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(name) + (name[0] != '@'));
    if (name[0] == '@')
        a.sun_path[0] = '\0';
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&a, size), 0);
    return fd;
}

static void test_tell(void **state)
{
    (void)state;
    char path[80], abstract[80], text[80];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%.40s/ax-manager-%d", folder ? folder : "/tmp", (int)getpid());
    snprintf(abstract, sizeof abstract, "@ax-manager-%d", (int)getpid());
    const char *names[] = {path, abstract};
    for (int i = 0; i < 2; i++) {
        int fd = listen_at(names[i]);
        assert_int_equal(manager_tell(names[i], "READY=1\nSTATUS=serving"), 0);
        ssize_t n = recv(fd, text, sizeof text, MSG_DONTWAIT);
        assert_int_equal(n, 22);
        assert_memory_equal(text, "READY=1\nSTATUS=serving", 22);
        close(fd);
    }
    unlink(path);
    assert_int_equal(manager_tell(path, "READY=1"), ENOENT);
    assert_int_equal(manager_tell(NULL, "READY=1"), 0);
    char longer[200];
    memset(longer, 'a', sizeof longer);
    longer[0] = '/';
    longer[199] = '\0';
    assert_int_equal(manager_tell(longer, "READY=1"), ENAMETOOLONG);
}

static void test_socket(void **state)
{
    (void)state;
    unsetenv("NOTIFY_SOCKET");
    assert_null(manager_socket());
    setenv("NOTIFY_SOCKET", "/run/x", 1);
    char *name = manager_socket();
    assert_string_equal(name, "/run/x");
    free(name);
    assert_null(getenv("NOTIFY_SOCKET"));
    setenv("NOTIFY_SOCKET", "vsock:2:9", 1); /* not for us */
    assert_null(manager_socket());
    assert_null(getenv("NOTIFY_SOCKET"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tell), cmocka_unit_test(test_socket)};
    return cmocka_run_group_tests_name("manager", tests, NULL, NULL);
}
