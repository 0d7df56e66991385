#include "spool/run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"

static const char *const outcome_names[] = {
    [OUTCOME_NONE] = "running",          [OUTCOME_OK] = "ok",           [OUTCOME_FAILED] = "failed",
    [OUTCOME_KILLED] = "killed",         [OUTCOME_TIMEOUT] = "timeout", [OUTCOME_CANCELLED] = "cancelled",
    [OUTCOME_LOST] = "lost",             [OUTCOME_SKIPPED] = "skipped", [OUTCOME_MISSED] = "missed",
    [OUTCOME_UNSTARTABLE] = "unstartable",
};
#define OUTCOME_COUNT ((int)(sizeof outcome_names / sizeof *outcome_names))

const char *outcome_name(enum outcome o)
{
    return (int)o >= 0 && (int)o < OUTCOME_COUNT ? outcome_names[o] : "unknown";
}

int outcome_find(const char *name)
{
    for (int i = 0; i < OUTCOME_COUNT; i++)
        if (strcmp(outcome_names[i], name) == 0)
            return i;
    return -1;
}

void run_id_format(struct run_id id, char out[RUN_ID_SIZE])
{
    int used = snprintf(out, RUN_ID_SIZE, "%" PRIu64 ".%" PRIu32, id.job, id.n);
    if (id.note)
        snprintf(out + used, RUN_ID_SIZE - (size_t)used, "+%" PRIu32, id.note);
}

/* Reads plain digits up to max, without a zero in front, so that each id is written in one way only. */
static bool run_id_number(const char **text, uint64_t max, uint64_t *out)
{
    const char *p = *text;
    uint64_t n = 0;
    if (*p < '0' || *p > '9' || (*p == '0' && p[1] >= '0' && p[1] <= '9'))
        return false;
    for (; *p >= '0' && *p <= '9'; p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        if (n > (max - digit) / 10)
            return false;
        n = n * 10 + digit;
    }
    *text = p;
    *out = n;
    return true;
}

bool run_id_parse(const char *text, struct run_id *out)
{
    uint64_t job, n, note = 0;
    if (!run_id_number(&text, UINT64_MAX, &job) || *text++ != '.' || !run_id_number(&text, UINT32_MAX, &n))
        return false;
    if (*text == '+') {
        text++;
        if (!run_id_number(&text, UINT32_MAX, &note) || !note)
            return false;
    }
    if (*text || !job || (!n && !note))
        return false;
    *out = (struct run_id){.job = job, .n = (uint32_t)n, .note = (uint32_t)note};
    return true;
}

const char *run_cause_name(int cause)
{
    static const char *const names[] = {[CAUSE_SCHEDULE] = "schedule", [CAUSE_MANUAL] = "manual", [CAUSE_REPLAY] = "replay"};
    return names[cause];
}

const char *run_mail_name(int mail)
{
    static const char *const names[] = {[MAIL_NONE] = NULL, [MAIL_PENDING] = "pending", [MAIL_SENT] = "sent", [MAIL_FAILED] = "failed"};
    return names[mail];
}

bool outcome_is_bad(enum outcome o)
{
    return o == OUTCOME_FAILED || o == OUTCOME_KILLED || o == OUTCOME_TIMEOUT || o == OUTCOME_LOST || o == OUTCOME_UNSTARTABLE;
}

bool run_is_foreground(const struct run *r)
{
    return r->generation == 0 && !r->id.note;
}

void run_init(struct run *r)
{
    *r = (struct run){
        .due = INSTANT_NONE, .last_due = INSTANT_NONE, .count = 1,
        .claimed = INSTANT_NONE, .started = INSTANT_NONE, .ended = INSTANT_NONE,
        .exit_code = -1, .cpu_user_ns = -1, .cpu_system_ns = -1, .max_rss = -1,
    };
}

void run_copy(struct run *to, const struct run *from)
{
    *to = *from;
    to->reason = mem_string(from->reason);
    to->name = mem_string(from->name);
    to->key = mem_string(from->key);
    to->set = (struct strvec){0};
    strvec_copy(&to->set, &from->set);
}

void run_clear(struct run *r)
{
    free(r->reason);
    free(r->name);
    free(r->key);
    strvec_clear(&r->set);
    run_init(r);
}
