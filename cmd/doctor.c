#include "cmd/doctor.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "lib/base/mem.h"
#include "lib/sys/clock.h"
#include "lib/text/visible.h"

#define KIND_MOST 20 /* findings of one kind that are told one by one */

struct doctor_options {
    struct common common;
    bool fix, json;
};
static const struct option_row doctor_options[] = {
    {.word = "fix",
        .kind = OPTION_FLAG,
        .offset = offsetof(struct doctor_options, fix),
        .help = "mend what can be mended safely"},
    {.word = "json",
        .kind = OPTION_FLAG,
        .offset = offsetof(struct doctor_options, json),
        .help = "one JSON object a finding"},
    COMMAND_OPTIONS,
    {0},
};

/* ---- findings ---- */

static size_t kept_of(const struct doctor *d, const char *kind)
{
    size_t count = 0;
    for (size_t i = 0; i < d->count; i++)
        count += strcmp(d->items[i].kind, kind) == 0;
    return count;
}

static void doctor_keep(struct doctor *d, const struct finding *f, bool note)
{
    d->wrong += !note && !f->mended;
    d->mended += f->mended;
    if (kept_of(d, f->kind) >= KIND_MOST) {
        d->more++;
        return;
    }
    MEM_GROW(d->items, d->capacity, d->count + 1);
    d->items[d->count++] = (struct doctor_finding){
        mem_string(f->kind), mem_string(f->where), mem_string(f->text), mem_string(f->todo), f->mended, note};
}

void doctor_add(struct doctor *d, const struct finding *f)
{
    doctor_keep(d, f, false);
}

void doctor_note(struct doctor *d, const char *kind, const char *where, const char *todo, const char *text)
{
    doctor_keep(d, &(struct finding){.kind = kind, .where = where, .text = text, .todo = todo}, true);
}

void doctor_say(struct doctor *d, const char *kind, const char *where, const char *todo, const char *format, ...)
{
    struct buf text = {0};
    va_list arguments;
    va_start(arguments, format);
    buf_vformat(&text, format, arguments);
    va_end(arguments);
    doctor_add(d, &(struct finding){.kind = kind, .where = where, .text = buf_string(&text), .todo = todo});
    buf_clear(&text);
}

void doctor_mend(struct doctor *d, const char *kind, const char *where, bool mended, const char *format, ...)
{
    struct buf text = {0};
    va_list arguments;
    va_start(arguments, format);
    buf_vformat(&text, format, arguments);
    va_end(arguments);
    doctor_add(d, &(struct finding){.kind = kind, .where = where, .text = buf_string(&text), .mended = mended});
    buf_clear(&text);
}

/* ---- what is printed ---- */

static void print_finding(struct buf *b, const struct doctor_finding *f)
{
    struct buf line = {0};
    buf_format(&line, "%s: %s", f->where, f->text);
    visible_add(b, line.data, line.length, false);
    buf_clear(&line);
    if (f->mended)
        buf_text(b, " (mended)");
    else if (f->note)
        buf_text(b, " (a note)");
    buf_text(b, "\n");
    if (f->mended)
        return;
    buf_format(&line, "    %s", f->todo ? f->todo : "`ax doctor --fix` mends it");
    visible_add(b, line.data, line.length, false);
    buf_char(b, '\n');
    buf_clear(&line);
}

static void print_end(struct buf *b, const struct doctor *d)
{
    if (d->more)
        buf_format(b, "and %zu more of these kinds\n", d->more);
    if (d->mended)
        buf_format(b, "%zu mended; ", d->mended);
    if (d->wrong)
        buf_format(b, "%zu to be looked at\n", d->wrong);
    else
        buf_text(b, d->mended ? "nothing else is wrong\n" : "nothing is wrong\n");
}

static void print_json(struct buf *b, const struct doctor_finding *f)
{
    struct value v = value_map();
    value_put(&v, "kind", value_text(f->kind));
    value_put(&v, "where", value_text(f->where));
    value_put(&v, "text", value_text(f->text));
    value_put(&v, "todo", f->mended ? (struct value){0} : value_text(f->todo ? f->todo : "ax doctor --fix"));
    value_put(&v, "fixable", value_bool(!f->todo));
    value_put(&v, "mended", value_bool(f->mended));
    value_put(&v, "note", value_bool(f->note));
    view_line(b, &v);
}

/* ---- the command ---- */

static void doctor_clear(struct doctor *d)
{
    for (size_t i = 0; i < d->count; i++) {
        free(d->items[i].kind);
        free(d->items[i].where);
        free(d->items[i].text);
        free(d->items[i].todo);
    }
    for (size_t i = 0; i < d->open_count; i++)
        run_clear(&d->open[i]);
    free(d->items);
    free(d->open);
    free(d->path);
    served_clear(&d->served);
    if (d->has_zones)
        zones_clear(&d->zones);
    folder_clear(&d->folder);
}

/* What was not to be opened before may be so once its modes are mended. */
static void doctor_look(struct doctor *d)
{
    struct error e = {0};
    size_t before = d->wrong;
    doctor_folder(d);
    if (folder_open(d->path, false, &d->folder, &e) < 0) {
        if (d->wrong == before)
            doctor_say(d, "folder", d->path, "see above: without it nothing can be looked at", "%s", e.text);
        d->folder.path = NULL;
        return;
    }
    if (doctor_database(d))
        doctor_system(d);
}

static int doctor_run(const struct command *self, int argc, char **argv)
{
    struct doctor_options o = {0};
    struct buf out = {0};
    int exit_code, first = command_options(self, OPTIONS_ANYWHERE, argc, argv, &o, &exit_code);
    if (first < 0)
        return exit_code;
    if (first < argc)
        return command_usage_error(self, "takes no arguments, but was given `%s`", argv[first]);
    struct doctor d = {.fix = o.fix,
        .now = clock_wall(),
        .path = folder_path(o.common.spool),
        .overdue = INSTANT_NONE,
        .seen = INSTANT_NONE,
        .served.since = INSTANT_NONE};
    if (!*d.path || (access(d.path, F_OK) != 0 && errno == ENOENT)) {
        struct error e;
        error_set(&e, ERROR_SPOOL, "there is no spool at %s yet: `ax add` or `ax run` makes it", d.path);
        doctor_clear(&d);
        return command_fail(self, &e);
    }
    doctor_look(&d);
    for (size_t i = 0; i < d.count; i++)
        o.json ? print_json(&out, &d.items[i]) : print_finding(&out, &d.items[i]);
    if (!o.json)
        print_end(&out, &d);
    exit_code = d.wrong ? ERROR_FAILED : 0;
    doctor_clear(&d);
    command_print(self, &out);
    buf_clear(&out);
    return exit_code;
}

const struct command command_doctor = {
    .name = "doctor",
    .summary = "look for everything that can be wrong",
    .usage = "[options]",
    .about = "Modes and owners, locks, the database and each record in it, files of runs,\n"
             "what jobs name and is not there, scheduler, disk, clock, zones, mailer: what is\n"
             "wrong, where, and what to do. Exit code 0: nothing; 1: something (after --fix:\n"
             "what is left). --fix mends only what is safe, also while a scheduler serves.",
    .options = doctor_options,
    .run = doctor_run,
};
