/* Jobs that come from files: which a source has (meta "source:LABEL", a list of job numbers), changing one in place,
 * and letting one go. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/text/pack.h"
#include "spool/record.h"
#include "spool/store_private.h"

#define PREFIX "source:"
#define PREFIX_LENGTH (sizeof PREFIX - 1)

static char *source_key(const char *source)
{
    return mem_format(PREFIX "%s", source);
}

int store_sources(struct store *s, struct strvec *labels, struct error *e)
{
    struct db_cursor *c;
    struct db_bytes key, value;
    int failed = db_cursor_new(s->db, DB_META, &c, e);
    if (failed)
        return failed;
    for (failed = db_cursor_from(c, (struct db_bytes){PREFIX, PREFIX_LENGTH}, &key, &value, e); failed == 0;
         failed = db_cursor_next(c, &key, &value, e)) {
        if (key.length < PREFIX_LENGTH || memcmp(key.data, PREFIX, PREFIX_LENGTH) != 0)
            break;
        strvec_take(labels, strndup((const char *)key.data + PREFIX_LENGTH, key.length - PREFIX_LENGTH));
    }
    db_cursor_free(c);
    return failed < 0 ? failed : 0;
}

int store_source_jobs(struct store *s, const char *source, struct store_numbers *out, struct error *e)
{
    char *key = source_key(source);
    struct db_bytes bytes;
    struct value list = {0};
    int found = db_get(s->db, DB_META, (struct db_bytes){key, strlen(key)}, &bytes, e);
    free(key);
    if (found)
        return found < 0 ? found : 0;
    if (pack_read(bytes.data, bytes.length, &list, NULL) < 0 || list.kind != VALUE_LIST) {
        value_clear(&list);
        return store_damaged(s, "the jobs of a source", e);
    }
    for (size_t i = 0; i < list.list.count; i++) {
        if (list.list.items[i].kind != VALUE_INT)
            continue;
        MEM_GROW(out->items, out->capacity, out->count + 1);
        out->items[out->count++] = (uint64_t)list.list.items[i].integer;
    }
    value_clear(&list);
    return 0;
}

int store_source_set(struct store *s, const char *source, const struct store_numbers *numbers, struct error *e)
{
    char *key = source_key(source);
    struct db_bytes name = {key, strlen(key)};
    int failed;
    if (numbers->count) {
        struct value list = value_list();
        for (size_t i = 0; i < numbers->count; i++)
            value_push(&list, value_int((int64_t)numbers->items[i]));
        buf_reset(&s->record);
        pack_write(&s->record, &list);
        value_clear(&list);
        failed = db_put(s->db, DB_META, name, (struct db_bytes){s->record.data, s->record.length}, e);
    } else {
        failed = db_delete(s->db, DB_META, name, e);
    }
    free(key);
    return failed < 0 ? failed : 0;
}

/* ---- changing ---- */

int store_update(struct store *s, uint64_t number, struct job *j, bool reschedule, instant now, struct error *e)
{
    struct job_state old;
    int failed = store_state(s, number, &old, e);
    if (!failed)
        failed = store_job_change(s, number, &old, j, reschedule, now, e);
    if (!failed && j->name)
        failed = store_name_put(s, j->name, number, e);
    return failed;
}

int store_retire(struct store *s, uint64_t number, instant now, struct error *e)
{
    struct store_place p;
    struct life_notes notes = {0};
    struct job j;
    int failed = store_place(s, number, &p, e);
    if (failed == STORE_NONE)
        return error_set(e, ERROR_NOT_FOUND, "there is no job %" PRIu64, number);
    if (!failed)
        failed = store_job_get(s, number, false, &j, e);
    if (failed)
        return failed;
    life_retire(&p.own, now, &notes);
    failed = store_place_notes(s, &p, j.name, &notes, e);
    if (!failed)
        failed = store_place_put(s, &p, now, e);
    if (!failed)
        store_feed_add(s, FEED_DUE, number);
    life_notes_clear(&notes);
    job_clear(&j);
    return failed;
}
