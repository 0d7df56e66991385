/* Crontabs of the system: single files, folders of them, folders of scripts, and the anacrontab. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/crontab_files.h"
#include "lib/base/mem.h"
#include "lib/text/utf8.h"
#include "lib/text/visible.h"
#include "spool/cronfolder.h"

#define PATH_OF_SYSTEM "/usr/local/sbin:/usr/local/bin:/sbin:/bin:/usr/sbin:/usr/bin" /* as Debian's /etc/crontab has it */

#define SAFE "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-+" /* bare to a shell */

/* Folders of scripts, and when Debian's /etc/crontab has them run. */
static const struct scripts {
    const char *name, *schedule;
} scripts[] = {
    {"cron.hourly", "17 * * * *"}, {"cron.daily", "25 6 * * *"}, {"cron.weekly", "47 6 * * 7"},
    {"cron.monthly", "52 6 1 * *"}, {"cron.yearly", "@yearly"},
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int named(struct error *e, const char *name)
{
    struct error whole;
    error_set(&whole, e->code, "%.*s: %s", UTF8_WORD(name), e->text);
    *e = whole;
    return -(int)e->code;
}

/* Jobs of a text that others can change would be theirs; looking at it harms nobody. */
static bool must_trust(const struct crontab_import *im)
{
    return !im->options->dry_run && !im->options->yaml;
}

/* The bytes that were looked at are those that count. */
static void take_checked(struct crontab_file *f, struct buf *text)
{
    buf_clear(&f->raw);
    f->raw = *text;
    *text = (struct buf){0};
}

/* ---- single files ---- */

static int read_input(struct crontab_import *im, struct error *e)
{
    struct crontab_file *f = crontab_files_add(im, mem_string("crontab:standard input"));
    if (!f)
        return 0;
    f->kind = CRONTAB_SYSTEM;
    f->name = mem_string("standard input");
    f->prefix = mem_string("crontab");
    return crontab_files_read(f, "/dev/stdin", e);
}

static int add_table(struct crontab_import *im, const char *name, struct error *e)
{
    char *path = realpath(name, NULL);
    struct crontab_file *f = crontab_files_add(im, mem_format("crontab:%s", path ? path : name));
    free(path);
    if (!f)
        return 0;
    struct buf text = {0};
    f->kind = CRONTAB_SYSTEM;
    f->name = mem_string(name);
    f->is_anacron = strcmp(base_name(name), "anacrontab") == 0;
    int code = crontab_files_read(f, name, e);
    if (code == 0 && must_trust(im))
        code = cronfolder_table(name, &text, e);
    if (code == 0 && must_trust(im))
        take_checked(f, &text);
    buf_clear(&text);
    f->prefix = crontab_prefix(name);
    return code < 0 ? named(e, name) : 0;
}

/* ---- folders ---- */

static int add_table_of(struct crontab_import *im, const char *folder, struct cronfolder_file *from, struct error *e)
{
    struct crontab_file *f = crontab_files_add(im, mem_format("crontab:%s/%s", folder, from->name));
    if (!f)
        return 0;
    f->kind = CRONTAB_SYSTEM;
    f->name = mem_string(from->path);
    f->skipped = mem_string(from->skipped);
    f->prefix = crontab_prefix(from->path);
    int code = f->skipped ? 0 : crontab_files_read(f, from->path, e);
    if (code == 0 && !f->skipped)
        take_checked(f, &from->text);
    return code;
}

static int add_tables(struct crontab_import *im, const char *name, struct error *e)
{
    struct cronfolder found = {0};
    char *folder = realpath(name, NULL);
    int code = cronfolder_read(name, CRONFOLDER_TABLES, &found, e);
    for (size_t i = 0; code == 0 && i < found.count; i++)
        code = add_table_of(im, folder ? folder : name, &found.files[i], e);
    if (code == 0 && folder)
        strvec_add(&im->folders, folder);
    free(folder);
    cronfolder_clear(&found);
    return code < 0 ? named(e, name) : 0;
}

/* As a shell and cron have to be given it. The line begins in another folder: the path is to be absolute. */
static void add_script(struct buf *text, const char *schedule, const char *folder, const char *name)
{
    struct buf word = {0};
    char *path = mem_format("%s/%s", strcmp(folder, "/") == 0 ? "" : folder, name);
    if (path[strspn(path, SAFE)])
        visible_shell_quote(&word, path);
    else
        buf_text(&word, path);
    buf_format(text, "%s root cd / && ", schedule);
    for (size_t i = 0; i < word.length; i++)
        buf_format(text, strchr("%\\", word.data[i]) ? "\\%c" : "%c", word.data[i]);
    buf_char(text, '\n');
    buf_clear(&word);
    free(path);
}

/* A folder of scripts is read as a crontab with a line for each. */
static int add_scripts(struct crontab_import *im, const char *name, const char *schedule, struct error *e)
{
    struct cronfolder found = {0};
    char *folder = realpath(name, NULL);
    int code = cronfolder_read(name, CRONFOLDER_SCRIPTS, &found, e);
    struct crontab_file *f = code == 0 ? crontab_files_add(im, mem_format("crontab:%s", folder ? folder : name)) : NULL;
    if (f) {
        f->kind = CRONTAB_SYSTEM;
        f->is_scripts = true;
        f->name = mem_string(name);
        f->prefix = mem_string(base_name(folder ? folder : name));
        buf_text(&f->raw, "PATH=" PATH_OF_SYSTEM "\n");
        strvec_add(&f->remarks, "run-parts starts the scripts one after another; as jobs all start at that time");
        strvec_add(&f->remarks, "a line in /etc/crontab or anacrontab that runs run-parts on the folder does the same: import the one or the other");
    }
    for (size_t i = 0; f && i < found.count; i++) {
        if (found.files[i].skipped)
            strvec_take(&f->remarks, mem_format("%s is skipped: %s", found.files[i].name, found.files[i].skipped));
        else
            add_script(&f->raw, schedule, folder ? folder : name, found.files[i].name);
    }
    free(folder);
    cronfolder_clear(&found);
    return code < 0 ? named(e, name) : 0;
}

static int add_path(struct crontab_import *im, const char *name, struct error *e)
{
    struct stat status;
    if (strcmp(name, "-") == 0)
        return read_input(im, e);
    if (stat(name, &status) < 0 || !S_ISDIR(status.st_mode))
        return add_table(im, name, e);
    char *trimmed = mem_string(name);
    for (size_t length = strlen(trimmed); length > 1 && trimmed[length - 1] == '/'; length--)
        trimmed[length - 1] = '\0';
    const char *schedule = NULL;
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
        if (strcmp(base_name(trimmed), scripts[i].name) == 0)
            schedule = scripts[i].schedule;
    int code = schedule ? add_scripts(im, trimmed, schedule, e) : add_tables(im, trimmed, e);
    free(trimmed);
    return code;
}

/* Without names: what cron itself reads. The scripts are run by lines of /etc/crontab, or, where there is anacron, of its table. */
static int add_usual(struct crontab_import *im, struct error *e)
{
    static const char *const usual[] = {"/etc/crontab", "/etc/cron.d", "/etc/anacrontab"};
    int code = 0;
    for (size_t i = 0; code == 0 && i < sizeof usual / sizeof *usual; i++) {
        bool anacron = strcmp(base_name(usual[i]), "anacrontab") == 0;
        if (access(usual[i], F_OK) == 0 && (!anacron || access("/usr/sbin/anacron", X_OK) == 0))
            code = add_path(im, usual[i], e);
    }
    if (code == 0 && !im->count)
        code = error_set(e, ERROR_USAGE, "there is no /etc/crontab and nothing in /etc/cron.d: name the crontab");
    return code;
}

int crontab_system_load(struct crontab_import *im, int count, char **names, struct error *e)
{
    int code = count ? 0 : add_usual(im, e);
    for (int i = 0; code == 0 && i < count; i++)
        code = add_path(im, names[i], e);
    return code;
}
