#include "spool/handover.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"

static const char *const message_names[] = {
    [MESSAGE_NONE] = "",       [MESSAGE_START] = "start", [MESSAGE_CANCEL] = "cancel", [MESSAGE_ADOPT] = "adopt",
    [MESSAGE_ACK] = "ack",     [MESSAGE_HELLO] = "hello", [MESSAGE_ENDED] = "ended",
};
#define MESSAGE_COUNT (sizeof message_names / sizeof *message_names)

enum message_kind message_kind(const struct value *message)
{
    const struct value *t = value_get(message, "t");
    if (!t || t->kind != VALUE_TEXT)
        return MESSAGE_NONE;
    for (size_t i = 1; i < MESSAGE_COUNT; i++) {
        if (strcmp(t->text.data, message_names[i]) == 0)
            return (enum message_kind)i;
    }
    return MESSAGE_NONE;
}

bool message_run(const struct value *message, struct run_id *out)
{
    const struct value *run = value_get(message, "run");
    return run && run->kind == VALUE_TEXT && run_id_parse(run->text.data, out);
}

static struct value message_new(enum message_kind kind, const struct run_id *id)
{
    struct value m = value_map();
    value_put(&m, "t", value_text(message_names[kind]));
    if (id) {
        char text[RUN_ID_SIZE];
        run_id_format(*id, text);
        value_put(&m, "run", value_text(text));
    }
    return m;
}

struct value message_cancel(struct run_id id, bool stop, duration grace)
{
    struct value m = message_new(MESSAGE_CANCEL, &id);
    value_put(&m, "why", value_text(stop ? "stop" : "cancel"));
    if (grace != DURATION_NONE)
        value_put(&m, "grace", value_int(grace));
    return m;
}

struct value message_adopt(void)
{
    return message_new(MESSAGE_ADOPT, NULL);
}

struct value message_ack(struct run_id id)
{
    return message_new(MESSAGE_ACK, &id);
}

struct value message_hello(struct run_id id)
{
    return message_new(MESSAGE_HELLO, &id);
}

/* ---- reading members: absent ones keep what is there; one of another kind makes the reading fail ---- */

struct member {
    const struct value *map;
    const char *wrong; /* the first member at fault */
};

static const struct value *member_get(struct member *m, const char *key, enum value_kind kind)
{
    const struct value *v = value_get(m->map, key);
    if (v && v->kind == VALUE_NULL)
        return NULL;
    if (v && v->kind != kind && !m->wrong)
        m->wrong = key;
    return v && v->kind == kind ? v : NULL;
}

static void member_int64(struct member *m, const char *key, int64_t *out)
{
    const struct value *v = member_get(m, key, VALUE_INT);
    if (v)
        *out = v->integer;
}

static void member_int(struct member *m, const char *key, int *out)
{
    int64_t wide = *out;
    member_int64(m, key, &wide);
    if (wide < INT32_MIN || wide > INT32_MAX)
        m->wrong = key;
    else
        *out = (int)wide;
}

static void member_bool(struct member *m, const char *key, bool *out)
{
    const struct value *v = member_get(m, key, VALUE_BOOL);
    if (v)
        *out = v->boolean;
}

static void member_text(struct member *m, const char *key, char **out, size_t *length)
{
    const struct value *v = member_get(m, key, VALUE_TEXT);
    if (!v)
        return;
    free(*out);
    *out = mem_alloc(v->text.length + 1);
    memcpy(*out, v->text.data, v->text.length);
    (*out)[v->text.length] = '\0';
    if (length)
        *length = v->text.length;
}

static void member_texts(struct member *m, const char *key, struct strvec *out)
{
    const struct value *v = member_get(m, key, VALUE_LIST);
    for (size_t i = 0; v && i < v->list.count; i++) {
        if (v->list.items[i].kind != VALUE_TEXT)
            m->wrong = key;
        else
            strvec_add(out, v->list.items[i].text.data);
    }
}

static void member_limits(struct member *m, const char *key, struct order *o)
{
    const struct value *v = member_get(m, key, VALUE_LIST);
    if (!v || !v->list.count)
        return;
    o->limits = mem_zero(v->list.count, sizeof *o->limits);
    for (size_t i = 0; i < v->list.count; i++) {
        const struct value *row = &v->list.items[i];
        if (row->kind != VALUE_LIST || row->list.count != 3) {
            m->wrong = key;
            return;
        }
        const struct value *n = row->list.items;
        if (n[0].kind != VALUE_INT || n[1].kind != VALUE_INT || n[2].kind != VALUE_INT) {
            m->wrong = key;
            return;
        }
        o->limits[o->limit_count++] = (struct child_limit){
            .resource = (int)n[0].integer, .value = {.rlim_cur = (rlim_t)n[1].integer, .rlim_max = (rlim_t)n[2].integer}};
    }
}

static void put_text(struct value *map, const char *key, const char *text)
{
    if (text)
        value_put(map, key, value_text(text));
}

static void put_texts(struct value *map, const char *key, const struct strvec *texts)
{
    struct value list = value_list();
    for (size_t i = 0; i < texts->count; i++)
        value_push(&list, value_text(texts->items[i]));
    value_put(map, key, list);
}

/* ---- order ---- */

void order_clear(struct order *o)
{
    strvec_clear(&o->argv);
    strvec_clear(&o->env);
    strvec_clear(&o->env_last);
    free(o->env_file);
    free(o->cwd);
    free(o->input);
    free(o->user);
    free(o->group);
    free(o->limits);
    *o = (struct order){0};
}

struct value order_write(const struct order *o)
{
    struct value m = message_new(MESSAGE_START, &o->id);
    put_texts(&m, "argv", &o->argv);
    put_texts(&m, "env", &o->env);
    put_text(&m, "env_file", o->env_file);
    put_texts(&m, "env_last", &o->env_last);
    put_text(&m, "cwd", o->cwd);
    value_put(&m, "umask", value_int(o->umask_bits));
    if (o->input)
        value_put(&m, "input", value_bytes(o->input, o->input_length));
    put_text(&m, "user", o->user);
    put_text(&m, "group", o->group);
    if (o->nice)
        value_put(&m, "nice", value_int(o->nice));
    if (o->limit_count) {
        struct value *list = value_put(&m, "limits", value_list());
        for (int i = 0; i < o->limit_count; i++) {
            struct value *row = value_push(list, value_list());
            value_push(row, value_int(o->limits[i].resource));
            value_push(row, value_int((int64_t)o->limits[i].value.rlim_cur));
            value_push(row, value_int((int64_t)o->limits[i].value.rlim_max));
        }
    }
    value_put(&m, "timeout", value_int(o->timeout));
    value_put(&m, "kill_after", value_int(o->kill_after));
    value_put(&m, "output_max", value_int(o->output_max));
    value_put(&m, "not_before", value_int(o->not_before));
    return m;
}

int order_read(const struct value *v, struct order *o, struct error *e)
{
    struct member m = {.map = v};
    struct order new = {.umask_bits = -1, .timeout = DURATION_NONE, .not_before = INSTANT_NONE};
    if (!message_run(v, &new.id))
        m.wrong = "run";
    member_texts(&m, "argv", &new.argv);
    member_texts(&m, "env", &new.env);
    member_text(&m, "env_file", &new.env_file, NULL);
    member_texts(&m, "env_last", &new.env_last);
    member_text(&m, "cwd", &new.cwd, NULL);
    member_int(&m, "umask", &new.umask_bits);
    member_text(&m, "input", &new.input, &new.input_length);
    member_text(&m, "user", &new.user, NULL);
    member_text(&m, "group", &new.group, NULL);
    member_int(&m, "nice", &new.nice);
    member_limits(&m, "limits", &new);
    member_int64(&m, "timeout", &new.timeout);
    member_int64(&m, "kill_after", &new.kill_after);
    member_int64(&m, "output_max", &new.output_max);
    member_int64(&m, "not_before", &new.not_before);
    if (!new.argv.count)
        m.wrong = "argv";
    if (m.wrong) {
        order_clear(&new);
        return error_set(e, ERROR_FAILED, "an order for a worker makes no sense at `%s`", m.wrong);
    }
    if (!new.env.items) /* an empty environment is a list all the same */
        new.env.items = mem_zero(1, sizeof *new.env.items);
    *o = new;
    return 0;
}

/* ---- report ---- */

void report_clear(struct report *r)
{
    free(r->output);
    free(r->reason);
    *r = (struct report){0};
}

struct report report_unstarted(struct run_id id, enum report_how how, instant now, char *reason)
{
    return (struct report){.id = id, .how = how, .code = -1, .started = INSTANT_NONE, .ended = now, .cpu_user_ns = -1,
        .cpu_system_ns = -1, .max_rss = -1, .reason = reason};
}

struct value report_write(const struct report *r)
{
    struct value m = message_new(MESSAGE_ENDED, &r->id);
    value_put(&m, "how", value_int(r->how));
    value_put(&m, "code", value_int(r->code));
    value_put(&m, "signal", value_int(r->signal));
    value_put(&m, "started", value_int(r->started));
    value_put(&m, "ended", value_int(r->ended));
    value_put(&m, "cpu_user", value_int(r->cpu_user_ns));
    value_put(&m, "cpu_system", value_int(r->cpu_system_ns));
    value_put(&m, "max_rss", value_int(r->max_rss));
    value_put(&m, "output_bytes", value_int(r->output_bytes));
    value_put(&m, "output_file", value_bool(r->output_file));
    if (r->output)
        value_put(&m, "output", value_bytes(r->output, r->output_length));
    put_text(&m, "reason", r->reason);
    if (r->lingers)
        value_put(&m, "lingers", value_bool(true));
    return m;
}

int report_read(const struct value *v, struct report *r, struct error *e)
{
    struct member m = {.map = v};
    struct report new = report_unstarted((struct run_id){0}, REPORT_EXITED, INSTANT_NONE, NULL);
    int how = -1;
    if (!message_run(v, &new.id))
        m.wrong = "run";
    member_int(&m, "how", &how);
    if (how < REPORT_EXITED || how > REPORT_FENCED)
        m.wrong = "how";
    member_int(&m, "code", &new.code);
    member_int(&m, "signal", &new.signal);
    member_int64(&m, "started", &new.started);
    member_int64(&m, "ended", &new.ended);
    member_int64(&m, "cpu_user", &new.cpu_user_ns);
    member_int64(&m, "cpu_system", &new.cpu_system_ns);
    member_int64(&m, "max_rss", &new.max_rss);
    member_int64(&m, "output_bytes", &new.output_bytes);
    member_bool(&m, "output_file", &new.output_file);
    member_text(&m, "output", &new.output, &new.output_length);
    member_text(&m, "reason", &new.reason, NULL);
    member_bool(&m, "lingers", &new.lingers);
    if (m.wrong) {
        report_clear(&new);
        return error_set(e, ERROR_SPOOL, "a report of a worker makes no sense at `%s`", m.wrong);
    }
    new.how = (enum report_how)how;
    *r = new;
    return 0;
}
