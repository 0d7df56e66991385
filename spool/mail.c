#include "spool/mail.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/text/utf8.h"

#define SUBJECT_MAX 200 /* bytes of the command */
#define WORD_MAX 45     /* bytes that go into one encoded word: RFC 2047 allows 75 characters */

bool mail_wanted(const struct job *j, const struct run *r)
{
    if (!j->mailto)
        return false;
    switch ((enum mail_rule)j->mail) {
    case MAIL_OUTPUT:
        return r->output_bytes > 0 || (r->outcome != OUTCOME_OK && r->outcome != OUTCOME_CANCELLED && r->reason);
    case MAIL_NEVER:
        return false;
    case MAIL_FAILURE:
        return r->outcome != OUTCOME_OK && r->outcome != OUTCOME_CANCELLED;
    case MAIL_ALWAYS:
        return true;
    }
    return false;
}

/* ---- addresses ---- */

static bool address_fits(const char *address, size_t length)
{
    static const char others[] = "@.!#$%&'*+-/=?^_`{|}~:[]";
    if (!length || length > 254 || *address == '-' || *address == '|' || *address == '/')
        return false;
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)address[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c >= 0x80;
        if (!letter && !strchr(others, c))
            return false;
    }
    return true;
}

int mail_addresses(const char *mailto, struct strvec *out, struct error *e)
{
    for (const char *p = mailto;; p++) {
        p += strspn(p, " \t");
        size_t length = strcspn(p, ",");
        size_t used = length;
        while (used && (p[used - 1] == ' ' || p[used - 1] == '\t'))
            used--;
        if (!address_fits(p, used))
            return error_set(e, ERROR_USAGE, "'%.*s' is no mail address", (int)(used < 100 ? used : 100), p);
        if (out)
            strvec_take(out, strndup(p, used));
        p += length;
        if (!*p)
            return 0;
    }
}

/* ---- the header ---- */

static bool is_plain(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text >= 0x7f || (unsigned char)*text < ' ')
            return false;
    return true;
}

static void add_base64(struct buf *b, const unsigned char *data, size_t length)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < length; i += 3) {
        uint32_t three = (uint32_t)data[i] << 16 | (uint32_t)(i + 1 < length ? data[i + 1] : 0) << 8 |
                         (i + 2 < length ? data[i + 2] : 0);
        buf_char(b, digits[three >> 18]);
        buf_char(b, digits[three >> 12 & 63]);
        buf_char(b, i + 1 < length ? digits[three >> 6 & 63] : '=');
        buf_char(b, i + 2 < length ? digits[three & 63] : '=');
    }
}

/* RFC 2047: words of whole characters. */
static void add_encoded(struct buf *b, const char *text)
{
    size_t left = strlen(text);
    while (left) {
        size_t length = left < WORD_MAX ? left : WORD_MAX;
        while (length > 1 && length < left && ((unsigned char)text[length] & 0xc0) == 0x80)
            length--;
        buf_text(b, "=?UTF-8?B?");
        add_base64(b, (const unsigned char *)text, length);
        buf_text(b, "?=");
        text += length;
        left -= length;
        if (left)
            buf_text(b, "\n ");
    }
}

/* A value in one line, whatever it holds. */
static void add_value(struct buf *b, const char *text)
{
    if (is_plain(text)) {
        buf_text(b, text);
        return;
    }
    char *copy = mem_string(text);
    for (char *p = copy; *p; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7f)
            *p = ' ';
    if (is_plain(copy))
        buf_text(b, copy);
    else
        add_encoded(b, copy);
    free(copy);
}

static void outcome_text(struct buf *b, const struct run *r)
{
    buf_text(b, outcome_name(r->outcome));
    if (r->outcome == OUTCOME_FAILED)
        buf_format(b, ", exit %d", r->exit_code);
    else if (r->outcome == OUTCOME_KILLED && r->signal)
        buf_format(b, ", signal %d", r->signal);
    if (r->attempt > 1)
        buf_format(b, ", attempt %" PRIu32, r->attempt);
}

static void command_text(struct buf *b, const struct job *j)
{
    for (size_t i = 0; i < j->command.count && b->length < SUBJECT_MAX; i++)
        buf_format(b, "%s%s", i ? " " : "", j->command.items[i]);
    if (b->length <= SUBJECT_MAX)
        return;
    size_t cut = SUBJECT_MAX;
    while (cut && ((unsigned char)b->data[cut] & 0xc0) == 0x80)
        cut--;
    buf_cut(b, cut);
    buf_text(b, "...");
}

static void header_line(struct buf *b, const char *name, const char *value)
{
    buf_format(b, "%s: ", name);
    add_value(b, value);
    buf_char(b, '\n');
}

/* A line of a crontab: what sorts its mail goes by what cron writes. */
static bool mail_is_of_cron(const struct job *j)
{
    return j->source && strncmp(j->source, "crontab:", 8) == 0;
}

static void header_subject(const struct mail *m, struct buf *b)
{
    struct buf text = {0}, command = {0};
    command_text(&command, m->job);
    bool named = m->job->name && !mail_is_of_cron(m->job);
    buf_format(&text, "Cron <%s@%s> %s (", m->user, m->host, named ? m->job->name : buf_string(&command));
    outcome_text(&text, m->run);
    buf_char(&text, ')');
    header_line(b, "Subject", buf_string(&text));
    buf_clear(&text);
    buf_clear(&command);
}

/* As far as it is known without looking at the run: what the job says, or what every job has that keeps no environment. */
static const char *environment_value(const struct mail *m, const char *name)
{
    const char *said = strvec_env_get(&m->job->env, name);
    if (said || m->job->has_kept_env)
        return said;
    if (strcmp(name, "SHELL") == 0)
        return m->job->shell_line ? m->job->shell.items[0] : NULL;
    if (strcmp(name, "PATH") == 0)
        return NULL; /* what runs it decides */
    return strcmp(name, "HOME") == 0 ? m->home : m->user;
}

static bool environment_is_told(const char *const *names, size_t count, const char *pair)
{
    size_t length = strcspn(pair, "=");
    for (size_t i = 0; i < count; i++)
        if (strlen(names[i]) == length && memcmp(names[i], pair, length) == 0)
            return true;
    return false;
}

static void header_environment(const struct mail *m, struct buf *b)
{
    static const char *const names[] = {"SHELL", "HOME", "PATH", "LOGNAME"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = environment_value(m, names[i]);
        char *line = value ? mem_format("<%s=%s>", names[i], value) : NULL;
        if (line)
            header_line(b, "X-Cron-Env", line);
        free(line);
    }
    for (size_t i = 0; mail_is_of_cron(m->job) && i < m->job->env.count; i++) {
        char *line = mem_format("<%s>", m->job->env.items[i]);
        if (!environment_is_told(names, sizeof names / sizeof *names, m->job->env.items[i]))
            header_line(b, "X-Cron-Env", line);
        free(line);
    }
}

/* As crontab(5) has it: a variable of the job says what its output is. */
static void header_content(const struct mail *m, struct buf *b, const char *header, const char *variable, const char *usual)
{
    const char *said = strvec_env_get(&m->job->env, variable);
    header_line(b, header, said && *said && is_plain(said) ? said : usual);
}

static void header_run(const struct mail *m, struct buf *b)
{
    char id[RUN_ID_SIZE];
    struct buf text = {0};
    run_id_format(m->run->id, id);
    header_line(b, "X-Ax-Run", id);
    outcome_text(&text, m->run);
    header_line(b, "X-Ax-Outcome", buf_string(&text));
    if (m->run->reason)
        header_line(b, "X-Ax-Reason", m->run->reason);
    buf_reset(&text);
    instant_format_utc(&text, m->run->due);
    header_line(b, "X-Ax-Due", buf_string(&text));
    buf_clear(&text);
}

void mail_header(const struct mail *m, struct buf *b)
{
    const char *sender = strvec_env_get(&m->job->env, "MAILFROM");
    char *from = mem_format("%s (Cron Daemon)", sender && address_fits(sender, strlen(sender)) ? sender : m->user);
    header_line(b, "From", from);
    free(from);
    header_line(b, "To", m->job->mailto);
    header_subject(m, b);
    buf_text(b, "MIME-Version: 1.0\n");
    header_content(m, b, "Content-Type", "CONTENT_TYPE", "text/plain; charset=UTF-8");
    header_content(m, b, "Content-Transfer-Encoding", "CONTENT_TRANSFER_ENCODING", "8bit");
    buf_text(b, "Auto-Submitted: auto-generated\n");
    header_environment(m, b);
    header_run(m, b);
    buf_char(b, '\n');
}

const char *mail_program(void)
{
    const char *program = getenv("AX_SENDMAIL");
    return program && *program ? program : "/usr/sbin/sendmail";
}
