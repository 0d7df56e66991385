/* ax doctor: what its files share. Each looks at one matter and adds what it finds. */
#ifndef AX_DOCTOR_H
#define AX_DOCTOR_H

#include "cmd/client.h"
#include "cmd/status.h"
#include "spool/folder.h"
#include "spool/store_check.h"

struct doctor_finding {
    char *kind, *where, *text, *todo; /* todo NULL: `--fix` mends it */
    bool mended, note;                /* note: worth knowing, and nothing wrong by itself */
};

struct doctor {
    bool fix;
    instant now;
    char *path;           /* of the spool */
    struct folder folder; /* path NULL: it cannot be opened */
    struct doctor_finding *items;
    size_t count, capacity, more; /* more: of kinds of which there are too many to be kept */
    size_t wrong, mended;

    /* read in one transaction */
    struct served served;
    struct run *open; /* runs */
    size_t open_count, open_capacity;
    uint64_t waiting; /* jobs that are not over */
    instant overdue,
        seen; /* what could have started first and has not, INSTANT_NONE; the latest time noted in the spool */
    int64_t job_errors;
    bool mail;          /* somebody is to be mailed */
    struct zones zones; /* that jobs name */
    bool has_zones;
};

/* One finding: `todo` says what to do; NULL: it is for --fix, and `mended` says that it was done. */
void doctor_add(struct doctor *d, const struct finding *f);
void doctor_say(struct doctor *d, const char *kind, const char *where, const char *todo, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void doctor_note(struct doctor *d, const char *kind, const char *where, const char *todo, const char *text);
void doctor_mend(struct doctor *d, const char *kind, const char *where, bool mended, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

void doctor_folder(
    struct doctor *d); /* modes, owners, kinds of files, and the folders above. Before the spool is opened */
bool doctor_database(struct doctor *d);                  /* the store. False: it cannot be used */
void doctor_job(struct doctor *d, const struct job *j);  /* what the job names and is not there */
void doctor_runs(struct doctor *d, struct store *store); /* open runs, files of runs */
void doctor_system(struct doctor *d);                    /* scheduler, locks, disk, clock, zones, mailer */

#endif
