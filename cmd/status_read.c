#include "cmd/status.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <uthash.h>

#include "lib/base/mem.h"
#include "spool/reserve.h"
#include "spool/jobfile.h"

void status_init(struct status *s, const struct view *v, duration within)
{
    int states = 0;
    while (view_states[states])
        states++;
    *s = (struct status){.now = v->now, .within = within, .states = mem_zero((size_t)states, sizeof *s->states), .overdue = INSTANT_NONE,
        .job_errors_at = INSTANT_NONE, .served.since = INSTANT_NONE, .room = INT64_MAX};
    run_init(&s->last_failed);
}

void status_clear(struct status *s)
{
    free(s->spool);
    free(s->states);
    free(s->overdue_name);
    served_clear(&s->served);
    run_clear(&s->last_failed);
    strvec_clear(&s->job_error_texts);
    *s = (struct status){0};
}

/* ---- the scheduler ---- */

static int64_t number_of(const struct value *map, const char *key, int64_t without)
{
    const struct value *v = value_get(map, key);
    return v && v->kind == VALUE_INT ? v->integer : without;
}

static char *text_of(const struct value *map, const char *key)
{
    const struct value *v = value_get(map, key);
    return v && v->kind == VALUE_TEXT ? mem_string(v->text.data) : NULL;
}

void served_clear(struct served *s)
{
    free(s->version);
    free(s->jobs);
    *s = (struct served){.since = INSTANT_NONE};
}

/* What is noted is that of the latest scheduler, which may have gone. Its pid there is that of its own container. */
int served_read(struct store *store, struct served *out, struct error *e)
{
    struct value about;
    struct served new = {.pid = folder_scheduler(store_folder(store)), .since = INSTANT_NONE};
    int failed = store_setting(store, "scheduler", &about, e);
    if (failed)
        return failed;
    if (new.pid) {
        new.since = number_of(&about, "since_ns", INSTANT_NONE);
        new.version = text_of(&about, "version");
        new.workers = (uint32_t)number_of(&about, "workers", 0);
        new.jobs = text_of(&about, "jobs");
    }
    value_clear(&about);
    *out = new;
    return 0;
}

static int job_errors_read(struct status *s, struct store *store, struct error *e)
{
    struct value note;
    if (!s->served.jobs)
        return 0;
    char *name = mem_format(JOBSDIR_ERRORS "%s", s->served.jobs);
    int failed = store_setting(store, name, &note, e);
    free(name);
    if (failed)
        return failed;
    const struct value *texts = value_get(&note, "texts");
    s->job_errors = number_of(&note, "count", 0);
    s->job_errors_at = number_of(&note, "at_ns", INSTANT_NONE);
    for (size_t i = 0; texts && texts->kind == VALUE_LIST && i < texts->list.count; i++)
        if (texts->list.items[i].kind == VALUE_TEXT)
            strvec_add(&s->job_error_texts, texts->list.items[i].text.data);
    value_clear(&note);
    return 0;
}

/* ---- jobs ---- */

static bool count_state(void *context, uint64_t number, const struct job_state *st)
{
    struct status *s = context;
    (void)number;
    int state = view_state(phase_name(st, s->now));
    s->jobs++;
    if (view_states[state])
        s->states[state]++;
    s->failing += outcome_is_bad(st->last_outcome) && st->phase != PHASE_CANCELLED;
    return true;
}

struct overdue {
    struct store *store;
    struct lane_id *lanes;
    size_t count, capacity;
    struct due oldest; /* number 0: none */
    instant now;
};

static bool add_lane(void *context, struct lane_id lane)
{
    struct overdue *o = context;
    MEM_GROW(o->lanes, o->capacity, o->count + 1);
    o->lanes[o->count++] = lane;
    return true;
}

/* The first of a lane that asks for a slot. */
static bool take_due(void *context, const struct due *d)
{
    struct overdue *o = context;
    if (d->ready > o->now || (o->oldest.number && d->ready >= o->oldest.ready))
        return false;
    if (d->weight == 0)
        return true;
    o->oldest = *d;
    return false;
}

static int overdue_read(struct status *s, struct store *store, struct error *e)
{
    struct overdue o = {.store = store, .now = s->now};
    struct job_state st;
    struct job job;
    int failed = store_each_lane(store, add_lane, &o, e);
    for (size_t i = 0; !failed && i < o.count; i++)
        failed = store_each_due(store, o.lanes[i], INSTANT_NONE, 0, take_due, &o, e);
    free(o.lanes);
    if (failed || !o.oldest.number)
        return failed;
    if (o.oldest.number >= EXTRA_FIRST)
        failed = store_state(store, o.oldest.number, &st, e);
    if (failed)
        return failed;
    s->overdue = o.oldest.ready;
    s->overdue_job = o.oldest.number >= EXTRA_FIRST ? st.job : o.oldest.number;
    failed = store_job(store, s->overdue_job, &job, e);
    if (failed)
        return failed;
    s->overdue_name = mem_string(job.name);
    job_clear(&job);
    return 0;
}

/* ---- history ---- */

/* An occurrence that was tried again: what became of it is what its last attempt says. */
struct tried {
    struct {
        uint64_t job;
        instant due;
    } of;
    UT_hash_handle hh;
};

struct rows {
    struct status *status;
    uint64_t looked;
    struct tried *tried;
};

/* Rows come newest first. True: there is a later attempt. */
static bool rows_tried(struct rows *rows, const struct run *r)
{
    struct tried *t, key = {.of.job = r->id.job, .of.due = r->due};
    HASH_FIND(hh, rows->tried, &key.of, sizeof key.of, t);
    if (!t && r->attempt > 1) {
        t = mem_zero(1, sizeof *t);
        t->of = key.of;
        HASH_ADD(hh, rows->tried, of, sizeof t->of, t);
        return false;
    }
    return t != NULL;
}

static void rows_clear(struct rows *rows)
{
    struct tried *t, *next;
    HASH_ITER(hh, rows->tried, t, next) {
        HASH_DEL(rows->tried, t);
        free(t);
    }
}

static bool count_row(void *context, const struct run *r)
{
    struct rows *rows = context;
    struct status *s = rows->status;
    if (rows->looked++ == STATUS_ROWS) {
        s->more = true;
        return false;
    }
    s->runs += r->id.note == 0;
    s->missed += r->outcome == OUTCOME_MISSED ? r->count : 0;
    bool again = !r->id.note && rows_tried(rows, r);
    if (!outcome_is_bad(r->outcome) || again || run_is_foreground(r)) /* who ran it by ax exec has seen it */
        return true;
    if (!s->failed++)
        run_copy(&s->last_failed, r);
    return true;
}

/* ---- bytes ---- */

static int64_t file_bytes(int folder, const char *name)
{
    struct stat st;
    return fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 ? (int64_t)st.st_blocks * 512 : 0;
}

static void output_measure(struct status *s, const struct folder *f)
{
    int fd = openat(f->output, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *entry;
    int count = 0;
    if (!dir && fd >= 0)
        close(fd);
    while (dir && (entry = readdir(dir))) {
        if (*entry->d_name == '.')
            continue;
        if (count++ == STATUS_FILES) {
            s->more_output = true;
            break;
        }
        s->output += file_bytes(f->output, entry->d_name);
    }
    if (dir)
        closedir(dir);
}

/* ---- all of it ---- */

static int status_read_store(struct status *s, struct store *store, struct error *e)
{
    struct rows rows = {.status = s};
    struct store_rows day = {.since = instant_add(s->now, -s->within), .until = INSTANT_NEVER};
    int failed = served_read(store, &s->served, e);
    if (!failed)
        failed = job_errors_read(s, store, e);
    if (!failed)
        failed = store_each_state(store, count_state, s, e);
    if (!failed)
        failed = overdue_read(s, store, e);
    if (!failed)
        failed = store_each_ended(store, &day, NULL, count_row, &rows, e);
    rows_clear(&rows);
    s->mail = store_mail_count(store);
    s->notices = store_notice_count(store);
    return failed;
}

int status_read(struct status *s, struct store *store, struct error *e)
{
    const struct folder *f = store_folder(store);
    int failed = store_begin(store, false, e);
    if (failed)
        return failed;
    failed = status_read_store(s, store, e);
    store_abort(store);
    if (failed)
        return failed;
    s->spool = mem_string(f->path);
    s->database = file_bytes(f->fd, "data.mdb");
    s->room = reserve_room(f);
    output_measure(s, f);
    return 0;
}
