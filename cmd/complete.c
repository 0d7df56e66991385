/* What a shell offers at the cursor: `ax __complete WORD... CURRENT` prints one answer a line, with a blank tab and a
 * description where there is one. Answers that are for the shell to find begin with a colon: `:files`, `:folders`,
 * `:commands`. From the tables of commands, options and fields, and from the spool; silent where something is wrong:
 * nobody asked for an error. */
#include "cmd/commands.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/client.h"
#include "cmd/view.h"
#include "lib/base/mem.h"
#include "lib/sys/clock.h"
#include "lib/sys/signals.h"
#include "spool/fields.h"

enum { NAMES_MOST = 500, JOBS_LOOKED_AT = 5000, RUNS_MOST = 20 };

struct answers {
    struct buf out;
    const char *word; /* what is there already */
    char *lead;       /* in front of each answer: what of the word stays as it is */
    int count;
};

static void answer(struct answers *a, const char *text, size_t length, const char *about)
{
    size_t begun = strlen(a->word);
    if (length < begun || memcmp(text, a->word, begun) != 0)
        return;
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
            return; /* nobody types that */
    buf_text(&a->out, a->lead);
    buf_add(&a->out, text, length);
    if (about)
        buf_format(&a->out, "\t%s", about);
    buf_char(&a->out, '\n');
    a->count++;
}

static void answer_text(struct answers *a, const char *text, const char *about)
{
    answer(a, text, strlen(text), about);
}

static void answer_words(struct answers *a, const char *const *words)
{
    for (; words && *words; words++)
        answer_text(a, *words, NULL);
}

/* For the shell, which knows better. */
static void answer_shell(struct answers *a, const char *what)
{
    buf_format(&a->out, ":%s\n", what);
}

/* What stands in front of the last comma stays. */
static void answer_behind_comma(struct answers *a)
{
    const char *comma = strrchr(a->word, ',');
    if (!comma)
        return;
    char *lead = mem_format("%s%.*s", a->lead, (int)(comma + 1 - a->word), a->word);
    free(a->lead);
    a->lead = lead;
    a->word = comma + 1;
}

/* ---- from the spool ---- */

typedef int ask_call(struct answers *a, struct store *s);

static void ask(struct answers *a, ask_call *call)
{
    struct store *s;
    const struct common common = {0};
    if (client_open(&common, STORE_READ, &s, NULL) < 0)
        return;
    if (store_begin(s, false, NULL) == 0)
        call(a, s);
    store_abort(s);
    store_close(s);
}

static bool ask_name(void *context, const char *name, size_t length)
{
    struct answers *a = context;
    answer(a, name, length, NULL);
    return a->count < NAMES_MOST;
}

static int ask_names(struct answers *a, struct store *s)
{
    return store_each_name(s, a->word, ask_name, a, NULL);
}

static bool ask_queue(void *context, const struct queue *q)
{
    answer_text(context, q->name, NULL);
    return true;
}

static int ask_queues(struct answers *a, struct store *s)
{
    return store_each_queue(s, ask_queue, a, NULL);
}

struct tagging {
    struct strvec tags;
    int looked;
};

static bool ask_tags_of(void *context, const struct job *j, const struct job_state *st)
{
    struct tagging *t = context;
    (void)st;
    for (size_t i = 0; i < j->tags.count; i++) {
        bool known = false;
        for (size_t k = 0; k < t->tags.count && !known; k++)
            known = strcmp(t->tags.items[k], j->tags.items[i]) == 0;
        if (!known)
            strvec_add(&t->tags, j->tags.items[i]);
    }
    return ++t->looked < JOBS_LOOKED_AT;
}

static int ask_tags(struct answers *a, struct store *s)
{
    struct tagging t = {.looked = 0};
    int code = store_each_job(s, 1, ask_tags_of, &t, NULL);
    for (size_t i = 0; i < t.tags.count; i++)
        answer_text(a, t.tags.items[i], NULL);
    strvec_clear(&t.tags);
    return code;
}

static int ask_sources(struct answers *a, struct store *s)
{
    struct strvec labels = {0};
    int code = store_sources(s, &labels, NULL);
    for (size_t i = 0; i < labels.count; i++)
        answer_text(a, labels.items[i], NULL);
    strvec_clear(&labels);
    return code;
}

static bool ask_run(void *context, const struct run *r)
{
    struct answers *a = context;
    char id[RUN_ID_SIZE];
    run_id_format(r->id, id);
    if (!r->id.note)
        answer_text(a, id, r->outcome == OUTCOME_NONE ? "running" : outcome_name(r->outcome));
    return a->count < RUNS_MOST;
}

/* `12.`: the runs of job 12, the latest first. */
static int ask_runs(struct answers *a, struct store *s)
{
    char *end;
    uint64_t job = strtoull(a->word, &end, 10);
    if (end == a->word || *end != '.')
        return 0;
    store_each_open(s, ask_run, a, NULL);
    return store_each_run(s, job, NULL, ask_run, a, NULL);
}

/* ---- zones ---- */

static void answer_zones(struct answers *a, const char *folder, const char *name, int depth)
{
    char *path = mem_format("%s/%s", folder, name);
    DIR *d = opendir(path);
    for (struct dirent *entry; d && (entry = readdir(d));) {
        char first = entry->d_name[0];
        if (first < 'A' || first > 'Z')
            continue;
        char *zone = mem_format("%s%s%s", name, *name ? "/" : "", entry->d_name);
        if (entry->d_type != DT_DIR)
            answer_text(a, zone, NULL);
        else if (depth < 3)
            answer_zones(a, folder, zone, depth + 1);
        free(zone);
    }
    if (d)
        closedir(d);
    free(path);
}

/* ---- values of options ---- */

static bool named(const char *word, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(word, *names) == 0)
            return true;
    return false;
}

static void value_examples(struct answers *a, const char *placeholder)
{
    static const char *const durations[] = {"30s", "5m", "1h", "1d", "1w", NULL};
    static const char *const times[] = {"17:30", "tomorrow 9:00", "fri 17:00", NULL};
    if (placeholder && strncmp(placeholder, "DURATION", 8) == 0)
        answer_words(a, durations);
    else if (placeholder && strncmp(placeholder, "TIME", 4) == 0)
        answer_words(a, times);
}

static void answer_value(struct answers *a, const struct command *c, const struct option_row *row)
{
    static const char *const files[] = {"file", "env-file", NULL}, *const folders[] = {"spool", "jobs", "cwd", NULL};
    static const char *const tags[] = {"tag", "tags", NULL}, *const zones[] = {"timezone", "tz", NULL};
    const struct field *f = c && c->field && row->kind == OPTION_CALL ? row->data : NULL;
    answer_behind_comma(a);
    if (row->choices)
        answer_words(a, row->choices);
    else if (f && f->kind == FIELD_CHOICE)
        answer_words(a, f->words);
    else if (named(row->word, files))
        answer_shell(a, "files");
    else if (named(row->word, folders))
        answer_shell(a, "folders");
    else if (named(row->word, tags))
        ask(a, ask_tags);
    else if (named(row->word, zones))
        answer_zones(a, "/usr/share/zoneinfo", "", 0);
    else if (strcmp(row->word, "queue") == 0)
        ask(a, ask_queues);
    else if (strcmp(row->word, "name") == 0 && !f)
        ask(a, ask_names);
    else if (strcmp(row->word, "source") == 0)
        ask(a, ask_sources);
    else
        value_examples(a, row->placeholder);
}

/* ---- operands ---- */

static void answer_commands(struct answers *a)
{
    for (const struct command *const *c = commands; *c; c++)
        if ((*c)->summary)
            answer_text(a, (*c)->name, (*c)->summary);
}

static void answer_when(struct answers *a)
{
    static const char *const whens[] = {"now", "5m", "1h", "17:30", "tomorrow 9:00", "fri 17:00", "every", "@hourly",
        "@daily", "@weekly", "@reboot", "0 2 * * *", NULL};
    answer_words(a, whens);
}

static void answer_fields(struct answers *a)
{
    for (const struct field *f = fields; f->name; f++) {
        char *text = mem_format("%s=", f->name);
        answer_text(a, text, f->help);
        free(text);
    }
}

static void answer_signals(struct answers *a)
{
    for (int i = 1; i < 65; i++)
        if (signals_name(i))
            answer_text(a, signals_name(i), NULL);
}

/* Words that a command has for itself, by how many operands stand in front. False: it has none. */
static bool answer_own(struct answers *a, const struct command *c, int operands)
{
    static const char *const imports[] = {"crontab", "ndjson", NULL}, *const queues[] = {"ls", "set", "rm", NULL},
                             *const shells[] = {"bash", "zsh", "fish", NULL},
                             *const topics[] = {"jobs", "schedule", "spool", "migrate", NULL};
    if (strcmp(c->name, "help") == 0) {
        answer_commands(a);
        answer_words(a, topics);
    } else if (strcmp(c->name, "completion") == 0)
        answer_words(a, shells);
    else if (strcmp(c->name, "import") == 0 && !operands)
        answer_words(a, imports);
    else if (strcmp(c->name, "queue") == 0 && !operands)
        answer_words(a, queues);
    else if (strcmp(c->name, "queue") == 0)
        ask(a, ask_queues);
    else if (strcmp(c->name, "add") == 0 && !operands)
        answer_when(a);
    else if (strcmp(c->name, "add") == 0)
        answer_shell(a, operands == 1 ? "commands" : "files");
    else
        return false;
    return true;
}

static void answer_operand(struct answers *a, const struct command *c, int operands)
{
    if (answer_own(a, c, operands))
        return;
    if (strstr(c->usage, "JOB"))
        ask(a, ask_names);
    if (strstr(c->usage, "RUN"))
        ask(a, ask_runs);
    if (strstr(c->usage, "FIELD="))
        answer_fields(a);
    if (strstr(c->usage, "SIGNAL") && operands)
        answer_signals(a);
    if (strstr(c->usage, "FILE") || strstr(c->usage, "PATH"))
        answer_shell(a, "files");
}

/* ---- the command line ---- */

static const struct option_row *find_row(const struct option_row *rows, const char *word)
{
    size_t length = strncmp(word, "--", 2) == 0 ? strcspn(word + 2, "=") : 0;
    for (; rows && rows->word; rows++)
        if ((length && strlen(rows->word) == length && strncmp(rows->word, word + 2, length) == 0) ||
            (!length && word[0] == '-' && word[1] && !word[2] && rows->letter == word[1]))
            return rows;
    return NULL;
}

static bool wants_value(const struct option_row *row)
{
    return row && row->kind != OPTION_FLAG && (row->kind != OPTION_CALL || row->placeholder);
}

static void answer_options(struct answers *a, const struct option_row *rows)
{
    for (; rows && rows->word; rows++) {
        char *text = mem_format("--%s", rows->word);
        if (rows->help)
            answer_text(a, text, rows->help);
        free(text);
    }
}

/* Bash cuts a word at `=`: `--queue`, `=`, `we`. */
static const struct option_row *asked_row(const struct option_row *rows, int count, char **words)
{
    const char *before = count > 1 ? words[count - 2] : "";
    if (strcmp(words[count - 1], "=") == 0)
        return find_row(rows, before);
    if (strcmp(before, "=") == 0 && count > 2)
        return find_row(rows, words[count - 3]);
    return strchr(before, '=') ? NULL : find_row(rows, before);
}

static void answer_word(
    struct answers *a, const struct command *c, const struct option_row *rows, int count, char **words, int operands)
{
    const struct option_row *row = asked_row(rows, count, words);
    const char *current = words[count - 1], *equals = strncmp(current, "--", 2) == 0 ? strchr(current, '=') : NULL;
    if (strcmp(current, "=") == 0)
        a->word = "";
    if (wants_value(row)) {
        answer_value(a, c, row);
    } else if (equals) {
        row = find_row(rows, current);
        free(a->lead);
        a->lead = mem_format("%.*s", (int)(equals + 1 - current), current);
        a->word = equals + 1;
        if (wants_value(row))
            answer_value(a, c, row);
    } else if (current[0] == '-') {
        answer_options(a, rows);
    } else {
        answer_operand(a, c, operands);
    }
}

/* The operands in front of the last word, as far as that can be told. */
static int count_operands(const struct option_row *rows, int count, char **words)
{
    int operands = 0;
    for (int i = 0; i < count - 1; i++) {
        const struct option_row *row = find_row(rows, words[i]);
        if (words[i][0] != '-' && strcmp(words[i], "=") != 0)
            operands++;
        else if (wants_value(row) && !strchr(words[i], '='))
            i += i + 1 < count - 1 && strcmp(words[i + 1], "=") == 0 ? 2 : 1;
    }
    return operands;
}

static void answer_line(struct answers *a, int count, char **words)
{
    static const struct option_row common[] = {COMMAND_OPTIONS, {0}};
    int i = 0;
    for (; i < count - 1 && words[i][0] == '-'; i++)
        if (strcmp(words[i], "--spool") == 0 && ++i < count - 1)
            setenv("AX_SPOOL", words[i], 1);
        else if (strncmp(words[i], "--spool=", 8) == 0)
            setenv("AX_SPOOL", words[i] + 8, 1);
    if (i >= count - 1) {
        const struct option_row *row = asked_row(common, count, words);
        if (wants_value(row))
            answer_value(a, NULL, row);
        else if (words[count - 1][0] == '-')
            answer_options(a, common);
        else
            answer_commands(a);
        return;
    }
    const struct command *c = command_find(words[i]);
    if (!c || !c->summary || !c->options)
        return;
    struct command_rows r;
    command_rows_init(&r, c);
    answer_word(a, c, r.rows, count - i - 1, words + i + 1, count_operands(r.rows, count - i - 1, words + i + 1));
    command_rows_clear(&r);
}

static int complete_run(const struct command *self, int argc, char **argv)
{
    if (argc < 1)
        return ERROR_NONE;
    struct answers a = {.word = argv[argc - 1], .lead = mem_string("")};
    answer_line(&a, argc, argv);
    command_print(self, &a.out);
    free(a.lead);
    buf_clear(&a.out);
    return ERROR_NONE;
}

const struct command command_complete = {.name = "__complete", .usage = "", .run = complete_run};
