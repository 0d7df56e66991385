/* What surrounds the spool: scheduler, locks, disk, clock, zones, mailer. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/timex.h>
#include <unistd.h>

#include "cmd/doctor.h"
#include "lib/base/mem.h"
#include "lib/sys/lockfile.h"
#include "lib/sys/process.h"
#include "spool/mail.h"
#include "spool/reserve.h"

#define ROOM_LOW (INT64_C(20) << 20)
#define BUILT (INT64_C(1767225600) * SECOND) /* 2026-01-01: no clock that is right is behind it */
#define BACK_MOST (60 * SECOND)

/* ---- who serves ---- */

static void system_scheduler(struct doctor *d)
{
    const struct served *s = &d->served;
    char *where = mem_format("pid %ld", (long)s->pid);
    if (!s->pid && d->overdue != INSTANT_NONE && d->overdue < d->now - BACK_MOST)
        doctor_say(d, "scheduler", "scheduler", "`ax run --detach` starts one",
            "nobody serves the spool, and something is due and waits");
    else if (!s->pid && d->waiting)
        doctor_note(d, "scheduler", "scheduler", "`ax run --detach` starts one", "nobody serves the spool");
    if (s->pid > 0 && process_stopped(s->pid)) {
        char *todo = mem_format("kill -CONT %ld", (long)s->pid);
        doctor_say(d, "scheduler", where, todo, "the scheduler is stopped: nothing runs");
        free(todo);
    }
    if (s->pid && s->version && strcmp(s->version, AX_VERSION) != 0)
        doctor_say(d, "scheduler", where, "start it anew with this one: `ax run` with --on-stop leave disturbs no run",
            "the scheduler is of version %s, and this ax of %s", s->version, AX_VERSION);
    free(where);
}

static void system_lock(struct doctor *d)
{
    int fd = openat(d->folder.fd, "write.lock", O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    pid_t holder = fd < 0 ? 0 : lockfile_holder(fd, 0, 0);
    if (holder > 0 && process_stopped(holder)) {
        char *todo = mem_format("kill -CONT %ld lets it go on", (long)holder);
        doctor_say(
            d, "lock", "write.lock", todo, "process %ld is stopped while it writes: nobody else can", (long)holder);
        free(todo);
    }
    if (fd >= 0)
        close(fd);
}

static void system_job_files(struct doctor *d)
{
    const char *folder = d->served.jobs;
    struct stat st;
    if (!folder)
        return;
    if (stat(folder, &st) != 0)
        doctor_say(d, "jobs", folder, "make it, or start the scheduler with another --jobs",
            "the folder of job files cannot be read: %s", strerror(errno));
    else if ((st.st_uid != 0 && st.st_uid != geteuid()) || st.st_mode & 022)
        doctor_say(d, "jobs", folder, "chown it to the owner of the spool; chmod go-w",
            "others can write to the folder of job files (uid %u, mode %04o): it is not read", (unsigned)st.st_uid,
            (unsigned)(st.st_mode & 07777));
    if (d->job_errors)
        doctor_say(d, "jobs", folder, "`ax status` names them, `ax check` too", "%" PRId64 " error%s in its job files",
            d->job_errors, d->job_errors == 1 ? "" : "s");
}

/* ---- disk and memory ---- */

static void system_disk(struct doctor *d)
{
    struct statvfs disk;
    struct stat st;
    int64_t room = reserve_room(&d->folder);
    if (room < ROOM_LOW)
        doctor_say(d, "disk", d->path, "make room: `ax prune`, or the disk of the spool",
            "only %" PRId64 " KiB are free; below %" PRId64 " no job is added", room / 1024, RESERVE_SIZE / 1024);
    if (fstatvfs(d->folder.fd, &disk) == 0 && disk.f_files && disk.f_favail < 100)
        doctor_say(d, "disk", d->path, "remove small files from its disk", "only %ju files can be made on its disk",
            (uintmax_t)disk.f_favail);
    if (fstatvfs(d->folder.fd, &disk) == 0 && disk.f_flag & ST_RDONLY)
        doctor_say(d, "disk", d->path, "mount it for writing", "its disk is read-only");
    bool there = fstatat(d->folder.fd, "reserve", &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_size >= RESERVE_SIZE &&
                 (int64_t)st.st_blocks * 512 >= RESERVE_SIZE;
    if (!there && fstatat(d->folder.fd, "data.mdb", &st, AT_SYMLINK_NOFOLLOW) == 0)
        doctor_mend(d, "disk", "reserve", d->fix && reserve_keep(&d->folder),
            "the room that is kept for a full disk is not there");
}

static void system_memory(struct doctor *d)
{
    struct rlimit limit;
    struct stat st;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
        fstatat(d->folder.fd, "data.mdb", &st, 0) != 0)
        return;
    if ((uint64_t)limit.rlim_cur / 4 < (uint64_t)st.st_size)
        doctor_say(d, "memory", "ulimit -v", "raise it where the scheduler starts",
            "the database of %jd KiB has little room in %ju KiB of address space", (intmax_t)st.st_size / 1024,
            (uintmax_t)limit.rlim_cur / 1024);
}

/* ---- clock and zones ---- */

static void system_clock(struct doctor *d)
{
    struct timex clock = {.modes = 0};
    if (d->now < BUILT)
        doctor_say(
            d, "clock", "clock", "set it: date, or a time service", "it shows a time before this program was made");
    else if (d->seen != INSTANT_NONE && d->seen > d->now + BACK_MOST)
        doctor_say(d, "clock", "clock", "set it, if it is behind; a scheduler notes the step",
            "it is %" PRId64 " s behind the newest time in the spool", (d->seen - d->now) / SECOND);
    int state = adjtimex(&clock);
    if (state >= 0 && (state == TIME_ERROR || clock.status & STA_UNSYNC))
        doctor_note(d, "clock", "clock",
            "a time service (systemd-timesyncd, chrony, ntpd) keeps it right; that of a virtual machine may be kept by "
            "its host",
            "nobody says that it is synchronised");
}

static void system_zones(struct doctor *d)
{
    struct zones zones;
    struct error e = {0};
    if (zones_init(&zones, getenv("TZ"), &e) < 0)
        doctor_say(d, "zone", "TZ", "set TZ to a zone that there is, or install tzdata", "%s", e.text);
    else
        zones_clear(&zones);
}

static void system_mailer(struct doctor *d)
{
    const char *mailer = mail_program();
    if (d->mail && access(mailer, X_OK) != 0)
        doctor_say(d, "mailer", mailer,
            "install a mailer that has sendmail (msmtp-mta, exim4, postfix), or set AX_SENDMAIL for the scheduler",
            "jobs are to be mailed, and it cannot be run: %s", strerror(errno));
}

void doctor_system(struct doctor *d)
{
    system_scheduler(d);
    system_lock(d);
    system_job_files(d);
    system_disk(d);
    system_memory(d);
    system_clock(d);
    system_zones(d);
    system_mailer(d);
}
