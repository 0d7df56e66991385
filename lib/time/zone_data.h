/* What a zone is made of: shared by the files zone*.c and nobody else. All times are whole seconds since 1970 UTC. */
#ifndef AX_ZONE_DATA_H
#define AX_ZONE_DATA_H

#include "lib/time/zone.h"

enum { ZONE_OFFSET_MAX = 26 * 3600 }; /* RFC 9636: offsets lie between -25 and 26 hours; what is beyond is refused */

/* One day of the year in a POSIX TZ string, and the local time on it: -167 to 167 hours. */
enum rule_form {
    RULE_JULIAN, /* Jn: 29 February is not counted */
    RULE_DAY,    /* n, from 0 */
    RULE_MONTH,  /* Mm.w.d */
};
struct rule_day {
    enum rule_form form;
    int month, week, day;
    int32_t time;
};

/* A POSIX TZ string: what holds after the last transition of a file, or a zone of its own. */
struct zone_rule {
    struct zone_offset standard, summer;
    bool has_summer;
    struct rule_day start, end; /* of summer time; start in standard time, end in summer time */
};

struct zone {
    char *name;
    size_t count; /* transitions, strictly ascending */
    int64_t *times;
    unsigned char *kinds;      /* index into types: what holds from times[i] on */
    struct zone_offset *types; /* types[0] holds before the first transition */
    bool has_rule;
    struct zone_rule rule;
};

int zone_rule_parse(const char *text, struct zone_rule *out, struct error *e);
const struct zone_offset *zone_rule_at(const struct zone_rule *r, int64_t t);

/* The first change of offset later than t, or INT64_MAX. */
int64_t zone_rule_next(const struct zone_rule *r, int64_t t);

/* A zone that is a POSIX TZ string and nothing else. */
int zone_from_rule(const char *text, struct zone **out, struct error *e);

/* UTC, which needs no file. Returns 0. */
int zone_utc(struct zone **out);

/* The files that zone_load and zone_local read, whether they are there or not, for the caller to free. NULL: the name is
 * none of a zone; TZ names no file. */
char *zone_path(const char *name);
char *zone_local_path(const char *tz);

#endif
