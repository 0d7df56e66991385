#include "lib/time/cron.h"
#include "spool/anacrontab.h"
#include "spool/crontab.h"
#include "tests/fuzz/fuzz.h"

static const char *home_of(void *context, const char *user)
{
    (void)context;
    return strlen(user) % 3 ? "/home" : NULL;
}

static void check_job(const struct crontab *c, const struct crontab_line *l, const struct crontab_rules *rules)
{
    struct cron parsed;
    FUZZ_CHECK(l->schedule && l->cron && l->command, "line %d is not whole", l->line);
    FUZZ_CHECK(cron_parse(l->cron, 0, &parsed, NULL, NULL) == 0, "line %d: '%s' is no expression", l->line, l->cron);
    FUZZ_CHECK(l->status == CRONTAB_REPORTED || !strcmp(l->schedule, l->cron), "line %d: '%s' became '%s'", l->line,
        l->schedule, l->cron);
    FUZZ_CHECK(l->has_input == (l->input != NULL), "line %d: the input", l->line);
    FUZZ_CHECK((l->user != NULL) == (rules->kind == CRONTAB_SYSTEM), "line %d: the user", l->line);
    FUZZ_CHECK(strlen(l->command) <= CRONTAB_ARGUMENT, "line %d: the command is too long", l->line);
    FUZZ_CHECK(!l->command[0] || l->command[strlen(l->command) - 1] != '\r' || l->has_input,
        "line %d: a carriage return", l->line);
    FUZZ_CHECK(l->settings <= c->settings_count, "line %d: the settings", l->line);
}

/* The settings in force, found again the slow way. */
static void check_env(const struct crontab *c, const struct crontab_line *l)
{
    struct strvec env = {0}, slow = {0};
    crontab_env(c, l, &env);
    for (size_t i = 0; i < l->settings; i++) {
        char *name = strndup(c->settings[i].text, c->settings[i].name);
        strvec_env_set(&slow, name, c->settings[i].text + c->settings[i].name + 1);
        free(name);
    }
    for (size_t i = 0; i < slow.count; i++) {
        char *name = strndup(slow.items[i], strcspn(slow.items[i], "="));
        const char *value = strvec_env_get(&env, name);
        FUZZ_CHECK(!strcmp(name, "LOGNAME") || !strcmp(name, "USER") ||
                       (value && !strcmp(value, slow.items[i] + strlen(name) + 1)),
            "line %d: %s", l->line, slow.items[i]);
        free(name);
    }
    strvec_clear(&env);
    strvec_clear(&slow);
}

static void check_text(const char *text, size_t size, const struct crontab_rules *rules)
{
    struct crontab c;
    int line = 0;
    size_t checked = 0;
    crontab_read(text, size, rules, &c);
    for (size_t i = 0; i < c.count; i++) {
        const struct crontab_line *l = &c.lines[i];
        FUZZ_CHECK(l->line > line, "line %d comes after line %d", l->line, line);
        line = l->line;
        FUZZ_CHECK((l->status == CRONTAB_JOB) == !l->reason, "line %d: the reason", l->line);
        FUZZ_CHECK(
            !l->reason || (*l->reason && !strchr(l->reason, '\n')), "line %d: the reason is '%s'", l->line, l->reason);
        if (l->status != CRONTAB_REFUSED)
            check_job(&c, l, rules);
        if (l->status != CRONTAB_REFUSED && checked++ < 20)
            check_env(&c, l);
    }
    FUZZ_CHECK(
        c.jobs + c.reported + c.refused == c.count, "%zu lines, not %zu", c.jobs + c.reported + c.refused, c.count);
    crontab_clear(&c);
}

static void check_anacrontab(const char *text, size_t size, const struct crontab_rules *rules)
{
    struct anacrontab a;
    struct cron parsed;
    anacrontab_read(text, size, rules, &a);
    for (size_t i = 0; i < a.tab.count; i++) {
        const struct crontab_line *l = &a.tab.lines[i];
        bool refused = l->status == CRONTAB_REFUSED;
        FUZZ_CHECK((l->status == CRONTAB_JOB) == !l->reason, "line %d: the reason", l->line);
        FUZZ_CHECK(refused == !a.jobs[i].id && refused == !l->command, "line %d is not whole", l->line);
        FUZZ_CHECK(!l->cron || cron_parse(l->cron, 0, &parsed, NULL, NULL) == 0, "line %d: '%s' is no expression",
            l->line, l->cron);
        if (!refused && i < 20)
            check_env(&a.tab, l);
    }
    FUZZ_CHECK(a.tab.jobs + a.tab.reported + a.tab.refused == a.tab.count, "%zu lines", a.tab.count);
    anacrontab_clear(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t hash = fuzz_hash(data, size);
    char *text = malloc(size ? size : 1); /* not a byte longer, and with its NULs */
    if (!text)
        abort();
    if (size)
        memcpy(text, data, size);
    for (int i = 0; i < 4; i++) {
        struct crontab_rules rules = {.kind = i & 1 ? CRONTAB_SYSTEM : CRONTAB_USER,
            .dialect = i & 2 ? CRONTAB_CRONIE : CRONTAB_DEBIAN,
            .cron_tz = hash & 1,
            .unfinished = hash & 2,
            .home_of = hash & 4 ? home_of : NULL,
            .user = hash & 8 ? "root" : "u",
            .home = "/h"};
        check_text(text, size, &rules);
        if (!(i & 1))
            check_anacrontab(text, size, &rules);
    }
    free(text);
    return 0;
}
