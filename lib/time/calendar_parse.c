/* Reads calendar expressions, as systemd 252 takes and refuses them: weekdays, a date, a time and a zone, of which the
 * last three may be missing or stand alone, but not the zone; or one of the words, with or without a zone. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/base/mem.h"
#include "lib/time/calendar_cursor.h"

static const struct word {
    const char *word, *means;
} words[] = {
    {"minutely", "*:*"}, {"hourly", "*:0"}, {"daily", "0:0"}, {"weekly", "Mon"}, {"monthly", "*-1"}, {"yearly", "1-1"},
    {"annually", "1-1"}, {"anually", "1-1"}, {"quarterly", "1,4,7,10-1"}, {"semiannually", "1,7-1"},
    {"semi-annually", "1,7-1"}, {"biannually", "1,7-1"}, {"bi-annually", "1,7-1"},
};

static const struct weekday {
    const char *name;
    int day; /* 0 is Monday */
} weekdays[] = {
    {"monday", 0}, {"mon", 0}, {"tuesday", 1}, {"tue", 1}, {"wednesday", 2}, {"wed", 2}, {"thursday", 3}, {"thu", 3},
    {"friday", 4}, {"fri", 4}, {"saturday", 5}, {"sat", 5}, {"sunday", 6}, {"sun", 6},
};

/* ---- weekdays ---- */

static const struct weekday *weekday_find(const char *p)
{
    for (size_t i = 0; i < sizeof weekdays / sizeof weekdays[0]; i++)
        if (!strncasecmp(p, weekdays[i].name, strlen(weekdays[i].name)))
            return &weekdays[i];
    return NULL;
}

static int refuse_weekday(struct cursor *in, const char *at, const char *problem)
{
    const char *end = at + strcspn(at, " ,");
    error_set(in->e, ERROR_USAGE, "weekday: %s", problem);
    return cursor_place(in, at, end < in->end ? end : in->end);
}

static bool is_blank_or_end(const struct cursor *in)
{
    return in->p == in->end || *in->p == ' ';
}

/* One name at p, moved over. */
static int read_weekday(struct cursor *in, int *day)
{
    const struct weekday *w = weekday_find(in->p);
    if (!w)
        return cursor_refuse(in, "weekday", "a name such as Mon or Friday");
    const char *after = in->p + strlen(w->name);
    if (after < in->end && !strchr("-., ", *after))
        return refuse_weekday(in, in->p, "write it as Mon or Monday, with a blank behind the last");
    *day = w->day;
    in->p = after;
    return 0;
}

/* `Mon`, `Mon..Fri`, also written `Mon-Fri`. */
static int read_weekdays_element(struct cursor *in)
{
    const char *at = in->p;
    int from = 0, to = 0;
    int code = read_weekday(in, &from);
    if (code)
        return code;
    to = from;
    if (in->p < in->end && (*in->p == '-' || (in->p[0] == '.' && in->p[1] == '.'))) {
        in->p += *in->p == '-' ? 1 : 2;
        if ((code = read_weekday(in, &to)))
            return code;
    }
    if (to < from)
        return refuse_weekday(in, at, "a range goes forward in a week that begins with Monday: write two ranges");
    for (int day = from; day <= to; day++)
        in->c->weekdays |= (uint8_t)(1 << day);
    return 0;
}

static int read_weekdays(struct cursor *in)
{
    if (!weekday_find(in->p)) {
        in->c->weekdays = CALENDAR_EVERY_WEEKDAY;
        return 0;
    }
    for (;;) {
        int code = read_weekdays_element(in);
        if (code)
            return code;
        if (in->p < in->end && *in->p == ',')
            in->p++;
        else if (!is_blank_or_end(in))
            return cursor_refuse(in, "weekday", "',' or a blank");
        if (is_blank_or_end(in))
            break;
    }
    return 0;
}

/* ---- dates and times ---- */

/* How many of these characters stand before the next blank. */
static int count_of(const struct cursor *in, const char *characters)
{
    int count = 0;
    for (const char *p = in->p; p < in->end && *p != ' '; p++)
        count += strchr(characters, *p) != NULL;
    return count;
}

static int refuse_separator(struct cursor *in, enum calendar_part part)
{
    static const char *const wanted[PARTS] = {"'-'", "'-' or '~'", "a blank", "':'", "':'", "the end"};
    bool is_end = part == PART_MINUTE && !count_of(in, ":");
    return cursor_refuse(in, calendar_part_name(part), is_end ? "the end" : wanted[part]);
}

/* Lists with separators between them, up to the blank. */
static int read_parts(struct cursor *in, enum calendar_part first, enum calendar_part last, const char *separators)
{
    for (enum calendar_part part = first; part <= last; part++) {
        int code = calendar_list_read(in, part);
        if (code)
            return code;
        bool more = in->p < in->end && strchr(separators, *in->p);
        if (part < last && !more)
            return refuse_separator(in, part);
        if (part < last)
            in->p++;
    }
    return is_blank_or_end(in) ? 0 : refuse_separator(in, last);
}

static int read_date(struct cursor *in)
{
    int separators = count_of(in, "-~");
    if (count_of(in, ":")) {
        error_set(in->e, ERROR_USAGE, "date: a blank is expected between date and time");
        return cursor_place(in, in->p, in->p + strcspn(in->p, " "));
    }
    if (separators > 2) {
        error_set(in->e, ERROR_USAGE, "date: it has three parts at most, year-month-day");
        return cursor_place(in, in->p, in->p + strcspn(in->p, " "));
    }
    const char *tilde = memchr(in->p, '~', (size_t)(in->end - in->p));
    const char *last = in->p + strcspn(in->p, "-~");
    if (separators == 2)
        last += 1 + strcspn(last + 1, "-~");
    if (tilde && tilde < last) {
        error_set(in->e, ERROR_USAGE, "date: '~' stands before the day, the last part");
        return cursor_place(in, tilde, tilde + 1);
    }
    in->c->from_end = *last == '~' && last[1] != '*';
    return read_parts(in, separators == 2 ? PART_YEAR : PART_MONTH, PART_DAY, "-~");
}

static int read_time(struct cursor *in)
{
    int colons = count_of(in, ":");
    if (!colons) {
        error_set(in->e, ERROR_USAGE, "'%.*s' is neither a date such as 12-24 nor a time such as 17:30",
            cursor_shown(in->p, in->end), in->p);
        return cursor_place(in, in->p, in->p + strcspn(in->p, " "));
    }
    if (colons > 2) {
        error_set(in->e, ERROR_USAGE, "time: it has three parts at most, hour:minute:second");
        return cursor_place(in, in->p, in->p + strcspn(in->p, " "));
    }
    int code = read_parts(in, PART_HOUR, colons == 2 ? PART_SECOND : PART_MINUTE, ":");
    if (code || in->p == in->end)
        return code;
    error_set(in->e, ERROR_USAGE, "time: only a zone may follow, with one blank before it");
    return cursor_place(in, in->p, in->end);
}

static void skip_blanks(struct cursor *in)
{
    while (in->p < in->end && *in->p == ' ')
        in->p++;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* `@1735689600`: that one second. */
static int read_epoch(struct cursor *in)
{
    static const int64_t year_2200 = INT64_C(7258118400);
    const char *at = in->p++;
    int64_t value = 0;
    skip_blanks(in);
    if (*in->p == '+')
        in->p++;
    if (!is_digit(*in->p))
        return cursor_refuse(in, "seconds since 1970", "a number");
    for (; is_digit(*in->p); in->p++)
        if (value < year_2200)
            value = value * 10 + (*in->p - '0');
    if (in->p < in->end)
        return cursor_refuse(in, "seconds since 1970", "the end");
    if (value >= year_2200) {
        error_set(in->e, ERROR_USAGE, "seconds since 1970: more than %lld, the last of 2199",
            (long long)year_2200 - 1);
        return cursor_place(in, at, in->p);
    }
    struct civil civil = civil_from_seconds(value);
    const int32_t values[PARTS] = {civil.year, civil.month, civil.day, civil.hour, civil.minute,
        civil.second * CALENDAR_MICRO};
    for (int part = 0; part < PARTS; part++)
        calendar_list_set(&in->c->lists[part], values[part]);
    in->c->epoch = true;
    return 0;
}

/* ---- the whole ---- */

/* A word behind the last blank that begins with a letter is a zone, unless it is one that belongs elsewhere. */
static int read_zone(struct cursor *in)
{
    const char *blank = memrchr(in->p, ' ', (size_t)(in->end - in->p));
    const char *name = blank ? blank + 1 : in->end;
    if (!((*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z')))
        return 0;
    const struct weekday *w = weekday_find(name);
    if (w && (!name[strlen(w->name)] || strchr(",.-", name[strlen(w->name)])))
        return refuse_weekday(in, name, "it stands once, at the beginning: lists are written Mon,Tue");
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (!strcasecmp(name, words[i].word)) {
            error_set(in->e, ERROR_USAGE, "'%s' stands alone, or with a zone behind it", words[i].word);
            return cursor_place(in, name, in->end);
        }
    in->c->zone = mem_string(strcasecmp(name, "UTC") ? name : "UTC");
    in->end = blank;
    return 0;
}

static int read_date_and_time(struct cursor *in)
{
    int code = 0;
    for (int part = PART_HOUR; part <= PART_SECOND; part++)
        calendar_list_set(&in->c->lists[part], 0);
    if (in->p < in->end && count_of(in, "-~"))
        code = read_date(in);
    if (!code)
        skip_blanks(in);
    return code || in->p == in->end ? code : read_time(in);
}

static int read_all(struct cursor *in)
{
    int code = read_weekdays(in);
    if (code)
        return code;
    skip_blanks(in);
    return in->p < in->end && *in->p == '@' ? read_epoch(in) : read_date_and_time(in);
}

/* Puts what a word means in its place. */
static void read_word(struct cursor *in)
{
    size_t length = (size_t)(in->end - in->p);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strlen(words[i].word) == length && !strncasecmp(in->p, words[i].word, length)) {
            in->p = words[i].means;
            in->end = in->p + strlen(in->p);
            return;
        }
}

/* A line end in a word would make two lines of the error that shows the word. */
static int refuse_begin(const struct cursor *in)
{
    for (const char *p = in->p; p < in->end; p++)
        if (((unsigned char)*p < ' ' && *p != '\t') || *p == 0x7f) {
            error_set(in->e, ERROR_USAGE, "a calendar expression is one line, without control characters");
            return cursor_place(in, p, p + 1);
        }
    if (in->p != in->end && *in->p != ' ')
        return 0;
    error_set(in->e, ERROR_USAGE, "%s",
        in->p == in->end ? "the calendar expression is empty" : "a calendar expression does not begin with a blank");
    return cursor_place(in, in->p, in->p);
}

int calendar_parse(const char *text, struct calendar **out, struct error *e)
{
    struct calendar *c = mem_zero(1, sizeof *c);
    struct cursor in = {.text = text, .p = text, .end = text + strlen(text), .c = c, .e = e};
    int code = refuse_begin(&in);
    if (!code)
        code = read_zone(&in);
    if (!code) {
        read_word(&in);
        code = read_all(&in);
    }
    if (code) {
        calendar_free(c);
        return code;
    }
    calendar_set_bits(c);
    *out = c;
    return 0;
}

void calendar_free(struct calendar *c)
{
    if (!c)
        return;
    for (int part = 0; part < PARTS; part++)
        free(c->lists[part].items);
    free(c->zone);
    free(c);
}

const char *calendar_zone(const struct calendar *c)
{
    return c->zone || !c->epoch ? c->zone : "UTC";
}
