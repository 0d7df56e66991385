#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/text/json.h"
#include "lib/time/cron.h"
#include "spool/crontab.h"

static const char *home_of(void *context, const char *user)
{
    static const char *const users[] = {"root", "daemon", "www-data", "backup", "nobody", "mail"};
    ++*(int *)context;
    for (size_t i = 0; i < sizeof users / sizeof users[0]; i++)
        if (!strcmp(users[i], user))
            return "(home)";
    return NULL;
}

static int asked;
static const struct crontab_rules personal = {
    .user = "(user)", .home = "(home)", .home_of = home_of, .context = &asked};
static const struct crontab_rules machine = {.kind = CRONTAB_SYSTEM, .home_of = home_of, .context = &asked};
static const struct crontab_rules cronie = {
    .dialect = CRONTAB_CRONIE, .cron_tz = true, .user = "u", .home = "/h", .home_of = home_of, .context = &asked};

static struct crontab read_text(const char *text, const struct crontab_rules *rules)
{
    struct crontab c;
    crontab_read(text, strlen(text), rules, &c);
    return c;
}

static bool same(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

static const char *shown(const char *text)
{
    return text ? text : "(none)";
}

/* ---- the files of Debian's answers ---- */

static struct buf read_file(const char *name)
{
    char path[200];
    struct buf b = {0};
    snprintf(path, sizeof path, "tests/data/crontabs/%s", name);
    FILE *f = fopen(path, "re");
    if (!f)
        fail_msg("%s: cannot be read", path);
    for (int c; (c = getc(f)) != EOF;)
        buf_char(&b, (char)c);
    fclose(f);
    return b;
}

static struct value read_json(const char *text)
{
    struct value v;
    struct error e = {0};
    if (json_read(text, strlen(text), &v, &e) < 0)
        fail_msg("%s: %s", text, e.text);
    return v;
}

/* The text of a JSON string; carriage returns are off, since ax takes none. malloc'd. */
static char *json_text(const char *json)
{
    struct value v = read_json(json);
    assert_int_equal(v.kind, VALUE_TEXT);
    char *text = mem_string(v.text.data);
    text[strcspn(text, "\r")] = '\0';
    value_clear(&v);
    return text;
}

static void check_env(const struct crontab *c, const struct crontab_line *l, const char *json, const char *at)
{
    struct value v = read_json(json);
    struct strvec env = {0};
    crontab_env(c, l, &env);
    assert_int_equal(env.count, v.list.count);
    for (size_t i = 0; i < env.count; i++) {
        const char *value = v.list.items[i].text.data;
        if (!strcmp(v.list.keys[i], "LOGNAME") && l->user)
            value = l->user;
        char *pair = mem_format("%s=%s", v.list.keys[i], value);
        if (!same(env.items[i], pair))
            fail_msg("%s: %s, not %s", at, env.items[i], pair);
        free(pair);
    }
    strvec_clear(&env);
    value_clear(&v);
}

enum { FILE_, LINE, WHAT, SCHEDULE, USER, ENV, COMMAND, STDIN, REASON, COLUMNS };

static void check_line(const struct crontab *c, const struct crontab_line *l, char *const column[COLUMNS])
{
    static const char *const names[] = {"job", "lax", "refused"};
    char at[200];
    snprintf(at, sizeof at, "%s:%s", column[FILE_], column[LINE]);
    if (l->line != atoi(column[LINE]) || !same(names[l->status], column[WHAT]))
        fail_msg("%s: line %d is %s: %s", at, l->line, names[l->status], shown(l->reason));
    if (l->status == CRONTAB_REFUSED) {
        if (!same(l->reason, column[REASON]))
            fail_msg("%s: %s", at, l->reason);
        return;
    }
    char *command = json_text(column[COMMAND]), *input = same(column[STDIN], "-") ? NULL : json_text(column[STDIN]);
    if (!same(l->schedule, column[SCHEDULE]) || !same(l->command, command) || !same(l->input, input) ||
        l->has_input != (input != NULL))
        fail_msg("%s: '%s' '%s' '%s'", at, l->schedule, l->command, shown(l->input));
    if (!same(l->user ? l->user : "(owner)", column[USER]))
        fail_msg("%s: user %s", at, shown(l->user));
    if ((l->status == CRONTAB_REPORTED) != (l->reason != NULL) || (*column[REASON] && !l->reason && !l->notes.count))
        fail_msg("%s: it should be said that %s", at, column[REASON]);
    if (!same(l->cron, l->schedule))
        fail_msg("%s: %s is %s", at, l->schedule, l->cron);
    check_env(c, l, column[ENV], at);
    free(command);
    free(input);
}

struct rows {
    char *name; /* of the file that is open */
    struct crontab c;
    size_t next, count;
};

static void rows_close(struct rows *r)
{
    if (r->name && r->next != r->c.count)
        fail_msg("%s: %zu lines, %zu expected", r->name, r->c.count, r->next);
    free(r->name);
    crontab_clear(&r->c);
    r->name = NULL;
    r->next = 0;
}

static void rows_open(struct rows *r, const char *name)
{
    rows_close(r);
    struct buf text = read_file(name);
    crontab_read(text.data, text.length, strstr(name, ".system") ? &machine : &personal, &r->c);
    buf_clear(&text);
    r->name = mem_string(name);
}

static void test_expected(void **state)
{
    (void)state;
    struct buf table = read_file("expected.tsv");
    struct rows rows = {0};
    char *rest = table.data, *line;
    strsep(&rest, "\n");
    while ((line = strsep(&rest, "\n")) && *line) {
        char *column[COLUMNS];
        for (int i = 0; i < COLUMNS; i++)
            assert_non_null(column[i] = strsep(&line, "\t"));
        if (!same(rows.name, column[FILE_]))
            rows_open(&rows, column[FILE_]);
        if (rows.next >= rows.c.count)
            fail_msg("%s: line %s is missing", column[FILE_], column[LINE]);
        check_line(&rows.c, &rows.c.lines[rows.next++], column);
        rows.count++;
    }
    rows_close(&rows);
    buf_clear(&table);
    assert_int_equal(rows.count, 71);
}

/* ---- schedules, against what `crontab -n` says ---- */

static uint64_t values_set(const char *values, int field)
{
    static const uint64_t all[] = {UINT64_MAX >> 4, 0xffffff, 0xfffffffe, 0x1ffe, 0x7f};
    uint64_t set = 0;
    if (*values == '*')
        return all[field];
    for (const char *at = values; *at >= '0' && *at <= '9';) {
        char *end;
        set |= UINT64_C(1) << strtol(at, &end, 10);
        at = *end ? end + 1 : end;
    }
    return set;
}

/* `0 0,12 * * 1 both`: what Debian's cron keeps is what ax makes of `cron`. */
static void check_times(const struct crontab_line *l, char *values)
{
    struct cron c;
    assert_int_equal(cron_parse(l->cron, 0, &c, NULL, NULL), 0);
    if (strstr(values, "none")) {
        assert_string_equal(l->cron, "0 0 30 2 *");
        return;
    }
    const uint64_t sets[] = {c.minutes, c.hours, c.days, c.months, c.weekdays};
    for (int i = 0; i < 5; i++) {
        const char *word = strsep(&values, " ");
        if (sets[i] != values_set(word, i))
            fail_msg("%s is %s: field %d is not %s", l->schedule, l->cron, i + 1, word);
    }
    assert_int_equal(c.both, !strcmp(values, "both"));
}

static void check_schedule(const char *verdict, const char *text, const char *debian, char *values)
{
    struct buf line = {0};
    buf_format(&line, "%s x\n", text);
    struct crontab c = read_text(buf_string(&line), &personal);
    assert_int_equal(c.count, 1);
    const struct crontab_line *l = &c.lines[0];
    bool refused = !strncmp(debian, "refuses: ", 9);
    if (refused != (l->status == CRONTAB_REFUSED))
        fail_msg("%s: %s", text, shown(l->reason));
    /* The words that are missing at the end of a row stand where the x is here. */
    if (refused && strchr(text, ' ') && !same(l->reason, debian + 9))
        fail_msg("%s: %s, not %s", text, l->reason, debian + 9);
    if (!refused && (l->status == CRONTAB_REPORTED) != (!strcmp(verdict, "lax") || !strcmp(verdict, "extension")))
        fail_msg("%s: %s: %s", text, verdict, shown(l->reason));
    if (!refused && *values)
        check_times(l, values);
    crontab_clear(&c);
    buf_clear(&line);
}

static void test_schedules(void **state)
{
    (void)state;
    FILE *f = fopen("tests/data/cron-valid.tsv", "re");
    assert_non_null(f);
    char line[1024];
    int rows = 0;
    for (int n = 0; fgets(line, sizeof line, f); n++) {
        char *rest = line, *column[4];
        for (int i = 0; i < 4; i++)
            assert_non_null(column[i] = strsep(&rest, "\t"));
        if (n == 0 || !strcmp(column[1], "* * *"))
            continue; /* `* * * x` has a bad month too, but for the x */
        check_schedule(column[0], column[1], column[2], column[3]);
        rows++;
    }
    fclose(f);
    assert_true(rows >= 83);
}

/* ---- single lines ---- */

static const struct {
    const char *text;
    const struct crontab_rules *rules;
    enum crontab_status status;
    const char *reason; /* refused: all of it; else how it begins */
    const char *cron, *command, *input;
} lines[] = {
    /* schedules that cron takes without looking */
    {"0 0 * * 5#2 x", &personal, CRONTAB_REPORTED, "day-of-week: cron takes '5#2' for '5'", "0 0 * * 5", "x", NULL},
    {"0 0 * * 6#4 x", &personal, CRONTAB_REPORTED, "day-of-week: cron takes '6#4' for '6'", "0 0 * * 6", "x", NULL},
    {"0 0 1~15 * * x", &personal, CRONTAB_REPORTED, "day-of-month: cron takes '1~15' for '1'", "0 0 1 * *", "x", NULL},
    {"0 0 * * fri-mon x", &personal, CRONTAB_REPORTED,
        "day-of-week: cron takes 'fri-mon' for no value at all: the line never runs", "0 0 30 2 *", "x", NULL},
    {"0 0 1 * 6-0 x", &personal, CRONTAB_REPORTED, "day-of-week: cron takes '6-0' for no value at all", "0 0 1 * *",
        "x", NULL},
    {"0 0 */2 * 6-0 x", &personal, CRONTAB_REPORTED,
        "day-of-week: cron takes '6-0' for no value at all: the line never runs", "0 0 30 2 *", "x", NULL},
    {"0 0 20-10 * 3 x", &personal, CRONTAB_REPORTED, "day-of-month: cron takes '20-10' for no value at all",
        "0 0 * * 3", "x", NULL},
    {"0 22-6 * * * x", &personal, CRONTAB_REPORTED, "hour: cron takes '22-6' for no value at all: the line never runs",
        "0 0 30 2 *", "x", NULL},
    {"0 1,22-6 * * * x", &personal, CRONTAB_REPORTED, "hour: cron takes '1,22-6' for '1'", "0 1 * * *", "x", NULL},
    {"0 0 5-1,* * 1 x", &personal, CRONTAB_REPORTED, "day-of-month: cron takes '5-1,*' for '1-31'", "0 0 1-31 * 1", "x",
        NULL},
    {"4294967301 * * * * x", &personal, CRONTAB_REPORTED, "minute: cron takes '4294967301' for '5'", "5 * * * *", "x",
        NULL},
    {"1;2 5x5-6 * * * x", &personal, CRONTAB_REFUSED, "bad hour", NULL, NULL, NULL},
    {"*5 5;6 * * * x", &personal, CRONTAB_REPORTED, "minute: cron takes '*5' for '*'; hour: cron takes '5;6' for '5'",
        "* 5 * * *", "x", NULL},
    {"0 0 */2147483647 * * x", &personal, CRONTAB_REFUSED, "bad day-of-month", NULL, NULL, NULL},
    {"*/2147483647 * * * * x", &personal, CRONTAB_REPORTED, "minute: cron takes '*/2147483647' for '*/99'",
        "*/99 * * * *", "x", NULL},
    {"0 0 1-5/4294967296 * * x", &personal, CRONTAB_REFUSED, "bad day-of-month", NULL, NULL, NULL},
    {"99999999999999999999 * * * * x", &personal, CRONTAB_REFUSED, "bad minute", NULL, NULL, NULL},
    {"70-60 * * * * x", &personal, CRONTAB_REFUSED, "bad minute", NULL, NULL, NULL},
    {"0 0 5-0 * * x", &personal, CRONTAB_REFUSED, "bad day-of-month", NULL, NULL, NULL},
    {"59-5,7 * * * * x", &personal, CRONTAB_REPORTED, "minute: cron takes '59-5,7' for '7'", "7 * * * *", "x", NULL},
    /* what ax has of its own */
    {"0 0 L * * x", &personal, CRONTAB_REFUSED, "bad day-of-month", NULL, NULL, NULL},
    {"0 0 15W * * x", &personal, CRONTAB_REFUSED, "bad day-of-month", NULL, NULL, NULL},
    {"0 0 ? * 1 x", &personal, CRONTAB_REFUSED, "bad day-of-month", NULL, NULL, NULL},
    {"~ * * * * x", &personal, CRONTAB_REFUSED, "bad minute", NULL, NULL, NULL},
    {"0 0 0 1 1 5 x", &personal, CRONTAB_REFUSED, "bad day-of-month", NULL, NULL, NULL},
    {"-5 * * * * x", &personal, CRONTAB_REFUSED, "bad minute", NULL, NULL, NULL},
    {"-* * * * * root x", &machine, CRONTAB_REFUSED, "bad minute", NULL, NULL, NULL},
    /* between the fields */
    {"\t1\t 2 3  4 *\tx  y\t ", &personal, CRONTAB_JOB, NULL, "1 2 3 4 *", "x  y\t ", NULL},
    {"*\f* * * * * x", &personal, CRONTAB_REPORTED, "minute: cron takes '*", "* * * * *", "x", NULL},
    {"\v* * * * * x", &personal, CRONTAB_REFUSED, "bad minute", NULL, NULL, NULL},
    {"@dailyx y", &personal, CRONTAB_REFUSED, "bad time specifier", NULL, NULL, NULL},
    {"@ x", &personal, CRONTAB_REFUSED, "bad time specifier", NULL, NULL, NULL},
    {"@reboot\tx", &personal, CRONTAB_JOB, NULL, "@reboot", "x", NULL},
    {"* * * *", &personal, CRONTAB_REFUSED, "bad day-of-week", NULL, NULL, NULL},
    {"hello", &personal, CRONTAB_REFUSED, "bad minute", NULL, NULL, NULL},
    /* commands */
    {"* * * * *", &personal, CRONTAB_REPORTED, "there is no command", "* * * * *", "", NULL},
    {"@daily", &personal, CRONTAB_REPORTED, "there is no command", "@daily", "", NULL},
    {"* * * * * %a", &personal, CRONTAB_REPORTED, "there is no command", "* * * * *", "", "a\n"},
    {"@daily * x", &personal, CRONTAB_REFUSED, "bad command", NULL, NULL, NULL},
    {"@daily # x", &personal, CRONTAB_JOB, NULL, "@daily", "# x", NULL},
    {"3 0 * * * E=5 env --unset=NOPE", &personal, CRONTAB_JOB, NULL, "3 0 * * *", "E=5 env --unset=NOPE", NULL},
    {"1 * * * *=b", &personal, CRONTAB_REPORTED, "day-of-week: cron takes '*=b' for '*'; there is no command",
        "1 * * * *", "", NULL},
    {"@daily a\\%b\\\\c\\d\\\\%e", &personal, CRONTAB_JOB, NULL, "@daily", "a%b\\c\\d\\", "e\n"},
    {"@daily a\\", &personal, CRONTAB_JOB, NULL, "@daily", "a\\", NULL},
    {"@daily a%b\\%c\\d\\\\e%%", &personal, CRONTAB_JOB, NULL, "@daily", "a", "b%c\\d\\\\e\n\n"},
    {"@daily a%b\\\\%c", &personal, CRONTAB_JOB, NULL, "@daily", "a", "b\\%c\n"},
    {"@daily a%b\\", &personal, CRONTAB_JOB, NULL, "@daily", "a", "b\\\n"},
    {"@daily a%\\", &personal, CRONTAB_JOB, NULL, "@daily", "a", "\\"},
    {"1 0 * * * printf '[\\%s]' \"$(cat)\"%alpha%beta\\%gamma", &personal, CRONTAB_JOB, NULL, "1 0 * * *",
        "printf '[%s]' \"$(cat)\"", "alpha\nbeta%gamma\n"},
    {"@daily a\rb", &personal, CRONTAB_REPORTED, "there is a carriage return inside", "@daily", "a\rb", NULL},
    /* users */
    {"@daily root", &machine, CRONTAB_REFUSED, "bad command", NULL, NULL, NULL},
    {"@daily", &machine, CRONTAB_REFUSED, "bad command", NULL, NULL, NULL},
    {"@daily root *", &machine, CRONTAB_JOB, NULL, "@daily", "*", NULL},
    {"@daily *root x", &machine, CRONTAB_REFUSED, "bad username", NULL, NULL, NULL},
    {"@daily # x", &machine, CRONTAB_REFUSED, "bad username", NULL, NULL, NULL},
    {"@daily root ", &machine, CRONTAB_REPORTED, "there is no command", "@daily", "", NULL},
    {"17\t*\t* * *\troot\tcd / && echo hi", &machine, CRONTAB_JOB, NULL, "17 * * * *", "cd / && echo hi", NULL},
    {"17\t*\t* * *\troot\tcd / && echo hi", &personal, CRONTAB_REPORTED, "the sixth word is the user root",
        "17 * * * *", "root\tcd / && echo hi", NULL},
    {"@daily root", &personal, CRONTAB_JOB, NULL, "@daily", "root", NULL},
    {"@daily mail -s x joe", &personal, CRONTAB_JOB, NULL, "@daily", "mail -s x joe", NULL},
    {"@daily mail x", &personal, CRONTAB_JOB, NULL, "@daily", "mail x", NULL},
    /* cronie */
    {"0 0 1~15 * * x", &cronie, CRONTAB_JOB, NULL, "0 0 1~15 * *", "x", NULL},
    {"~ ~5 5~ * * x", &cronie, CRONTAB_JOB, NULL, "~ ~5 5~ * *", "x", NULL},
    {"~/5 * * * * x", &cronie, CRONTAB_REFUSED, "bad minute", NULL, NULL, NULL},
    {"0 0 * * 5#2 x", &cronie, CRONTAB_REFUSED, "bad day-of-week", NULL, NULL, NULL},
    {"0 0 * * 5-0 x", &cronie, CRONTAB_JOB, NULL, "0 0 * * 5-0", "x", NULL},
    {"0 0 * * 6-1 x", &cronie, CRONTAB_REPORTED,
        "day-of-week: cron takes '6-1' for no value at all: the line never runs", "0 0 30 2 *", "x", NULL},
    {"*5 * * * * x", &cronie, CRONTAB_REFUSED, "bad minute", NULL, NULL, NULL},
    {"-5 * * * * x", &cronie, CRONTAB_REFUSED, "bad option", NULL, NULL, NULL},
    {"@daily -n x", &cronie, CRONTAB_JOB, NULL, "@daily", "x", NULL},
    {"@daily -x y", &cronie, CRONTAB_REFUSED, "bad option", NULL, NULL, NULL},
    {"@daily -n -n y", &cronie, CRONTAB_REFUSED, "bad option", NULL, NULL, NULL},
    {"@daily", &cronie, CRONTAB_REFUSED, "bad command", NULL, NULL, NULL},
    {"@daily a\\\\b\\%c", &cronie, CRONTAB_JOB, NULL, "@daily", "a\\\\b%c", NULL},
};

static bool reason_fits(const struct crontab_line *l, const char *reason)
{
    if (l->status == CRONTAB_REPORTED)
        return reason && l->reason && !strncmp(l->reason, reason, strlen(reason));
    return same(l->reason, reason);
}

static void test_lines(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        char *text = mem_format("%s\n", lines[i].text);
        struct crontab c = read_text(text, lines[i].rules);
        if (c.count != 1)
            fail_msg("%s: %zu lines", lines[i].text, c.count);
        const struct crontab_line *l = &c.lines[0];
        if (l->status != lines[i].status || !reason_fits(l, lines[i].reason))
            fail_msg("%s: status %d, %s", lines[i].text, (int)l->status, shown(l->reason));
        if (!same(l->cron, lines[i].cron) || !same(l->command, lines[i].command) || !same(l->input, lines[i].input))
            fail_msg("%s: '%s' '%s' '%s'", lines[i].text, shown(l->cron), shown(l->command), shown(l->input));
        crontab_clear(&c);
        free(text);
    }
}

/* ---- commands and input, as a recorder in the place of the shell saw them under Debian's daemon ---- */

static void check_percent(const char *text, const char *command, const char *input)
{
    char *line = json_text(text), *shell = json_text(command), *read = json_text(input);
    char *whole = mem_format("* * * * * %s\n", line);
    struct crontab c = read_text(whole, &personal);
    assert_int_equal(c.count, 1);
    const struct crontab_line *l = &c.lines[0];
    if (!same(l->command, shell) || !same(l->input ? l->input : "", read))
        fail_msg("%s: '%s' '%s'", line, l->command, shown(l->input));
    crontab_clear(&c);
    free(line);
    free(shell);
    free(read);
    free(whole);
}

static void test_percent(void **state)
{
    (void)state;
    FILE *f = fopen("tests/data/crontab-percent.tsv", "re");
    assert_non_null(f);
    char line[1024];
    int rows = 0;
    for (int n = 0; fgets(line, sizeof line, f); n++) {
        char *rest = line, *column[3];
        for (int i = 0; i < 3; i++)
            assert_non_null(column[i] = strsep(&rest, "\t\n"));
        if (n == 0)
            continue;
        check_percent(column[0], column[1], column[2]);
        rows++;
    }
    fclose(f);
    assert_true(rows >= 100);
}

/* ---- settings ---- */

static const struct {
    const char *text, *refused;
    const char *set; /* NAME=value behind SHELL, HOME and PATH; NULL: none */
} settings[] = {
    {"A=b", NULL, "A=b"},
    {" \tA = b c \t ", NULL, "A=b c"},
    {"A\v=\fb\v", NULL, "A=b"},
    {"A=\"  b  \"  ", NULL, "A=  b  "},
    {"'A B' = 'c'", NULL, "A B=c"},
    {"A=b # c", NULL, "A=b # c"},
    {"A='it is \"q\"'", NULL, "A=it is \"q\""},
    {"A=\"\"", NULL, "A="},
    {"A=$HOME", NULL, "A=$HOME"},
    {"A=b=c", NULL, "A=b=c"},
    {"A\"=c", NULL, "A\"=c"},
    {"A=b\"c\"", NULL, "A=b\"c\""},
    {"* = b", NULL, "*=b"},
    {"=b", NULL, NULL},
    {"LOGNAME=b", NULL, NULL},
    {"USER=b", NULL, "USER=b"},
    {"A=", "bad minute", NULL},
    {"A= ", "bad minute", NULL},
    {"A B=c", "bad minute", NULL},
    {"A=\"b", "bad minute", NULL},
    {"A='b\"", "bad minute", NULL},
    {"A=\"b\" # c", "bad minute", NULL},
    {"\"A=B\"=c", "bad minute", NULL},
    {"A", "bad minute", NULL},
};

static void test_settings(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        char *text = mem_format("%s\n@daily x\n", settings[i].text);
        struct crontab c = read_text(text, &personal);
        struct strvec env = {0};
        assert_int_equal(c.count, settings[i].refused ? 2 : 1);
        if (settings[i].refused && !same(c.lines[0].reason, settings[i].refused))
            fail_msg("%s: %s", settings[i].text, shown(c.lines[0].reason));
        crontab_env(&c, &c.lines[c.count - 1], &env);
        if (env.count != (settings[i].set ? 5 : 4) || (settings[i].set && !same(env.items[3], settings[i].set)))
            fail_msg("%s: %s", settings[i].text, env.items[3]);
        assert_string_equal(env.items[env.count - 1], "LOGNAME=(user)");
        strvec_clear(&env);
        crontab_clear(&c);
        free(text);
    }
}

/* In force from its line on; the place in the environment is that of the first. */
static void test_scope(void **state)
{
    (void)state;
    struct crontab c = read_text(
        "A = 1 \nB=\"  two  \"\nC='$A-$HOME'\nPATH=/p\n\n@daily one\nA=9\nHOME=/x\n@daily two\nA=10\n", &personal);
    static const char *const expected[2][8] = {
        {"SHELL=/bin/sh", "HOME=(home)", "PATH=/p", "A=1", "B=  two  ", "C=$A-$HOME", "LOGNAME=(user)", NULL},
        {"SHELL=/bin/sh", "HOME=/x", "PATH=/p", "A=9", "B=  two  ", "C=$A-$HOME", "LOGNAME=(user)", NULL},
    };
    struct strvec env = {0};
    assert_int_equal(c.count, 2);
    for (int k = 0; k < 2; k++) {
        crontab_env(&c, &c.lines[k], &env);
        for (int i = 0; i < 8; i++)
            if (!same(env.items[i], expected[k][i]))
                fail_msg("line %d: %s, not %s", c.lines[k].line, shown(env.items[i]), shown(expected[k][i]));
    }
    strvec_clear(&env);
    crontab_clear(&c);
}

static void test_cronie_settings(void **state)
{
    (void)state;
    struct crontab c = read_text(
        "A=\nUSER=me\nRANDOM_DELAY=30\nCRON_TZ=Asia/Tokyo\n@daily x\nRANDOM_DELAY=2000\nCRON_TZ=\n@daily -n y\n",
        &cronie);
    struct strvec env = {0};
    assert_int_equal(c.jobs, 2);
    crontab_env(&c, &c.lines[0], &env);
    assert_string_equal(strvec_env_get(&env, "A"), "");
    assert_string_equal(strvec_env_get(&env, "USER"), "u");
    assert_int_equal(c.lines[0].random_delay, 30);
    assert_string_equal(c.lines[0].zone, "Asia/Tokyo");
    assert_int_equal(c.lines[0].notes.count, 1);
    assert_int_equal(c.lines[1].random_delay, 0);
    assert_null(c.lines[1].zone);
    assert_true(c.lines[1].mail_on_failure && !c.lines[0].mail_on_failure);
    strvec_clear(&env);
    crontab_clear(&c);
}

static void test_zone(void **state)
{
    (void)state;
    struct crontab_rules moved = personal;
    moved.cron_tz = true;
    static const char text[] = "@daily a\nCRON_TZ=Europe/Berlin\nTZ=UTC\n@daily b\n";
    struct crontab c = read_text(text, &moved);
    assert_null(c.lines[0].zone);
    assert_string_equal(c.lines[1].zone, "Europe/Berlin");
    assert_int_equal(c.lines[1].status, CRONTAB_REPORTED);
    crontab_clear(&c);
    c = read_text(text, &personal);
    assert_null(c.lines[1].zone);
    assert_int_equal(c.lines[1].status, CRONTAB_JOB);
    assert_int_equal(c.lines[1].notes.count, 1);
    crontab_clear(&c);
}

/* ---- the text as a whole ---- */

static void test_text(void **state)
{
    (void)state;
    struct crontab_rules lenient = personal;
    lenient.unfinished = true;
    struct crontab c = read_text("\xef\xbb\xbfX=1\r\n\r\n*/5 * * * * echo a\r\n*/6 * * * * echo b", &lenient);
    assert_int_equal(c.count, 2);
    assert_string_equal(c.settings[0].text, "X=1");
    assert_string_equal(c.lines[0].command, "echo a");
    assert_int_equal(c.lines[0].status, CRONTAB_REPORTED);
    assert_string_equal(c.lines[1].command, "echo b");
    assert_int_equal(c.lines[1].status, CRONTAB_JOB);
    assert_int_equal(c.lines[1].line, 4);
    assert_int_equal(c.lines[1].notes.count, 1);
    assert_int_equal(c.notes_count, 2); /* the mark; the carriage returns */
    crontab_clear(&c);

    c = read_text("@daily a\nB=c", &personal);
    assert_int_equal(c.jobs, 1);
    assert_int_equal(c.notes_count, 1);
    crontab_clear(&c);

    crontab_read("@daily a\0b\n# \0\n@daily c\n", 24, &personal, &c);
    assert_int_equal(c.refused, 1);
    assert_int_equal(c.jobs, 1);
    crontab_clear(&c);

    crontab_read("", 0, &personal, &c);
    assert_int_equal(c.count, 0);
    crontab_clear(&c);
}

/* A command of so many bytes. */
static struct crontab read_long(size_t length, const struct crontab_rules *rules)
{
    struct crontab c;
    struct buf b = {0};
    buf_text(&b, "@daily ");
    for (size_t i = 0; i < length; i++)
        buf_char(&b, 'x');
    buf_char(&b, '\n');
    crontab_read(b.data, b.length, rules, &c);
    buf_clear(&b);
    return c;
}

static void test_length(void **state)
{
    (void)state;
    static const struct {
        size_t length;
        const struct crontab_rules *rules;
        enum crontab_status status;
    } rows[] = {
        {999, &personal, CRONTAB_JOB},
        {1000, &personal, CRONTAB_REPORTED},
        {1000, &cronie, CRONTAB_JOB},
        {131071, &personal, CRONTAB_REPORTED},
        {131072, &personal, CRONTAB_REFUSED},
        {300000, &cronie, CRONTAB_REFUSED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct crontab c = read_long(rows[i].length, rows[i].rules);
        assert_int_equal(c.count, 1);
        assert_int_equal(c.lines[0].status, rows[i].status);
        if (rows[i].status == CRONTAB_REFUSED)
            assert_int_equal(strncmp(c.lines[0].reason, "command too long", 16), 0);
        else
            assert_int_equal(strlen(c.lines[0].command), rows[i].length);
        crontab_clear(&c);
    }
}

static void test_bounds(void **state)
{
    (void)state;
    struct buf b = {0};
    for (int i = 0; i < 1002; i++)
        buf_format(&b, "A%d=b\n", i);
    buf_text(&b, "A1=c\n");
    struct crontab c = read_text(b.data, &personal);
    assert_int_equal(c.refused, 2);
    assert_int_equal(c.settings_count, 1001);
    crontab_clear(&c);
    buf_reset(&b);
    for (int i = 0; i < CRONTAB_LINES + 5; i++)
        buf_text(&b, "x\n");
    c = read_text(b.data, &personal);
    assert_int_equal(c.count, CRONTAB_LINES + 1);
    assert_non_null(strstr(c.lines[CRONTAB_LINES].reason, "crontab is too long"));
    crontab_clear(&c);
    buf_clear(&b);
}

/* Settings of 100,000 bytes, of so many names in turn. */
static size_t refused_of(int settings_count, int names)
{
    struct buf b = {0};
    for (int i = 0; i < settings_count; i++) {
        buf_format(&b, "A%d=", i % names);
        for (int k = 0; k < 100000; k++)
            buf_char(&b, 'x');
        buf_char(&b, '\n');
    }
    struct crontab c;
    crontab_read(b.data, b.length, &personal, &c);
    size_t refused = c.refused;
    crontab_clear(&c);
    buf_clear(&b);
    return refused;
}

/* What is in force at a time counts, not what was. */
static void test_environment(void **state)
{
    (void)state;
    assert_int_equal(refused_of(30, 2), 0);
    assert_int_equal(refused_of(12, 12), 2);
}

/* Users are asked for once. */
static void test_users(void **state)
{
    (void)state;
    struct buf b = {0};
    for (int i = 0; i < 1000; i++)
        buf_text(&b, "@daily root x\n@hourly nobody y\n");
    asked = 0;
    struct crontab c = read_text(b.data, &machine);
    assert_int_equal(c.jobs, 2000);
    assert_int_equal(asked, 2);
    crontab_clear(&c);
    buf_clear(&b);
}

/* ---- comments and notes ---- */

static const struct {
    const char *text, *comment;
} comments[] = {
    {"# nightly\n@daily x\n", "nightly"},
    {"#\n  ## nightly ##\n#   of all\n#----\n@daily x\n", "nightly\nof all"},
    {"# far\n\n@daily x\n", NULL},
    {"# of the setting\nA=b\n@daily x\n", NULL},
    {"# of y\n@daily y\n@daily x\n", NULL},
    {"# m h  dom mon dow   command\n@daily x\n", NULL},
    {"# Edit this file\n# .---------------- minute (0 - 59)\n# |  .------------- hour (0 - 23)\n# *  *  *  *  * "
     "user-name\n# mine\n@daily x\n",
        "mine"},
    {"# DO NOT EDIT THIS FILE - edit the master and reinstall.\n# (- installed on Mon)\n# (Cron version -- "
     "$Id$)\n@daily x\n",
        NULL},
    {"# old\n#0 5 * * * /bin/old\n@daily x\n", NULL},
    {"# at 5 * * * we go\n@daily x\n", "at 5 * * * we go"},
};

static void test_comments(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof comments / sizeof comments[0]; i++) {
        struct crontab c = read_text(comments[i].text, &personal);
        if (!same(c.lines[c.count - 1].comment, comments[i].comment))
            fail_msg("%s: %s", comments[i].text, shown(c.lines[c.count - 1].comment));
        crontab_clear(&c);
    }
}

static const struct {
    const char *line, *note; /* NULL: none */
} notes[] = {
    {"@reboot x", "@reboot"},
    {"@daily date \"+%H\"", "the first %"},
    {"@daily date +%H", "the first %"},
    {"@daily cat%one%two", NULL},
    {"@daily echo \"it's\"%one", NULL},
    {"@daily echo 'a\\'%one", NULL},
    {"@daily x", NULL},
};

static void test_notes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++) {
        char *text = mem_format("%s\n", notes[i].line);
        struct crontab c = read_text(text, &personal);
        const struct strvec *found = &c.lines[0].notes;
        if (found->count != (notes[i].note != NULL) ||
            (notes[i].note && strncmp(found->items[0], notes[i].note, strlen(notes[i].note)) != 0))
            fail_msg("%s: %s", notes[i].line, found->count ? found->items[0] : "no note");
        assert_int_equal(c.lines[0].status, CRONTAB_JOB);
        crontab_clear(&c);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_expected),
        cmocka_unit_test(test_schedules),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_percent),
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_scope),
        cmocka_unit_test(test_cronie_settings),
        cmocka_unit_test(test_zone),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_length),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_environment),
        cmocka_unit_test(test_users),
        cmocka_unit_test(test_comments),
        cmocka_unit_test(test_notes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
