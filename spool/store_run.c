#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "spool/mail.h"
#include "spool/record.h"
#include "spool/store_private.h"

struct key key_ended(const struct run *r)
{
    struct key k = {.length = 0};
    key_time(&k, r->ended);
    key_u64(&k, r->id.job);
    key_u32(&k, r->id.n);
    key_u32(&k, r->id.note);
    return k;
}

static const struct db_bytes nothing = {"", 0};

static int run_put(struct store *s, const struct run *r, struct error *e)
{
    struct key k = key_run(r->id);
    buf_reset(&s->record);
    record_write_run(&s->record, r);
    return db_put(s->db, DB_RUNS, key_bytes(&k), (struct db_bytes){s->record.data, s->record.length}, e);
}

static int run_put_ended(struct store *s, const struct run *r, struct error *e)
{
    struct key k = key_ended(r);
    int failed = run_put(s, r, e);
    return failed ? failed : db_append(s->db, DB_ENDED, key_bytes(&k), nothing, e);
}

int store_run_get(struct store *s, struct run_id id, struct run *out, struct error *e)
{
    struct key k = key_run(id);
    struct db_bytes value;
    int found = db_get(s->db, DB_RUNS, key_bytes(&k), &value, e);
    if (found == 0)
        found = record_read_run(value.data, value.length, out, e);
    if (found == 0)
        out->id = id;
    return found;
}

static int run_is_open(struct store *s, struct run_id id, struct error *e)
{
    struct key k = key_open(id);
    struct db_bytes value;
    return db_get(s->db, DB_OPEN, key_bytes(&k), &value, e);
}

static int run_close(struct store *s, struct run_id id, struct error *e)
{
    struct key k = key_open(id);
    int failed = db_delete(s->db, DB_OPEN, key_bytes(&k), e);
    return failed < 0 ? failed : 0;
}

int store_notes_put(struct store *s, uint64_t number, const char *name, const struct job_state *st,
    struct life_notes *notes, struct error *e)
{
    int failed = 0;
    for (int i = 0; i < notes->count && !failed; i++) {
        struct run row = notes->rows[i]; /* borrows its texts */
        row.id.job = number;
        row.queue = st->queue;
        row.weight = st->weight;
        if (!row.name)
            row.name = (char *)name;
        failed = run_put_ended(s, &row, e);
    }
    return failed;
}

int store_run_mail(struct store *s, struct run_id id, enum run_mail mail, struct error *e)
{
    struct run r;
    int found = store_run_get(s, id, &r, e);
    if (found)
        return found < 0 ? found : 0; /* it is kept no more */
    r.mail = mail;
    found = run_put(s, &r, e);
    run_clear(&r);
    return found;
}

/* The scheduler knows what it did itself; from everyone else it must hear. */
static void run_tell(struct store *s, uint64_t number)
{
    if (s->use != STORE_SERVE)
        store_feed_add(s, FEED_DUE, number);
}

/* ---- claim ---- */

static int claim_put(struct store *s, const struct run *r, struct error *e)
{
    struct key k = key_open(r->id);
    int failed = run_put(s, r, e);
    return failed ? failed : db_put(s->db, DB_OPEN, key_bytes(&k), nothing, e);
}

/* What the verdict means for the tables. */
static int claim_write(struct store *s, struct store_place *p, const struct store_life *l, enum life_verdict said, const struct run *run, struct error *e)
{
    if (said == LIFE_EARLY || said == LIFE_NOT)
        return 0;
    int failed = store_place_notes(s, p, l->life.job->name, l->life.notes, e);
    if (!failed)
        failed = store_notice(s, l->life.job, &l->notes.notice, e);
    if (!failed)
        failed = store_place_put(s, p, l->life.now, e);
    if (!failed && said == LIFE_START)
        failed = claim_put(s, run, e);
    return failed;
}

static void claim_run(struct store *s, struct run *run, uint32_t generation)
{
    run->generation = generation;
    if (!s->boot[0])
        process_boot(s->boot);
    memcpy(run->boot, s->boot, sizeof run->boot);
}

/* Run numbers are the job's, whichever occurrence they are of. */
static enum life_verdict claim_decide(struct store_place *p, struct store_life *l, struct run *run)
{
    struct job_state *st = store_place_state(p);
    l->life.busy = store_place_busy(p);
    st->runs = p->own.runs;
    enum life_verdict said = life_claim(&l->life, st, run);
    if (said == LIFE_START && st != &p->own) {
        p->own.runs = st->runs;
        p->own.notes = 0;
        run->extra = p->number;
    }
    return said;
}

/* overlap: allow */
static int claim_part(struct store *s, struct store_place *p, struct store_life *l, struct run *run, struct error *e)
{
    struct job_state part;
    uint64_t number = EXTRA_FIRST + (uint64_t)s->counters.next_extra;
    if (p->number >= EXTRA_FIRST || !life_part(&l->life, &p->own, number, run, &part))
        return 0;
    return store_extra_new(s, &p->own, &part, &number, e);
}

static int claim_job(struct store *s, struct store_place *p, const struct store_turn *turn, struct job *job, struct store_claimed *out, struct error *e)
{
    struct store_life l;
    struct run run;
    int failed = store_life(s, job, turn->now, &l, e);
    if (failed)
        return failed;
    run_init(&run);
    l.life.since = turn->since;
    out->verdict = claim_decide(p, &l, &run);
    claim_run(s, &run, turn->generation);
    run.id.n = out->verdict == LIFE_REPLACE ? p->own.open : run.id.n;
    run.id.job = p->job;
    if (out->verdict == LIFE_START && store_place_state(p)->env)
        failed = store_env_get(s, store_place_state(p)->env, &run.set, e);
    if (!failed && out->verdict == LIFE_START)
        failed = claim_part(s, p, &l, &run, e);
    if (!failed)
        failed = claim_write(s, p, &l, out->verdict, &run, e);
    store_life_clear(&l);
    if (failed)
        run_clear(&run);
    else
        out->run = run;
    return failed;
}

int store_claim(struct store *s, uint64_t number, const struct store_turn *turn, struct store_claimed *out, struct error *e)
{
    struct store_place p;
    struct store_claimed claimed = {.verdict = LIFE_NOT};
    int failed = store_place(s, number, &p, e);
    if (failed == STORE_NONE && number >= EXTRA_FIRST) { /* it is over, and gone */
        *out = claimed;
        return 0;
    }
    if (failed == STORE_NONE)
        return error_set(e, ERROR_NOT_FOUND, "there is no job %" PRIu64, number);
    if (!failed)
        failed = store_job_get(s, p.job, true, &claimed.job, e);
    if (failed)
        return failed;
    failed = claim_job(s, &p, turn, &claimed.job, &claimed, e);
    if (failed || claimed.verdict != LIFE_START)
        job_clear(&claimed.job);
    if (!failed && claimed.verdict == LIFE_START)
        run_tell(s, p.job);
    if (!failed && claimed.verdict != LIFE_START) {
        struct run_id id = claimed.run.id;
        run_clear(&claimed.run);
        claimed.run.id = id;
    }
    if (!failed)
        *out = claimed;
    return failed;
}

/* ---- the end of a run ---- */

static int finish_put(struct store *s, const struct store_end *end, const struct job *job, instant now, struct error *e)
{
    struct run row = *end->run; /* borrows its texts */
    bool mail = mail_wanted(job, &row);
    int failed = mail ? store_mail_add(s, row.id, now, e) : 0;
    row.mail = mail ? MAIL_PENDING : MAIL_NONE;
    if (failed)
        return failed;
    if (row.ended == INSTANT_NONE)
        row.ended = now; /* nobody saw it: when it was known to be over */
    if (row.output == OUTPUT_INLINE) {
        struct key k = key_open(row.id);
        failed = db_put(s->db, DB_OUTPUTS, key_bytes(&k), (struct db_bytes){end->length ? end->output : "", end->length}, e);
    }
    return failed ? failed : run_put_ended(s, &row, e);
}

static int finish_job(struct store *s, struct store_place *p, const struct store_end *end, const struct job *job, instant now, struct error *e)
{
    struct store_life l;
    int failed = store_life(s, job, now, &l, e);
    if (failed)
        return failed;
    l.life.random = end->random;
    l.life.since = end->since;
    life_outcome(&l.life, store_place_state(p), end->run, end->stopped);
    life_notify_health(&p->own, &l.notes.notice);
    failed = finish_put(s, end, job, now, e);
    if (!failed)
        failed = store_notice(s, job, &l.notes.notice, e);
    if (!failed)
        failed = store_place_notes(s, p, job->name, &l.notes, e);
    if (!failed)
        failed = store_place_put(s, p, now, e);
    store_life_clear(&l);
    return failed;
}

/* The place of an open run. */
static int run_place(struct store *s, uint64_t extra, uint64_t job, struct store_place *p, struct error *e)
{
    int found = store_place(s, extra ? extra : job, p, e);
    return found == STORE_NONE ? store_damaged(s, "its states", e) : found;
}

int store_finish(struct store *s, const struct store_end *end, instant now, bool *was_open, struct error *e)
{
    const struct run *r = end->run;
    struct store_place p;
    struct job job;
    int failed = run_is_open(s, r->id, e);
    *was_open = failed == 0;
    if (failed)
        return failed < 0 ? failed : 0;
    failed = run_place(s, r->extra, r->id.job, &p, e);
    if (!failed)
        failed = store_job_get(s, r->id.job, false, &job, e);
    if (failed)
        return failed;
    s->urgent = true;
    failed = finish_job(s, &p, end, &job, now, e);
    if (!failed)
        failed = run_close(s, r->id, e);
    if (!failed)
        failed = store_prune_runs(s, &job, &p.own, now, e);
    if (!failed)
        run_tell(s, r->id.job);
    job_clear(&job);
    return failed;
}

static int unclaim_notes(struct store *s, struct store_place *p, struct life_notes *notes, struct error *e)
{
    struct job job;
    if (!notes->count)
        return 0;
    int failed = store_job_get(s, p->job, false, &job, e);
    if (failed)
        return failed;
    failed = store_place_notes(s, p, job.name, notes, e);
    job_clear(&job);
    return failed;
}

static int unclaim_place(struct store *s, struct store_place *p, bool shortage, instant now, struct error *e)
{
    struct life_notes notes = {0};
    if (shortage)
        life_shortage(store_place_state(p), now, &notes);
    else
        life_unclaim(store_place_state(p), now, &notes);
    int failed = unclaim_notes(s, p, &notes, e);
    if (!failed)
        failed = store_place_put(s, p, now, e);
    life_notes_clear(&notes);
    return failed;
}

int store_unclaim(struct store *s, struct run_id id, bool shortage, instant now, struct error *e)
{
    struct store_place p;
    struct run run;
    struct key k = key_run(id);
    int failed = run_is_open(s, id, e);
    if (failed)
        return failed < 0 ? failed : 0;
    failed = store_run(s, id, &run, e);
    if (failed)
        return failed;
    failed = run_place(s, run.extra, id.job, &p, e);
    run_clear(&run);
    if (failed)
        return failed;
    s->urgent = true;
    failed = unclaim_place(s, &p, shortage, now, e);
    if (!failed)
        failed = db_delete(s->db, DB_RUNS, key_bytes(&k), e);
    if (failed >= 0)
        failed = run_close(s, id, e);
    if (!failed)
        run_tell(s, id.job);
    return failed;
}

/* ---- ax exec ---- */

int store_exec_begin(struct store *s, uint64_t number, instant now, struct run *out, struct error *e)
{
    struct store_place p;
    struct job job;
    struct run run;
    char id[RUN_ID_SIZE];
    int failed = store_place(s, number, &p, e);
    if (failed == STORE_NONE)
        return error_set(e, ERROR_NOT_FOUND, "there is no job %" PRIu64, number);
    if (!failed)
        failed = store_job_get(s, number, false, &job, e);
    if (failed)
        return failed;
    run_init(&run);
    p.own.notes = 0;
    run.id = (struct run_id){.job = number, .n = ++p.own.runs};
    run.cause = CAUSE_MANUAL;
    run.attempt = 1;
    run.due = run.claimed = now;
    run.name = mem_string(job.name);
    run.key = mem_format("%" PRIu64 "-%" PRId64, number, now);
    run.queue = p.own.queue;
    run.weight = p.own.weight;
    claim_run(s, &run, 0);
    job_clear(&job);
    run_id_format(run.id, id);
    char *what = mem_format("run %s begun by ax exec", id);
    failed = store_state_put(s, number, &p.own_old, &p.own, e);
    if (!failed)
        failed = store_audit(s, number, now, what, e);
    if (!failed)
        failed = claim_put(s, &run, e);
    if (!failed)
        store_feed_add(s, FEED_FOREGROUND, number);
    free(what);
    if (failed)
        run_clear(&run);
    else
        *out = run;
    return failed;
}

int store_exec_end(struct store *s, const struct store_end *end, struct error *e)
{
    struct key k = key_open(end->run->id);
    int failed = run_is_open(s, end->run->id, e);
    if (failed)
        return failed < 0 ? failed : 0;
    s->urgent = true;
    failed = run_put_ended(s, end->run, e);
    if (!failed)
        failed = run_close(s, end->run->id, e);
    if (!failed && end->run->output == OUTPUT_INLINE)
        failed = db_put(s->db, DB_OUTPUTS, key_bytes(&k), (struct db_bytes){end->length ? end->output : "", end->length}, e);
    return failed;
}

/* ---- history ---- */

/* Names what is near: the last run of the job, or that there is no such job. */
static int run_unknown(struct store *s, struct run_id id, struct error *e)
{
    struct job_state st;
    char text[RUN_ID_SIZE], last[RUN_ID_SIZE];
    run_id_format(id, text);
    int found = store_state_get(s, id.job, &st, NULL);
    if (found == STORE_NONE)
        return error_set(e, ERROR_NOT_FOUND, "there is no run %s: there is no job %" PRIu64, text, id.job);
    if (found < 0)
        return error_set(e, ERROR_NOT_FOUND, "there is no run %s", text);
    if (!st.runs)
        return error_set(e, ERROR_NOT_FOUND, "there is no run %s: job %" PRIu64 " has had none", text, id.job);
    run_id_format((struct run_id){.job = id.job, .n = st.runs}, last);
    return error_set(e, ERROR_NOT_FOUND, "there is no run %s: the last one of job %" PRIu64 " is %s", text, id.job, last);
}

int store_run(struct store *s, struct run_id id, struct run *out, struct error *e)
{
    int found = store_run_get(s, id, out, e);
    struct job_state st;
    if (found == STORE_NONE && id.n && !id.note && store_state_get(s, id.job, &st, NULL) == 0 && id.n <= st.runs) {
        char text[RUN_ID_SIZE];
        run_id_format(id, text);
        return error_set(e, ERROR_NOT_FOUND, "run %s is kept no more, or was taken back before it started", text);
    }
    return found == STORE_NONE ? run_unknown(s, id, e) : found;
}

int store_output(struct store *s, struct run_id id, struct buf *out, struct error *e)
{
    struct key k = key_open(id);
    struct db_bytes value;
    int found = db_get(s->db, DB_OUTPUTS, key_bytes(&k), &value, e);
    if (found == STORE_NONE)
        return run_unknown(s, id, e);
    if (found == 0)
        buf_add(out, value.data, value.length);
    return found;
}
