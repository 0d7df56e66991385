#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/sys/process.h"
#include "lib/sys/tree.h"

#define MARK "AX_TEST_MARK=12.3"

/* The cast: one command, and what it has started. */
enum actor {
    COMMAND,       /* has its own session */
    CHILD,
    ORPHAN,        /* its parent has ended: a child of this test, the subreaper, now */
    APART,         /* a child in a session of its own */
    APART_CHILD,
    DAEMON,        /* an orphan in a session of its own */
    MARKED,        /* as DAEMON, with the mark in its environment */
    NEARLY,        /* as DAEMON, with entries that are like the mark */
    STUBBORN,      /* ignores SIGTERM, SIGHUP and SIGINT */
    STOPPED,
    STRANGER,      /* not started by the command, but by this test */
    ACTORS
};

static struct stage {
    volatile pid_t pids[ACTORS];
} *stage;

static void pause_ms(int ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L}, NULL);
}

static _Noreturn void wait_for_ever(void)
{
    for (;;)
        pause();
}

static _Noreturn void become(enum actor a)
{
    alarm(120); /* nobody outlives a test that was killed */
    if (a == STUBBORN)
        signal(SIGTERM, SIG_IGN), signal(SIGHUP, SIG_IGN), signal(SIGINT, SIG_IGN);
    if (a == APART)
        setsid();
    if (a == APART && fork() == 0) {
        alarm(120);
        stage->pids[APART_CHILD] = getpid();
        wait_for_ever();
    }
    stage->pids[a] = getpid();
    if (a == MARKED)
        execle("/bin/sleep", "sleep", "1000", NULL, (char *[]){"A=1", MARK, "B=2", NULL});
    if (a == NEARLY)
        execle("/bin/sleep", "sleep", "1000", NULL, (char *[]){MARK "4", "X" MARK, "X=" MARK, "AX_TEST_MARK=12", NULL});
    if (a == STOPPED)
        raise(SIGSTOP);
    wait_for_ever();
}

static void start(enum actor a)
{
    if (fork() == 0)
        become(a);
}

/* By way of a process in between, which ends at once. */
static void start_orphan(enum actor a, bool session)
{
    pid_t between = fork();
    if (between == 0) {
        if (session)
            setsid();
        start(a);
        _exit(0);
    }
    waitpid(between, NULL, 0);
}

static _Noreturn void command(void)
{
    setsid();
    start(CHILD);
    start_orphan(ORPHAN, false);
    start(APART);
    start_orphan(DAEMON, true);
    start_orphan(MARKED, true);
    start_orphan(NEARLY, true);
    start(STUBBORN);
    start(STOPPED);
    if (fork() == 0)
        _exit(0); /* a zombie, which does not count */
    become(COMMAND);
}

static bool executes_sleep(enum actor a)
{
    struct process_facts f;
    return process_read(stage->pids[a], &f) && strcmp(f.command, "sleep") == 0;
}

static bool on_stage(void)
{
    for (int a = 0; a < ACTORS; a++)
        if (!stage->pids[a])
            return false;
    return process_stopped(stage->pids[STOPPED]) && executes_sleep(MARKED) && executes_sleep(NEARLY);
}

static void eventually(bool (*holds)(void))
{
    for (int i = 0; i < 5000 && !holds(); i++)
        pause_ms(1);
    assert_true(holds());
}

static int curtain_up(void **state)
{
    (void)state;
    memset(stage, 0, sizeof *stage);
    if (fork() == 0)
        command();
    start(STRANGER);
    eventually(on_stage);
    pause_ms(20); /* the zombie */
    return 0;
}

static void reap(void)
{
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
}

static int curtain_down(void **state)
{
    (void)state;
    struct tree all = {.root = getpid()};
    for (int i = 0; i < 5000 && tree_signal(&all, SIGKILL, NULL); i++)
        reap();
    while (waitpid(-1, NULL, 0) > 0)
        ;
    return errno == ECHILD ? 0 : -1;
}

/* ---- who is a member ---- */

#define SET(a) (1u << (a))
#define SESSION_SET (SET(COMMAND) | SET(CHILD) | SET(ORPHAN) | SET(APART) | SET(APART_CHILD) | SET(STUBBORN) | SET(STOPPED))
#define BELOW_SET (SESSION_SET & ~SET(ORPHAN)) /* below the command */
#define ALL_SET (SET(ACTORS) - 1)

#define NOBODY ACTORS
#define SELF (ACTORS + 1)

static const struct row {
    const char *what;
    int root, session;
    const char *mark;
    int spare[2];
    unsigned members;
    const char *mark_too;
} rows[] = {
    {"no way at all", NOBODY, NOBODY, NULL, {NOBODY, NOBODY}, 0, NULL},
    {"all below this subreaper", SELF, NOBODY, NULL, {NOBODY, NOBODY}, ALL_SET, NULL},
    {"but for the stranger", SELF, NOBODY, NULL, {STRANGER, NOBODY}, ALL_SET & ~SET(STRANGER), NULL},
    {"below the command, itself included", COMMAND, NOBODY, NULL, {NOBODY, NOBODY}, BELOW_SET, NULL},
    {"below one with a child", APART, NOBODY, NULL, {NOBODY, NOBODY}, SET(APART) | SET(APART_CHILD), NULL},
    {"spared with its child", SELF, NOBODY, NULL, {APART, STRANGER}, ALL_SET & ~(SET(APART) | SET(APART_CHILD) | SET(STRANGER)), NULL},
    {"session, and what descends from it", NOBODY, COMMAND, NULL, {NOBODY, NOBODY}, SESSION_SET, NULL},
    {"another session", NOBODY, DAEMON, NULL, {NOBODY, NOBODY}, 0, NULL}, /* the one in between was its first process */
    {"a session in a tree", NOBODY, APART, NULL, {NOBODY, NOBODY}, SET(APART) | SET(APART_CHILD), NULL},
    {"mark", NOBODY, NOBODY, MARK, {NOBODY, NOBODY}, SET(MARKED), NULL},
    {"another mark", NOBODY, NOBODY, "AX_TEST_MARK=12.", {NOBODY, NOBODY}, 0, NULL},
    {"a marked one that is spared", NOBODY, NOBODY, MARK, {MARKED, NOBODY}, 0, NULL},
    {"session and mark", NOBODY, COMMAND, MARK, {NOBODY, NOBODY}, SESSION_SET | SET(MARKED), NULL},
    {"a spared process, but its child is in the session by itself", NOBODY, APART, NULL, {APART, NOBODY}, SET(APART_CHILD), NULL},
    {"both marks", NOBODY, NOBODY, MARK, {NOBODY, NOBODY}, SET(MARKED), "B=2"},
    {"only one of two marks", NOBODY, NOBODY, MARK, {NOBODY, NOBODY}, 0, "B=3"},
};

static pid_t pid_of(int a)
{
    return a == NOBODY ? 0 : a == SELF ? getpid() : stage->pids[a];
}

static unsigned stopped_set(void)
{
    unsigned set = 0;
    for (int a = 0; a < ACTORS; a++)
        if (process_stopped(stage->pids[a]))
            set |= SET(a);
    return set;
}

static size_t size_of(unsigned set)
{
    return (size_t)__builtin_popcount(set);
}

/* Stops the members, and looks who has stopped. */
static void test_members(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        struct tree t = {.root = pid_of(r->root), .session = pid_of(r->session), .mark = r->mark, .mark_too = r->mark_too, .spare = {pid_of(r->spare[0]), pid_of(r->spare[1])}};
        unsigned expected = r->members | SET(STOPPED), found = 0;
        size_t counted = tree_count(&t), sent = tree_signal(&t, SIGSTOP, NULL);
        for (int k = 0; k < 1000 && (found = stopped_set()) != expected; k++)
            pause_ms(1);
        if (found != expected || counted != size_of(r->members) || sent != counted)
            fail_msg("%s: %#x instead of %#x, %zu counted, %zu sent", r->what, found, expected, counted, sent);
        for (int a = 0; a < ACTORS; a++)
            if (a != STOPPED)
                kill(stage->pids[a], SIGCONT);
        while (stopped_set() != SET(STOPPED))
            pause_ms(1);
    }
}

static void test_session_number_used_again(void **state)
{
    (void)state;
    struct process_id first;
    assert_true(process_identify(stage->pids[COMMAND], &first));
    struct tree t = {.session = first.pid, .session_start = first.start};
    assert_int_equal(tree_count(&t), size_of(SESSION_SET));
    t.session_start++;
    assert_int_equal(tree_count(&t), 0);
    t.mark = MARK;
    assert_int_equal(tree_count(&t), 1);
    kill(first.pid, SIGKILL); /* without its first process the session is still ours */
    waitpid(first.pid, NULL, 0);
    t = (struct tree){.session = first.pid, .session_start = first.start};
    assert_int_equal(tree_count(&t), size_of(SESSION_SET & ~(SET(COMMAND) | SET(APART) | SET(APART_CHILD))));
}

/* ---- ending them ---- */

static bool only_stubborn_left(void)
{
    reap();
    struct tree t = {.root = getpid(), .spare = {stage->pids[STRANGER]}};
    return tree_count(&t) == 1;
}

static void test_end(void **state)
{
    (void)state;
    struct tree t = {.root = getpid(), .session = stage->pids[COMMAND], .mark = MARK, .spare = {stage->pids[STRANGER]}};
    struct buf denied = {0};
    assert_int_equal(tree_signal(&t, SIGTERM, &denied), size_of(ALL_SET) - 1);
    eventually(only_stubborn_left); /* the stopped one has obeyed, too */
    assert_true(kill(stage->pids[STUBBORN], 0) == 0);
    int rounds = 0;
    while (tree_signal(&t, SIGKILL, &denied) && rounds++ < 5000)
        reap();
    assert_int_equal(tree_count(&t), 0);
    assert_int_equal(denied.length, 0);
    reap();
    assert_int_equal(kill(stage->pids[STUBBORN], 0), -1);
    assert_int_equal(kill(stage->pids[STRANGER], 0), 0);
}

static void test_bare(void **state)
{
    (void)state;
    curtain_down(NULL);
    assert_int_equal(tree_count(&(struct tree){.root = getpid()}), 0);
}

/* A process that runs away from its number: each one makes the next and ends. None outlives a test that was killed: an alarm is not inherited. */
static _Noreturn void run_away(void)
{
    time_t end = time(NULL) + 60;
    for (;;) {
        pause_ms(2);
        if (time(NULL) > end)
            _exit(1);
        if (fork() > 0)
            _exit(0);
    }
}

static void test_runaway(void **state)
{
    (void)state;
    struct tree t = {.root = getpid(), .spare = {stage->pids[COMMAND], stage->pids[STRANGER], stage->pids[ORPHAN], stage->pids[DAEMON]}};
    kill(stage->pids[MARKED], SIGKILL);
    kill(stage->pids[NEARLY], SIGKILL);
    for (int i = 0; i < 3; i++)
        if (fork() == 0)
            run_away();
    pause_ms(20);
    int rounds = 0;
    while (tree_signal(&t, SIGKILL, NULL) && rounds++ < 5000)
        reap();
    assert_int_equal(tree_count(&t), 0);
    pause_ms(20);
    assert_int_equal(tree_count(&t), 0); /* none had got away */
}

/* ---- what may not be signalled ---- */

static void denied_child(pid_t session)
{
    struct buf denied = {0};
    char expected[64];
    struct tree t = {.session = session};
    if (setresgid(4242, 4242, 4242) < 0 || setresuid(4242, 4242, 4242) < 0)
        _exit(1);
    snprintf(expected, sizeof expected, "pid %d (e?il) S)", (int)session);
    if (tree_signal(&t, SIGTERM, &denied) != 1 || strcmp(buf_string(&denied), expected) != 0)
        _exit(2);
    if (tree_signal(&t, SIGTERM, NULL) != 1)
        _exit(3);
    for (int i = 0; i < 100; i++)
        tree_signal(&t, SIGTERM, &denied);
    _exit(denied.length < 600 && strstr(denied.data, "), pid ") ? 0 : 4);
}

static void test_denied(void **state)
{
    (void)state;
    int status;
    if (getuid() != 0)
        skip();
    pid_t root = fork();
    if (root == 0) {
        setsid();
        prctl(PR_SET_NAME, "e\033il) S");
        wait_for_ever();
    }
    pause_ms(50);
    pid_t user = fork();
    if (user == 0)
        denied_child(root);
    waitpid(user, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(kill(root, 0), 0);
}

#define WITH_CAST(test) cmocka_unit_test_setup_teardown(test, curtain_up, curtain_down)

static int make_stage(void **state)
{
    (void)state;
    stage = mmap(NULL, sizeof *stage, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return stage != MAP_FAILED && prctl(PR_SET_CHILD_SUBREAPER, 1) == 0 ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CAST(test_members), WITH_CAST(test_session_number_used_again), WITH_CAST(test_end), WITH_CAST(test_bare), WITH_CAST(test_runaway),
        WITH_CAST(test_denied),
    };
    return cmocka_run_group_tests_name("tree", tests, make_stage, NULL);
}
