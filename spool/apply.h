/* Bringing the spool to what sources say: what would change, and changing it in one transaction. */
#ifndef AX_APPLY_H
#define AX_APPLY_H

#include "spool/jobfile.h"
#include "spool/store.h"

enum change_kind {
    CHANGE_CREATE,
    CHANGE_UPDATE,   /* the definition; `fields` names the fields */
    CHANGE_REVIVE,   /* it had been cancelled, and comes back */
    CHANGE_REMOVE,   /* its source does not name it any more, and is to be pruned */
    CHANGE_UNNAMED,  /* the same without pruning: it stays */
    CHANGE_SAME,
    CHANGE_CONFLICT, /* another source or a person owns the name: an error */
    CHANGE_QUEUE,    /* the limit of a queue: `queue`, `limit_before` (0: none), `limit` */
    CHANGE_ADOPT,    /* a job added by hand becomes one of the file; as CHANGE_UPDATE */
    CHANGE_MOVE,     /* nothing but the place of its file: APPLY_FILE is in `fields` */
};
struct change {
    enum change_kind kind;
    uint64_t number;            /* of the job that is there; 0: none */
    const struct jobfile *file; /* NULL of jobs that no file names */
    const struct jobfile_job *new; /* NULL likewise */
    struct job old;             /* the definition that is there; job_init'ed and empty where none is */
    struct strvec fields;       /* of CHANGE_UPDATE; APPLY_FILE among them: the job file lies elsewhere now */
    bool reschedules;           /* the due time is set anew */
    bool gone;                  /* of CHANGE_REMOVE and CHANGE_UNNAMED: its file lay in a folder that was named, and is not there any more */
    bool heir;                  /* it was of another file, which is no more in the folder */
    char *owner;                /* of CHANGE_CONFLICT, for people: `source web`, `nobody's file (added by hand)` */
    const char *queue;
    uint32_t limit_before, limit;
};
struct changes {
    struct change *items;
    size_t count, capacity;
    size_t of[CHANGE_MOVE + 1]; /* how many of each kind */
};
#define APPLY_FILE "file" /* no field: job.file, which its commands find in AX_FILE */
void changes_clear(struct changes *c);

/* Adds the names of the fields that differ; *reschedules becomes true where one of them moves the due time. */
void apply_compare(const struct job *old, const struct job *new, struct strvec *names, bool *reschedules);

/* Only root may run jobs as someone else: an error for each job whose `user` or `group` is not our own. Returns how many. */
size_t apply_accounts(const struct jobfiles *files, struct errors *errors);

struct apply_rules {
    bool prune; /* what a source does not name any more is removed */
    bool adopt; /* a job that was added by hand becomes one of the file that names it */
};

/* What applying would do: inside a read or a write transaction. In order of the files, then what is not named any more by number; of a folder that was named, also the jobs
 * of files that are no more in it. */
int apply_plan(struct store *s, const struct jobfiles *files, struct apply_rules rules, struct changes *out, struct error *e);

/* Does it: inside the write transaction in which it was planned. With a CHANGE_CONFLICT in it: ERROR_EXISTS, and nothing is to be committed. Jobs keep number, history and
 * phase, and their due time unless their schedule has changed; one that runs goes on, also when it is removed. */
/* Fills in the numbers of new jobs. */
int apply_do(struct store *s, const struct jobfiles *files, struct changes *changes, instant now, struct error *e);

/* ---- of apply.c and apply_do.c ---- */

int apply_trail(struct store *s, const struct change *c, instant now, struct error *e);  /* apply_trail.c: notes what was done, without values */
bool apply_source_seen(const struct jobfiles *files, size_t before); /* a file in front of this one has the same source */

#endif
