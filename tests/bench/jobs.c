/* jobs COUNT FIRST_NS GAP_NS [WORD...]: COUNT lines for `ax import ndjson`, the first due at FIRST_NS since 1970, each
 * further one GAP_NS later; FIRST_NS 0: due now. Each runs WORD..., with its due time in nanoseconds as last argument if it
 * has one; without WORDs it is a backup with a time limit and retries, which is never meant to run. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void write_due(int64_t due)
{
    struct tm utc;
    time_t seconds = due / 1000000000;
    gmtime_r(&seconds, &utc);
    char text[32];
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
    printf("\"at\":\"%s.%09dZ\"}\n", text, (int)(due % 1000000000));
}

static void write_command(int count, char **words, int64_t due)
{
    printf("{\"command\":[");
    for (int i = 0; i < count; i++)
        printf(i ? ",\"%s\"" : "\"%s\"", words[i]);
    if (due)
        printf(",\"%" PRId64 "\"", due);
    printf("],");
}

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    int64_t count = atoll(argv[1]), due = atoll(argv[2]), gap = atoll(argv[3]);
    for (int64_t n = 1; n <= count; n++, due += gap) {
        if (argc == 4)
            printf("{\"command\":[\"/usr/bin/rsync\",\"-a\",\"/srv/data/customer-%07" PRId64 "\",\"backup:/srv/copies\"],"
                   "\"timeout\":\"15m\",\"retries\":3,",
                n);
        else
            write_command(argc - 4, argv + 4, due);
        if (due)
            write_due(due);
        else
            printf("\"in\":\"0s\"}\n");
    }
    return 0;
}
