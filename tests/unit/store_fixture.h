/* A spool in a folder of its own, for the tests of the store. */
#ifndef AX_STORE_FIXTURE_H
#define AX_STORE_FIXTURE_H

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/base/mem.h"
#include "spool/store.h"

#define T(seconds) ((instant)(seconds)*SECOND)
#define NOW T(1000000)

struct fixture {
    char folder[64], spool[80];
    struct store *s;
};

#define OK(call)                                                                                                       \
    do {                                                                                                               \
        struct error e = {0};                                                                                          \
        int got_ = (call);                                                                                             \
        if (got_ != 0)                                                                                                 \
            fail_msg("%s: %d, %s", #call, got_, e.text);                                                               \
    } while (0)

static inline void fixture_remove(const char *path)
{
    char *command = mem_format("rm -rf '%s'", path);
    if (system(command) != 0)
        fail_msg("%s failed", command);
    free(command);
}

static inline int fixture_setup(void **state)
{
    struct fixture *f = mem_zero(1, sizeof *f);
    const char *base = getenv("TMPDIR");
    snprintf(f->folder, sizeof f->folder, "%.40s/ax-test-XXXXXX", base && *base ? base : "/tmp");
    if (!mkdtemp(f->folder))
        return -1;
    snprintf(f->spool, sizeof f->spool, "%s/spool", f->folder);
    *state = f;
    return 0;
}

static inline int fixture_setup_open(void **state)
{
    struct error e = {0};
    if (fixture_setup(state) != 0)
        return -1;
    struct fixture *f = *state;
    return store_open(f->spool, STORE_WRITE, &f->s, &e);
}

static inline int fixture_teardown(void **state)
{
    struct fixture *f = *state;
    store_close(f->s);
    fixture_remove(f->folder);
    free(f);
    return 0;
}

static inline void fixture_job(struct job *j, const char *name, instant at)
{
    job_init(j);
    j->name = mem_string(name);
    strvec_add(&j->command, "true");
    j->at = at;
}

/* Adds a job that is due at `at` inside the open transaction. */
static inline uint64_t fixture_add(struct store *s, const char *name, instant at)
{
    struct job j;
    struct store_added added;
    fixture_job(&j, name, at);
    OK(store_add(s, &j, NOW, STORE_REFUSE, &added, &e));
    job_clear(&j);
    return added.number;
}

static inline uint64_t fixture_add_synced(struct store *s, const char *name, instant at)
{
    OK(store_begin(s, true, &e));
    uint64_t number = fixture_add(s, name, at);
    OK(store_commit(s, &e));
    return number;
}

#endif
