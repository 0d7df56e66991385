#include "cmd/show_trail.h"

#include <pwd.h>

static bool trail_add(void *context, const struct audit *a)
{
    struct show_trail *t = context;
    struct value *m = value_push(&t->list, value_map());
    view_put_time(m, "at", a->at);
    value_put(m, "uid", value_int(a->uid));
    const struct passwd *user = getpwuid(a->uid);
    value_put(m, "user", value_text(user ? user->pw_name : NULL));
    value_put(m, "what", value_text(a->what));
    return true;
}

int show_trail(struct store *store, uint64_t number, struct show_trail *out, struct error *e)
{
    struct show_trail t = {.list = value_list()};
    int code = store_each_audit(store, number, trail_add, &t, e);
    if (code < 0)
        value_clear(&t.list);
    else
        *out = t;
    return code;
}

void show_trail_clear(struct show_trail *t)
{
    value_clear(&t->list);
}

void show_trail_line(struct buf *b, const struct view *v, const struct value *entry)
{
    uid_t uid = (uid_t)value_get(entry, "uid")->integer;
    const struct passwd *user = getpwuid(uid);
    view_time(b, v, value_get(entry, "at_ns")->integer);
    if (user)
        buf_format(b, ", %s: ", user->pw_name);
    else
        buf_format(b, ", uid %u: ", uid);
    buf_text(b, value_get(entry, "what")->text.data);
}
