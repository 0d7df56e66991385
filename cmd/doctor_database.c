/* The database: its pages, its records, what they say of each other, its indexes. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/doctor.h"
#include "lib/base/mem.h"
#include "spool/jobfile.h"
#include "spool/pages.h"

#define SALVAGE "`ax dump FILE` writes what can be read of it; then `ax load FILE --spool DIR` makes a new spool"

static void database_page(void *context, const char *where, const char *why)
{
    doctor_say(context, "data", where, SALVAGE, "%s", why);
}

static void database_found(void *context, const struct finding *f)
{
    doctor_add(context, f);
}

static bool database_fail(struct doctor *d, const struct error *e)
{
    doctor_say(d, "data", "data.mdb", e->sys ? "mend what the message names" : SALVAGE, "%s", e->text);
    return false;
}

/* ---- what is looked at outside of the database ---- */

static bool keep_job(void *context, const struct job *j, const struct job_state *st)
{
    struct doctor *d = context;
    if (job_over(st))
        return true;
    d->waiting++;
    instant wake;
    if (!st->paused && st->phase != PHASE_RUNNING && life_wake(st, &wake) && wake < d->now &&
        (d->overdue == INSTANT_NONE || wake < d->overdue))
        d->overdue = wake;
    d->mail = d->mail || (j->mailto && j->mail != MAIL_NEVER);
    doctor_job(d, j);
    return true;
}

static void keep_open(void *context, struct run_id id)
{
    struct doctor *d = context;
    MEM_GROW(d->open, d->open_capacity, d->open_count + 1);
    run_init(&d->open[d->open_count]);
    d->open[d->open_count++].id = id;
}

/* One of which the record is damaged is open too: what lies there of it must stay. */
static int database_open(struct doctor *d, struct store *store, struct error *e)
{
    int failed = store_each_open_id(store, keep_open, d, e);
    for (size_t i = 0; !failed && i < d->open_count; i++) {
        struct run r;
        if (store_run(store, d->open[i].id, &r, NULL) != 0)
            continue;
        run_clear(&d->open[i]);
        d->open[i] = r;
    }
    return failed;
}

static void job_errors_read(struct doctor *d, struct store *store)
{
    struct value note = {0};
    if (!d->served.jobs)
        return;
    char *name = mem_format(JOBSDIR_ERRORS "%s", d->served.jobs);
    if (store_setting(store, name, &note, NULL) == 0) {
        const struct value *count = value_get(&note, "count");
        d->job_errors = count && count->kind == VALUE_INT ? count->integer : 0;
    }
    value_clear(&note);
    free(name);
}

/* Each job is looked at by itself: one that does not decode hides no other. */
static int database_jobs(struct doctor *d, struct store *store, struct error *e)
{
    int failed = served_read(store, &d->served, e);
    if (failed)
        return failed;
    job_errors_read(d, store);
    d->seen = store_clock_seen(store);
    d->mail = store_mail_count(store) > 0;
    failed = store_each_sound_job(store, keep_job, d, e);
    return failed ? failed : database_open(d, store, e);
}

/* ---- in one transaction ---- */

/* What is made anew out of records must not forget those that cannot be read. */
static int database_check(struct doctor *d, struct store *store, bool mend, struct error *e)
{
    size_t damaged = 0;
    int failed = store_records(store, &damaged, database_found, d, e);
    mend = mend && !damaged;
    if (damaged && d->fix)
        doctor_note(d, "data", "data.mdb", "see there",
            "its indexes are left as they are while there are records that cannot be read");
    if (!failed)
        failed = store_feed_check(store, mend, database_found, d, e);
    if (!failed)
        failed = store_recount(store, mend, database_found, d, e);
    if (!failed)
        failed = store_index_check(store, mend, database_found, d, e);
    if (!failed)
        failed = store_relations(store, mend, database_found, d, e);
    return failed;
}

static void database_readers(struct doctor *d, struct store *store)
{
    int dead = 0;
    if (store_readers_dead(store, &dead, NULL) == 0 && dead)
        doctor_mend(d, "readers", "lock.mdb", d->fix, "%d reader%s died without leaving", dead, dead == 1 ? "" : "s");
}

static int database_read(struct doctor *d, struct store *store, struct error *e)
{
    int failed = store_begin(store, false, e);
    if (failed)
        return failed;
    if (!d->fix)
        failed = database_check(d, store, false, e);
    if (!failed)
        failed = database_jobs(d, store, e);
    store_abort(store);
    return failed;
}

static int database_mend(struct doctor *d, struct store *store, struct error *e)
{
    int failed = store_begin(store, true, e);
    if (failed)
        return failed;
    failed = database_check(d, store, true, e);
    if (!failed)
        return store_commit(store, e);
    store_abort(store);
    return failed;
}

bool doctor_database(struct doctor *d)
{
    struct store *store;
    struct error e = {0};
    size_t faults = 0;
    int failed = pages_sound(&d->folder, &faults, database_page, d, &e);
    if (client_absent(&e))
        return true; /* not even an empty one: nothing can be wrong with it */
    if (failed)
        return database_fail(d, &e);
    if (faults)
        return false;
    if (store_open(d->path, STORE_READ, &store, &e) < 0)
        return client_absent(&e) || database_fail(d, &e);
    database_readers(d, store);
    if (d->fix) {
        store_close(store);
        if (store_open(d->path, STORE_WRITE, &store, &e) < 0)
            return database_fail(d, &e);
        failed = database_mend(d, store, &e);
    }
    if (!failed)
        failed = database_read(d, store, &e);
    if (!failed)
        doctor_runs(d, store);
    store_close(store);
    return !failed || database_fail(d, &e);
}
