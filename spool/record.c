#include "spool/record.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/text/pack.h"
#include "lib/text/value.h"
#include "spool/fields.h"

enum member_kind { MEMBER_I64, MEMBER_I32, MEMBER_U64, MEMBER_U32, MEMBER_BOOL, MEMBER_TEXT, MEMBER_TEXTS, MEMBER_BOOT };

struct member {
    const char *key; /* NULL ends the rows */
    enum member_kind kind;
    size_t offset;
    const char *name; /* in struct; for people: record_name */
    int64_t standard; /* not written */
    int64_t maximum;  /* of an enum; 0: what the kind holds */
};

#define STATE(member) offsetof(struct job_state, member), #member
static const struct member state_members[] = {
    {"p", MEMBER_U32, STATE(phase), PHASE_WAITING, PHASE_CANCELLED},
    {"d", MEMBER_I64, STATE(due), INSTANT_NEVER, 0},
    {"r", MEMBER_I64, STATE(ready), INSTANT_NEVER, 0},
    {"x", MEMBER_I64, STATE(next), INSTANT_NEVER, 0},
    {"a", MEMBER_U32, STATE(attempt), 0, 0},
    {"l", MEMBER_U32, STATE(lost), 0, 0},
    {"s", MEMBER_U32, STATE(shortage), 0, 0},
    {"n", MEMBER_U32, STATE(runs), 0, 0},
    {"i", MEMBER_U32, STATE(open), 0, 0},
    {"f", MEMBER_U32, STATE(first), 0, 0},
    {"b", MEMBER_U32, STATE(set_back), 0, 0},
    {"M", MEMBER_I64, STATE(makeup), INSTANT_NONE, 0},
    {"B", MEMBER_U64, STATE(boot), 0, 0},
    {"N", MEMBER_U32, STATE(notes), 0, 0},
    {"j", MEMBER_U64, STATE(job), 0, 0},
    {"u", MEMBER_U32, STATE(cause), CAUSE_SCHEDULE, CAUSE_REPLAY},
    {"g", MEMBER_U64, STATE(env), 0, 0},
    {"z", MEMBER_U32, STATE(extras), 0, 0},
    {"y", MEMBER_U32, STATE(busy), 0, 0},
    {"V", MEMBER_BOOL, STATE(overtaken), 0, 0},
    {"O", MEMBER_BOOL, STATE(overtakes), 0, 0},
    {"t", MEMBER_BOOL, STATE(retired), 0, 0},
    {"T", MEMBER_BOOL, STATE(stop), 0, 0},
    {"h", MEMBER_BOOL, STATE(paused), 0, 0},
    {"H", MEMBER_I64, STATE(resumed), INSTANT_NONE, 0},
    {"c", MEMBER_BOOL, STATE(cancel), 0, 0},
    {"R", MEMBER_BOOL, STATE(replaced), 0, 0},
    {"o", MEMBER_U32, STATE(last_outcome), OUTCOME_NONE, OUTCOME_MISSED},
    {"e", MEMBER_I64, STATE(last_ended), INSTANT_NONE, 0},
    {"C", MEMBER_I32, STATE(last_code), 0, 0},
    {"A", MEMBER_BOOL, STATE(ailing), 0, 0},
    {"k", MEMBER_I64, STATE(late_next), 0, 0},
    {"K", MEMBER_I64, STATE(late), 0, 0},
    {"L", MEMBER_I64, STATE(long_next), 0, 0},
    {"G", MEMBER_I64, STATE(going), 0, 0},
    {"q", MEMBER_U32, STATE(queue), 1, 0},
    {"P", MEMBER_I32, STATE(priority), 0, 0},
    {"w", MEMBER_U32, STATE(weight), 1, 0},
    {"E", MEMBER_BOOL, STATE(repeats), 0, 0},
    {"F", MEMBER_I64, STATE(keep_for), JOB_KEEP_FOR, 0},
    {0},
};

#define RUN(member) offsetof(struct run, member), #member
static const struct member run_members[] = {
    {"j", MEMBER_U64, RUN(id.job), 0, 0},
    {"n", MEMBER_U32, RUN(id.n), 0, 0},
    {"N", MEMBER_U32, RUN(id.note), 0, 0},
    {"o", MEMBER_U32, RUN(outcome), OUTCOME_NONE, OUTCOME_MISSED},
    {"U", MEMBER_U32, RUN(cause), CAUSE_SCHEDULE, CAUSE_REPLAY},
    {"X", MEMBER_U64, RUN(extra), 0, 0},
    {"M", MEMBER_U32, RUN(mail), MAIL_NONE, MAIL_FAILED},
    {"d", MEMBER_I64, RUN(due), INSTANT_NONE, 0},
    {"D", MEMBER_I64, RUN(last_due), INSTANT_NONE, 0},
    {"c", MEMBER_U32, RUN(count), 1, 0},
    {"a", MEMBER_U32, RUN(attempt), 0, 0},
    {"C", MEMBER_I64, RUN(claimed), INSTANT_NONE, 0},
    {"s", MEMBER_I64, RUN(started), INSTANT_NONE, 0},
    {"e", MEMBER_I64, RUN(ended), INSTANT_NONE, 0},
    {"x", MEMBER_I32, RUN(exit_code), -1, 0},
    {"S", MEMBER_I32, RUN(signal), 0, 0},
    {"u", MEMBER_I64, RUN(cpu_user_ns), -1, 0},
    {"y", MEMBER_I64, RUN(cpu_system_ns), -1, 0},
    {"m", MEMBER_I64, RUN(max_rss), -1, 0},
    {"b", MEMBER_I64, RUN(output_bytes), 0, 0},
    {"O", MEMBER_U32, RUN(output), OUTPUT_NONE, OUTPUT_FILE},
    {"r", MEMBER_TEXT, RUN(reason), 0, 0},
    {"t", MEMBER_TEXT, RUN(name), 0, 0},
    {"k", MEMBER_TEXT, RUN(key), 0, 0},
    {"E", MEMBER_TEXTS, RUN(set), 0, 0},
    {"q", MEMBER_U32, RUN(queue), 0, 0},
    {"w", MEMBER_U32, RUN(weight), 0, 0},
    {"g", MEMBER_U32, RUN(generation), 0, 0},
    {"B", MEMBER_BOOT, RUN(boot), 0, 0},
    {0},
};

#define NOTICE(member) offsetof(struct notice, member), #member
static const struct member notice_members[] = {
    {"e", MEMBER_U32, NOTICE(event), NOTIFY_NONE, NOTIFY_LAST},
    {"a", MEMBER_I64, NOTICE(after), 0, 0},
    {"j", MEMBER_U64, NOTICE(id.job), 0, 0},
    {"n", MEMBER_U32, NOTICE(id.n), 0, 0},
    {"N", MEMBER_U32, NOTICE(id.note), 0, 0},
    {"d", MEMBER_I64, NOTICE(due), INSTANT_NONE, 0},
    {"w", MEMBER_I64, NOTICE(at), INSTANT_NONE, 0},
    {"t", MEMBER_U32, NOTICE(tries), 0, 0},
    {"x", MEMBER_I64, NOTICE(next), INSTANT_NONE, 0},
    {0},
};

_Static_assert(sizeof(enum phase) == 4 && sizeof(enum outcome) == 4, "enums are read and written as 32 bits");

/* ---- members ---- */

static int64_t member_number(const struct member *m, const void *from)
{
    const char *place = (const char *)from + m->offset;
    switch (m->kind) {
    case MEMBER_I32:
        return *(const int32_t *)place;
    case MEMBER_U32:
        return *(const uint32_t *)place;
    case MEMBER_BOOL:
        return *(const bool *)place;
    default:
        return *(const int64_t *)place; /* what a U64 holds above INT64_MAX comes back the same */
    }
}

static void member_put_texts(struct value *map, const struct member *m, const struct strvec *texts)
{
    struct value list = value_list();
    for (size_t i = 0; i < texts->count; i++)
        value_push(&list, value_text(texts->items[i]));
    if (texts->count)
        value_put(map, m->key, list);
}

static void member_put(struct value *map, const struct member *m, const void *from)
{
    const char *place = (const char *)from + m->offset;
    if (m->kind == MEMBER_TEXTS) {
        member_put_texts(map, m, (const struct strvec *)place);
        return;
    }
    if (m->kind == MEMBER_TEXT || m->kind == MEMBER_BOOT) {
        const char *text = m->kind == MEMBER_TEXT ? *(char *const *)place : *place ? place : NULL;
        if (text)
            value_put(map, m->key, value_text(text));
        return;
    }
    int64_t n = member_number(m, from);
    if (n != m->standard)
        value_put(map, m->key, value_int(n));
}

static bool is_text(const struct value *v)
{
    return v->kind == VALUE_TEXT && strlen(v->text.data) == v->text.length;
}

/* Of an environment: each is NAME=VALUE. */
static bool are_settings(const struct value *v)
{
    bool fits = v->kind == VALUE_LIST;
    for (size_t i = 0; fits && i < v->list.count; i++)
        fits = is_text(&v->list.items[i]) && strchr(v->list.items[i].text.data, '=');
    return fits;
}

static bool member_fits(const struct member *m, const struct value *v)
{
    if (m->kind == MEMBER_TEXTS)
        return are_settings(v);
    if (m->kind == MEMBER_TEXT || m->kind == MEMBER_BOOT)
        return is_text(v) && (m->kind == MEMBER_TEXT || v->text.length < BOOT_ID_SIZE);
    if (v->kind != VALUE_INT)
        return false;
    switch (m->kind) {
    case MEMBER_I32:
        return v->integer >= INT32_MIN && v->integer <= INT32_MAX;
    case MEMBER_U32:
        return v->integer >= 0 && v->integer <= (m->maximum ? m->maximum : UINT32_MAX);
    case MEMBER_BOOL:
        return v->integer == 0 || v->integer == 1;
    default:
        return true;
    }
}

static void member_set_number(const struct member *m, void *to, int64_t n)
{
    char *place = (char *)to + m->offset;
    switch (m->kind) {
    case MEMBER_I32:
        *(int32_t *)place = (int32_t)n;
        break;
    case MEMBER_U32:
        *(uint32_t *)place = (uint32_t)n;
        break;
    case MEMBER_BOOL:
        *(bool *)place = n;
        break;
    default:
        *(int64_t *)place = n;
    }
}

/* v fits. Of a key that comes twice the last one counts. */
static void member_set(const struct member *m, void *to, const struct value *v)
{
    char *place = (char *)to + m->offset;
    if (m->kind == MEMBER_BOOT) {
        memcpy(place, v->text.data, v->text.length + 1);
    } else if (m->kind == MEMBER_TEXT) {
        free(*(char **)place);
        *(char **)place = mem_string(v->text.data);
    } else if (m->kind == MEMBER_TEXTS) {
        strvec_clear((struct strvec *)place);
        for (size_t i = 0; i < v->list.count; i++)
            strvec_add((struct strvec *)place, v->list.items[i].text.data);
    } else {
        member_set_number(m, to, v->integer);
    }
}

/* ---- maps ---- */

static void record_write(struct buf *b, const struct member *members, const void *from)
{
    struct value map = value_map();
    value_put(&map, "v", value_int(RECORD_VERSION));
    for (const struct member *m = members; m->key; m++)
        member_put(&map, m, from);
    pack_write(b, &map);
    value_clear(&map);
}

static int record_open(const void *data, size_t length, const char *what, struct value *map, struct error *e)
{
    struct value v = {0};
    int failed = pack_read(data, length, &v, e);
    if (failed)
        return failed;
    const struct value *version = value_get(&v, "v");
    if (!version || version->kind != VALUE_INT || version->integer < 1)
        failed = error_set(e, ERROR_SPOOL, "the record of a %s is damaged: it has no format version", what);
    else if (version->integer > RECORD_VERSION)
        failed = error_set(e, ERROR_SPOOL, "the record of a %s was written by a newer ax (format %lld, this one reads up to %d): use that one",
                           what, (long long)version->integer, RECORD_VERSION);
    if (failed) {
        value_clear(&v);
        return failed;
    }
    *map = v;
    return 0;
}

static const struct member *member_find(const struct member *members, const char *key)
{
    for (const struct member *m = members; m->key; m++)
        if (m->key[0] == key[0] && strcmp(m->key, key) == 0)
            return m;
    return NULL;
}

/* All members that must fit are looked at before the first is set. */
static int record_read(const struct value *map, const struct member *members, const char *what, void *to, struct error *e)
{
    for (size_t i = 0; i < map->list.count; i++) {
        const struct member *m = member_find(members, map->list.keys[i]);
        if (m && !member_fits(m, &map->list.items[i]))
            return error_set(e, ERROR_SPOOL, "the record of a %s is damaged: member %s", what, m->key);
    }
    for (const struct member *m = members; m->key; m++)
        if (m->kind != MEMBER_TEXT && m->kind != MEMBER_TEXTS && m->kind != MEMBER_BOOT)
            member_set_number(m, to, m->standard);
    for (size_t i = 0; i < map->list.count; i++) {
        const struct member *m = member_find(members, map->list.keys[i]);
        if (m)
            member_set(m, to, &map->list.items[i]);
    }
    return 0;
}

void record_write_state(struct buf *b, const struct job_state *s)
{
    record_write(b, state_members, s);
}

int record_read_state(const void *data, size_t length, struct job_state *out, struct error *e)
{
    struct value map;
    int failed = record_open(data, length, "job's state", &map, e);
    if (failed)
        return failed;
    struct job_state s = {0};
    failed = record_read(&map, state_members, "job's state", &s, e);
    value_clear(&map);
    if (!failed)
        *out = s;
    return failed;
}

void record_write_run(struct buf *b, const struct run *r)
{
    record_write(b, run_members, r);
}

int record_read_run(const void *data, size_t length, struct run *out, struct error *e)
{
    struct value map;
    int failed = record_open(data, length, "run", &map, e);
    if (failed)
        return failed;
    struct run r = {0};
    failed = record_read(&map, run_members, "run", &r, e);
    value_clear(&map);
    if (!failed)
        *out = r;
    return failed;
}

void record_write_notice(struct buf *b, const struct notice *n)
{
    record_write(b, notice_members, n);
}

int record_read_notice(const void *data, size_t length, struct notice *out, struct error *e)
{
    struct value map;
    int failed = record_open(data, length, "notice", &map, e);
    if (failed)
        return failed;
    struct notice n = {0};
    failed = record_read(&map, notice_members, "notice", &n, e);
    value_clear(&map);
    if (!failed)
        *out = n;
    return failed;
}

/* ---- names ---- */

static const struct member *const record_members[] = {[RECORD_STATE] = state_members, [RECORD_RUN] = run_members, [RECORD_NOTICE] = notice_members};

const char *record_name(enum record_kind kind, const char *key)
{
    const struct member *m = record_members[kind] ? member_find(record_members[kind], key) : NULL;
    return m ? m->name : NULL;
}

const char *record_key(enum record_kind kind, const char *name)
{
    for (const struct member *m = record_members[kind]; m && m->key; m++)
        if (strcmp(m->name, name) == 0)
            return m->key;
    return NULL;
}

/* ---- definitions ---- */

struct stamp { /* what a definition has beside the fields */
    uint64_t number, environment;
    instant added;
    uint32_t creator;
    char *source, *file;
};
#define STAMP(member) offsetof(struct stamp, member), #member
static const struct member stamp_members[] = {
    {"number", MEMBER_U64, STAMP(number), 0, 0},
    {"added", MEMBER_I64, STAMP(added), INSTANT_NONE, 0},
    {"creator", MEMBER_U32, STAMP(creator), 0, 0},
    {"source", MEMBER_TEXT, STAMP(source), 0, 0},
    {"file", MEMBER_TEXT, STAMP(file), 0, 0},
    {"environment", MEMBER_U64, STAMP(environment), 0, 0},
    {0},
};

void record_write_job(struct buf *b, const struct job *j, uint64_t environment)
{
    struct stamp stamp = {.number = j->number, .environment = environment, .added = j->added, .creator = j->creator,
        .source = j->source, .file = j->file};
    struct value map = value_map();
    value_put(&map, "v", value_int(RECORD_VERSION));
    for (const struct member *m = stamp_members; m->key; m++)
        member_put(&map, m, &stamp);
    fields_put(&map, j, FIELD_RECORD);
    pack_write(b, &map);
    value_clear(&map);
}

static int record_read_fields(const struct value *map, struct job *j, struct error *e)
{
    for (size_t i = 0; i < map->list.count; i++) {
        const struct field *f = field_find(map->list.keys[i]);
        struct error why;
        if (f && field_set(j, f, &map->list.items[i], NULL, &why) < 0)
            return error_set(e, ERROR_SPOOL, "the record of a job is damaged: %s: %s", f->name, why.text);
    }
    return 0;
}

int record_read_job(const void *data, size_t length, struct job *out, uint64_t *environment, struct error *e)
{
    struct value map;
    struct stamp stamp = {0};
    struct job j;
    int failed = record_open(data, length, "job", &map, e);
    if (failed)
        return failed;
    job_init(&j);
    failed = record_read(&map, stamp_members, "job", &stamp, e);
    if (!failed)
        failed = record_read_fields(&map, &j, e);
    value_clear(&map);
    if (failed) {
        job_clear(&j);
        free(stamp.source);
        free(stamp.file);
        return failed;
    }
    j.number = stamp.number;
    j.added = stamp.added;
    j.creator = stamp.creator;
    j.source = stamp.source;
    j.file = stamp.file;
    j.has_kept_env = stamp.environment != 0;
    *environment = stamp.environment;
    *out = j;
    return 0;
}
