#include "tests/faults/store_faults.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/resource.h>

/* ---- a small disk ---- */

static bool disk_write(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY);
    bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    if (fd >= 0)
        close(fd);
    return done;
}

/* A mount namespace of our own, so that nothing is left behind; a plain user needs a user namespace for it too. */
static bool disk_namespace(void)
{
    char map[64];
    snprintf(map, sizeof map, "%u %u 1", (unsigned)geteuid(), (unsigned)geteuid());
    if (geteuid() == 0)
        return unshare(CLONE_NEWNS) == 0;
    return unshare(CLONE_NEWNS | CLONE_NEWUSER) == 0 && disk_write("/proc/self/uid_map", map);
}

static int disk_setup(void **state)
{
    if (fixture_setup(state) != 0)
        return -1;
    struct fixture *f = *state;
    return mkdir(f->spool, 0700);
}

static int disk_teardown(void **state)
{
    struct fixture *f = *state;
    store_close(f->s);
    f->s = NULL;
    umount2(f->spool, MNT_DETACH);
    return fixture_teardown(state);
}

/* false: not allowed here, and said so. */
static bool disk_mount(struct fixture *f)
{
    if (!disk_namespace() || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("tmpfs", f->spool, "tmpfs", 0, "size=4m,mode=0700") != 0) {
        print_message("skipped: a small disk cannot be mounted here (%s)\n", strerror(errno));
        return false;
    }
    return true;
}

static char *disk_filler(const struct fixture *f)
{
    return mem_format("%s/filler", f->spool);
}

static void disk_fill(const struct fixture *f)
{
    char *path = disk_filler(f), block[4096] = "x";
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    assert_true(fd >= 0);
    while (write(fd, block, sizeof block) > 0)
        ;
    assert_int_equal(errno, ENOSPC);
    close(fd);
    free(path);
}

static void disk_empty(const struct fixture *f)
{
    char *path = disk_filler(f);
    assert_int_equal(unlink(path), 0);
    free(path);
}

static off_t reserve_size(const struct fixture *f)
{
    char *path = mem_format("%s/reserve", f->spool);
    struct stat st = {0};
    stat(path, &st);
    free(path);
    return st.st_size;
}

static void add_is_refused(struct fixture *f)
{
    struct job j;
    struct store_added added = {0};
    struct error e = {0};
    fixture_job(&j, NULL, NOW);
    assert_int_equal(store_begin(f->s, true, &e), 0);
    int failed = store_add(f->s, &j, NOW, STORE_REFUSE, &added, &e);
    store_abort(f->s);
    job_clear(&j);
    assert_int_equal(failed, -ERROR_SPOOL);
    assert_int_equal(e.sys, ENOSPC);
    assert_non_null(strstr(e.text, "is full"));
}

static void cancel(struct fixture *f, uint64_t number)
{
    struct store_cancelled done;
    OK(store_begin(f->s, true, &e));
    OK(store_cancel(f->s, number, NOW, &done, &e));
    OK(store_commit(f->s, &e));
    free(done.open);
    assert_int_equal(done.what, LIFE_CANCELLED);
}

static void add_some(struct fixture *f, int count)
{
    f->s = faults_open(f->spool, STORE_WRITE);
    OK(store_begin(f->s, true, &e));
    for (int i = 0; i < count; i++)
        fixture_add(f->s, NULL, NOW);
    OK(store_commit(f->s, &e));
}

static void test_full_disk(void **state)
{
    struct fixture *f = *state;
    struct store_claimed claimed;
    bool was_open = false;
    if (!disk_mount(f))
        return;
    add_some(f, 100);
    assert_int_equal(reserve_size(f), 1 << 20);
    OK(store_begin(f->s, true, &e));
    OK(store_claim(f->s, 100, &(const struct store_turn){.now = NOW, .since = INSTANT_NONE, .generation = 1}, &claimed, &e));
    OK(store_commit(f->s, &e));
    job_clear(&claimed.job);
    struct run r = claimed.run;
    disk_fill(f);
    add_is_refused(f);
    for (uint64_t n = 1; n <= 50; n++)
        cancel(f, n);
    assert_int_equal(reserve_size(f), 0);
    add_is_refused(f); /* what is left of the reserve is not for adds */
    r.outcome = OUTCOME_OK;
    r.exit_code = 0;
    r.ended = NOW;
    OK(store_begin(f->s, true, &e));
    OK(store_finish(f->s, &(struct store_end){.run = &r}, NOW, &was_open, &e));
    OK(store_commit(f->s, &e));
    assert_true(was_open);
    run_clear(&r);
    disk_empty(f);
    fixture_add_synced(f->s, NULL, NOW);
    assert_int_equal(reserve_size(f), 1 << 20); /* made anew */
}

static void read_and_stop(const char *spool, void *context)
{
    (void)context;
    struct store *s = faults_open(spool, STORE_READ);
    struct job_state st;
    OK(store_begin(s, false, &e));
    OK(store_state(s, 1, &st, &e));
    kill(getpid(), SIGSTOP);
}

/* A stopped reader keeps pages of the past, so that nothing can be used again. */
static void test_full_disk_and_stopped_reader(void **state)
{
    struct fixture *f = *state;
    if (!disk_mount(f))
        return;
    add_some(f, 100);
    pid_t child = faults_child(f, read_and_stop, NULL);
    faults_wait_stopped(child);
    disk_fill(f);
    for (uint64_t n = 1; n <= 10; n++)
        cancel(f, n);
    faults_end(child);
}

static void test_commit_on_full_disk(void **state)
{
    struct fixture *f = *state;
    struct error why = {0};
    if (!disk_mount(f))
        return;
    add_some(f, 100);
    OK(store_begin(f->s, true, &e));
    for (int i = 0; i < 2000; i++)
        fixture_add(f->s, NULL, NOW);
    disk_fill(f); /* after the look at the room */
    assert_int_equal(store_commit(f->s, &why), -ERROR_SPOOL);
    assert_int_equal(why.sys, ENOSPC);
    assert_non_null(strstr(why.text, "the disk is full"));
    OK(store_begin(f->s, false, &e));
    uint64_t number;
    assert_int_equal(store_find(f->s, "101", &number, NULL), -ERROR_NOT_FOUND);
    OK(store_find(f->s, "100", &number, &e));
    store_abort(f->s);
    disk_empty(f);
    fixture_add_synced(f->s, "again", NOW);
}

/* ---- a map grown by another process ---- */

static void space_limit(rlim_t bytes)
{
    struct rlimit limit;
    getrlimit(RLIMIT_AS, &limit);
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
}

/* Jobs of 30 KB, in one transaction. */
static void add_bulk(struct store *s, int count)
{
    OK(store_begin(s, true, &e));
    for (int i = 0; i < count; i++) {
        struct job j;
        struct store_added added;
        fixture_job(&j, NULL, NOW);
        j.description = mem_zero(1, 30000);
        memset(j.description, 'x', 29999);
        OK(store_add(s, &j, NOW, STORE_REFUSE, &added, &e));
        job_clear(&j);
    }
    OK(store_commit(s, &e));
}

static void add_many(const char *spool, void *context)
{
    struct store *s = faults_open(spool, STORE_WRITE);
    add_bulk(s, *(int *)context);
    store_close(s);
}

static void grow_and_look(const char *spool, void *context)
{
    struct fixture *f = context;
    uint64_t number;
    int many = 4000; /* 120 MB */
    struct job_state st;
    space_limit(100 << 20);
    struct store *s = faults_open(spool, STORE_SERVE);
    fixture_add_synced(s, NULL, NOW);
    OK(store_begin(s, false, &e));
    OK(store_find(s, "1", &number, &e));
    store_abort(s);
    space_limit(RLIM_INFINITY);
    faults_wait(faults_child(f, add_many, &many)); /* its own map is the largest one */
    OK(store_begin(s, false, &e));
    OK(store_state(s, 4001, &st, &e));
    store_abort(s);
    fixture_add_synced(s, NULL, NOW);
    store_close(s);
}

__attribute__((unused)) static void test_map_grown_by_another(void **state)
{
    struct fixture *f = *state;
    struct job_state st;
    assert_int_equal(faults_wait(faults_child(f, grow_and_look, f)), 0);
    f->s = faults_open(f->spool, STORE_READ);
    OK(store_begin(f->s, false, &e));
    OK(store_state(f->s, 4002, &st, &e));
    store_abort(f->s);
}

/* The map is small at first, since there was no space for a larger one. */
static void grow_by_ourselves(const char *spool, void *context)
{
    (void)context;
    space_limit(100 << 20);
    struct store *s = faults_open(spool, STORE_WRITE);
    fixture_add_synced(s, NULL, NOW);
    space_limit(RLIM_INFINITY);
    for (int i = 0; i < 12; i++)
        add_bulk(s, 500); /* 15 MB */
    store_close(s);
}

static void no_space_left(const char *spool, void *context)
{
    struct error e = {0};
    struct store *s = NULL;
    (void)context;
    space_limit(100 << 20);
    int failed = store_open(spool, STORE_READ, &s, &e);
    if (!failed)
        failed = store_begin(s, false, &e);
    _exit(failed == -ERROR_SPOOL && strstr(e.text, "ulimit -v") ? 42 : 1);
}

/* With less address space than the spool has bytes there is no way, but there are words. */
__attribute__((unused)) static void test_too_little_space(void **state)
{
    struct fixture *f = *state;
    int many = 5000;
    assert_int_equal(faults_wait(faults_child(f, add_many, &many)), 0);
    int status = faults_wait(faults_child(f, no_space_left, NULL));
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 42);
}

__attribute__((unused)) static void test_map_grows(void **state)
{
    struct fixture *f = *state;
    struct job_state st;
    assert_int_equal(faults_wait(faults_child(f, grow_by_ourselves, NULL)), 0);
    f->s = faults_open(f->spool, STORE_READ);
    OK(store_begin(f->s, false, &e));
    OK(store_state(f->s, 6001, &st, &e));
    store_abort(f->s);
}

#define DISK(test) cmocka_unit_test_setup_teardown(test, disk_setup, disk_teardown)
#define CLOSED(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

#ifdef __SANITIZE_ADDRESS__ /* takes terabytes of address space for itself */
#define SPACE_TESTS
#else
#define SPACE_TESTS CLOSED(test_map_grown_by_another), CLOSED(test_map_grows), CLOSED(test_too_little_space),
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        DISK(test_full_disk), DISK(test_full_disk_and_stopped_reader), DISK(test_commit_on_full_disk), SPACE_TESTS};
    faults_one_cpu();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
