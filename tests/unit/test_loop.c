#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/timex.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/sys/loop.h"

#define MS INT64_C(1000000)

static struct loop *new_loop(void)
{
    struct loop *l;
    assert_int_equal(loop_new(&l, NULL), 0);
    return l;
}

static void turn(struct loop *l)
{
    assert_int_equal(loop_turn(l, NULL), 0);
}

/* ---- sources ---- */

struct peer { /* one end of a pair, watched */
    struct loop *loop;
    struct loop_source *source;
    int fd, other, calls;
    uint32_t events;
    struct peer *victim; /* removed, closed and replaced in the callback */
    bool drain;
};

static void peer_ready(void *context, uint32_t events);

static void peer_open(struct peer *p, struct loop *l, uint32_t events)
{
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends), 0);
    *p = (struct peer){.loop = l, .fd = ends[0], .other = ends[1]};
    p->source = loop_add(l, p->fd, events, peer_ready, p, NULL);
    assert_non_null(p->source);
}

static void peer_close(struct peer *p)
{
    loop_remove(p->loop, p->source);
    p->source = NULL;
    close(p->fd);
    close(p->other);
}

static void peer_send(struct peer *p)
{
    assert_int_equal(write(p->other, "x", 1), 1);
}

static void peer_ready(void *context, uint32_t events)
{
    struct peer *p = context;
    char bytes[16];
    p->calls++;
    p->events = events;
    if (p->drain)
        while (read(p->fd, bytes, sizeof bytes) > 0)
            ;
    struct peer *victim = p->victim;
    p->victim = NULL;
    if (victim) {
        int fd = victim->fd;
        peer_close(victim);
        peer_open(victim, p->loop, EPOLLIN);
        assert_true(victim->fd == fd || victim->other == fd); /* the number is used again */
    }
}

static void test_ready(void **state)
{
    (void)state;
    struct loop *l = new_loop();
    struct peer a, b;
    peer_open(&a, l, EPOLLIN);
    peer_open(&b, l, EPOLLIN);
    peer_send(&b);
    turn(l);
    assert_int_equal(a.calls, 0);
    assert_int_equal(b.calls, 1);
    assert_int_equal(b.events, EPOLLIN);
    turn(l);
    assert_int_equal(b.calls, 2); /* not read: still ready */
    loop_modify(l, b.source, EPOLLIN | EPOLLOUT);
    turn(l);
    assert_int_equal(b.events, EPOLLIN | EPOLLOUT);
    loop_modify(l, b.source, 0);
    peer_send(&a);
    turn(l);
    assert_int_equal(b.calls, 3);
    assert_int_equal(a.calls, 1);
    close(b.other);
    turn(l);
    assert_int_equal(b.calls, 3); /* nothing wanted: not even the hang-up */
    loop_modify(l, b.source, EPOLLIN);
    turn(l);
    assert_int_equal(b.calls, 4);
    assert_true(b.events & EPOLLHUP);
    loop_remove(l, NULL);
    peer_close(&a);
    loop_remove(l, b.source);
    close(b.fd);
    loop_free(l);
}

/* Two are ready in one round; whichever is called first removes the other, closes it and opens a new one under the same number. */
static void test_removed_in_the_same_round(void **state)
{
    (void)state;
    struct loop *l = new_loop();
    struct peer a, b;
    peer_open(&a, l, EPOLLIN);
    peer_open(&b, l, EPOLLIN);
    peer_send(&a);
    peer_send(&b);
    a.victim = &b;
    b.victim = &a;
    a.drain = b.drain = true;
    turn(l);
    assert_int_equal(a.calls + b.calls, 1); /* the new one starts with none */
    peer_send(&a);
    peer_send(&b);
    a.victim = b.victim = NULL;
    a.drain = b.drain = true;
    turn(l);
    assert_int_equal(a.calls + b.calls, 3);
    peer_close(&a);
    peer_close(&b);
    loop_free(l);
}

static void test_removes_itself(void **state)
{
    (void)state;
    struct loop *l = new_loop();
    struct peer a;
    peer_open(&a, l, EPOLLIN);
    peer_send(&a);
    a.victim = &a;
    turn(l);
    peer_send(&a);
    turn(l);
    assert_int_equal(a.calls, 1); /* of the new one */
    peer_close(&a);
    loop_free(l);
}

static void peer_modifies(void *context, uint32_t events)
{
    struct peer *p = context;
    (void)events;
    p->calls++;
    loop_modify(p->loop, p->victim->source, 0);
}

static void test_modified_in_the_same_round(void **state)
{
    (void)state;
    struct loop *l = new_loop();
    struct peer a, b;
    peer_open(&a, l, EPOLLIN);
    peer_open(&b, l, EPOLLIN);
    loop_remove(l, a.source);
    loop_remove(l, b.source);
    a.source = loop_add(l, a.fd, EPOLLIN, peer_modifies, &a, NULL);
    b.source = loop_add(l, b.fd, EPOLLIN, peer_modifies, &b, NULL);
    a.victim = &b;
    b.victim = &a;
    peer_send(&a);
    peer_send(&b);
    turn(l);
    assert_int_equal(a.calls + b.calls, 1);
    peer_close(&a);
    peer_close(&b);
    loop_free(l);
}

static void test_a_file_cannot_be_watched(void **state)
{
    (void)state;
    struct loop *l = new_loop();
    struct error e = {0};
    FILE *file = tmpfile();
    assert_null(loop_add(l, fileno(file), EPOLLIN, peer_ready, NULL, &e));
    assert_int_equal(e.sys, EPERM);
    fclose(file);
    loop_free(l);
}

static void test_more_than_a_batch(void **state)
{
    (void)state;
    static struct peer many[150];
    struct loop *l = new_loop();
    for (int i = 0; i < 150; i++) {
        peer_open(&many[i], l, EPOLLIN);
        many[i].drain = true;
        peer_send(&many[i]);
    }
    for (int i = 0; i < 3; i++)
        turn(l);
    for (int i = 0; i < 150; i++) {
        assert_int_equal(many[i].calls, 1);
        peer_close(&many[i]);
    }
    loop_free(l);
}

/* ---- monotonic timers ---- */

struct trace {
    struct loop *loop;
    char text[64];
};

struct named_timer {
    struct loop_timer timer; /* first: the callback gets it */
    struct trace *trace;
    char name;
    struct named_timer *stops, *sets;
};

static void named_call(struct loop_timer *t)
{
    struct named_timer *n = (struct named_timer *)t;
    n->trace->text[strlen(n->trace->text)] = n->name;
    if (n->stops)
        loop_timer_stop(n->trace->loop, &n->stops->timer);
    if (n->sets)
        loop_timer_set(n->trace->loop, &n->sets->timer, 0);
    n->sets = NULL;
}

static void named_init(struct named_timer *n, struct trace *t, char name)
{
    *n = (struct named_timer){.trace = t, .name = name, .timer = {.call = named_call}};
}

static void test_timers(void **state)
{
    (void)state;
    struct trace t = {.loop = new_loop()};
    struct named_timer a, b, c;
    named_init(&a, &t, 'a');
    named_init(&b, &t, 'b');
    named_init(&c, &t, 'c');
    int64_t start = clock_mono().ns;
    loop_timer_set(t.loop, &a.timer, 60 * MS);
    loop_timer_set(t.loop, &b.timer, 20 * MS);
    loop_timer_set(t.loop, &c.timer, 40 * MS);
    loop_timer_set(t.loop, &c.timer, 3600 * SECOND); /* moved */
    turn(t.loop);
    assert_string_equal(t.text, "b");
    assert_true(clock_mono().ns - start >= 20 * MS);
    turn(t.loop);
    assert_string_equal(t.text, "ba"); /* one wait for each: nothing woke it in between */
    assert_true(clock_mono().ns - start >= 60 * MS);
    loop_timer_stop(t.loop, &a.timer); /* not armed: no effect */
    loop_timer_stop(t.loop, &c.timer);
    loop_timer_set(t.loop, &a.timer, INT64_MAX);
    loop_timer_set(t.loop, &b.timer, -5);
    turn(t.loop);
    assert_string_equal(t.text, "bab");
    loop_free(t.loop);
}

static void test_due_together(void **state)
{
    (void)state;
    struct trace t = {.loop = new_loop()};
    struct named_timer timers[4];
    for (int i = 0; i < 4; i++) {
        named_init(&timers[i], &t, (char)('a' + i));
        loop_timer_set(t.loop, &timers[i].timer, 0);
    }
    timers[0].stops = &timers[2]; /* due in the same round, and yet not called */
    timers[1].sets = &timers[1];  /* the next round, not this one */
    timers[3].sets = &timers[0];
    nanosleep(&(struct timespec){.tv_nsec = MS}, NULL);
    turn(t.loop);
    assert_string_equal(t.text, "abd");
    turn(t.loop);
    assert_string_equal(t.text, "abdba");
    loop_free(t.loop);
}

/* Nothing due: the loop must not wake. A child turns the loop once; it must still be in that turn after a while, without having used the processor. */
static void test_idle_is_idle(void **state)
{
    (void)state;
    int status;
    struct rusage use;
    pid_t pid = fork();
    if (pid == 0) {
        struct trace t = {.loop = new_loop()};
        struct named_timer a, b;
        named_init(&a, &t, 'a');
        named_init(&b, &t, 'b');
        loop_timer_set(t.loop, &a.timer, 5 * MS);
        turn(t.loop);
        loop_timer_set(t.loop, &a.timer, 5 * MS);
        loop_timer_set(t.loop, &b.timer, 3600 * SECOND);
        turn(t.loop);
        loop_timer_set(t.loop, &a.timer, 50 * MS); /* armed, then stopped: must not wake it either */
        loop_timer_stop(t.loop, &a.timer);
        loop_timer_stop(t.loop, &b.timer);
        loop_turn(t.loop, NULL);
        _exit(strcmp(t.text, "aa") == 0 ? 1 : 2);
    }
    nanosleep(&(struct timespec){.tv_nsec = 200 * MS}, NULL);
    assert_int_equal(waitpid(pid, &status, WNOHANG), 0);
    kill(pid, SIGKILL);
    wait4(pid, &status, 0, &use);
    assert_true(WIFSIGNALED(status));
    assert_true(use.ru_nvcsw < 20);
}

/* ---- the alarm ---- */

struct alarms {
    int fired, stepped;
};

static void alarm_call(void *context, bool stepped)
{
    struct alarms *a = context;
    if (stepped)
        a->stepped++;
    else
        a->fired++;
}

static void test_alarm(void **state)
{
    (void)state;
    struct loop *l = new_loop();
    struct alarms a = {0};
    assert_int_equal(loop_alarm(l, alarm_call, &a, NULL), 0);
    instant at = clock_wall() + 30 * MS;
    loop_alarm_set(l, clock_wall() + 3600 * SECOND);
    loop_alarm_set(l, at);
    turn(l);
    assert_true(clock_wall() >= at);
    assert_int_equal(a.fired, 1);
    static const instant past[] = {0, 1, -5, INSTANT_NONE, SECOND};
    for (int i = 0; i < 5; i++) {
        loop_alarm_set(l, past[i]);
        turn(l);
        assert_int_equal(a.fired, 2 + i);
    }
    loop_alarm_set(l, SECOND); /* the same as before, but it has fired since: it counts */
    turn(l);
    assert_int_equal(a.fired, 7);
    assert_int_equal(a.stepped, 0);
    loop_free(l);
}

static void stop_call(struct loop_timer *t)
{
    *(bool *)t->context = true;
}

/* Turns until the time is over. */
static void turn_for(struct loop *l, int64_t ns)
{
    bool over = false;
    struct loop_timer t = {.call = stop_call, .context = &over};
    loop_timer_set(l, &t, ns);
    while (!over)
        turn(l);
}

static void test_disarmed_alarm(void **state)
{
    (void)state;
    struct loop *l = new_loop();
    struct alarms a = {0};
    assert_int_equal(loop_alarm(l, alarm_call, &a, NULL), 0);
    loop_alarm_set(l, clock_wall() + 20 * MS);
    loop_alarm_set(l, INSTANT_NEVER);
    turn_for(l, 60 * MS);
    assert_int_equal(a.fired + a.stepped, 0);
    loop_alarm_set(l, INSTANT_NEVER - 1); /* as far away as can be */
    turn_for(l, 20 * MS);
    assert_int_equal(a.fired + a.stepped, 0);
    loop_free(l);
}

/* Sets the wall clock by one nanosecond: a step for the kernel, and for nobody else. */
static bool step_clock(int by)
{
    struct timex t = {.modes = ADJ_SETOFFSET | ADJ_NANO, .time = {by < 0 ? -1 : 0, by < 0 ? 999999999 : 1}};
    return clock_adjtime(CLOCK_REALTIME, &t) >= 0;
}

static void test_steps(void **state)
{
    (void)state;
    struct loop *l = new_loop();
    struct alarms a = {0};
    assert_int_equal(loop_alarm(l, alarm_call, &a, NULL), 0);
    if (!step_clock(1)) {
        loop_free(l);
        skip(); /* no right to set the clock */
    }
    turn(l);
    assert_int_equal(a.stepped, 1); /* never armed */
    loop_alarm_set(l, clock_wall() + 50 * MS);
    step_clock(-1);
    turn(l);
    assert_int_equal(a.stepped, 2); /* armed */
    turn(l);
    assert_int_equal(a.fired, 1); /* and the alarm still comes */
    step_clock(1);
    turn(l);
    assert_int_equal(a.stepped, 3); /* expired */
    loop_alarm_set(l, clock_wall() + 3600 * SECOND);
    step_clock(-1);
    loop_alarm_set(l, clock_wall() + 7200 * SECOND); /* set between the step and the round */
    turn(l);
    assert_int_equal(a.stepped, 4);
    loop_alarm_set(l, clock_wall() + 5 * MS);
    step_clock(1);
    nanosleep(&(struct timespec){.tv_nsec = 20 * MS}, NULL); /* expired and stepped together */
    turn_for(l, 20 * MS);
    assert_int_equal(a.stepped, 5);
    assert_int_equal(a.fired, 2);
    loop_alarm_set(l, INSTANT_NEVER);
    step_clock(-1);
    turn_for(l, 20 * MS);
    assert_int_equal(a.stepped, 6);
    assert_int_equal(a.fired, 2);
    loop_free(l);
}

/* ---- signals ---- */

struct signals {
    int count[65], sender;
};

static void signal_call(void *context, const int signal_number, int sender)
{
    struct signals *s = context;
    s->count[signal_number]++;
    s->sender = sender;
}

static void test_signals(void **state)
{
    (void)state;
    struct loop *l = new_loop();
    struct signals s = {0};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGUSR1);
    sigaddset(&set, SIGRTMIN);
    assert_int_equal(loop_signals(l, &set, signal_call, &s, NULL), 0);
    kill(getpid(), SIGTERM);
    kill(getpid(), SIGUSR1);
    for (int i = 0; i < 12; i++)
        sigqueue(getpid(), SIGRTMIN, (union sigval){0});
    turn(l);
    turn(l);
    assert_int_equal(s.count[SIGTERM], 1);
    assert_int_equal(s.count[SIGUSR1], 1);
    assert_int_equal(s.count[SIGRTMIN], 12);
    assert_int_equal(s.sender, getpid());
    loop_free(l);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ready), cmocka_unit_test(test_removed_in_the_same_round), cmocka_unit_test(test_removes_itself),
        cmocka_unit_test(test_modified_in_the_same_round), cmocka_unit_test(test_a_file_cannot_be_watched), cmocka_unit_test(test_more_than_a_batch),
        cmocka_unit_test(test_timers), cmocka_unit_test(test_due_together), cmocka_unit_test(test_idle_is_idle), cmocka_unit_test(test_alarm),
        cmocka_unit_test(test_disarmed_alarm), cmocka_unit_test(test_steps), cmocka_unit_test(test_signals),
    };
    return cmocka_run_group_tests_name("loop", tests, NULL, NULL);
}
