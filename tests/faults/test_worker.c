/* Real workers and awkward commands: what escapes, what does not listen, what does not stop writing. */
#include "tests/faults/worker_process.h"

#include <setjmp.h>

#include <cmocka.h>

#include "cmd/run/worker.h"
#include "spool/output.h"

/* Several of these programs may run at once: each has a sleep of its own to look for, which the shell knows by this name. */
#define NAP "${NAP}"

static void nap_init(void)
{
    char nap[32];
    snprintf(nap, sizeof nap, "sleep 849.%d", (int)getpid());
    setenv("NAP", nap, 1);
}

struct hand { /* the test as a scheduler with one worker */
    struct place place;
    struct frame frame;
    pid_t worker;
    uint32_t runs;
};

static int hand_make(void **state)
{
    struct hand *h = calloc(1, sizeof *h);
    place_new(&h->place);
    place_lock(&h->place);
    h->worker = worker_process(&h->place, WORKER_GENERATION, NULL, &h->frame);
    *state = h;
    return 0;
}

static void hand_hang_up(struct hand *h)
{
    frame_clear(&h->frame);
    h->frame = (struct frame){0};
}

static int hand_end(void **state)
{
    struct hand *h = *state;
    struct buf names = {0};
    hand_hang_up(h);
    assert_true(wait_gone(h->worker, PATIENCE_MS));
    if (folder_entries(h->place.folder.runs, &names) + folder_entries(h->place.folder.handover, &names))
        fail_msg("left in the folder: %s", buf_string(&names));
    place_clear(&h->place, true);
    free(h);
    return 0;
}

/* ---- giving orders ---- */

static struct order order_of(struct hand *h, const char *script)
{
    char run[64], *spool = mem_format("AX_SPOOL=%s", h->place.path);
    struct order o = {.id = {.job = 1, .n = ++h->runs}, .umask_bits = 022, .timeout = DURATION_NONE, .kill_after = 10 * SECOND,
                      .output_max = 1 << 20, .not_before = INSTANT_NONE};
    strvec_add(&o.argv, "/bin/sh");
    strvec_add(&o.argv, "-c");
    strvec_add(&o.argv, script);
    strvec_add(&o.env, "PATH=/usr/bin:/bin");
    snprintf(run, sizeof run, "AX_RUN=1.%u", h->runs);
    strvec_add(&o.env, run);
    strvec_take(&o.env, spool);
    strvec_take(&o.env, mem_format("NAP=%s", getenv("NAP")));
    return o;
}

static void give(struct hand *h, struct order *o)
{
    frame_send(&h->frame, order_write(o));
    order_clear(o);
}

static struct report take_ms(struct hand *h, int ms)
{
    struct report r = {0};
    int got = frame_wait_report(&h->frame, &r, ms);
    if (got != 1)
        fail_msg("no report: %d", got);
    return r;
}

static struct report take(struct hand *h)
{
    return take_ms(h, PATIENCE_MS);
}

static void acknowledge(struct hand *h, struct report *r)
{
    frame_send(&h->frame, message_ack(r->id));
    report_clear(r);
}

static struct report run_order(struct hand *h, struct order *o)
{
    give(h, o);
    return take(h);
}

static struct report run_script(struct hand *h, const char *script)
{
    struct order o = order_of(h, script);
    return run_order(h, &o);
}

static void check_output(const struct report *r, const char *want)
{
    char *got = mem_format("%.*s", (int)r->output_length, r->output ? r->output : "");
    if (strcmp(got, want) != 0)
        fail_msg("output `%s`, wanted `%s`", got, want);
    free(got);
}

static int count_processes(const char *arguments)
{
    char command[200];
    snprintf(command, sizeof command, "pgrep -cfx \"%s\"", arguments);
    FILE *f = popen(command, "r");
    int count = -1;
    assert_int_equal(fscanf(f, "%d", &count), 1);
    pclose(f);
    return count;
}

/* ---- plain runs ---- */

static void test_exit_codes_and_signals(void **state)
{
    struct hand *h = *state;
    struct report r = run_script(h, "echo out; echo err >&2; exit 3");
    assert_int_equal(r.how, REPORT_EXITED);
    assert_int_equal(r.code, 3);
    assert_int_equal(r.signal, 0);
    check_output(&r, "out\nerr\n");
    assert_int_equal(r.output_bytes, 8);
    assert_false(r.output_file);
    assert_false(r.lingers);
    assert_null(r.reason);
    assert_true(r.started > 0 && r.ended >= r.started && r.ended - r.started < 5 * SECOND);
    assert_true(r.max_rss > 100000 && r.cpu_user_ns >= 0);
    acknowledge(h, &r);
    r = run_script(h, "kill -9 $$");
    assert_int_equal(r.how, REPORT_SIGNALED);
    assert_int_equal(r.code, -1);
    assert_int_equal(r.signal, 9);
    acknowledge(h, &r);
    r = run_script(h, "printf 'a\\0b\\377\\376\\033]0;x\\007end'"); /* OU-01 */
    assert_int_equal(r.output_length, 14);
    assert_memory_equal(r.output, "a\0b\377\376\033]0;x\007end", 14);
    acknowledge(h, &r);
}

static void test_many_in_a_row(void **state)
{
    struct hand *h = *state;
    int64_t begin = now_ms();
    for (int i = 0; i < 300; i++) {
        struct order o = order_of(h, "");
        strvec_clear(&o.argv);
        strvec_add(&o.argv, "/bin/true");
        struct report r = run_order(h, &o);
        assert_int_equal(r.how, REPORT_EXITED);
        assert_int_equal(r.code, 0);
        assert_false(r.lingers);
        acknowledge(h, &r);
    }
    print_message("300 runs of /bin/true by one worker: %d ms\n", (int)(now_ms() - begin));
    struct buf names = {0};
    assert_int_equal(folder_entries(h->place.folder.output, &names), 0);
}

static void test_clean_slate(void **state) /* PC-03 */
{
    struct hand *h = *state;
    struct order o = order_of(h, "grep -E '^Sig(Ign|Blk)' /proc/self/status; readlink /proc/self/fd/0; ls /proc/self/fd | tr '\\n' ' '; umask; pwd");
    o.cwd = mem_string("/usr");
    o.umask_bits = 0027;
    struct report r = run_order(h, &o);
    check_output(&r, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n/dev/null\n0 1 2 3 0027\n/usr\n"); /* 3 is the listing's own */
    acknowledge(h, &r);
    r = run_script(h, "yes | head -1");
    check_output(&r, "y\n");
    acknowledge(h, &r);
}

static void test_input(void **state)
{
    struct hand *h = *state;
    struct order o = order_of(h, "cat; cat /dev/stdin; echo x >&0");
    o.input = mem_copy("a\0b\n", 4);
    o.input_length = 4;
    struct report r = run_order(h, &o);
    assert_true(r.output_length > 8); /* read twice, since opening it again begins anew; writing is refused */
    assert_memory_equal(r.output, "a\0b\na\0b\n", 8);
    acknowledge(h, &r);
    o = order_of(h, "exit 0"); /* nobody reads it */
    o.input_length = 1 << 20;
    o.input = mem_zero(1, o.input_length);
    r = run_order(h, &o);
    assert_int_equal(r.code, 0);
    acknowledge(h, &r);
    o = order_of(h, "wc -c");
    o.input_length = 1 << 20;
    o.input = mem_zero(1, o.input_length);
    r = run_order(h, &o);
    check_output(&r, "1048576\n");
    acknowledge(h, &r);
}

static void test_devices(void **state)
{
    struct hand *h = *state;
    struct report r = run_script(h, "echo a; echo b > /dev/stdout; echo c > /dev/stderr; echo d >> /dev/stdout; echo e");
    check_output(&r, "a\nb\nc\nd\ne\n");
    acknowledge(h, &r);
    if (getuid() != 0)
        return;
    struct order o = order_of(h, "id -un; echo b > /dev/stdout; echo c > /dev/stderr");
    o.user = mem_string("nobody");
    o.cwd = mem_string("/");
    r = run_order(h, &o);
    check_output(&r, "nobody\nb\nc\n"); /* the pipe must be the user's own for that */
    acknowledge(h, &r);
}

static void test_closed_descriptors(void **state)
{
    struct hand *h = *state;
    struct report r = run_script(h, "echo a; exec >&- 2>&- <&-; sleep 0.2; exit 5");
    assert_int_equal(r.code, 5);
    assert_true(r.ended - r.started > SECOND / 6); /* end-of-file is not the end */
    check_output(&r, "a\n");
    assert_false(r.lingers);
    acknowledge(h, &r);
}

static void test_endless_output(void **state)
{
    struct hand *h = *state;
    struct order o = order_of(h, "printf start; exec yes");
    o.timeout = SECOND / 2;
    o.output_max = 100000;
    struct run_id id = o.id;
    struct report r = run_order(h, &o);
    assert_int_equal(r.how, REPORT_TIMEOUT);
    assert_int_equal(r.signal, SIGTERM);
    assert_true(r.output_bytes > 1000000);
    assert_true(r.output_file);
    assert_false(r.lingers);
    assert_true(r.ended - r.started < 3 * SECOND);
    struct output_reader *reader;
    struct buf b = {0};
    int64_t missing = 0, hole = 0;
    int n;
    assert_int_equal(output_reader_open(&h->place.folder, id, &reader, NULL), 0);
    while ((n = output_reader_next(reader, &b, 65536, &missing)) != 0)
        hole += n < 0 ? missing : 0;
    assert_int_equal(b.length, 100000);
    assert_int_equal(hole + (int64_t)b.length, r.output_bytes);
    assert_memory_equal(b.data, "starty\ny\n", 9);
    output_reader_close(reader);
    buf_clear(&b);
    acknowledge(h, &r);
    output_remove(&h->place.folder, id);
}

/* ---- its environment ---- */

static void write_file(const char *path, mode_t mode, const char *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

/* env, then env_file, then env_last: the later wins. A path without `/` is looked for in the directory of the run. */
static void test_env_file(void **state)
{
    struct hand *h = *state;
    char *path = mem_format("%s/my.env", h->place.path);
    write_file(path, 0600, "# all of it\n\nA=file\nB='file'\nC=\"a b\"\n");
    struct order o = order_of(h, "echo $A $B $C");
    strvec_add(&o.env, "A=env");
    strvec_add(&o.env_last, "B=last");
    o.cwd = mem_string(h->place.path);
    o.env_file = mem_string("my.env");
    struct report r = run_order(h, &o);
    check_output(&r, "file last a b\n");
    acknowledge(h, &r);
    free(path);
}

static void check_env_file(struct hand *h, const char *user, const char *path, const char *why)
{
    struct order o = order_of(h, "env");
    o.user = mem_string(user);
    o.cwd = mem_string("/");
    o.env_file = mem_string(path);
    struct report r = run_order(h, &o);
    if (why) {
        assert_int_equal(r.how, REPORT_UNSTARTABLE);
        assert_non_null(strstr(r.reason, path));
        if (!strstr(r.reason, why))
            fail_msg("%s: `%s`, wanted `%s`", path, r.reason, why);
        assert_int_equal(r.output_length, 0);
    } else {
        assert_int_equal(r.code, 0);
        assert_non_null(strstr(r.output, "SECRET="));
    }
    acknowledge(h, &r);
}

/* Nothing that the user may not read himself gets into the environment of his command, and nothing makes us wait. */
static void test_env_file_of_a_user(void **state)
{
    struct hand *h = *state;
    char folder[] = "/tmp/ax-env-XXXXXX", *paths[5];
    static const char *const names[] = {"mine", "secret", "link", "fifo", "large"};
    if (getuid() != 0)
        skip();
    assert_non_null(mkdtemp(folder));
    for (int i = 0; i < 5; i++)
        paths[i] = mem_format("%s/%s", folder, names[i]);
    write_file(paths[0], 0644, "SECRET=none\n");
    write_file(paths[1], 0600, "SECRET=root's\n");
    write_file(paths[4], 0644, "SECRET=none\n");
    assert_int_equal(truncate(paths[4], 2 << 20), 0);
    assert_int_equal(chmod(folder, 0755), 0);
    assert_int_equal(symlink(paths[1], paths[2]), 0);
    assert_int_equal(mkfifo(paths[3], 0644), 0);
    check_env_file(h, "nobody", paths[0], NULL);
    check_env_file(h, NULL, paths[2], NULL); /* root's own */
    check_env_file(h, "nobody", paths[1], "Permission denied");
    check_env_file(h, "nobody", paths[2], "Permission denied");
    check_env_file(h, "nobody", paths[3], "Invalid argument");
    check_env_file(h, "nobody", paths[4], "File too large");
    check_env_file(h, "nobody", "/proc/self/environ", "Permission denied");
    check_env_file(h, "nobody", "/dev/zero", "Invalid argument");
    check_env_file(h, "nobody", "/etc/passwd", "line 1");
    for (int i = 0; i < 5; i++) {
        unlink(paths[i]);
        free(paths[i]);
    }
    rmdir(folder);
}

/* ---- what cannot be started ---- */

static void test_unstartable(void **state)
{
    struct hand *h = *state;
    struct order o = order_of(h, "");
    o.cwd = mem_string("/nowhere/at/all");
    struct report r = run_order(h, &o);
    assert_int_equal(r.how, REPORT_UNSTARTABLE);
    assert_string_equal(r.reason, "changing to the directory /nowhere/at/all: No such file or directory");
    assert_true(r.started == INSTANT_NONE);
    acknowledge(h, &r);
    o = order_of(h, "");
    strvec_clear(&o.argv);
    strvec_add(&o.argv, "no-such-program");
    r = run_order(h, &o);
    assert_int_equal(r.how, REPORT_UNSTARTABLE);
    assert_string_equal(r.reason, "executing the command no-such-program: No such file or directory");
    acknowledge(h, &r);
    o = order_of(h, "");
    o.user = mem_string("no-such-user");
    r = run_order(h, &o);
    assert_int_equal(r.how, REPORT_UNSTARTABLE);
    assert_non_null(strstr(r.reason, "no-such-user"));
    acknowledge(h, &r);
    o = order_of(h, "");
    char *big = mem_alloc(200001);
    memset(big, 'x', 200000);
    big[200000] = '\0';
    strvec_take(&o.argv, big); /* longer than the kernel takes in one word */
    r = run_order(h, &o);
    assert_int_equal(r.how, REPORT_UNSTARTABLE);
    assert_non_null(strstr(r.reason, "Argument list too long"));
    acknowledge(h, &r);
    r = run_script(h, "exit 4"); /* the worker is none the worse for it */
    assert_int_equal(r.code, 4);
    acknowledge(h, &r);
}

static void test_fenced(void **state)
{
    struct hand *h = *state;
    struct order o = order_of(h, "touch /tmp/ax-must-not-run");
    struct run_id id = o.id;
    assert_true(fence_close(&h->place.folder, id));
    struct report r = run_order(h, &o);
    assert_int_equal(r.how, REPORT_FENCED);
    acknowledge(h, &r);
    assert_int_equal(access("/tmp/ax-must-not-run", F_OK), -1);
    r = run_script(h, "exit 2");
    assert_int_equal(r.code, 2);
    acknowledge(h, &r);
    struct fence f;
    fence_look(&h->place.folder, id, &f);
    assert_int_equal(f.state, FENCE_UNSTARTED); /* not his to remove */
    fence_remove(&h->place.folder, id);
}

static void test_held(void **state)
{
    struct hand *h = *state;
    struct order o = order_of(h, "exit 1");
    instant due = clock_wall() + SECOND / 3;
    o.not_before = due;
    struct report r = run_order(h, &o);
    assert_true(r.started >= due);
    assert_true(r.started < due + SECOND / 4);
    acknowledge(h, &r);
    o = order_of(h, "exit 1");
    o.not_before = clock_wall() + 4 * SECOND;
    struct run_id id = o.id;
    give(h, &o);
    usleep(50000);
    frame_send(&h->frame, message_cancel(id, false, DURATION_NONE));
    r = take(h);
    assert_int_equal(r.how, REPORT_CANCELLED);
    assert_true(r.started == INSTANT_NONE);
    acknowledge(h, &r);
    r = run_script(h, "exit 6");
    assert_int_equal(r.code, 6);
    acknowledge(h, &r);
    o = order_of(h, "exit 1");
    o.not_before = clock_wall() + 4 * SECOND;
    give(h, &o); /* hand_end: when the scheduler is gone a held run is dropped, and the worker ends */
}

/* The clock was set back before the order came: no slot is held for an hour. */
static void test_held_for_too_long(void **state)
{
    struct hand *h = *state;
    struct order o = order_of(h, "exit 1");
    o.not_before = clock_wall() + 3600 * SECOND;
    give(h, &o);
    struct report r = take_ms(h, 2000);
    assert_int_equal(r.how, REPORT_FENCED);
    assert_true(r.started == INSTANT_NONE);
    acknowledge(h, &r);
}

/* The clock is set, by one nanosecond, which only root may do. */
static void test_held_while_the_clock_is_set(void **state)
{
    struct hand *h = *state;
    struct timespec now;
    struct order o = order_of(h, "exit 1");
    o.not_before = clock_wall() + 4 * SECOND;
    give(h, &o);
    usleep(1500000); /* it must be holding by then, on a busy machine too */
    clock_gettime(CLOCK_REALTIME, &now);
    now.tv_nsec += now.tv_nsec < 999999999;
    if (clock_settime(CLOCK_REALTIME, &now) != 0) {
        print_message("not allowed to set the clock: left out\n");
        return;
    }
    struct report r = take(h);
    assert_int_equal(r.how, REPORT_FENCED);
    assert_true(r.started == INSTANT_NONE);
    acknowledge(h, &r);
    r = run_script(h, "exit 6");
    assert_int_equal(r.code, 6);
    acknowledge(h, &r);
}

/* ---- limits ---- */

static struct report run_limited(struct hand *h, const char *script, duration timeout, duration kill_after)
{
    struct order o = order_of(h, script);
    o.timeout = timeout;
    o.kill_after = kill_after;
    return run_order(h, &o);
}

static void test_timeout_takes_the_tree(void **state) /* PC-01 */
{
    struct hand *h = *state;
    struct report r = run_limited(h, NAP "1 & " NAP "1; :", SECOND / 2, 5 * SECOND);
    assert_int_equal(r.how, REPORT_TIMEOUT);
    assert_int_equal(count_processes(NAP "1"), 0);
    assert_true(r.ended - r.started >= SECOND / 2 && r.ended - r.started < 2 * SECOND);
    assert_null(r.reason);
    assert_false(r.lingers);
    acknowledge(h, &r);
}

static void test_background(void **state) /* PC-02 */
{
    struct hand *h = *state;
    struct report r = run_script(h, NAP "2 & echo done");
    assert_int_equal(r.how, REPORT_EXITED);
    assert_int_equal(r.code, 0);
    assert_true(r.ended - r.started < SECOND);
    assert_true(r.lingers);
    assert_string_equal(r.reason, "left 1 process in the background");
    assert_true(r.output_file);
    assert_int_equal(r.output_bytes, 5);
    struct run_id id = r.id;
    acknowledge(h, &r);
    usleep(50000);
    assert_int_equal(count_processes(NAP "2"), 1);
    struct order o = order_of(h, "exit 0"); /* he takes no further run */
    r = run_order(h, &o);
    assert_int_equal(r.how, REPORT_SHORTAGE);
    report_clear(&r);
    assert_int_equal(waitpid(h->worker, NULL, WNOHANG), 0);
    assert_int_equal(system("pkill -fx \"" NAP "2\""), 0);
    assert_true(wait_gone(h->worker, 2000)); /* the end of file is his end */
    output_remove(&h->place.folder, id);
}

static void test_background_goes_on_writing(void **state)
{
    struct hand *h = *state;
    struct report r = run_script(h, "(sleep 0.4; echo late) & echo early");
    struct run_id id = r.id;
    assert_true(r.lingers);
    acknowledge(h, &r);
    hand_hang_up(h);
    assert_true(wait_gone(h->worker, PATIENCE_MS));
    struct output_reader *reader;
    struct buf b = {0};
    int64_t missing;
    assert_int_equal(output_reader_open(&h->place.folder, id, &reader, NULL), 0);
    while (output_reader_next(reader, &b, 100, &missing) > 0)
        ;
    assert_string_equal(buf_string(&b), "early\nlate\n");
    output_reader_close(reader);
    buf_clear(&b);
    output_remove(&h->place.folder, id);
}

static void test_daemon_without_output(void **state)
{
    struct hand *h = *state;
    struct report r = run_script(h, "setsid " NAP "3 >/dev/null 2>&1 & sleep 0.2; echo up");
    assert_true(r.lingers);
    assert_string_equal(r.reason, "left 1 process in the background");
    check_output(&r, "up\n");
    acknowledge(h, &r);
    assert_true(wait_gone(h->worker, PATIENCE_MS)); /* its next run must not take that one for its own */
    assert_int_equal(system("pkill -fx \"" NAP "3\""), 0);
}

struct escape {
    const char *name, *script;
    int signal; /* that ends the command itself, 0: any */
};

static const struct escape escapes[] = {
    {"ignores TERM", "trap '' TERM; " NAP "4; " NAP "4; " NAP "4", SIGKILL},
    {"a session of its own", "setsid " NAP "4 & " NAP "4", 0},
    {"a double fork", "(setsid sh -c '" NAP "4 & " NAP "4 &' &) ; " NAP "4", 0},
    {"ignores TERM in a session of its own", "setsid sh -c 'trap \"\" TERM; " NAP "4; " NAP "4; " NAP "4' & " NAP "4", 0},
    {"stopped", "kill -STOP $$; " NAP "4", SIGTERM},
    {"stopped and ignores TERM", "trap '' TERM; kill -STOP $$; " NAP "4; " NAP "4", SIGKILL},
    {"a stopped child", NAP "4 & kill -STOP $!; wait", SIGTERM},
    {"no environment", "env -i setsid " NAP "4 & " NAP "4", 0},
    {"closed everything", "exec >&- 2>&- <&-; setsid " NAP "4 & " NAP "4", 0},
};

static void test_escapes(void **state)
{
    struct hand *h = *state;
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++) {
        const struct escape *x = &escapes[i];
        struct report r = run_limited(h, x->script, SECOND / 3, SECOND / 3);
        if (r.how != REPORT_TIMEOUT || r.lingers || r.reason)
            fail_msg("%s: how %d lingers %d %s", x->name, r.how, r.lingers, r.reason ? r.reason : "");
        if (x->signal && r.signal != x->signal)
            fail_msg("%s: signal %d", x->name, r.signal);
        if (count_processes(NAP "4"))
            fail_msg("%s: something is left", x->name);
        assert_true(r.ended - r.started < 4 * SECOND);
        acknowledge(h, &r);
    }
}

/* A process that is a subreaper itself keeps its orphans: they never come to the worker. */
static void test_nested_subreaper(void **state)
{
    struct hand *h = *state;
    struct order o = order_of(h, "");
    strvec_clear(&o.argv);
    strvec_add(&o.argv, "/proc/self/exe");
    o.timeout = SECOND / 2;
    o.kill_after = SECOND / 3;
    char self[200];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n] = '\0';
    strvec_clear(&o.argv);
    strvec_add(&o.argv, self);
    strvec_add(&o.argv, "__subreaper");
    struct report r = run_order(h, &o);
    assert_int_equal(r.how, REPORT_TIMEOUT);
    assert_false(r.lingers);
    assert_int_equal(count_processes(NAP "5"), 0);
    acknowledge(h, &r);
}

static int subreaper(void)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    signal(SIGTERM, SIG_IGN);
    if (system("(setsid env -i " NAP "5 &) ; (" NAP "5 &)") != 0)
        return 1;
    for (;;)
        pause();
}

static void test_exit_in_the_grace_time(void **state)
{
    struct hand *h = *state;
    struct report r = run_limited(h, "exec 2>/dev/null; trap 'echo bye; exit 0' TERM; while :; do sleep 0.05; done", SECOND / 3, 10 * SECOND);
    assert_int_equal(r.how, REPORT_TIMEOUT);
    assert_int_equal(r.code, 0);
    check_output(&r, "bye\n");
    assert_true(r.ended - r.started < 3 * SECOND);
    acknowledge(h, &r);
}

/* What makes itself root altogether may not be signalled by a plain user's worker: it is named, and nobody waits for it for ever. */
static void test_what_may_not_be_ended(void **state)
{
    struct hand *h = *state;
    char helper[] = "/tmp/ax-setuid-XXXXXX", command[400];
    if (getuid() != 0)
        skip();
    hand_hang_up(h);
    assert_true(wait_gone(h->worker, PATIENCE_MS));
    close(mkstemp(helper));
    snprintf(command, sizeof command, "cp /proc/%d/exe %s && chmod 4755 %s && chown -R nobody %s", (int)getpid(), helper, helper, h->place.path);
    assert_int_equal(system(command), 0);
    h->worker = worker_process_as(&h->place, WORKER_GENERATION, NULL, 65534, &h->frame);
    struct order o = order_of(h, "");
    strvec_clear(&o.argv);
    strvec_add(&o.argv, helper);
    strvec_add(&o.argv, "__root");
    o.timeout = SECOND / 2;
    o.kill_after = SECOND / 4;
    struct report r = run_order(h, &o);
    assert_int_equal(r.how, REPORT_TIMEOUT);
    assert_non_null(r.reason);
    if (!strstr(r.reason, "may not be ended by us: pid "))
        fail_msg("%s", r.reason);
    assert_true(r.lingers);
    assert_int_equal(r.code, -1);
    assert_int_equal(r.signal, 0);
    assert_true(r.ended - r.started < 10 * SECOND);
    int pid = atoi(strstr(r.reason, "pid ") + 4);
    struct run_id id = r.id;
    acknowledge(h, &r);
    assert_int_equal(kill(pid, SIGKILL), 0);
    unlink(helper);
    output_remove(&h->place.folder, id);
}

static int root(void)
{
    if (setresgid(0, 0, 0) != 0 || setresuid(0, 0, 0) != 0)
        return 1;
    for (;;)
        pause();
}

/* ---- cancel ---- */

static void test_cancel(void **state)
{
    struct hand *h = *state;
    struct order o = order_of(h, "echo begun; " NAP "6 & " NAP "6");
    struct run_id id = o.id, wrong = {.job = 9, .n = 9};
    give(h, &o);
    usleep(100000);
    frame_send(&h->frame, message_cancel(wrong, false, DURATION_NONE)); /* of a run that is not his */
    usleep(50000);
    assert_int_equal(count_processes(NAP "6"), 2);
    frame_send(&h->frame, message_cancel(id, false, DURATION_NONE));
    struct report r = take(h);
    assert_int_equal(r.how, REPORT_CANCELLED);
    check_output(&r, "begun\n");
    assert_int_equal(count_processes(NAP "6"), 0);
    frame_send(&h->frame, message_cancel(id, false, DURATION_NONE)); /* has ended already */
    acknowledge(h, &r);
    frame_send(&h->frame, message_cancel(id, true, DURATION_NONE)); /* is forgotten already */
    r = run_script(h, "exit 8");
    assert_int_equal(r.code, 8);
    acknowledge(h, &r);
}

static void test_stop_then_cancel(void **state)
{
    struct hand *h = *state;
    struct order o = order_of(h, "trap '' TERM; while :; do sleep 0.1; done");
    o.kill_after = 3600 * SECOND;
    struct run_id id = o.id;
    give(h, &o);
    usleep(100000);
    frame_send(&h->frame, message_cancel(id, true, DURATION_NONE));
    usleep(100000);
    frame_send(&h->frame, message_cancel(id, false, 0)); /* and at once */
    struct report r = take_ms(h, 5000);
    assert_int_equal(r.how, REPORT_CANCELLED);
    assert_int_equal(r.signal, SIGKILL);
    acknowledge(h, &r);
    o = order_of(h, NAP "7");
    id = o.id;
    give(h, &o);
    usleep(100000);
    frame_send(&h->frame, message_cancel(id, true, DURATION_NONE));
    r = take(h);
    assert_int_equal(r.how, REPORT_STOPPED);
    acknowledge(h, &r);
}

/* ---- orphans ---- */

static int connect_patiently(struct hand *h, struct run_id id)
{
    for (int64_t end = now_ms() + PATIENCE_MS; now_ms() < end; usleep(2000)) {
        int fd = orphan_connect(&h->place.folder, id);
        if (fd >= 0)
            return fd;
    }
    fail_msg("the orphan does not listen");
    return -1;
}

static void check_left(struct hand *h, struct run_id id, enum report_how how, int code)
{
    struct report r;
    assert_true(wait_gone(h->worker, PATIENCE_MS));
    assert_true(left_read(&h->place.folder, id, &r));
    assert_int_equal(r.how, how);
    assert_int_equal(r.code, code);
    report_clear(&r);
    assert_int_equal(orphan_connect(&h->place.folder, id), -1);
    assert_int_equal(errno, ENOENT);
    left_remove(&h->place.folder, id);
    fence_remove(&h->place.folder, id);
}

static void test_orphan_leaves_its_outcome(void **state)
{
    struct hand *h = *state;
    struct order o = order_of(h, "sleep 0.3; echo hello; exit 9");
    struct run_id id = o.id;
    give(h, &o);
    usleep(50000);
    hand_hang_up(h);
    check_left(h, id, REPORT_EXITED, 9);
}

static void test_report_that_nobody_acknowledges(void **state)
{
    struct hand *h = *state;
    struct report r = run_script(h, "exit 9");
    struct run_id id = r.id;
    report_clear(&r);
    hand_hang_up(h);
    check_left(h, id, REPORT_EXITED, 9);
}

static void test_orphan_is_adopted(void **state)
{
    struct hand *h = *state;
    struct order o = order_of(h, "sleep 0.5; echo hello; exit 9");
    struct run_id id = o.id;
    give(h, &o);
    usleep(50000);
    hand_hang_up(h);
    struct frame first = {.fd = connect_patiently(h, id)}, second = {.fd = connect_patiently(h, id)};
    struct value message;
    frame_send(&first, message_adopt());
    assert_int_equal(frame_wait(&first, &message, PATIENCE_MS), 1);
    assert_int_equal(message_kind(&message), MESSAGE_HELLO);
    value_clear(&message);
    frame_send(&second, message_adopt()); /* the newest wins */
    assert_int_equal(frame_wait(&second, &message, PATIENCE_MS), 1);
    value_clear(&message);
    assert_int_equal(frame_wait(&first, &message, PATIENCE_MS), -1);
    frame_clear(&first);
    h->frame = second;
    struct report r = take(h);
    assert_int_equal(r.code, 9);
    check_output(&r, "hello\n");
    acknowledge(h, &r);
    assert_true(wait_gone(h->worker, PATIENCE_MS)); /* of an earlier generation: takes no further run */
}

static void test_orphan_is_cancelled_by_a_client(void **state)
{
    struct hand *h = *state;
    struct order o = order_of(h, NAP "8 & " NAP "8");
    struct run_id id = o.id;
    give(h, &o);
    usleep(50000);
    hand_hang_up(h);
    struct frame client = {.fd = connect_patiently(h, id)};
    frame_send(&client, message_cancel(id, false, DURATION_NONE));
    frame_clear(&client);
    check_left(h, id, REPORT_CANCELLED, -1);
    assert_int_equal(count_processes(NAP "8"), 0);
}

static void test_orphan_and_nonsense(void **state)
{
    struct hand *h = *state;
    struct order o = order_of(h, "sleep 0.7; exit 9");
    struct run_id id = o.id;
    give(h, &o);
    usleep(50000);
    hand_hang_up(h);
    int fd = connect_patiently(h, id);
    assert_int_equal(write(fd, "\xff\xff\xff\xff garbage", 12), 12);
    int other = connect_patiently(h, id);
    assert_int_equal(write(other, "\0\0\0\1\xc1", 5), 5);
    check_left(h, id, REPORT_EXITED, 9);
    close(fd);
    close(other);
}

/* While there is no room the outcome is kept, and tried again. */
static void test_orphan_on_a_full_disk(void **state)
{
    struct hand *h = *state;
    struct order o = order_of(h, "sleep 0.2; exit 9");
    struct run_id id = o.id;
    give(h, &o);
    usleep(50000);
    assert_int_equal(mkdirat(h->place.folder.handover, "1.1.tmp", 0700), 0); /* in the way of the file, as good as no room */
    hand_hang_up(h);
    usleep(600000);
    assert_int_equal(waitpid(h->worker, NULL, WNOHANG), 0);
    struct report r;
    assert_false(left_read(&h->place.folder, id, &r));
    assert_int_equal(unlinkat(h->place.folder.handover, "1.1.tmp", AT_REMOVEDIR), 0);
    check_left(h, id, REPORT_EXITED, 9);
}

/* ---- the process itself ---- */

static void test_worker_ignores_the_terminal(void **state)
{
    struct hand *h = *state;
    static const int signals[] = {SIGHUP, SIGINT, SIGTERM, SIGQUIT, SIGPIPE};
    struct report r = run_script(h, "exit 1");
    acknowledge(h, &r);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        kill(h->worker, signals[i]);
    r = run_script(h, "exit 2");
    assert_int_equal(r.code, 2);
    acknowledge(h, &r);
}

static void test_worker_without_its_scheduler(void **state)
{
    struct hand *h = *state;
    struct frame frame;
    int status;
    hand_hang_up(h);
    assert_true(wait_gone(h->worker, PATIENCE_MS));
    lockfile_release(h->place.lock, 0, 1); /* as when the scheduler died before its worker came to join */
    pid_t late = worker_process(&h->place, WORKER_GENERATION, NULL, &frame);
    h->frame = frame;
    struct order o = order_of(h, "touch /tmp/ax-must-not-run");
    give(h, &o);
    assert_int_equal(waitpid(late, &status, 0), late);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    assert_int_equal(access("/tmp/ax-must-not-run", F_OK), -1);
}

#define HANDED(test) cmocka_unit_test_setup_teardown(test, hand_make, hand_end)

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "__worker") == 0)
        return worker_main(argc, argv);
    if (argc > 1 && strcmp(argv[1], "__subreaper") == 0)
        return subreaper();
    if (argc > 1 && strcmp(argv[1], "__root") == 0)
        return root();
    nap_init();
    if (argc > 1)
        cmocka_set_test_filter(argv[1]); /* one test, by name */
    const struct CMUnitTest tests[] = {
        HANDED(test_exit_codes_and_signals),
        HANDED(test_many_in_a_row),
        HANDED(test_clean_slate),
        HANDED(test_input),
        HANDED(test_devices),
        HANDED(test_closed_descriptors),
        HANDED(test_endless_output),
        HANDED(test_env_file),
        HANDED(test_env_file_of_a_user),
        HANDED(test_unstartable),
        HANDED(test_fenced),
        HANDED(test_held),
        HANDED(test_held_for_too_long),
        HANDED(test_held_while_the_clock_is_set),
        HANDED(test_timeout_takes_the_tree),
        HANDED(test_background),
        HANDED(test_background_goes_on_writing),
        HANDED(test_daemon_without_output),
        HANDED(test_escapes),
        HANDED(test_nested_subreaper),
        HANDED(test_exit_in_the_grace_time),
        HANDED(test_what_may_not_be_ended),
        HANDED(test_cancel),
        HANDED(test_stop_then_cancel),
        HANDED(test_orphan_leaves_its_outcome),
        HANDED(test_report_that_nobody_acknowledges),
        HANDED(test_orphan_is_adopted),
        HANDED(test_orphan_is_cancelled_by_a_client),
        HANDED(test_orphan_and_nonsense),
        HANDED(test_orphan_on_a_full_disk),
        HANDED(test_worker_ignores_the_terminal),
        HANDED(test_worker_without_its_scheduler),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
