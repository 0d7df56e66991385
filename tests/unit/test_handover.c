#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/base/mem.h"
#include "lib/sys/lockfile.h"
#include "spool/handover.h"

static const struct run_id run = {.job = 12, .n = 3};
static const struct run_id other = {.job = 7, .n = 1};

struct place {
    char path[64];
    struct folder folder;
    struct process_id self;
};

static int sub(struct place *p, const char *name)
{
    assert_int_equal(mkdirat(p->folder.fd, name, 0700), 0);
    return openat(p->folder.fd, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static int place_make(void **state)
{
    struct place *p = calloc(1, sizeof *p);
    strcpy(p->path, "/tmp/ax-handover-XXXXXX");
    assert_non_null(mkdtemp(p->path));
    p->folder.path = p->path;
    p->folder.fd = open(p->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    p->folder.runs = sub(p, "runs");
    p->folder.output = sub(p, "output");
    p->folder.handover = sub(p, "handover");
    assert_true(process_identify(getpid(), &p->self));
    *state = p;
    return 0;
}

static int place_end(void **state)
{
    struct place *p = *state;
    char command[100];
    close(p->folder.runs);
    close(p->folder.output);
    close(p->folder.handover);
    close(p->folder.fd);
    snprintf(command, sizeof command, "rm -rf %s", p->path);
    assert_int_equal(system(command), 0);
    free(p);
    return 0;
}

/* ---- messages ---- */

static void test_order_round_trip(void **state)
{
    (void)state;
    struct child_limit limit = {.resource = 7, .value = {.rlim_cur = 64, .rlim_max = RLIM_INFINITY}};
    struct order o = {.id = run, .cwd = "/tmp", .umask_bits = 027, .input = "a\0b", .input_length = 3, .user = "nobody", .nice = 5, .limits = &limit,
                      .limit_count = 1, .timeout = 90, .kill_after = 10, .output_max = 4096, .not_before = 77};
    strvec_add(&o.argv, "printf");
    strvec_add(&o.argv, "");
    strvec_add(&o.env, "A=\377");
    strvec_add(&o.env_last, "B=1");
    o.env_file = "my.env";
    struct value v = order_write(&o);
    struct order got;
    struct error e;
    assert_int_equal(message_kind(&v), MESSAGE_START);
    assert_int_equal(order_read(&v, &got, &e), 0);
    assert_int_equal(got.id.job, 12);
    assert_int_equal(got.id.n, 3);
    assert_true(strvec_equal(&got.argv, &o.argv));
    assert_true(strvec_equal(&got.env, &o.env));
    assert_true(strvec_equal(&got.env_last, &o.env_last));
    assert_string_equal(got.env_file, "my.env");
    assert_string_equal(got.cwd, "/tmp");
    assert_int_equal(got.umask_bits, 027);
    assert_int_equal(got.input_length, 3);
    assert_memory_equal(got.input, "a\0b", 3);
    assert_string_equal(got.user, "nobody");
    assert_null(got.group);
    assert_int_equal(got.nice, 5);
    assert_int_equal(got.limit_count, 1);
    assert_int_equal(got.limits[0].resource, 7);
    assert_int_equal(got.limits[0].value.rlim_cur, 64);
    assert_true(got.limits[0].value.rlim_max == RLIM_INFINITY);
    assert_int_equal(got.timeout, 90);
    assert_int_equal(got.kill_after, 10);
    assert_int_equal(got.output_max, 4096);
    assert_int_equal(got.not_before, 77);
    value_clear(&v);
    order_clear(&got);
    strvec_clear(&o.argv);
    strvec_clear(&o.env);
    strvec_clear(&o.env_last);
}

static void test_order_refused(void **state)
{
    (void)state;
    struct value v = value_map();
    struct order got = {.nice = 99};
    struct error e;
    assert_true(order_read(&v, &got, &e) < 0); /* no run, no argv */
    value_put(&v, "run", value_text("12.3"));
    assert_true(order_read(&v, &got, &e) < 0);
    struct value *argv = value_put(&v, "argv", value_list());
    assert_true(order_read(&v, &got, &e) < 0); /* empty */
    value_push(argv, value_text("true"));
    value_put(&v, "umask", value_text("22"));
    assert_true(order_read(&v, &got, &e) < 0);
    assert_non_null(strstr(e.text, "umask"));
    assert_int_equal(got.nice, 99); /* untouched */
    value_clear(&v);
}

static void test_report_round_trip(void **state)
{
    (void)state;
    struct report r = {.id = run, .how = REPORT_TIMEOUT, .code = -1, .signal = 15, .started = 5, .ended = 9, .cpu_user_ns = 1, .cpu_system_ns = 2,
                       .max_rss = 3, .output_bytes = 4, .output = "\0xy", .output_length = 3, .reason = "why", .lingers = true};
    struct value v = report_write(&r);
    struct report got;
    struct error e;
    assert_int_equal(message_kind(&v), MESSAGE_ENDED);
    assert_int_equal(report_read(&v, &got, &e), 0);
    assert_int_equal(got.how, REPORT_TIMEOUT);
    assert_int_equal(got.code, -1);
    assert_int_equal(got.signal, 15);
    assert_int_equal(got.started, 5);
    assert_int_equal(got.ended, 9);
    assert_int_equal(got.max_rss, 3);
    assert_int_equal(got.output_bytes, 4);
    assert_int_equal(got.output_length, 3);
    assert_memory_equal(got.output, "\0xy", 3);
    assert_string_equal(got.reason, "why");
    assert_true(got.lingers);
    assert_false(got.output_file);
    report_clear(&got);
    value_clear(&v);
}

/* ---- fences ---- */

static enum fence_state look(struct place *p, struct fence *out)
{
    fence_look(&p->folder, run, out);
    return out->state;
}

static void test_fence_of_our_own(void **state)
{
    struct place *p = *state;
    struct fence f;
    assert_int_equal(look(p, &f), FENCE_NONE);
    int fd = fence_create(&p->folder, run, &p->self);
    assert_true(fd >= 0);
    for (int i = 0; i < 3; i++) { /* looking drops no lock */
        assert_int_equal(look(p, &f), FENCE_HELD);
        assert_int_equal(f.holder, getpid());
    }
    assert_false(fence_close(&p->folder, run));
    assert_int_equal(look(p, &f), FENCE_HELD);
    assert_int_equal(fence_create(&p->folder, run, &p->self), -1);
    assert_int_equal(errno, EEXIST);
    assert_int_equal(look(p, &f), FENCE_HELD);
    assert_int_equal(fence_start(fd, getpid(), "boot/1"), 0);
    assert_int_equal(look(p, &f), FENCE_HELD);
    close(fd);
    assert_int_equal(look(p, &f), FENCE_STARTED);
    assert_int_equal(f.holder, 0);
    assert_int_equal(f.command.pid, getpid());
    assert_int_equal(f.command.start, p->self.start);
    assert_string_equal(f.boot, "boot/1");
    assert_false(fence_close(&p->folder, run)); /* what has started cannot be fenced */
    fence_remove(&p->folder, run);
    assert_int_equal(look(p, &f), FENCE_NONE);
}

static void test_fence_closed_first(void **state)
{
    struct place *p = *state;
    struct fence f;
    assert_true(fence_close(&p->folder, run));
    assert_true(fence_close(&p->folder, run)); /* again: still true */
    assert_int_equal(look(p, &f), FENCE_UNSTARTED);
    assert_int_equal(fence_create(&p->folder, run, &p->self), -1);
    assert_int_equal(errno, EEXIST);
}

/* A worker that died after it had made the file. */
static void test_fence_unstarted_is_closed(void **state)
{
    struct place *p = *state;
    struct fence f;
    close(fence_create(&p->folder, run, &p->self));
    assert_int_equal(look(p, &f), FENCE_UNSTARTED);
    assert_true(fence_close(&p->folder, run));
    struct stat s;
    assert_int_equal(fstatat(p->folder.runs, "12.3", &s, 0), 0);
    assert_int_equal(s.st_mode & 0777, 0400);
}

/* The worker dies while its child is on the way to its exec: the child still holds the fence. */
static void test_fence_held_by_unborn_child(void **state)
{
    struct place *p = *state;
    struct fence f;
    int go[2], made[2];
    char byte;
    assert_int_equal(pipe(go), 0);
    assert_int_equal(pipe(made), 0);
    pid_t worker = fork();
    if (worker == 0) {
        struct process_id self;
        process_identify(getpid(), &self);
        int fd = fence_create(&p->folder, run, &self);
        if (fork() == 0) {
            (void)!write(made[1], "x", 1);
            (void)!read(go[0], &byte, 1);
            fence_start(fd, getpid(), "boot/1");
            execl("/bin/sleep", "sleep", "0.3", NULL);
        }
        pause();
    }
    assert_int_equal(read(made[0], &byte, 1), 1);
    assert_int_equal(look(p, &f), FENCE_HELD);
    assert_int_equal(f.holder, worker);
    kill(worker, SIGKILL);
    waitpid(worker, NULL, 0);
    assert_int_equal(look(p, &f), FENCE_HELD);
    assert_int_equal(f.holder, 0);
    assert_false(fence_close(&p->folder, run));
    assert_int_equal(write(go[1], "x", 1), 1);
    for (int i = 0; i < 100 && look(p, &f) == FENCE_HELD; i++)
        usleep(5000);
    assert_int_equal(f.state, FENCE_STARTED);
    for (int i = 0; i < 2; i++) {
        close(go[i]);
        close(made[i]);
    }
}

/* A worker is stopped between making the file and locking it: the fence closes, and when it goes on it has lost. */
static void test_fence_closed_in_between(void **state)
{
    struct place *p = *state;
    int fd = openat(p->folder.runs, "12.3", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600); /* what the worker had done */
    assert_true(fence_close(&p->folder, run));
    struct stat s;
    assert_int_equal(fstat(fd, &s), 0);
    assert_int_equal(s.st_mode & S_IWUSR, 0); /* what it looks at under its lock */
    close(fd);
}

static void collect(void *context, struct run_id id)
{
    char text[RUN_ID_SIZE];
    run_id_format(id, text);
    buf_format(context, "%s ", text);
}

static void test_each(void **state)
{
    struct place *p = *state;
    struct buf b = {0};
    fence_close(&p->folder, run);
    close(openat(p->folder.runs, "nonsense", O_CREAT | O_WRONLY, 0600));
    fence_each(&p->folder, collect, &b);
    assert_string_equal(buf_string(&b), "12.3 ");
    buf_clear(&b);
}

/* ---- outcomes left behind ---- */

static void test_left(void **state)
{
    struct place *p = *state;
    struct report r = {.id = run, .how = REPORT_EXITED, .code = 3, .started = 1, .ended = 2}, got;
    struct error e;
    struct buf b = {0};
    assert_false(left_read(&p->folder, run, &got));
    assert_int_equal(left_write(&p->folder, &r, &e), 0);
    assert_int_equal(left_write(&p->folder, &r, &e), 0); /* again, as after a failure */
    assert_true(left_read(&p->folder, run, &got));
    assert_int_equal(got.code, 3);
    report_clear(&got);
    left_each(&p->folder, collect, &b);
    assert_string_equal(buf_string(&b), "12.3 ");
    left_remove(&p->folder, run);
    assert_false(left_read(&p->folder, run, &got));
    buf_clear(&b);
}

static void write_file(int folder, const char *name, const char *bytes)
{
    int fd = openat(folder, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_int_equal(write(fd, bytes, strlen(bytes)), strlen(bytes));
    close(fd);
}

static void test_left_that_makes_no_sense(void **state)
{
    struct place *p = *state;
    struct report r = {.id = run}, got;
    write_file(p->folder.handover, "7.1.left", "\x83garbage");
    assert_false(left_read(&p->folder, other, &got));
    assert_int_equal(faccessat(p->folder.handover, "7.1.bad", F_OK, 0), 0);
    assert_int_equal(faccessat(p->folder.handover, "7.1.left", F_OK, 0), -1);
    assert_int_equal(left_write(&p->folder, &r, NULL), 0);
    assert_int_equal(renameat(p->folder.handover, "12.3.left", p->folder.handover, "7.1.left"), 0);
    assert_false(left_read(&p->folder, other, &got)); /* the outcome of another run */
}

/* ---- sockets ---- */

static void test_orphan_socket(void **state)
{
    struct place *p = *state;
    assert_int_equal(orphan_connect(&p->folder, run), -1);
    assert_int_equal(errno, ENOENT);
    int listener = orphan_listen(&p->folder, run);
    assert_true(listener >= 0);
    struct stat s;
    assert_int_equal(fstatat(p->folder.handover, "12.3.sock", &s, 0), 0);
    assert_int_equal(s.st_mode & 0777, 0600);
    assert_true(fcntl(listener, F_GETFD) & FD_CLOEXEC);
    int client = orphan_connect(&p->folder, run);
    assert_true(client >= 0);
    int server = accept(listener, NULL, NULL);
    assert_int_equal(write(client, "x", 1), 1);
    char byte;
    assert_int_equal(read(server, &byte, 1), 1);
    close(client);
    close(server);
    close(listener);
    assert_int_equal(orphan_connect(&p->folder, run), -1);
    assert_int_equal(errno, ECONNREFUSED); /* its worker was killed */
    listener = orphan_listen(&p->folder, run);
    assert_true(listener >= 0); /* what is stale is no hindrance */
    close(listener);
    orphan_remove(&p->folder, run);
    assert_int_equal(faccessat(p->folder.handover, "12.3.sock", F_OK, 0), -1);
}

/* ---- generations ---- */

/* A worker of the generation: tells over the pipe whether it could join, and stays until it is killed. */
static pid_t join(struct place *p, uint32_t generation, pid_t scheduler, bool *joined)
{
    int ends[2];
    char byte;
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    if (pid == 0) {
        (void)!write(ends[1], generation_join(&p->folder, generation, scheduler) >= 0 ? "y" : "n", 1);
        pause();
    }
    assert_int_equal(read(ends[0], &byte, 1), 1);
    *joined = byte == 'y';
    close(ends[0]);
    close(ends[1]);
    return pid;
}

static void leave(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static void test_generations(void **state)
{
    struct place *p = *state;
    struct error e;
    pid_t holder;
    bool joined;
    int lock = lockfile_open(p->folder.fd, "scheduler.lock", &e);
    assert_true(lock >= 0);
    pid_t early = join(p, 4, getpid(), &joined);
    assert_false(joined); /* we do not hold our lock: a worker must not begin */
    leave(early);
    assert_int_equal(lockfile_try(lock, true, 0, 1, &holder), 0);
    pid_t stranger = join(p, 4, getppid(), &joined);
    assert_false(joined);
    leave(stranger);
    pid_t a = join(p, 4, getpid(), &joined);
    assert_true(joined);
    pid_t b = join(p, 4, getpid(), &joined);
    assert_true(joined); /* the lock is shared */
    assert_false(generation_older_alive(lock, 0));
    assert_false(generation_older_alive(lock, 4)); /* our own generation does not count */
    assert_true(generation_older_alive(lock, 5));
    assert_true(generation_older_alive(lock, 1000));
    leave(a);
    assert_true(generation_older_alive(lock, 5));
    leave(b);
    assert_false(generation_older_alive(lock, 5));
    close(lock);
}

/* ---- taking over ---- */

struct decision {
    bool same_boot, left;
    enum fence_state fence;
    enum adopt_action want;
};

static const struct decision decisions[] = {
    {true, false, FENCE_NONE, ADOPT_REQUEUE},
    {true, false, FENCE_HELD, ADOPT_WAIT},
    {true, false, FENCE_UNSTARTED, ADOPT_REQUEUE},
    {true, false, FENCE_STARTED, ADOPT_LOST},
    {true, true, FENCE_NONE, ADOPT_FINISH},
    {true, true, FENCE_HELD, ADOPT_FINISH},
    {true, true, FENCE_UNSTARTED, ADOPT_FINISH},
    {true, true, FENCE_STARTED, ADOPT_FINISH},
    {false, false, FENCE_NONE, ADOPT_LOST}, /* the file may have been there, and not reached the disk */
    {false, false, FENCE_HELD, ADOPT_WAIT}, /* a lock is of now, whatever the boot is called */
    {false, false, FENCE_UNSTARTED, ADOPT_LOST},
    {false, false, FENCE_STARTED, ADOPT_LOST},
    {false, true, FENCE_NONE, ADOPT_FINISH},
    {false, true, FENCE_HELD, ADOPT_FINISH},
    {false, true, FENCE_UNSTARTED, ADOPT_FINISH},
    {false, true, FENCE_STARTED, ADOPT_FINISH},
};

static void test_adopt_decide(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof decisions / sizeof *decisions; i++) {
        const struct decision *d = &decisions[i];
        enum adopt_action got = adopt_decide(d->same_boot, d->left, d->fence);
        if (got != d->want)
            fail_msg("row %zu: got %d, want %d", i, got, d->want);
    }
}

static void test_adopt_look(void **state)
{
    struct place *p = *state;
    struct run open_run = {.id = run};
    struct fence f;
    struct report left;
    struct report r = {.id = run, .how = REPORT_EXITED, .code = 3};
    strcpy(open_run.boot, "abc/1");
    assert_int_equal(adopt_look(&p->folder, &open_run, "xyz/1", &f, &left), ADOPT_LOST);
    assert_int_equal(adopt_look(&p->folder, &open_run, "abc/9", &f, &left), ADOPT_REQUEUE); /* another pid 1, the same kernel */
    assert_int_equal(fence_create(&p->folder, run, &p->self), -1);                          /* it is fenced now */
    assert_int_equal(adopt_look(&p->folder, &open_run, "abc/1", &f, &left), ADOPT_REQUEUE);
    fence_remove(&p->folder, run);
    int fd = fence_create(&p->folder, run, &p->self);
    assert_int_equal(adopt_look(&p->folder, &open_run, "abc/1", &f, &left), ADOPT_WAIT);
    assert_int_equal(f.holder, getpid());
    fence_start(fd, getpid(), "abc/1");
    close(fd);
    assert_int_equal(adopt_look(&p->folder, &open_run, "abc/1", &f, &left), ADOPT_LOST);
    assert_int_equal(f.command.pid, getpid());
    assert_int_equal(left_write(&p->folder, &r, NULL), 0);
    assert_int_equal(adopt_look(&p->folder, &open_run, "abc/1", &f, &left), ADOPT_FINISH);
    assert_int_equal(left.code, 3);
    report_clear(&left);
    assert_int_equal(adopt_look(&p->folder, &open_run, "xyz/1", &f, &left), ADOPT_FINISH);
    report_clear(&left);
}

#define PLACED(test) cmocka_unit_test_setup_teardown(test, place_make, place_end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_round_trip),
        cmocka_unit_test(test_order_refused),
        cmocka_unit_test(test_report_round_trip),
        PLACED(test_fence_of_our_own),
        PLACED(test_fence_closed_first),
        PLACED(test_fence_unstarted_is_closed),
        PLACED(test_fence_held_by_unborn_child),
        PLACED(test_fence_closed_in_between),
        PLACED(test_each),
        PLACED(test_left),
        PLACED(test_left_that_makes_no_sense),
        PLACED(test_orphan_socket),
        PLACED(test_generations),
        cmocka_unit_test(test_adopt_decide),
        PLACED(test_adopt_look),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
