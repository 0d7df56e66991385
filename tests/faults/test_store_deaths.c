#include "tests/faults/store_faults.h"

#include <fcntl.h>
#include <sys/syscall.h>

#include "lib/sys/watch.h"

/* ---- a process that dies in the middle of the commit ---- */

static int death_signal; /* what to do to ourselves right after the meta page is written; 0: nothing */

/* Takes the place of libc's for LMDB: the meta pages are the first two of the file, and what comes after their writing
 * is only the telling of others. */
ssize_t pwrite(int fd, const void *data, size_t length, off_t offset)
{
    ssize_t done = syscall(SYS_pwrite64, fd, data, length, offset);
    if (death_signal && offset < 8192)
        kill(getpid(), death_signal);
    return done;
}

ssize_t pwrite64(int fd, const void *data, size_t length, off_t offset)
{
    return pwrite(fd, data, length, offset);
}

static void die_after_meta(const char *spool, void *context)
{
    struct store *s = faults_open(spool, STORE_WRITE);
    OK(store_begin(s, true, &e));
    fixture_add(s, "unheard", NOW);
    death_signal = *(int *)context;
    OK(store_commit(s, &e));
}

static bool there(struct store *s, const char *name)
{
    uint64_t number;
    OK(store_begin(s, false, &e));
    bool found = store_find(s, name, &number, NULL) == 0;
    store_abort(s);
    return found;
}

/* The reader was there before, and is told of nothing. */
static void killed_after_meta(void **state, enum store_use use)
{
    struct fixture *f = *state;
    int how = SIGKILL;
    store_close(f->s);
    f->s = faults_open(f->spool, use);
    assert_false(there(f->s, "unheard"));
    int status = faults_wait(faults_child(f, die_after_meta, &how));
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    assert_true(there(f->s, "unheard"));
}

static void test_killed_after_meta_served(void **state)
{
    killed_after_meta(state, STORE_SERVE);
}

static void test_killed_after_meta_read(void **state)
{
    killed_after_meta(state, STORE_READ);
}

/* ---- killed and stopped inside a transaction ---- */

static void stay_inside(const char *spool, void *context)
{
    struct store *s = faults_open(spool, STORE_WRITE);
    OK(store_begin(s, true, &e));
    fixture_add(s, "half", NOW);
    kill(getpid(), *(int *)context);
    for (;;)
        pause();
}

static void test_killed_inside(void **state)
{
    struct fixture *f = *state;
    int how = SIGKILL;
    for (int i = 0; i < 20; i++) {
        faults_wait(faults_child(f, stay_inside, &how));
        assert_false(there(f->s, "half"));
        fixture_add_synced(f->s, NULL, NOW);
    }
}

static void test_server_does_not_hang(void **state)
{
    struct fixture *f = *state;
    int how = SIGSTOP;
    store_close(f->s);
    f->s = faults_open(f->spool, STORE_SERVE);
    pid_t child = faults_child(f, stay_inside, &how);
    faults_wait_stopped(child);
    int64_t before = faults_now();
    for (int i = 0; i < 100; i++) {
        struct error e = {0};
        char pid[32];
        snprintf(pid, sizeof pid, "process %ld is stopped", (long)child);
        assert_int_equal(store_begin(f->s, true, &e), STORE_BUSY);
        assert_non_null(strstr(e.text, pid));
        assert_false(there(f->s, "half"));
    }
    assert_in_range(faults_now() - before, 0, 2000);
    faults_end(child);
    fixture_add_synced(f->s, "after", NOW);
    assert_true(there(f->s, "after"));
}

static void test_client_loses_patience(void **state)
{
    struct fixture *f = *state;
    int how = SIGSTOP;
    struct error e = {0};
    pid_t child = faults_child(f, stay_inside, &how);
    faults_wait_stopped(child);
    int64_t before = faults_now();
    assert_int_equal(store_begin(f->s, true, &e), -ERROR_SPOOL);
    assert_in_range(faults_now() - before, 5000, 20000);
    assert_non_null(strstr(e.text, "is stopped"));
    faults_end(child);
    fixture_add_synced(f->s, NULL, NOW);
}

static void add_slowly(const char *spool, void *context)
{
    (void)context;
    struct store *s = faults_open(spool, STORE_WRITE);
    OK(store_begin(s, true, &e));
    kill(getpid(), SIGTSTP); /* Ctrl-Z */
    faults_sleep(300);
    fixture_add(s, "slow", NOW);
    OK(store_commit(s, &e));
    for (;;)
        pause();
}

/* Ctrl-Z stops a client only after its transaction; who waits goes on then. */
static void test_terminal_stop_waits(void **state)
{
    struct fixture *f = *state;
    setpgid(0, 0); /* not an orphaned group for the child: SIGTSTP would be ignored there */
    pid_t child = faults_child(f, add_slowly, NULL);
    faults_sleep(100);
    fixture_add_synced(f->s, NULL, NOW);
    assert_true(there(f->s, "slow"));
    faults_end(child);
}

/* ---- readers ---- */

static bool read_first(void *context, const struct job *j, const struct job_state *st)
{
    (void)j, (void)st;
    if (context)
        kill(getpid(), *(int *)context);
    return true;
}

static void read_and(const char *spool, void *context)
{
    struct store *s = faults_open(spool, STORE_READ);
    OK(store_begin(s, false, &e));
    OK(store_each_job(s, 0, read_first, context, &e));
    for (;;)
        pause();
}

static void test_reader_stopped_for_long(void **state)
{
    struct fixture *f = *state;
    int how = SIGSTOP;
    fixture_add_synced(f->s, NULL, NOW);
    pid_t child = faults_child(f, read_and, &how);
    faults_wait_stopped(child);
    for (int i = 0; i < 2000; i++)
        fixture_add_synced(f->s, NULL, NOW);
    assert_true(there(f->s, "2001"));
    faults_end(child);
}

static int64_t data_size(const struct fixture *f)
{
    char path[128];
    struct stat st;
    snprintf(path, sizeof path, "%s/data.mdb", f->spool);
    assert_int_equal(stat(path, &st), 0);
    return st.st_size;
}

static void keep_open(const char *spool, void *context)
{
    (void)context;
    faults_open(spool, STORE_READ);
    kill(getpid(), SIGSTOP);
}

/* Each of them dies with a page of the store pinned. Were they not cleared, the file would grow with every change and
 * the table of readers be full. */
static void test_readers_killed(void **state)
{
    struct fixture *f = *state;
    int how = SIGKILL;
    int64_t early = 0;
    fixture_add_synced(f->s, "a", NOW);
    pid_t other = faults_child(f, keep_open, NULL); /* who opens the spool alone would find an empty table of readers */
    faults_wait_stopped(other);
    for (int i = 0; i < 400; i++) {
        faults_wait(faults_child(f, read_and, &how));
        store_close(f->s);
        f->s = faults_open(f->spool, STORE_WRITE);
        OK(store_begin(f->s, true, &e));
        OK(store_queue_set(f->s, "q", (uint32_t)i + 1, &e));
        OK(store_commit(f->s, &e));
        if (i == 50)
            early = data_size(f);
    }
    assert_in_range(data_size(f), 1, early + 65536);
    faults_end(other);
}

/* More readers than LMDB has places for by itself (126), all inside a transaction. */
static void test_many_readers(void **state)
{
    struct fixture *f = *state;
    pid_t children[200];
    int how = SIGSTOP;
    fixture_add_synced(f->s, "a", NOW);
    for (int i = 0; i < 200; i++) {
        children[i] = faults_child(f, read_and, &how);
        faults_wait_stopped(children[i]);
    }
    fixture_add_synced(f->s, "b", NOW);
    assert_true(there(f->s, "b"));
    for (int i = 0; i < 200; i++)
        faults_end(children[i]);
}

/* ---- waking ---- */

static void add_one(const char *spool, void *context)
{
    struct store *s = faults_open(spool, STORE_WRITE);
    fixture_add_synced(s, context, NOW);
    store_close(s);
}

static void woken(void *context, int number, uint32_t event, const char *name)
{
    (void)number, (void)name;
    *(bool *)context = event & WATCH_WRITTEN;
}

static void read_and_close(const char *spool, void *context)
{
    (void)context;
    struct store *s = faults_open(spool, STORE_READ);
    assert_false(there(s, "nothing"));
    store_close(s);
}

/* Who is woken by the closing of the data file sees what was written, every time; who only reads wakes nobody. */
static void test_wake_sees_the_change(void **state)
{
    struct fixture *f = *state;
    struct watch *w;
    char path[128], name[16];
    bool writer = false;
    store_close(f->s);
    f->s = faults_open(f->spool, STORE_SERVE);
    snprintf(path, sizeof path, "%s/data.mdb", f->spool);
    OK(watch_new(&w, &e));
    struct error e = {0};
    assert_true(watch_add(w, path, WATCH_WRITTEN, &e) >= 0);
    for (int i = 0; i < 500; i++) {
        snprintf(name, sizeof name, "n%d", i);
        pid_t child = faults_child(f, add_one, name);
        for (writer = false; !writer;)
            watch_read(w, woken, &writer);
        if (!there(f->s, name))
            fail_msg("woken by add %d, and it is not there", i);
        faults_wait(child);
        watch_read(w, woken, &writer); /* the second descriptor that LMDB closes */
    }
    writer = false;
    faults_wait(faults_child(f, read_and_close, NULL));
    watch_read(w, woken, &writer);
    assert_false(writer);
    watch_free(w);
}

#define OPEN(test) cmocka_unit_test_setup_teardown(test, fixture_setup_open, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        OPEN(test_killed_after_meta_served),
        OPEN(test_killed_after_meta_read),
        OPEN(test_killed_inside),
        OPEN(test_server_does_not_hang),
        OPEN(test_client_loses_patience),
        OPEN(test_terminal_stop_waits),
        OPEN(test_reader_stopped_for_long),
        OPEN(test_readers_killed),
        OPEN(test_many_readers),
        OPEN(test_wake_sees_the_change),
    };
    faults_one_cpu();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
