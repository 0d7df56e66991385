/* What the files of the store share. Nothing else includes it.
 *
 *   store.c        opening, transactions, counters        store_queue.c  queues
 *   store_job.c    jobs, names, state and its due entry   store_env.c    environments, each kept once
 *   store_run.c    claims, outcomes                       store_feed.c   the change feed
 *   store_history.c runs that are open, history
 *   store_due.c    the due index                          store_key.c    keys
 *   store_clock.c  steps of the wall clock                store_zone.c   rules of zones that have changed
 *   store_place.c  extra occurrences                      store_cancel.c cancelling
 *   store_source.c jobs of a job file                     store_start.c  ax start
 *   store_mail.c   mail that waits                        store_steer.c  stop, retry, skip, pause
 *   store_notify.c notices that wait, alarms
 *   store_audit.c  who did what with a job                 store_state.c  a walk over all states
 *   store_life.c   what the rules of a job's life need    store_boot.c   jobs that wait for a boot
 *   store_prune.c  what is over goes after a while
 *   store_entry.c  rows of what follows                   store_index.c  indexes against what they are made of
 *   store_dump.c   all of it as text                      store_load.c   and back
 *   store_check.c  what can be wrong                      store_escape.c bytes in JSON
 *
 *   table    key                                                   value
 *   meta     "counters"                                            msgpack map, struct counters
 *            "audit:" job u64                                      store_audit.c
 *            "mail:" job u64, n u32                                tries u32, time of the next
 *            "notice:" number u64                                  record of the notice
 *            "alarm:" time, number u64                             nothing. Is there exactly while life_alarm has a time
 *            "expiry:" time, job u64; "file:" job u64, n u32        store_prune.c
 *            "set:NAME"                                            a value: settings
 *            "steps"                                               msgpack list: backward steps of the clock still to be applied
 *   jobs     number u64                                            record of the definition
 *   states   number u64                                            record of the state, of a job or of an extra occurrence (EXTRA_FIRST and above)
 *            job u64, extra occurrence u64                         nothing
 *            "zone:NAME"                                           stamp of the zone's rules, u64
 *            "source:LABEL"                                        msgpack list of job numbers
 *            "steps"                                               store_clock.c
 *   names    name                                                  number u64. Of a finished one-off job too, until another takes the name
 *   due      queue u32, priority (higher first), ready, number u64 weight u32. Is there exactly while life_wake has a time
 *   runs     job u64, n u32, note u32                              record of the run or row
 *   outputs  job u64, n u32                                        bytes
 *   ended    ended, job u64, n u32, note u32                       nothing: history over all jobs
 *   open     job u64, n u32                                        nothing
 *   envs     hash u64, 0                                           NUL-terminated strings
 *            hash u64, 1                                           number of jobs that refer to it, u64
 *   feed     sequence u64                                          kind u8, first u64, last u64
 *   queues   name                                                  id u32, limit u32
 *
 * All numbers big-endian, so that their order is that of the bytes; times are shifted so that negative ones come first. */
#ifndef AX_STORE_PRIVATE_H
#define AX_STORE_PRIVATE_H

#include "lib/base/buf.h"
#include "spool/db.h"
#include "spool/store.h"

#define STORE_FORMAT 1

struct counters {
    int64_t version;      /* of the whole: STORE_FORMAT */
    int64_t next_job;
    int64_t next_extra;   /* extra occurrences there have been */
    int64_t feed_first;   /* sequence of the oldest entry of the feed */
    int64_t feed_next;    /* of the next one */
    int64_t generation;
    int64_t next_queue;
    int64_t mails;        /* waiting to be sent */
    int64_t notices;      /* waiting to be told */
    int64_t next_notice;
    int64_t zones;        /* time zones that jobs have used */
    int64_t pending_once; /* one-off jobs with a due time that have not ended */
    int64_t clock;        /* latest wall time seen, within a second; INSTANT_NONE: none */
    int64_t clock_total;  /* sum of all backward steps of it */
};

struct store {
    struct folder folder;
    struct db *db;
    enum store_use use;
    struct zones zones;      /* empty until they are needed */
    char boot[BOOT_ID_SIZE]; /* "" until a run is claimed */
    bool reserve;           /* is there */
    struct buf record;      /* the last one written, to spare allocations */

    /* of the open transaction */
    bool writing, changed;  /* the counters are */
    bool urgent;            /* a cancel, claim or outcome: may use the reserve */
    bool roomy;             /* room for adding was looked for and found */
    struct counters counters;
    struct store_moved *moved; /* STORE_SERVE: due entries that are others now */
    size_t moved_count, moved_capacity;
    bool moved_many;        /* more than are kept */
    struct feed feed;       /* the last entry, not written yet */
    bool feeding;
};

/* ---- keys ---- */

struct key {
    unsigned char bytes[32];
    size_t length;
};

void key_u32(struct key *k, uint32_t n);
void key_u64(struct key *k, uint64_t n);
void key_time(struct key *k, instant t);
struct key key_number(uint64_t number);
struct key key_run(struct run_id id); /* with note */
struct key key_open(struct run_id id);
struct key key_ended(const struct run *r);
struct db_bytes key_bytes(const struct key *k);

/* Reading moves *data on; false (and *out untouched) where it is too short. */
bool key_take_u32(struct db_bytes *data, uint32_t *out);
bool key_take_u64(struct db_bytes *data, uint64_t *out);
bool key_take_time(struct db_bytes *data, instant *out);

/* ---- shared by the files ---- */

/* The rules' view of a job, which must outlive it. store_life fills it in place: its parts point to each other. */
struct store_life {
    struct life life;
    struct schedule schedule;
    struct life_notes notes;
};
/* An occurrence and the job it is of; store_place.c. */
struct store_place {
    uint64_t number, job;
    struct job_state own_old, own;     /* of the job */
    struct job_state extra_old, extra; /* where the number is that of an extra occurrence */
};
int store_place(struct store *s, uint64_t number, struct store_place *out, struct error *e); /* 0, STORE_NONE, negative */
struct job_state *store_place_state(struct store_place *p);
bool store_place_busy(const struct store_place *p); /* another occurrence of the job is active */
/* Writes what has changed; an extra occurrence that is over goes. Lets the next parked one go when no other is active. */
int store_place_put(struct store *s, struct store_place *p, instant now, struct error *e);
int store_place_notes(struct store *s, struct store_place *p, const char *name, struct life_notes *notes, struct error *e); /* before store_place_put */
int store_extra_new(struct store *s, struct job_state *own, const struct job_state *extra, uint64_t *number, struct error *e); /* `own` is the caller's to write */
typedef bool store_extra_call(void *context, uint64_t number, const struct job_state *st);
int store_each_extra(struct store *s, uint64_t job, store_extra_call *call, void *context, struct error *e); /* in order of number */

int store_zones(struct store *s, struct zones **out, struct error *e);
int store_life(struct store *s, const struct job *j, instant now, struct store_life *out, struct error *e);
void store_life_clear(struct store_life *l);

#define STORE_NONE DB_NONE

int store_run_get(struct store *s, struct run_id id, struct run *out, struct error *e); /* 0, STORE_NONE, negative */

int store_damaged(const struct store *s, const char *what, struct error *e);

/* Reads and writes a state; writing moves the due entry and keeps the count of pending one-off jobs: the one place that does. `old` NULL: new. */
int store_state_get(struct store *s, uint64_t number, struct job_state *out, struct error *e); /* 0, STORE_NONE, negative */
int store_state_put(struct store *s, uint64_t number, const struct job_state *old, const struct job_state *new, struct error *e);

bool store_pending(const struct job_state *st); /* a one-off job that will end by itself */
bool store_due_key(uint64_t number, const struct job_state *st, struct key *out); /* false: it has no due entry */
uint32_t store_due_weight(const struct job_state *st); /* 0 where no slot is asked for: a run is to be stopped for the next */
void store_due_moved(struct store *s, uint64_t number, const struct job_state *st);
int store_due_put(struct store *s, uint64_t number, const struct job_state *st, struct error *e);
int store_due_delete(struct store *s, uint64_t number, const struct job_state *st, struct error *e);

/* The definition, without its environment unless `whole`. */
int store_job_get(struct store *s, uint64_t number, bool whole, struct job *out, struct error *e);

/* Writes history rows without a run. `from`: what the rows do not know themselves; name NULL allowed. */
int store_notes_put(struct store *s, uint64_t number, const char *name, const struct job_state *st, struct life_notes *notes, struct error *e);

/* Remembers the zones of a schedule, with their rules. */
int store_zone_note(struct store *s, const struct job *j, const struct schedule *schedule, struct error *e);

int store_name_put(struct store *s, const char *name, uint64_t number, struct error *e);
/* Another definition for the job whose state is `old`; reschedule: with a new due time. */
int store_job_change(struct store *s, uint64_t number, const struct job_state *old, struct job *j, bool reschedule, instant now, struct error *e);

int store_counters(struct store *s, struct error *e); /* reads them */
int store_run_mail(struct store *s, struct run_id id, enum run_mail mail, struct error *e); /* into the row of history */
int store_mail_add(struct store *s, struct run_id id, instant now, struct error *e);

/* What a step of the rules leaves to be told, if the job has a rule for it. */
int store_notice(struct store *s, const struct job *j, const struct notice *n, struct error *e);
int store_alarm_move(struct store *s, uint64_t number, const struct job_state *old, const struct job_state *new, struct error *e);

int store_expiry_move(struct store *s, uint64_t number, const struct job_state *old, const struct job_state *new, struct error *e); /* `new` NULL: it goes */
int store_prune_runs(struct store *s, const struct job *j, const struct job_state *st, instant now, struct error *e); /* a bounded step */
int store_job_remove(struct store *s, uint64_t number, const struct job_state *st, struct error *e); /* its record, state and name; its rows are gone already */
int store_job_forget(struct store *s, uint64_t number, const char *source, struct error *e); /* what is kept elsewhere under its number */
int store_audit_drop(struct store *s, uint64_t number, struct error *e);
int store_mail_of(struct store *s, uint64_t job, bool *there, struct error *e);

/* Replays a due time that a run had, whatever the schedule says of it now, with what was said for that run alone. */
int store_start_due(struct store *s, uint64_t number, const struct run *run, instant now, struct error *e);

int store_env_take(struct store *s, const struct strvec *env, uint64_t *id, struct error *e); /* one reference more */
int store_env_drop(struct store *s, uint64_t id, struct error *e);                            /* one less */
int store_env_get(struct store *s, uint64_t id, struct strvec *out, struct error *e);

int store_clock_stepping(struct store *s, bool *out, struct error *e); /* steps of the clock are to be applied */

int store_queue_id(struct store *s, const char *name, uint32_t *id, struct error *e); /* registers it at first use */

void store_feed_add(struct store *s, enum feed_kind kind, uint64_t number);
int store_feed_write(struct store *s, struct error *e); /* part of the commit */
int store_feed_forget(struct store *s, struct error *e);

#endif
