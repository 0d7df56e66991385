/* A job: what to run, when, with which rules (the definition), and apart from it the small state that changes at every run. */
#ifndef AX_JOB_H
#define AX_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"
#include "lib/base/strvec.h"
#include "lib/time/backoff.h"
#include "lib/time/duration.h"
#include "lib/time/instant.h"
#include "lib/time/schedule.h"
#include "spool/run.h"

enum if_lost { IF_LOST_RERUN, IF_LOST_FAIL };

struct durations {
    duration *items;
    int count;
};

struct exits { /* exit codes 0-255, as a set */
    uint8_t bits[32];
};

enum boot_kind { BOOT_NONE, BOOT_MACHINE, BOOT_SCHEDULER };
enum catchup { CATCHUP_LATEST, CATCHUP_SKIP, CATCHUP_ALL };
#define JOB_KEEP_RUNS 1000
#define JOB_KEEP_FOR (90 * 24 * 3600 * SECOND)

enum said { SAID_NOT, SAID_NO, SAID_YES };
enum mail_rule { MAIL_OUTPUT, MAIL_NEVER, MAIL_FAILURE, MAIL_ALWAYS };
enum overlap { OVERLAP_SKIP, OVERLAP_QUEUE, OVERLAP_REPLACE, OVERLAP_ALLOW };

/* The definition. job_init sets the defaults; every member but number, added, kept_env, creator, source and file is a row of fields.h. */
struct job {
    uint64_t number;
    instant added;
    uint32_t creator; /* uid */
    char *source, *file; /* of a job file: the label of who owns it, and its real path; NULL: added by hand */

    char *name, *description; /* NULL: none */
    struct strvec tags;
    bool shell_line;       /* command.items[0] goes to `shell`; else command is an argument vector */
    struct strvec command;
    struct strvec shell;   /* the words before the line, such as /bin/sh -c */
    char *input;           /* field stdin; NULL: /dev/null */
    size_t input_length;

    instant at;            /* INSTANT_NONE: none. `in` is turned into `at` when the job is made */
    duration every;        /* DURATION_NONE: none */
    struct strvec cron, calendar; /* expressions */
    int boot;              /* enum boot_kind */
    char *timezone;        /* NULL: that of the scheduler */
    struct strvec except;  /* dates and calendar expressions */
    instant not_before, not_after; /* INSTANT_NONE: no bound */
    duration jitter, spread;
    int every_from;        /* enum every_from */
    int catchup;           /* enum catchup */
    duration catchup_within; /* DURATION_NONE: no bound */
    int catchup_max;
    int overlap;           /* enum overlap */

    duration start_within, timeout; /* DURATION_NONE: none */
    duration kill_after;
    char *queue;           /* NULL: default */
    int weight, priority;

    int retries;
    struct durations retry_delay;
    int retry_backoff;     /* enum backoff_kind */
    duration retry_max_delay;
    int retry_jitter;
    struct exits no_retry_exit, success_exit;

    int if_lost;           /* enum if_lost */
    int lost_max;

    char *cwd;             /* NULL: the home of the user it runs as */
    int umask_bits;        /* -1: 022 */
    struct strvec env;     /* said by the user */
    struct strvec kept_env; /* caught from the caller of ax add; empty: a clean environment */
    bool has_kept_env;
    char *env_file;
    char *user, *group;
    int nice;
    struct strvec rlimits; /* NAME=VALUE, soft[:hard] */

    char *mailto;          /* NULL: nobody */
    int mail;              /* enum mail_rule */
    struct strvec notify;  /* EVENT=LINE, notify.h */

    int keep_runs;         /* runs of the job that are kept, the latest ones */
    duration keep_for;     /* how long runs are kept, and the job once it is over */
    int64_t output_max;    /* bytes */

    enum said paused;      /* of a job of the store: SAID_YES while it is paused, else SAID_NOT */
};

bool exits_has(const struct exits *set, int code);

void job_init(struct job *j);  /* zeroes and sets defaults */
void job_clear(struct job *j);
enum schedule_kind job_schedule_kind(const struct job *j);
bool job_repeats(const struct job *j);
bool job_needs_zone(const struct job *j); /* its due times are local times */

/* The schedule of the job, ready to be asked: its number must be known, if it has no name. `zones` may be NULL unless job_needs_zone. `out` is schedule_clear'ed by the caller. Errors are those of the
 * fields (ERROR_USAGE): a zone, say, that is gone. */
int job_schedule(const struct job *j, struct zones *zones, struct schedule *out, struct error *e);

/* What no single field can know: a command there is, at most one schedule, the name a legal one, ... ERROR_USAGE with the field. */
int job_check(const struct job *j, struct error *e);

/* A name: 1-100 bytes, valid UTF-8 without control characters or blanks at its ends, not all digits, not like 12.3, not beginning with `-`. */
int job_name_check(const char *name, struct error *e);

/* Where a job is in its life. `queued` is not stored: it is waiting or retrying with ready <= now, or after the system could not start it. */
enum phase {
    PHASE_WAITING,   /* for its due time, or for a slot */
    PHASE_RETRYING,  /* for its next attempt */
    PHASE_RUNNING,   /* claimed or started: run number `runs` is open */
    PHASE_DONE,      /* one-off: ended ok */
    PHASE_FAILED,    /* one-off: gave up, or missed */
    PHASE_CANCELLED,
};

/* An extra occurrence stands beside the job's own: a run that overlaps (overlap: allow), is started by hand, or replays a due time. It has a number of its own, from
 * EXTRA_FIRST on, a state of its own, and the life of a one-off job. */
#define EXTRA_FIRST (UINT64_C(1) << 63)

struct job_state {
    enum phase phase;
    instant due;         /* of the current occurrence */
    instant ready;       /* when it may be claimed: due, or the end of the back-off. The key of the due index in PHASE_WAITING and PHASE_RETRYING */
    instant next;        /* due time of the occurrence after the current one, INSTANT_NEVER if there is none */
    uint32_t attempt;    /* attempts of this occurrence that have ended and counted */
    uint32_t lost;       /* reruns of this occurrence after lost runs */
    uint32_t shortage;   /* times in a row that the system could not start it */
    uint32_t runs;       /* number of the last run: 12.3 is 3 */
    uint32_t open;       /* number of the run that is open; only in PHASE_RUNNING */
    uint32_t first;      /* number of the first run of this occurrence; 0: it has had none */
    uint32_t set_back;   /* runs there were when the clock was first set back under this job; 0: never. Its due times may come twice since */
    instant makeup;      /* occurrences up to this one run each, however late; INSTANT_NONE: none */
    uint64_t boot;       /* the boot it was due at last, or added in (struct life) */
    uint32_t notes;      /* history rows without a run since the last run */
    uint64_t job;        /* of an extra occurrence: its job; else 0 */
    int cause;           /* enum run_cause: why this occurrence is there */
    uint64_t env;        /* the id of what the runs of this occurrence have in their environment beside what the job says; 0: nothing */
    uint32_t extras;     /* of a job: extra occurrences it has */
    uint32_t busy;       /* of a job: so many of them have begun and are not over */
    bool cancel;         /* a cancel was asked for while it ran */
    bool overtaken;      /* the run that is open is being stopped for the next occurrence (overlap: replace) */
    bool overtakes;      /* overlap: replace */
    bool stop;           /* the run that is open is to be ended; the job goes on */
    bool paused;         /* nothing is claimed until it is resumed */
    instant resumed;     /* when it was last resumed: what was due before was missed; INSTANT_NONE */
    bool retired;        /* the run that is open is the last: its source names the job no more */
    bool replaced;       /* the definition changed while it ran: no retry, go on with `next` */
    enum outcome last_outcome; /* OUTCOME_NONE before the first */
    instant last_ended;
    int last_code;       /* exit code or signal of last_outcome */
    bool ailing;         /* its last occurrence ended badly: the next ok is a recovery */
    /* notify: what is still to be told of this occurrence and of its open run. 0: nothing */
    duration late_next;  /* so long after the due time it is late; the jitter counts in */
    duration long_next;  /* so long after `going` the open run takes long */
    instant going;       /* for when it was claimed; only with long_next */
    /* copies out of the definition, so that index and limits need not read it */
    uint32_t queue;      /* id, store.h */
    int32_t priority;
    uint32_t weight;
    duration late;       /* late_next of the next occurrence */
    bool repeats;
    duration keep_for;
};

bool job_over(const struct job_state *s); /* it has ended for good: done, failed or cancelled */
/* True if an occurrence of the job has begun and is not over: its own, or an extra one. */
bool job_active(const struct job_state *s);

const char *phase_name(const struct job_state *s, instant now); /* waiting queued retrying running done failed cancelled */

#endif
