/* The limits that ax is measured against: the same work by bare system calls and bare LMDB, with nothing kept and nothing
 * decided.
 *
 *   bare spawn COUNT SLOTS PROGRAM       runs PROGRAM COUNT times, SLOTS at once: runs a second
 *   bare late COUNT GAP_MS STAMP FILE    COUNT due times GAP_MS apart, each starts STAMP FILE DUE (see stamp.c)
 *   bare burst COUNT SLOTS STAMP FILE    COUNT of them due at once
 *   bare lmdb FOLDER COUNT               COUNT records of 200 bytes and their due index in one transaction: seconds
 *   bare first COUNT PROGRAM WORD        from starting PROGRAM WORD to its first output, after which it is ended: median ms
 *   bare wake FOLDER COUNT               from closing a file to the wake-up of another process by inotify: median ms */
#include <fcntl.h>
#include <inttypes.h>
#include <lmdb.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int64_t clock_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void check(bool good, const char *what)
{
    if (good)
        return;
    perror(what);
    exit(1);
}

static void start(char *const *argv)
{
    pid_t pid;
    check(posix_spawn(&pid, argv[0], NULL, NULL, argv, environ) == 0, argv[0]);
}

/* Keeps `slots` children running until `count` have been started and all have ended. */
static void keep_running(char *const *argv, int count, int slots)
{
    int running = 0;
    for (int started = 0; started < count || running > 0;) {
        if (started < count && running < slots) {
            start(argv);
            started++;
            running++;
        } else {
            check(wait(NULL) > 0, "wait");
            running--;
        }
    }
}

static int bare_spawn(char **words)
{
    int count = atoi(words[0]);
    int64_t from = clock_ns(CLOCK_MONOTONIC);
    keep_running((char *const[]){words[2], NULL}, count, atoi(words[1]));
    printf("%.0f\n", count / ((double)(clock_ns(CLOCK_MONOTONIC) - from) / 1e9));
    return 0;
}

static void sleep_until(int timer, int64_t due)
{
    struct itimerspec when = {.it_value = {due / 1000000000, due % 1000000000}};
    uint64_t expired;
    check(timerfd_settime(timer, TFD_TIMER_ABSTIME, &when, NULL) == 0, "timerfd_settime");
    check(read(timer, &expired, sizeof expired) == sizeof expired, "timerfd");
}

static int bare_late(char **words)
{
    int count = atoi(words[0]);
    int64_t gap = atoi(words[1]) * INT64_C(1000000), due = clock_ns(CLOCK_REALTIME);
    int timer = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC);
    for (int i = 0; i < count; i++) {
        char text[32];
        due += gap;
        snprintf(text, sizeof text, "%" PRId64, due);
        sleep_until(timer, due);
        start((char *const[]){words[2], words[3], text, NULL});
        check(wait(NULL) > 0, "wait");
    }
    close(timer);
    return 0;
}

static int bare_burst(char **words)
{
    char text[32];
    int64_t due = clock_ns(CLOCK_REALTIME) + 200 * INT64_C(1000000);
    int timer = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC);
    snprintf(text, sizeof text, "%" PRId64, due);
    sleep_until(timer, due);
    keep_running((char *const[]){words[2], words[3], text, NULL}, atoi(words[0]), atoi(words[1]));
    close(timer);
    return 0;
}

static void big_endian(unsigned char out[8], uint64_t n)
{
    for (int i = 7; i >= 0; i--, n >>= 8)
        out[i] = (unsigned char)n;
}

static void put(MDB_txn *txn, MDB_dbi table, void *key, size_t key_size, void *data, size_t size)
{
    MDB_val k = {key_size, key}, v = {size, data};
    check(mdb_put(txn, table, &k, &v, 0) == 0, "mdb_put");
}

static int bare_lmdb(char **words)
{
    uint64_t count = strtoull(words[1], NULL, 10);
    MDB_env *env;
    MDB_txn *txn;
    MDB_dbi jobs, due;
    int64_t from = clock_ns(CLOCK_MONOTONIC);
    check(mdb_env_create(&env) == 0 && mdb_env_set_maxdbs(env, 2) == 0 && mdb_env_set_mapsize(env, (size_t)1 << 36) == 0 &&
            mdb_env_open(env, words[0], 0, 0600) == 0 && mdb_txn_begin(env, NULL, 0, &txn) == 0 &&
            mdb_dbi_open(txn, "jobs", MDB_CREATE, &jobs) == 0 && mdb_dbi_open(txn, "due", MDB_CREATE, &due) == 0,
        "mdb_env_open");
    for (uint64_t n = 1; n <= count; n++) {
        unsigned char record[200], key[16];
        memset(record, (int)(n & 0xff), sizeof record);
        big_endian(key, UINT64_C(1893456000000000000) + n * 1000000);
        big_endian(key + 8, n);
        put(txn, jobs, key + 8, 8, record, sizeof record);
        put(txn, due, key, sizeof key, NULL, 0);
    }
    check(mdb_txn_commit(txn) == 0, "mdb_txn_commit");
    mdb_env_close(env);
    printf("%.3f\n", (double)(clock_ns(CLOCK_MONOTONIC) - from) / 1e9);
    return 0;
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The other process: writes the time into the file and closes it, `count` times. */
static void poke(const char *path, int count)
{
    for (int i = 0; i < count; i++) {
        usleep(3000);
        int fd = open(path, O_WRONLY | O_CLOEXEC);
        int64_t now = clock_ns(CLOCK_MONOTONIC);
        if (fd < 0 || write(fd, &now, sizeof now) != sizeof now)
            _exit(1);
        close(fd);
    }
    _exit(0);
}

static int bare_wake(char **words)
{
    char path[4096], events[4096];
    int count = atoi(words[1]);
    int64_t *taken = calloc((size_t)count, sizeof *taken), sent;
    snprintf(path, sizeof path, "%s/wake", words[0]);
    int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600), inotify = inotify_init1(IN_CLOEXEC);
    check(taken && file >= 0 && inotify_add_watch(inotify, path, IN_CLOSE_WRITE) >= 0, path);
    if (fork() == 0)
        poke(path, count);
    for (int i = 0; i < count; i++) {
        check(read(inotify, events, sizeof events) > 0, "inotify");
        int64_t now = clock_ns(CLOCK_MONOTONIC);
        check(pread(file, &sent, sizeof sent, 0) == sizeof sent, path);
        taken[i] = now - sent;
    }
    check(wait(NULL) > 0, "wait");
    qsort(taken, (size_t)count, sizeof *taken, compare);
    printf("%.3f\n", (double)taken[count / 2] / 1e6);
    free(taken);
    return 0;
}

/* Milliseconds until the program has written something. */
static int64_t first_output(char *const *argv)
{
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int pipes[2];
    char byte;
    check(pipe2(pipes, O_CLOEXEC) == 0 && posix_spawn_file_actions_init(&actions) == 0 &&
            posix_spawn_file_actions_adddup2(&actions, pipes[1], STDOUT_FILENO) == 0,
        "pipe2");
    int64_t from = clock_ns(CLOCK_MONOTONIC);
    check(posix_spawn(&pid, argv[0], &actions, NULL, argv, environ) == 0, argv[0]);
    close(pipes[1]);
    check(read(pipes[0], &byte, 1) == 1, "no output");
    int64_t taken = clock_ns(CLOCK_MONOTONIC) - from;
    close(pipes[0]);
    kill(pid, SIGKILL);
    check(waitpid(pid, NULL, 0) == pid, "waitpid");
    posix_spawn_file_actions_destroy(&actions);
    return taken;
}

static int bare_first(char **words)
{
    int count = atoi(words[0]);
    int64_t *taken = calloc((size_t)count, sizeof *taken);
    check(taken, "calloc");
    for (int i = 0; i < count; i++)
        taken[i] = first_output((char *const[]){words[1], words[2], NULL});
    qsort(taken, (size_t)count, sizeof *taken, compare);
    printf("%.3f\n", (double)taken[count / 2] / 1e6);
    free(taken);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int words;
        int (*run)(char **words);
    } rows[] = {{"spawn", 3, bare_spawn}, {"late", 4, bare_late}, {"burst", 4, bare_burst}, {"lmdb", 2, bare_lmdb},
        {"wake", 2, bare_wake}, {"first", 3, bare_first}};
    for (size_t i = 0; argc > 1 && i < sizeof rows / sizeof *rows; i++)
        if (strcmp(argv[1], rows[i].name) == 0 && argc - 2 == rows[i].words)
            return rows[i].run(argv + 2);
    fprintf(stderr, "bare: see the head of bare.c\n");
    return 2;
}
