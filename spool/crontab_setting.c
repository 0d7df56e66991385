/* Settings of a crontab: NAME=value, and what is in force where. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "spool/crontab_parts.h"

/* ---- reading ---- */

struct span {
    const char *at;
    size_t length;
};

static const char *skip_space(const char *at)
{
    while (crontab_space(*at))
        at++;
    return at;
}

/* Up to the closing quote. A name between quotes may hold blanks, but no =. Returns what follows, or NULL. */
static const char *read_quoted(const char *text, bool name, struct span *out)
{
    const char *end = strchr(text + 1, *text);
    if (!end || (name && memchr(text, '=', (size_t)(end - text))))
        return NULL;
    *out = (struct span){text + 1, (size_t)(end - text - 1)};
    return end + 1;
}

static bool is_quote(char c)
{
    return c == '\'' || c == '"';
}

static const char *read_name(const char *text, struct span *out)
{
    if (is_quote(*text))
        return read_quoted(text, true, out);
    const char *at = text;
    while (*at && *at != '=' && !crontab_space(*at))
        at++;
    *out = (struct span){text, (size_t)(at - text)};
    return at;
}

static bool read_value(const char *text, enum crontab_dialect dialect, struct span *out)
{
    if (is_quote(*text)) {
        const char *rest = read_quoted(text, false, out);
        return rest && !*skip_space(rest);
    }
    *out = (struct span){text, strlen(text)};
    while (out->length && crontab_space(text[out->length - 1]))
        out->length--;
    return out->length || dialect == CRONTAB_CRONIE;
}

bool crontab_setting_read(const char *text, enum crontab_dialect dialect, struct crontab_setting *out)
{
    struct span name, value;
    const char *at = read_name(text, &name);
    if (!at || *(at = skip_space(at)) != '=')
        return false;
    at = skip_space(at + 1);
    if (!read_value(at, dialect, &value))
        return false;
    char *pair = mem_alloc(name.length + value.length + 2);
    memcpy(pair, name.at, name.length);
    pair[name.length] = '=';
    memcpy(pair + name.length + 1, value.at, value.length);
    pair[name.length + 1 + value.length] = '\0';
    bool debian = dialect == CRONTAB_DEBIAN;
    *out = (struct crontab_setting){.text = pair,
        .name = name.length,
        .next = SIZE_MAX,
        .padded = debian && is_quote(*at) && value.length && crontab_space(value.at[value.length - 1]),
        .cut = debian && strlen(text) > CRONTAB_LIMIT};
    return true;
}

/* ---- in force ---- */

static bool same_name(const struct crontab_setting *s, const char *name, size_t length)
{
    return s->name == length && !memcmp(s->text, name, length);
}

static size_t *find_latest(const struct crontab *c, const struct crontab_force *f, const char *name, size_t length)
{
    for (size_t i = 0; i < f->count; i++)
        if (same_name(&c->settings[f->latest[i]], name, length))
            return &f->latest[i];
    return NULL;
}

const char *crontab_setting_take(struct crontab *c, struct crontab_force *f, struct crontab_setting *s)
{
    const char *refused = NULL;
    size_t length = strlen(s->text), *latest = find_latest(c, f, s->text, s->name);
    size_t before = latest ? strlen(c->settings[*latest].text) : 0;
    if (length > CRONTAB_ARGUMENT)
        refused = "setting too long: Linux takes at most 131071 bytes of name and value";
    else if (f->bytes - before + length > CRONTAB_ENVIRONMENT)
        refused = "too many settings: a command cannot be given more than 1 MiB of them";
    else if (!latest && f->count == CRONTAB_NAMES)
        refused = "too many settings: 1000 different names are the most";
    if (refused) {
        free(s->text);
        return refused;
    }
    MEM_GROW(c->settings, c->settings_capacity, c->settings_count + 1);
    size_t index = c->settings_count++;
    f->bytes += length - before;
    s->again = latest;
    c->settings[index] = *s;
    if (latest) {
        c->settings[*latest].next = index;
        *latest = index;
        return NULL;
    }
    MEM_GROW(f->latest, f->capacity, f->count + 1);
    f->latest[f->count++] = index;
    return NULL;
}

const char *crontab_setting_value(const struct crontab *c, const struct crontab_force *f, const char *name)
{
    const size_t *latest = find_latest(c, f, name, strlen(name));
    return latest ? c->settings[*latest].text + c->settings[*latest].name + 1 : NULL;
}

/* ---- the environment of a line ---- */

static const char *in_force(const struct crontab *c, size_t first, size_t settings)
{
    size_t i = first;
    while (c->settings[i].next < settings)
        i = c->settings[i].next;
    return c->settings[i].text;
}

static bool is_any(const struct crontab_setting *s, const char *const *names)
{
    for (; *names; names++)
        if (same_name(s, *names, strlen(*names)))
            return true;
    return false;
}

static void add_default(
    const struct crontab *c, size_t settings, const char *name, const char *standard, struct strvec *env)
{
    for (size_t i = 0; i < settings; i++)
        if (!c->settings[i].again && same_name(&c->settings[i], name, strlen(name))) {
            strvec_add(env, in_force(c, i, settings));
            return;
        }
    if (standard)
        strvec_take(env, mem_format("%s=%s", name, standard));
}

void crontab_env(const struct crontab *c, const struct crontab_line *l, struct strvec *env)
{
    static const char *const first[] = {"SHELL", "HOME", "PATH", NULL};
    static const char *const own[] = {"LOGNAME", NULL}, *const own_cronie[] = {"LOGNAME", "USER", NULL};
    const char *user = l->user ? l->user : c->user;
    const char *const *fixed = c->dialect == CRONTAB_CRONIE ? own_cronie : own;
    strvec_clear(env);
    add_default(c, l->settings, "SHELL", "/bin/sh", env);
    add_default(c, l->settings, "HOME", l->user ? l->home : c->home, env);
    add_default(c, l->settings, "PATH", "/usr/bin:/bin", env);
    for (size_t i = 0; i < l->settings; i++) {
        const struct crontab_setting *s = &c->settings[i];
        if (!s->again && !is_any(s, first) && !is_any(s, fixed))
            strvec_add(env, in_force(c, i, l->settings));
    }
    for (; user && *fixed; fixed++)
        strvec_take(env, mem_format("%s=%s", *fixed, user));
}
