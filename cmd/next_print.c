#include "cmd/next.h"

#include "cmd/view.h"
#include "lib/text/visible.h"

/* ---- for people ---- */

instant next_second(instant t)
{
    return t - ((t % SECOND) + SECOND) % SECOND;
}

/* `2027-03-28 03:00:00 +02:00  2027-03-28T01:00:00Z  in 1d 3h` */
static void print_times(struct buf *b, const struct next *n, instant t)
{
    instant_format_local(b, next_second(t), n->zone, false);
    buf_text(b, "  ");
    instant_format_utc(b, next_second(t));
    buf_text(b, "  ");
    duration_distance(b, instant_add(t, -n->from));
}

static void print_note(struct buf *b, enum occurrence_note note)
{
    if (note != OCCURRENCE_PLAIN)
        buf_format(b, "  %s", view_note(note));
}

/* ---- for machines ---- */

static struct value note_value(enum occurrence_note note)
{
    static const char *const words[] = {[OCCURRENCE_MOVED] = "moved", [OCCURRENCE_MERGED] = "merged", [OCCURRENCE_FIRST] = "first", [OCCURRENCE_AGAIN] = "repeated"};
    return value_text(note == OCCURRENCE_PLAIN ? NULL : words[note]);
}

static void put_times(struct value *m, const struct next *n, instant t, enum occurrence_note note)
{
    struct buf local = {0};
    instant_format_local(&local, t, n->zone, true);
    view_put_time(m, "due", t);
    value_put(m, "local", value_text(buf_string(&local)));
    value_put(m, "note", note_value(note));
    buf_clear(&local);
}

void next_put_job(struct value *m, const struct job *j)
{
    value_put(m, "job", value_int((int64_t)j->number));
    value_put(m, "name", value_text(j->name));
}

/* ---- lines ---- */

void next_print(struct buf *b, const struct next *n, const struct next_line *l)
{
    if (n->json) {
        struct value m = value_map();
        if (l->job)
            next_put_job(&m, l->job);
        put_times(&m, n, l->at, l->note);
        view_line(b, &m);
        return;
    }
    print_times(b, n, l->at);
    print_note(b, l->note);
    buf_char(b, '\n');
}

void next_print_start(struct buf *b, const struct next *n, const struct next_start *s, const struct job *j)
{
    if (n->json) {
        struct value m = value_map();
        next_put_job(&m, j);
        put_times(&m, n, s->due, s->note);
        view_put_time(&m, "start", s->start);
        view_line(b, &m);
        return;
    }
    struct buf line = {0};
    print_times(&line, n, s->start);
    buf_format(&line, "  job %llu", (unsigned long long)j->number);
    if (j->name)
        buf_format(&line, " %s", j->name);
    buf_text(&line, s->retry ? ", tried again: " : ": ");
    view_words(&line, j);
    print_note(&line, s->note);
    visible_add(b, line.data, line.length, false);
    buf_char(b, '\n');
    buf_clear(&line);
}
