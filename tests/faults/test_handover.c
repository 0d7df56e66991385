/* Three bare processes: a scheduler, its worker, a scheduler after it, with each of them killed (or stopped) at every step, alone and together. The scheduler is a bare one,
 * its store a text file, so that what is tried is the hand-over and nothing else. Whatever happens: the command ran once and its true outcome is
 * recorded, or it ran at most once and is recorded as lost, which only the death of its worker may bring about; nothing hangs, and no file is left. */
#include "tests/faults/worker_process.h"

#include <setjmp.h>

#include <cmocka.h>

#include "cmd/run/worker.h"
#include "lib/base/fault.h"

/* ---- the store: a log of lines; what is in it is committed ---- */

struct ledger {
    int fd;
    uint32_t generation, runs; /* the last ones */
    bool open, over;           /* run 1.`runs` is open; its outcome is recorded */
    char boot[BOOT_ID_SIZE];
    char outcome[300];
};

static void ledger_read(struct ledger *l, const struct place *p)
{
    char path[200], line[300];
    snprintf(path, sizeof path, "%s/ledger", p->path);
    *l = (struct ledger){.fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600)};
    FILE *f = fopen(path, "re");
    while (fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "generation ", 11) == 0) {
            l->generation = (uint32_t)atoi(line + 11);
        } else if (sscanf(line, "claim %u %63s", &l->runs, l->boot) == 2) {
            l->open = true;
        } else if (strncmp(line, "unclaim", 7) == 0) {
            l->open = false;
        } else if (strncmp(line, "finish ", 7) == 0) {
            l->open = false;
            l->over = true;
            snprintf(l->outcome, sizeof l->outcome, "%s", line + 7);
        }
    }
    fclose(f);
}

static void ledger_write(struct ledger *l, const char *format, ...)
{
    struct buf b = {0};
    va_list arguments;
    va_start(arguments, format);
    buf_vformat(&b, format, arguments);
    va_end(arguments);
    if (write(l->fd, b.data, b.length) != (ssize_t)b.length)
        abort();
    buf_clear(&b);
}

/* ---- the bare scheduler ---- */

struct bare {
    struct place place;
    struct ledger ledger;
    char boot[BOOT_ID_SIZE];
    const char *worker_fault, *script;
    struct frame frame;
    bool resolved; /* the open run was gone over to what is known on disk */
};

static struct run_id bare_run(const struct bare *b)
{
    return (struct run_id){.job = 1, .n = b->ledger.runs};
}

static void bare_unclaim(struct bare *b)
{
    ledger_write(&b->ledger, "unclaim\n");
    b->ledger.open = false;
    FAULT_POINT("scheduler-unclaimed");
    left_remove(&b->place.folder, bare_run(b));
    if (!generation_older_alive(b->place.lock, b->ledger.generation))
        fence_remove(&b->place.folder, bare_run(b));
}

static void bare_finish(struct bare *b, const struct report *r)
{
    FAULT_POINT("scheduler-finishing");
    if (r->how == REPORT_FENCED || r->how == REPORT_SHORTAGE) {
        bare_unclaim(b);
        return;
    }
    ledger_write(&b->ledger, "finish how=%d code=%d signal=%d output=%.*s\n", r->how, r->code, r->signal, (int)r->output_length, r->output ? r->output : "");
    b->ledger.open = false;
    b->ledger.over = true;
    FAULT_POINT("scheduler-finished");
}

/* Waits for the report of the worker at the other end, and acknowledges it. False: the connection went. */
static bool bare_hear(struct bare *b)
{
    struct report r;
    int got;
    do
        got = frame_wait_report(&b->frame, &r, PATIENCE_MS);
    while (got == 1 && (r.id.n != b->ledger.runs || !b->ledger.open) && (report_clear(&r), true));
    if (got == 0)
        _exit(3); /* it hangs */
    if (got == 1) {
        bare_finish(b, &r);
        report_clear(&r);
        frame_send(&b->frame, message_ack(bare_run(b)));
        FAULT_POINT("scheduler-acknowledged");
    }
    frame_clear(&b->frame);
    b->frame = (struct frame){0};
    return got == 1;
}

static void bare_reach(struct bare *b)
{
    FAULT_POINT("scheduler-found");
    int fd = orphan_connect(&b->place.folder, bare_run(b));
    if (fd < 0) {
        usleep(3000);
        return; /* look again: it may not have noticed yet, or be gone */
    }
    b->frame = (struct frame){.fd = fd};
    FAULT_POINT("scheduler-connected");
    frame_send(&b->frame, message_adopt());
    FAULT_POINT("scheduler-adopting");
    bare_hear(b);
}

/* The open run, by what is on disk. */
static void bare_resolve(struct bare *b)
{
    struct fence fence;
    struct report left;
    struct run run = {.id = bare_run(b)};
    snprintf(run.boot, sizeof run.boot, "%s", b->ledger.boot);
    for (int64_t end = now_ms() + PATIENCE_MS; b->ledger.open;) {
        if (now_ms() > end)
            _exit(3);
        switch (adopt_look(&b->place.folder, &run, b->boot, &fence, &left)) {
        case ADOPT_FINISH:
            FAULT_POINT("scheduler-found-left");
            bare_finish(b, &left);
            report_clear(&left);
            break;
        case ADOPT_WAIT:
            bare_reach(b);
            break;
        case ADOPT_REQUEUE:
            FAULT_POINT("scheduler-fenced");
            bare_unclaim(b);
            break;
        case ADOPT_LOST:
            ledger_write(&b->ledger, "finish lost\n");
            b->ledger.open = false;
            b->ledger.over = true;
            break;
        }
    }
}

static void bare_start(struct bare *b)
{
    struct order o = {.id = {.job = 1, .n = ++b->ledger.runs}, .umask_bits = 022, .timeout = DURATION_NONE, .kill_after = SECOND, .output_max = 1000, .not_before = INSTANT_NONE};
    strvec_add(&o.argv, "/bin/sh");
    strvec_add(&o.argv, "-c");
    strvec_add(&o.argv, b->script);
    strvec_take(&o.env, mem_format("RAN=%s/ran", b->place.path));
    FAULT_POINT("scheduler-claiming");
    ledger_write(&b->ledger, "claim %u %s\n", b->ledger.runs, b->boot);
    b->ledger.open = true;
    snprintf(b->ledger.boot, sizeof b->ledger.boot, "%s", b->boot);
    FAULT_POINT("scheduler-claimed");
    worker_process(&b->place, b->ledger.generation, b->worker_fault, &b->frame);
    b->worker_fault = NULL; /* the first one only */
    FAULT_POINT("scheduler-spawned");
    frame_send(&b->frame, order_write(&o));
    order_clear(&o);
    FAULT_POINT("scheduler-ordered");
    if (!bare_hear(b))
        bare_resolve(b);
}

static void clean_fence(void *context, struct run_id id)
{
    fence_remove(context, id);
}

static void clean_left(void *context, struct run_id id)
{
    left_remove(context, id);
}

static int bare_main(const char *path, const char *worker_fault, const char *script)
{
    struct bare b = {.worker_fault = *worker_fault ? worker_fault : NULL, .script = script};
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGCHLD, SIG_IGN); /* reaped by the kernel */
    place_open(&b.place, path);
    place_lock(&b.place);
    process_boot(b.boot);
    ledger_read(&b.ledger, &b.place);
    ledger_write(&b.ledger, "generation %u\n", ++b.ledger.generation);
    if (b.ledger.open)
        bare_resolve(&b);
    while (!b.ledger.over)
        bare_start(&b);
    FAULT_POINT("scheduler-cleaning");
    left_each(&b.place.folder, clean_left, &b.place.folder);
    if (!generation_older_alive(b.place.lock, b.ledger.generation))
        fence_each(&b.place.folder, clean_fence, &b.place.folder);
    close(b.ledger.fd);
    place_clear(&b.place, false);
    return 0;
}

/* ---- driving them ---- */

#define SCRIPT_SHORT "echo ran >> $RAN; echo out; exit 7"
#define SCRIPT_LONGER "echo ran >> $RAN; sleep 0.15; echo out; exit 7"

static pid_t scheduler_process(const char *path, const char *fault, const char *worker_fault, const char *script)
{
    pid_t pid = fork();
    if (pid == 0) {
        if (fault)
            setenv("AX_FAULT", fault, 1);
        else
            unsetenv("AX_FAULT");
        execl("/proc/self/exe", "test", "__scheduler", path, worker_fault ? worker_fault : "", script, NULL);
        _exit(127);
    }
    return pid;
}

/* Waits for the scheduler; true if it ended by itself, false if it was killed. */
static bool scheduler_wait(pid_t pid, const char *what)
{
    int status = 0;
    for (int64_t end = now_ms() + 2 * PATIENCE_MS; now_ms() < end; usleep(1000)) {
        if (waitpid(pid, &status, WNOHANG) != pid)
            continue;
        if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
            fail_msg("%s: the scheduler ended with %d", what, WEXITSTATUS(status));
        return WIFEXITED(status);
    }
    fail_msg("%s: the scheduler hangs", what);
    return false;
}

/* We are the subreaper of all: nothing may be left. */
static void all_gone(const char *what)
{
    for (int64_t end = now_ms() + PATIENCE_MS; now_ms() < end; usleep(1000)) {
        pid_t got;
        while ((got = waitpid(-1, NULL, WNOHANG)) > 0)
            ;
        if (got < 0)
            return;
    }
    fail_msg("%s: a process is left", what);
}

static int count_ran(const char *path)
{
    char name[200], line[20];
    int count = 0;
    snprintf(name, sizeof name, "%s/ran", path);
    FILE *f = fopen(name, "re");
    while (f && fgets(line, sizeof line, f))
        count++;
    if (f)
        fclose(f);
    return count;
}

struct trial {
    const char *first, *worker, *second; /* faults of the first scheduler, its worker, the second scheduler; NULL: none */
    const char *script;
};

static void check_trial(const char *what, const char *path, const struct trial *t)
{
    struct place p;
    struct ledger l;
    struct buf names = {0};
    int ran = count_ran(path);
    place_open(&p, path);
    ledger_read(&l, &p);
    close(l.fd);
    bool in_child = t->worker && strncmp(t->worker, "worker-child-", 13) == 0;
    if (strcmp(l.outcome, "lost") == 0) {
        if (!t->worker || ran > 1)
            fail_msg("%s: lost, ran %d times", what, ran);
    } else if (in_child && strncmp(l.outcome, "how=1 code=-1 signal=9", 22) == 0) {
        assert_int_equal(ran, 0); /* the child was killed in the place of the command: true, too */
    } else if (strcmp(l.outcome, "how=0 code=7 signal=0 output=out") != 0 || ran != 1) {
        fail_msg("%s: recorded `%s`, ran %d times", what, l.outcome, ran);
    }
    if (folder_entries(p.folder.runs, &names) + folder_entries(p.folder.handover, &names))
        fail_msg("%s: left in the folder: %s", what, buf_string(&names));
    place_clear(&p, true);
}

static void new_path(char path[128])
{
    struct place p;
    place_new(&p);
    strcpy(path, p.path);
    place_clear(&p, false);
}

static void run_trial(const struct trial *t)
{
    char path[128], what[300];
    new_path(path);
    snprintf(what, sizeof what, "scheduler %s, worker %s, next scheduler %s", t->first ? t->first : "-", t->worker ? t->worker : "-", t->second ? t->second : "-");
    scheduler_wait(scheduler_process(path, t->first, t->worker, t->script), what);
    if (t->second)
        scheduler_wait(scheduler_process(path, t->second, NULL, t->script), what);
    scheduler_wait(scheduler_process(path, NULL, NULL, t->script), what);
    all_gone(what);
    scheduler_wait(scheduler_process(path, NULL, NULL, t->script), what); /* when all workers are gone, all is cleaned away */
    check_trial(what, path, t);
}

static const char *const worker_points[] = {
    "worker-joining", "worker-joined", "worker-ordered", "worker-fence-made", "worker-fence-locked", "worker-fenced", "worker-child-noting",
    "worker-child-noted", "worker-started", "worker-reaped", "worker-ended", "worker-reported", "worker-acked", "worker-fence-removed",
    "worker-orphaned", "worker-listening", "worker-adopted", "worker-leaving", "worker-left-made", "worker-left-synced", "worker-left-renamed",
    "worker-left", "worker-socket-removed",
};
#define WORKER_POINTS (sizeof worker_points / sizeof *worker_points)

static const char *const scheduler_points[] = {
    "scheduler-claiming", "scheduler-claimed", "scheduler-spawned", "scheduler-ordered", "scheduler-finishing", "scheduler-finished",
    "scheduler-acknowledged", "scheduler-cleaning",
};
#define SCHEDULER_POINTS (sizeof scheduler_points / sizeof *scheduler_points)

static const char *const adopting_points[] = {
    "scheduler-found", "scheduler-connected", "scheduler-adopting", "scheduler-found-left", "scheduler-fenced", "scheduler-unclaimed",
    "scheduler-finishing", "scheduler-finished", "scheduler-acknowledged", "scheduler-cleaning",
};
#define ADOPTING_POINTS (sizeof adopting_points / sizeof *adopting_points)

static void test_nobody_dies(void **state)
{
    (void)state;
    run_trial(&(struct trial){.script = SCRIPT_SHORT});
    run_trial(&(struct trial){.script = SCRIPT_LONGER});
}

static void test_worker_dies(void **state)
{
    (void)state;
    for (size_t i = 0; i < WORKER_POINTS; i++)
        run_trial(&(struct trial){.worker = worker_points[i], .script = SCRIPT_SHORT});
}

static void test_scheduler_dies(void **state)
{
    (void)state;
    for (size_t i = 0; i < SCHEDULER_POINTS; i++) {
        run_trial(&(struct trial){.first = scheduler_points[i], .script = SCRIPT_SHORT});
        run_trial(&(struct trial){.first = scheduler_points[i], .script = SCRIPT_LONGER});
    }
}

static void test_both_die(void **state)
{
    (void)state;
    for (size_t i = 0; i < SCHEDULER_POINTS; i++)
        for (size_t k = 0; k < WORKER_POINTS; k++)
            run_trial(&(struct trial){.first = scheduler_points[i], .worker = worker_points[k], .script = SCRIPT_LONGER});
}

static void test_next_scheduler_dies(void **state)
{
    (void)state;
    for (size_t i = 0; i < ADOPTING_POINTS; i++) {
        run_trial(&(struct trial){.first = "scheduler-ordered", .second = adopting_points[i], .script = SCRIPT_LONGER});
        run_trial(&(struct trial){.first = "scheduler-ordered", .second = adopting_points[i], .script = SCRIPT_SHORT});
        run_trial(&(struct trial){.first = "scheduler-claimed", .second = adopting_points[i], .script = SCRIPT_SHORT});
        run_trial(&(struct trial){.first = "scheduler-ordered", .worker = "worker-listening", .second = adopting_points[i], .script = SCRIPT_LONGER});
    }
}

/* ---- stopped instead of killed ---- */

/* The worker that the scheduler has started and that has stopped itself; 0: it did not come to that place. */
static pid_t stopped_worker(pid_t scheduler)
{
    for (int64_t end = now_ms() + 1500; now_ms() < end; usleep(2000)) {
        char path[64];
        snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)scheduler, (int)scheduler);
        FILE *f = fopen(path, "re");
        int pid = 0;
        while (f && fscanf(f, "%d", &pid) == 1)
            if (process_stopped(pid))
                break;
            else
                pid = 0;
        if (f)
            fclose(f);
        if (pid)
            return pid;
        if (kill(scheduler, 0) != 0)
            return 0;
    }
    return 0;
}

/* The worker stops at the place, its scheduler is killed, the next one serves; the worker wakes `later`: when that one has ended (if it can end), or in the midst of it. */
static void stop_trial(const char *point, bool later)
{
    char path[128], fault[64], what[200];
    new_path(path);
    snprintf(fault, sizeof fault, "%s:1:stop", point);
    snprintf(what, sizeof what, "worker stopped at %s, wakes %s", point, later ? "late" : "early");
    struct trial t = {.worker = fault, .script = SCRIPT_SHORT};
    pid_t first = scheduler_process(path, NULL, fault, t.script);
    pid_t worker = stopped_worker(first);
    kill(first, SIGKILL);
    scheduler_wait(first, what);
    if (!worker)
        fail_msg("%s: it never came there", what);
    pid_t second = scheduler_process(path, NULL, NULL, t.script);
    if (later)
        scheduler_wait(second, what);
    else
        usleep(30000);
    kill(worker, SIGCONT);
    if (!later)
        scheduler_wait(second, what);
    all_gone(what);
    scheduler_wait(scheduler_process(path, NULL, NULL, t.script), what);
    t.worker = NULL; /* it was not killed: its run may not be lost */
    check_trial(what, path, &t);
}

static void test_stopped_worker_wakes_late(void **state)
{
    (void)state;
    static const char *const before_its_lock[] = {"worker-joining", "worker-joined", "worker-ordered", "worker-fence-made"};
    for (size_t i = 0; i < sizeof before_its_lock / sizeof *before_its_lock; i++)
        stop_trial(before_its_lock[i], true);
}

static void test_stopped_worker_wakes_early(void **state)
{
    (void)state;
    static const char *const anywhere[] = {"worker-joining", "worker-joined", "worker-ordered", "worker-fence-made", "worker-fence-locked",
                                           "worker-fenced", "worker-started", "worker-reaped", "worker-ended"};
    for (size_t i = 0; i < sizeof anywhere / sizeof *anywhere; i++)
        stop_trial(anywhere[i], false);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "__worker") == 0)
        return worker_main(argc, argv);
    if (argc > 4 && strcmp(argv[1], "__scheduler") == 0)
        return bare_main(argv[2], argv[3], argv[4]);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (argc > 1)
        cmocka_set_test_filter(argv[1]); /* one test, by name */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nobody_dies),
        cmocka_unit_test(test_worker_dies),
        cmocka_unit_test(test_scheduler_dies),
        cmocka_unit_test(test_both_die),
        cmocka_unit_test(test_next_scheduler_dies),
        cmocka_unit_test(test_stopped_worker_wakes_late),
        cmocka_unit_test(test_stopped_worker_wakes_early),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
