/* Processes that are killed and stopped at the store, pinned to one CPU: a race that is lost there is lost for sure. */
#ifndef AX_STORE_FAULTS_H
#define AX_STORE_FAULTS_H

#include "tests/unit/store_fixture.h"

#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

static inline void faults_one_cpu(void)
{
    cpu_set_t all, one;
    if (sched_getaffinity(0, sizeof all, &all) != 0)
        return;
    CPU_ZERO(&one);
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET(i, &all)) {
            CPU_SET(i, &one);
            break;
        }
    sched_setaffinity(0, sizeof one, &one);
}

typedef void faults_call(const char *spool, void *context);

/* The child opens the store itself: an environment does not survive a fork. */
static inline pid_t faults_child(const struct fixture *f, faults_call *call, void *context)
{
    pid_t pid = fork();
    if (pid == 0) {
        setenv("CMOCKA_TEST_ABORT", "1", 1); /* a failure ends the child; it must not go on with the next test */
        call(f->spool, context);
        _exit(0);
    }
    return pid;
}

static inline void faults_sleep(int ms)
{
    nanosleep(&(struct timespec){ms / 1000, (ms % 1000) * 1000000L}, NULL);
}

static inline int faults_wait(pid_t pid)
{
    int status = -1;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static inline void faults_wait_stopped(pid_t pid)
{
    int status = 0;
    assert_int_equal(waitpid(pid, &status, WUNTRACED), pid);
    assert_true(WIFSTOPPED(status));
}

static inline void faults_end(pid_t pid)
{
    kill(pid, SIGKILL);
    faults_wait(pid);
}

static inline struct store *faults_open(const char *spool, enum store_use use)
{
    struct store *s = NULL;
    OK(store_open(spool, use, &s, &e));
    return s;
}

static inline int64_t faults_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * INT64_C(1000) + t.tv_nsec / 1000000;
}

#endif
