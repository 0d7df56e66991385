/* `ax __mail SPOOL`: sends the mail that waits, through a program that takes messages as sendmail does. One at a time,
 * and one errand at a time. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/run/courier.h"
#include "cmd/run/mailer.h"
#include "lib/base/mem.h"
#include "lib/sys/child.h"
#include "lib/sys/clock.h"
#include "lib/sys/process.h"
#include "spool/mail.h"
#include "spool/output.h"

extern char **environ;

#define LIMIT (60 * SECOND)         /* for one message */

struct letter {
    struct store_mail mail;
    struct run run;
    struct job job;
    struct buf text;
};

static void letter_clear(struct letter *l)
{
    run_clear(&l->run);
    job_clear(&l->job);
    buf_clear(&l->text);
}

/* ---- writing it ---- */

static void add_file(const struct folder *f, struct run_id id, struct buf *b)
{
    struct output_reader *reader;
    int64_t missing;
    int n;
    if (output_reader_open(f, id, &reader, NULL) != 0)
        return;
    while ((n = output_reader_next(reader, b, 65536, &missing)) != 0)
        if (n < 0)
            buf_format(b, "\n[... %lld bytes are left out here ...]\n", (long long)missing);
    output_reader_close(reader);
}

static int add_output(struct store *s, struct letter *l, struct error *e)
{
    size_t before = l->text.length;
    int failed = 0;
    if (l->run.output == OUTPUT_INLINE)
        failed = store_output(s, l->run.id, &l->text, e);
    else if (l->run.output == OUTPUT_FILE)
        add_file(store_folder(s), l->run.id, &l->text);
    if (!failed && l->text.length == before)
        buf_format(&l->text, "The command has written nothing.%s%s\n", l->run.reason ? "\n" : "",
            l->run.reason ? l->run.reason : "");
    return failed;
}

static void add_header(struct letter *l)
{
    char host[256] = "localhost";
    struct child_user user = {0};
    gethostname(host, sizeof host - 1);
    bool known = child_user_find(l->job.user, NULL, &user, NULL) == 0;
    struct mail m = {.job = &l->job, .run = &l->run, .user = known ? user.name : "unknown", .home = known ? user.home : NULL, .host = host};
    mail_header(&m, &l->text);
    if (known)
        child_user_clear(&user);
}

/* 1: there is one, and it is due; 0: none is. *wait: seconds until the next one, -1: none waits. */
static int letter_read(struct store *s, struct letter *l, long *wait, struct error *e)
{
    bool there;
    instant now = clock_wall();
    *wait = -1;
    int failed = store_mail_next(s, &l->mail, &there, e);
    if (failed || !there)
        return failed;
    if (l->mail.next > now) {
        *wait = courier_wait(l->mail.next, now);
        return 0;
    }
    if (store_run(s, l->mail.id, &l->run, NULL) != 0) /* kept no more: nothing to tell of */
        return 1;
    struct job job;
    failed = store_job(s, l->mail.id.job, &job, e);
    if (!failed) {
        job_clear(&l->job);
        l->job = job;
    }
    if (!failed && l->job.mailto) {
        add_header(l);
        failed = add_output(s, l, e);
    }
    return failed ? failed : 1;
}

/* ---- sending it ---- */

struct sending {
    pid_t pid;
    int pidfd, in;
    size_t done;
};

static int send_spawn(const struct letter *l, struct sending *x, struct error *e)
{
    int ends[2];
    const char *program = mail_program();
    struct strvec argv = {0};
    strvec_add(&argv, program);
    strvec_add(&argv, "-i");
    strvec_add(&argv, "-oem");
    strvec_add(&argv, "-FCronDaemon");
    strvec_add(&argv, "--");
    int failed = mail_addresses(l->job.mailto, &argv, e);
    if (!failed && pipe2(ends, O_CLOEXEC) != 0)
        failed = error_errno(e, ERROR_FAILED, errno, "making a pipe");
    if (failed) {
        strvec_clear(&argv);
        return failed;
    }
    struct child child = {.file = program,
        .argv = argv.items,
        .envp = environ,
        .directory = "/",
        .in = ends[0],
        .out = -1,
        .err = -1,
        .keep = -1,
        .umask_bits = 077,
        .new_session = true};
    struct child_failure failure;
    x->pid = child_spawn(&child, &x->pidfd, &failure);
    if (x->pid < 0)
        failed = error_errno(e, ERROR_FAILED, failure.number, "%s: %s", program, child_step_name(failure.step));
    close(ends[0]);
    strvec_clear(&argv);
    if (failed) {
        close(ends[1]);
        return failed;
    }
    fcntl(ends[1], F_SETFL, O_NONBLOCK);
    x->in = ends[1];
    return 0;
}

static void send_shut(struct sending *x)
{
    if (x->in >= 0)
        close(x->in);
    x->in = -1;
}

static void send_some(struct sending *x, const struct letter *l)
{
    ssize_t n = write(x->in, l->text.data + x->done, l->text.length - x->done);
    if (n > 0)
        x->done += (size_t)n;
    if (x->done == l->text.length || (n < 0 && errno != EAGAIN && errno != EINTR))
        send_shut(x);
}

/* Until the program has ended, or the time is up. */
static int send_wait(struct sending *x, const struct letter *l, struct error *e)
{
    int64_t end = clock_mono().ns + LIMIT;
    for (;;) {
        int64_t left = end - clock_mono().ns;
        struct pollfd p[2] = {{.fd = x->pidfd, .events = POLLIN}, {.fd = x->in, .events = POLLOUT}};
        if (left <= 0)
            break;
        if (poll(p, 2, (int)(left / 1000000) + 1) < 0 && errno != EINTR)
            break;
        if (x->in >= 0 && p[1].revents)
            send_some(x, l);
        if (p[0].revents)
            return 0;
    }
    kill(-x->pid, SIGKILL);
    process_signal(x->pidfd, SIGKILL);
    return error_set(e, ERROR_FAILED, "the mailer took longer than %d seconds", (int)(LIMIT / SECOND));
}

static int send_letter(const struct letter *l, struct error *e)
{
    struct sending x = {.pidfd = -1, .in = -1};
    int status = 0;
    int failed = send_spawn(l, &x, e);
    if (failed)
        return failed;
    failed = send_wait(&x, l, e);
    bool whole = x.done == l->text.length;
    send_shut(&x);
    waitpid(x.pid, &status, 0);
    close(x.pidfd);
    if (failed)
        return failed;
    if (WIFSIGNALED(status))
        return error_set(e, ERROR_FAILED, "the mailer was ended by signal %d", WTERMSIG(status));
    if (WEXITSTATUS(status))
        return error_set(e, ERROR_FAILED, "the mailer ended with exit code %d", WEXITSTATUS(status));
    return whole ? 0 : error_set(e, ERROR_FAILED, "the mailer did not read all of the message");
}

/* ---- noting it ---- */

static int note(struct store *s, const struct letter *l, int failed, const struct error *why, struct error *e)
{
    char id[RUN_ID_SIZE];
    run_id_format(l->mail.id, id);
    instant next = courier_next(l->mail.tries + 1, clock_wall());
    bool last = next == INSTANT_NONE;
    enum run_mail result = !failed ? MAIL_SENT : last ? MAIL_FAILED : MAIL_PENDING;
    if (failed)
        printf("%c run %s: %s%s\n", last ? 'E' : 'W', id, why->text, last ? ": given up" : ": will be tried again");
    else
        printf("D run %s: mailed to %s\n", id, l->job.mailto ? l->job.mailto : "nobody");
    fflush(stdout);
    int code = store_begin(s, true, e);
    if (code)
        return code;
    code = store_mail_done(s, &l->mail, result, next, e);
    if (!code)
        return store_commit(s, e);
    store_abort(s);
    return code;
}

/* 1: one was dealt with; 0: none is due. */
static int mail_one(const char *spool, long *wait, struct error *e)
{
    struct store *s;
    struct letter l = {0};
    struct error why = {0};
    int code = store_open(spool, STORE_WRITE, &s, e);
    if (code)
        return code;
    job_init(&l.job);
    run_init(&l.run);
    code = store_begin(s, false, e);
    if (!code) {
        code = letter_read(s, &l, wait, e);
        store_abort(s);
    }
    if (code == 1) {
        int failed = l.job.mailto && l.text.length ? send_letter(&l, &why) : 0;
        int noted = note(s, &l, failed, &why, e);
        code = noted ? noted : 1;
    }
    store_close(s);
    letter_clear(&l);
    return code;
}

int mailer_errand(int argc, char **argv)
{
    struct error e = {0};
    long wait = -1;
    if (argc != 1)
        return ERROR_USAGE;
    signal(SIGPIPE, SIG_IGN);
    int code = courier_lock(argv[0], "mail", &e);
    while (code >= 0 && (code = mail_one(argv[0], &wait, &e)) > 0)
        continue;
    return courier_end(code, &e, wait);
}
