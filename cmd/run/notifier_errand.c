/* `ax __notify SPOOL`: runs the lines of the field `notify` that wait for it. Several at a time, so that one that hangs
 * holds up no other job; those of one job one after the other. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/run/courier.h"
#include "cmd/run/mailer.h"
#include "cmd/run/notifier_line.h"
#include "lib/base/fault.h"
#include "lib/base/mem.h"
#include "lib/sys/clock.h"
#include "lib/sys/process.h"
#include "lib/text/visible.h"

#define LIMIT (FAULT_SLACK(30) * SECOND) /* for one line */
#define LOOK 1000                        /* ms: for what has come meanwhile */
#define CALLS 8
#define LONGEST (1800 * SECOND) /* it ends by itself before it is ended, however much comes */
#define OUTPUT_MOST 2000        /* bytes of it that go into the log */

struct call {
    struct notice notice; /* event 0: nobody's */
    struct line line;
    int64_t until; /* clock_mono */
    struct buf output;
    char *failure; /* why it was not brought; NULL: it was, or goes on */
};

struct notifier {
    const char *spool;
    int64_t end; /* clock_mono: takes nothing new after it */
    struct call calls[CALLS];
    long wait; /* until the next one is due; -1: none waits */
};

/* ---- what waits ---- */

static bool job_is_called(const struct notifier *n, uint64_t job)
{
    for (int i = 0; i < CALLS; i++)
        if (n->calls[i].notice.event && n->calls[i].notice.id.job == job)
            return true;
    return false;
}

static struct call *call_free(struct notifier *n)
{
    for (int i = 0; i < CALLS; i++)
        if (!n->calls[i].notice.event)
            return &n->calls[i];
    return NULL;
}

static bool take_one(void *context, const struct notice *waiting)
{
    struct notifier *n = context;
    instant now = clock_wall();
    bool tired = clock_mono().ns >= n->end;
    if (waiting->next > now || tired) {
        long wait = courier_wait(waiting->next, now);
        n->wait = n->wait < 0 || wait < n->wait ? wait : n->wait;
        return true;
    }
    struct call *c = call_free(n);
    if (c && !job_is_called(n, waiting->id.job))
        *c = (struct call){.notice = *waiting, .line = {.pidfd = -1, .pipe = -1}};
    return c != NULL;
}

/* Reads what is new; a call without a line is one about which nobody wants to be told any more. */
static int take(struct notifier *n, struct error *e)
{
    struct store *s;
    n->wait = -1;
    int code = store_open(n->spool, STORE_READ, &s, e);
    if (code)
        return code;
    code = store_begin(s, false, e);
    if (!code)
        code = store_each_notice(s, take_one, n, e);
    for (int i = 0; !code && i < CALLS; i++)
        if (n->calls[i].notice.event && !n->calls[i].line.asked)
            code = line_read(s, &n->calls[i].notice, &n->calls[i].line, e);
    store_abort(s);
    store_close(s);
    return code;
}

/* ---- what has become of it ---- */

static void say_output(const struct call *c)
{
    for (const char *p = buf_string(&c->output); *p;) {
        size_t length = strcspn(p, "\n");
        if (length)
            printf("%c   %.*s\n", c->failure ? 'W' : 'D', (int)length, p);
        p += length + (p[length] == '\n');
    }
}

/* `job 12: late 10m, due 2026-...`, `run 12.3: failure` */
static char *call_name(const struct call *c)
{
    struct buf b = {0};
    char id[RUN_ID_SIZE];
    run_id_format(c->notice.id, id);
    if (c->notice.id.n || c->notice.id.note)
        buf_format(&b, "run %s: ", id);
    else
        buf_format(&b, "job %llu: ", (unsigned long long)c->notice.id.job);
    notify_name(&b, c->notice.event, c->notice.after);
    return buf_take(&b);
}

static int note_failure(struct store *s, struct call *c, const char *text, struct error *e)
{
    struct notice *n = &c->notice;
    instant now = clock_wall(), next = courier_next(++n->tries, now);
    bool last = next == INSTANT_NONE;
    n->next = next;
    int code = last ? store_notice_done(s, n, e) : store_notice_again(s, n, e);
    if (code || (n->tries > 1 && !last))
        return code;
    struct buf trail = {0};
    buf_text(&trail, "notify ");
    visible_add(&trail, text, strlen(text), false);
    buf_text(&trail, last ? ": given up" : ": will be tried again");
    code = store_audit(s, n->id.job, now, buf_string(&trail), e);
    buf_clear(&trail);
    return code;
}

static int note(const char *spool, struct call *c, const char *text, struct error *e)
{
    struct store *s;
    int code = store_open(spool, STORE_WRITE, &s, e);
    if (code)
        return code;
    code = store_begin(s, true, e);
    if (!code)
        code = c->failure ? note_failure(s, c, text, e) : store_notice_done(s, &c->notice, e);
    if (!code)
        code = store_commit(s, e);
    store_abort(s);
    store_close(s);
    return code;
}

static int call_over(struct notifier *n, struct call *c, struct error *e)
{
    char *name = call_name(c);
    char *text = c->failure ? mem_format("%s: %s", name, c->failure) : mem_string(name);
    FAULT_POINT("notifier-before-note");
    int code = note(n->spool, c, text, e);
    if (c->failure)
        printf("%c %s%s\n", c->notice.next == INSTANT_NONE ? 'E' : 'W', text,
            c->notice.next == INSTANT_NONE ? ": given up" : ": will be tried again");
    else if (c->line.text)
        printf("I %s: told\n", text);
    say_output(c);
    fflush(stdout);
    free(name);
    free(text);
    free(c->failure);
    buf_clear(&c->output);
    line_clear(&c->line);
    *c = (struct call){.notice = {.event = NOTIFY_NONE}};
    return code;
}

/* ---- on its way ---- */

static void call_drain(struct call *c)
{
    char bytes[4096];
    ssize_t got;
    while ((got = read(c->line.pipe, bytes, sizeof bytes)) > 0) {
        size_t room = c->output.length < OUTPUT_MOST ? OUTPUT_MOST - c->output.length : 0;
        buf_add(&c->output, bytes, (size_t)got < room ? (size_t)got : room);
    }
}

static void call_ended(struct call *c)
{
    int status = 0;
    while (waitpid(c->line.pid, &status, 0) < 0 && errno == EINTR)
        continue;
    call_drain(c);
    if (c->failure)
        return;
    if (WIFSIGNALED(status))
        c->failure = mem_format("the line was ended by signal %d", WTERMSIG(status));
    else if (WEXITSTATUS(status))
        c->failure = mem_format("the line ended with exit code %d", WEXITSTATUS(status));
}

static void call_late(struct call *c)
{
    if (!c->failure)
        c->failure = mem_format("the line took longer than %d seconds, and was ended", (int)(LIMIT / SECOND));
    kill(-c->line.pid, SIGKILL);
    process_signal(c->line.pidfd, SIGKILL);
}

static int calls_start(struct notifier *n, struct error *e)
{
    int code = 0;
    for (int i = 0; !code && i < CALLS; i++) {
        struct call *c = &n->calls[i];
        if (!c->notice.event || c->line.pid)
            continue;
        if (c->line.text)
            c->failure = line_start(&c->line);
        c->until = clock_mono().ns + LIMIT;
        if (!c->line.pid)
            code = call_over(n, c, e);
    }
    return code;
}

/* Waits until something happens to one of them. 1: some go on; 0: none; negative. */
static int calls_wait(struct notifier *n, struct error *e)
{
    struct pollfd p[2 * CALLS];
    int going = 0, code = 0;
    for (int i = 0; i < CALLS; i++) {
        const struct line *l = &n->calls[i].line;
        bool there = n->calls[i].notice.event && l->pid;
        p[2 * i] = (struct pollfd){.fd = there ? l->pidfd : -1, .events = POLLIN};
        p[2 * i + 1] = (struct pollfd){.fd = there ? l->pipe : -1, .events = POLLIN};
        going += there;
    }
    if (!going)
        return 0;
    poll(p, 2 * CALLS, LOOK);
    for (int i = 0; !code && i < CALLS; i++) {
        struct call *c = &n->calls[i];
        if (p[2 * i].fd < 0)
            continue;
        call_drain(c);
        if (p[2 * i].revents) {
            call_ended(c);
            code = call_over(n, c, e);
        } else if (clock_mono().ns >= c->until) {
            call_late(c);
        }
    }
    return code ? code : 1;
}

int notifier_errand(int argc, char **argv)
{
    struct error e = {0};
    if (argc != 1)
        return ERROR_USAGE;
    signal(SIGPIPE, SIG_IGN);
    struct notifier n = {.spool = argv[0], .end = clock_mono().ns + LONGEST, .wait = -1};
    int code = courier_lock(n.spool, "notify", &e);
    for (int more = 1; code == 0 && more;) {
        code = take(&n, &e);
        if (code == 0)
            code = calls_start(&n, &e);
        more = code == 0 ? calls_wait(&n, &e) : 0;
        code = more < 0 ? more : code;
    }
    return courier_end(code, &e, n.wait);
}
