#include "lib/sys/write.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

static void test_write(void **state)
{
    (void)state;
    char back[16] = "";
    int fd = memfd_create("written", MFD_CLOEXEC), full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    assert_int_equal(write_all(fd, "abc", 3), 0);
    assert_int_equal(write_synced(fd, "defg", 4), 0);
    assert_int_equal(write_all(fd, NULL, 0), 0);
    assert_int_equal(pread(fd, back, sizeof back, 0), 7);
    assert_memory_equal(back, "abcdefg", 7);
    assert_int_equal(write_all(full, "abc", 3), ENOSPC);
    assert_int_equal(write_all(-1, "abc", 3), EBADF);
    assert_int_equal(write_synced(-1, "abc", 3), EBADF);
    close(fd);
    close(full);
}

/* A pipe that is full in the middle: the reader empties it meanwhile. */
static void test_pieces(void **state)
{
    (void)state;
    enum { LENGTH = 1 << 20 };
    int ends[2];
    char *sent = malloc(LENGTH), *got = malloc(LENGTH);
    for (size_t i = 0; i < LENGTH; i++)
        sent[i] = (char)(i * 31 >> 3);
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    pid_t writer = fork();
    if (writer == 0)
        _exit(write_all(ends[1], sent, LENGTH));
    close(ends[1]);
    size_t length = 0;
    for (ssize_t n; length < LENGTH && (n = read(ends[0], got + length, LENGTH - length)) > 0;)
        length += (size_t)n;
    close(ends[0]);
    assert_int_equal(length, LENGTH);
    assert_memory_equal(sent, got, LENGTH);
    free(sent);
    free(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_write), cmocka_unit_test(test_pieces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
