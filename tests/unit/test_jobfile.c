/* Job files: what jobs they become, and what is said of wrong ones; the places of errors; the files and folders that are not trusted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/text/json.h"
#include "spool/fields.h"
#include "spool/jobfile.h"

#define NOW (INT64_C(1767225600) * SECOND) /* 2026-01-01T00:00:00Z */
#define V "version: 1\n"

static struct zone *utc;
static char scratch[64];

static int setup(void **state)
{
    (void)state;
    strcpy(scratch, "/tmp/ax-test-jobfile-XXXXXX");
    return mkdtemp(scratch) && zone_load("UTC", &utc, NULL) == 0 ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    zone_free(utc);
    return rmdir(scratch);
}

/* ---- reading a text ---- */

struct got {
    struct jobfiles files;
    struct errors errors;
    int code;
};

static struct jobfile_rules rules_of(const struct strvec *params)
{
    return (struct jobfile_rules){.zone = utc, .now = NOW, .params = params};
}

static void got_clear(struct got *g)
{
    jobfiles_clear(&g->files);
    errors_clear(&g->errors);
}

static struct got read_params(const char *text, const struct strvec *params)
{
    struct got g = {0};
    struct jobfile_rules rules = rules_of(params);
    g.code = jobfile_read("ax.yaml", "/srv/web/ax.yaml", text, strlen(text), &rules, &g.files, &g.errors);
    if (jobfiles_check(&g.files, &g.errors) < 0)
        g.code = -ERROR_USAGE;
    errors_sort(&g.errors);
    return g;
}

static struct got read_text(const char *text)
{
    return read_params(text, NULL);
}

/* Each job as one line of JSON, without cwd where that is the folder of the file. */
static char *jobs_text(const struct jobfiles *files)
{
    struct buf b = {0};
    for (size_t i = 0; i < files->count; i++)
        for (size_t k = 0; k < files->items[i].job_count; k++) {
            struct job *j = &files->items[i].jobs[k].job;
            if (j->cwd && strcmp(j->cwd, "/srv/web") == 0) {
                free(j->cwd);
                j->cwd = NULL;
            }
            struct value v = fields_write(j, FIELD_PRINT);
            json_write(&b, &v, NULL);
            buf_char(&b, '\n');
            value_clear(&v);
        }
    return buf_take(&b);
}

static char *errors_text(const struct errors *errors)
{
    struct buf b = {0};
    for (size_t i = 0; i < errors->count; i++)
        errors_format(&errors->items[i], &b);
    return buf_take(&b);
}

static void same(const char *what, const char *in, const char *got, const char *wanted)
{
    if (strcmp(got, wanted) != 0)
        fail_msg("%s of\n%s\nare\n%s\ninstead of\n%s", what, in, got, wanted);
}

/* ---- what is taken ---- */

/* The fields of one job, and what comes out. */
static void test_job(void **state)
{
    static const struct { const char *in, *out; } rows[] = {
        {"command: make", "{\"command\":\"make\",\"name\":\"j\"}"},
        {"command: [make, -j, 4]", "{\"command\":[\"make\",\"-j\",\"4\"],\"name\":\"j\"}"},
        {"command: |\n      a\n      b", "{\"command\":\"a\\nb\\n\",\"name\":\"j\"}"},
        {"command: [echo, true, no, 010, 1.0, 22:30]", "{\"command\":[\"echo\",\"true\",\"no\",\"010\",\"1.0\",\"22:30\"],\"name\":\"j\"}"},
        {"command: x\n    shell: [bash, -euo, pipefail, -c]", "{\"command\":\"x\",\"shell\":[\"bash\",\"-euo\",\"pipefail\",\"-c\"],\"name\":\"j\"}"},
        {"command: x\n    shell: bash", "{\"command\":\"x\",\"shell\":[\"bash\",\"-c\"],\"name\":\"j\"}"},
        {"command: x\n    env: {FLAG: on, COUNTRY: no, N: 010, T: 22:30, R: 1.0, B: true}",
         "{\"command\":\"x\",\"name\":\"j\",\"env\":{\"FLAG\":\"on\",\"COUNTRY\":\"no\",\"N\":\"010\",\"T\":\"22:30\",\"R\":\"1.0\",\"B\":\"true\"}}"},
        {"command: x\n    tags: [no, 1, v1.0]", "{\"command\":\"x\",\"name\":\"j\",\"tags\":[\"no\",\"1\",\"v1.0\"]}"},
        {"command: x\n    cron: \"*/5 * * * *\"", "{\"command\":\"x\",\"name\":\"j\",\"cron\":\"*/5 * * * *\"}"},
        {"command: x\n    cron: 0 3 * * *", "{\"command\":\"x\",\"name\":\"j\",\"cron\":\"0 3 * * *\"}"},
        {"command: x\n    cron: [0 3 * * *, \"@daily\"]", "{\"command\":\"x\",\"name\":\"j\",\"cron\":[\"0 3 * * *\",\"@daily\"]}"},
        {"command: x\n    calendar: Mon..Fri 09:00", "{\"command\":\"x\",\"name\":\"j\",\"calendar\":\"Mon..Fri 09:00\"}"},
        {"command: x\n    every: 10m\n    every_from: end", "{\"command\":\"x\",\"name\":\"j\",\"every\":\"10m\",\"every_from\":\"end\"}"},
        {"command: x\n    at: 2026-03-01T12:00", "{\"command\":\"x\",\"name\":\"j\",\"at\":\"2026-03-01T12:00:00Z\"}"},
        {"command: x\n    at: 2026-03-01", "{\"command\":\"x\",\"name\":\"j\",\"at\":\"2026-03-01T00:00:00Z\"}"},
        {"command: x\n    at: \"@1772366400\"", "{\"command\":\"x\",\"name\":\"j\",\"at\":\"2026-03-01T12:00:00Z\"}"},
        {"command: x\n    at: 12:00 2026-03-01", "{\"command\":\"x\",\"name\":\"j\",\"at\":\"2026-03-01T12:00:00Z\"}"},
        {"at: 2026-03-01T12:00\n    timezone: Europe/Berlin\n    command: x",
         "{\"command\":\"x\",\"name\":\"j\",\"at\":\"2026-03-01T11:00:00Z\",\"timezone\":\"Europe/Berlin\"}"},
        {"command: x\n    boot: machine", "{\"command\":\"x\",\"name\":\"j\",\"boot\":\"machine\"}"},
        {"command: x\n    boot: none\n    every: 5m", "{\"command\":\"x\",\"name\":\"j\",\"every\":\"5m\"}"},
        {"command: x\n    cron: ~\n    every: 5m", "{\"command\":\"x\",\"name\":\"j\",\"every\":\"5m\"}"},
        {"command: x\n    cron: \"@reboot\"", "{\"command\":\"x\",\"name\":\"j\",\"boot\":\"machine\"}"},
        {"command: x\n    retries: 3\n    retry_jitter: 20%\n    retry_delay: [1s, 5s]",
         "{\"command\":\"x\",\"name\":\"j\",\"retries\":3,\"retry_delay\":[\"1s\",\"5s\"],\"retry_jitter\":20}"},
        {"command: x\n    success_exit: [0, 3]\n    no_retry_exit: 64-78", NULL},
        {"command: x\n    umask: 027\n    nice: -5\n    output_max: 64k\n    priority: -1",
         "{\"command\":\"x\",\"name\":\"j\",\"priority\":-1,\"umask\":\"027\",\"nice\":-5,\"output_max\":65536}"},
        {"command: x\n    timeout: none\n    kill_after: 5s", "{\"command\":\"x\",\"name\":\"j\",\"kill_after\":\"5s\"}"},
        {"command: x\n    rlimits: {nofile: 1024, core: 0}", "{\"command\":\"x\",\"name\":\"j\",\"rlimits\":{\"nofile\":\"1024\",\"core\":\"0\"}}"},
        {"command: x\n    cwd: sub\n    env_file: .env", "{\"command\":\"x\",\"name\":\"j\",\"cwd\":\"/srv/web/sub\",\"env_file\":\"/srv/web/.env\"}"},
        {"command: x\n    cwd: ./sub/\n    env_file: .//.env", "{\"command\":\"x\",\"name\":\"j\",\"cwd\":\"/srv/web/sub/\",\"env_file\":\"/srv/web/.env\"}"},
        {"command: x\n    cwd: .", "{\"command\":\"x\",\"name\":\"j\"}"},
        {"command: x\n    cwd: /data", "{\"command\":\"x\",\"name\":\"j\",\"cwd\":\"/data\"}"},
        {"command: x\n    description: \"a: b\"\n    stdin: \"1\\n\"", "{\"command\":\"x\",\"stdin\":\"1\\n\",\"name\":\"j\",\"description\":\"a: b\"}"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text = mem_format(V "jobs:\n  j:\n    %s\n", rows[i].in);
        struct got g = read_text(text);
        char *said = errors_text(&g.errors), *jobs = jobs_text(&g.files);
        same("errors", text, said, "");
        assert_int_equal(g.code, 0);
        if (rows[i].out) {
            jobs[strlen(jobs) - 1] = '\0';
            same("jobs", text, jobs, rows[i].out);
        }
        free(said);
        free(jobs);
        free(text);
        got_clear(&g);
    }
}

/* Whole files. */
static void test_files(void **state)
{
    static const struct { const char *in, *out; } rows[] = {
        {V "jobs: {}\n", ""},
        {V "jobs:\n", ""},
        {"\xef\xbb\xbf" V "jobs: {a: {command: x}}\n", "{\"command\":\"x\",\"name\":\"a\"}\n"},
        {V "jobs:\n  no: {command: x}\n  yes: {command: y}\n", "{\"command\":\"x\",\"name\":\"no\"}\n{\"command\":\"y\",\"name\":\"yes\"}\n"},
        {V "jobs: {a: {command: x}}\n---\n" V "jobs: {b: {command: y}}\n---\n# nothing\n", "{\"command\":\"x\",\"name\":\"a\"}\n{\"command\":\"y\",\"name\":\"b\"}\n"},
        {V "defaults:\n  timeout: 1h\n  env: {A: 1, B: 2}\njobs:\n  a: {command: x, timeout: 5m, env: {B: 3, C: 4}}\n  b: {command: y, timeout: null, env: ~}\n  c: {command: z}\n",
         "{\"command\":\"x\",\"name\":\"a\",\"timeout\":\"5m\",\"env\":{\"A\":\"1\",\"B\":\"3\",\"C\":\"4\"}}\n"
         "{\"command\":\"y\",\"name\":\"b\"}\n"
         "{\"command\":\"z\",\"name\":\"c\",\"timeout\":\"1h\",\"env\":{\"A\":\"1\",\"B\":\"2\"}}\n"},
        {V "defaults: {cron: 0 3 * * *, jitter: 5m, every_from: end, tags: [t]}\njobs:\n  a: {command: x}\n  b: {command: y, every: 5m}\n  c: {command: z, cron: null}\n  d: {command: u, boot: none}\n",
         "{\"command\":\"x\",\"name\":\"a\",\"tags\":[\"t\"],\"cron\":\"0 3 * * *\",\"jitter\":\"5m\"}\n"
         "{\"command\":\"y\",\"name\":\"b\",\"tags\":[\"t\"],\"every\":\"5m\",\"every_from\":\"end\",\"jitter\":\"5m\"}\n"
         "{\"command\":\"z\",\"name\":\"c\",\"tags\":[\"t\"]}\n"
         "{\"command\":\"u\",\"name\":\"d\",\"tags\":[\"t\"]}\n"},
        {V "defaults: {timezone: Europe/Berlin}\njobs: {a: {command: x, at: 2026-03-01T12:00}, b: {command: x, at: 2026-03-01T12:00, timezone: local}}\n",
         "{\"command\":\"x\",\"name\":\"a\",\"at\":\"2026-03-01T11:00:00Z\",\"timezone\":\"Europe/Berlin\"}\n{\"command\":\"x\",\"name\":\"b\",\"at\":\"2026-03-01T12:00:00Z\"}\n"},
        {V "x-env: &e {A: 1}\njobs:\n  a: {command: x, env: *e}\n  b: {command: x, env: *e}\n",
         "{\"command\":\"x\",\"name\":\"a\",\"env\":{\"A\":\"1\"}}\n{\"command\":\"x\",\"name\":\"b\",\"env\":{\"A\":\"1\"}}\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct got g = read_text(rows[i].in);
        char *said = errors_text(&g.errors), *jobs = jobs_text(&g.files);
        same("errors", rows[i].in, said, "");
        same("jobs", rows[i].in, jobs, rows[i].out);
        free(said);
        free(jobs);
        got_clear(&g);
    }
}

static void test_owner(void **state)
{
    (void)state;
    struct got g = read_text(V "source: web\nqueues: {disks: 2, net: {limit: 5}, free: 0}\njobs:\n  a: {command: x}\n---\n" V "jobs: {b: {command: y}}\n");
    assert_int_equal(g.code, 0);
    assert_int_equal(g.files.count, 2);
    const struct jobfile *f = &g.files.items[0];
    assert_string_equal(f->source, "web");
    assert_string_equal(f->file, "ax.yaml");
    assert_string_equal(f->path, "/srv/web/ax.yaml");
    assert_int_equal(f->queue_count, 3);
    assert_string_equal(f->queues[1].name, "net");
    assert_int_equal(f->queues[1].limit, 5);
    assert_int_equal(f->queues[2].limit, 0);
    assert_string_equal(f->jobs[0].job.source, "web");
    assert_string_equal(f->jobs[0].job.file, "/srv/web/ax.yaml");
    assert_string_equal(f->jobs[0].job.cwd, "/srv/web");
    assert_int_equal(f->jobs[0].line, 5);
    assert_int_equal(f->jobs[0].column, 3);
    assert_string_equal(g.files.items[1].source, "/srv/web/ax.yaml");
    got_clear(&g);

    struct jobfile_rules rules = rules_of(NULL);
    const char *text = V "source: web\njobs: {a: {command: x}, b: {command: x, cwd: sub}}\n";
    rules.source = "label";
    rules.directory = "/data";
    g = (struct got){0};
    assert_int_equal(jobfile_read("f", "/srv/web/f", text, strlen(text), &rules, &g.files, &g.errors), 0);
    assert_string_equal(g.files.items[0].jobs[0].job.source, "label");
    assert_string_equal(g.files.items[0].jobs[0].job.cwd, "/data");
    assert_string_equal(g.files.items[0].jobs[1].job.cwd, "/srv/web/sub");
    got_clear(&g);
}

/* ---- what is refused ---- */

/* The fields of a job; the errors by place and text, each without its line of source. */
static void test_refused(void **state)
{
    static const struct { const char *in, *says; } rows[] = {
        {V "jobs:\n  a:\n    command: x\n    timout: 30\n", "5:5: there is no field 'timout': did you mean `timeout`?"},
        {V "jobs:\n  a:\n    command: x\n    retryDelay: 30s\n", "5:5: there is no field 'retryDelay': did you mean `retry_delay`?"},
        {V "jobs:\n  a:\n    run: x\n    schedule: \"0 3 * * *\"\n",
         "4:5: there is no field 'run': did you mean `command`?|5:5: there is no field 'schedule': did you mean `cron`, `every`, `at` or `calendar`?"},
        {V "jobs:\n  a:\n    command: x\n    zzz: 1\n", "5:5: there is no field 'zzz'"},
        {V "jobs:\n  a:\n    command: x\n    timeout: 90\n", "5:14: timeout: 90 has no unit"},
        {V "jobs:\n  a:\n    command: x\n    retries: \"3\"\n", "5:14: retries: wants a whole number, not a text|hint: a number is written without quotes"},
        {V "jobs:\n  a:\n    command: x\n    retries: many\n", "5:14: retries: 'many' is not a whole number"},
        {V "jobs:\n  a:\n    command: x\n    retries: 010\n", "5:14: retries: '010' begins with 0"},
        {V "jobs:\n  a:\n    command: x\n    retries: -1\n    weight: 99999\n", "5:14: retries: must be from 0 to 1000000|6:13: weight: must be from 0 to 10000"},
        {V "jobs:\n  a:\n    command: x\n    nice: 1.5\n", "5:11: nice: '1.5' is not a whole number"},
        {V "jobs:\n  a:\n    command: x\n    success_exit: [0, 300]\n", "5:23: success_exit: '300': exit codes are from 0 to 255"},
        {V "jobs:\n  a:\n    command: x\n    cron: \"0 61 * * *\"\n", "5:14: cron: hour: 61 is above 23"},
        {V "jobs:\n  a:\n    command: x\n    cron: 0 61 * * *\n", "5:13: cron: hour: 61 is above 23"},
        {V "jobs:\n  a:\n    command: x\n    cron:\n      - 0 3 * * *\n      - 0 61 * * *\n", "7:11: cron: hour: 61 is above 23"},
        {V "jobs:\n  a:\n    command: x\n    env: {A: [1]}\n", "5:14: env: A: wants a text, not a list"},
        {V "jobs:\n  a:\n    command: x\n    env: {A: }\n", "env: A: wants a text, not null|hint: an empty text is written as \"\""},
        {V "jobs:\n  a:\n    command: x\n    env: [A=1]\n", "5:10: env: wants a map|hint: write `NAME: value` lines"},
        {V "jobs:\n  a:\n    command: x\n    boot: yes\n", "5:11: boot: must be one of none, machine, scheduler|hint: did you mean `boot: machine`?"},
        {V "jobs:\n  a:\n    command: x\n    overlap: on\n", "5:14: overlap: must be one of skip, queue, replace, allow"},
        {V "jobs:\n  a:\n    command: x\n    every: 5m\n    cron: 0 3 * * *\n", "6:5: a job has one schedule: `every` stands in line 5, and `cron` in line 6"},
        {V "jobs:\n  a:\n    command: x\n    cron: \"@reboot\"\n    boot: machine\n", "6:5: a job has one schedule: `cron` stands in line 5, and `boot` in line 6"},
        {V "jobs:\n  a:\n    command: x\n    in: 20m\n", "5:5: `in` counts from the moment a job is added|hint: `at` says a time"},
        {V "jobs:\n  a:\n    command: x\n    at: 17:30\n", "5:9: at: '17:30' is another time each time the file is applied|hint: write the date and the time, such as 2026-01-01T17:30:00"},
        {V "jobs:\n  a:\n    command: x\n    at: now + 3 days\n", "5:9: at: 'now + 3 days' is another time|hint: write the date and the time, such as 2026-01-04T"},
        {V "jobs:\n  a:\n    command: x\n    at: Dec 24\n", "5:9: at: 'Dec 24' is another time"},
        {V "jobs:\n  a:\n    command: x\n    at: 2026-02-30\n", "5:17: at: day: 30 is not in 01-28"},
        {V "jobs:\n  a:\n    command: x\n    name: b\n", "5:5: a job's name is the key in front of its fields"},
        {V "jobs:\n  a:\n    command: x\n    cwd: ~/app\n    env_file: $HOME/env\n", "5:10: cwd: '~/app': ~ and variables are not expanded|6:15: env_file: '$HOME/env'"},
        {V "jobs:\n  a:\n    command: x\n    timezone: Europe/Berln\n", "5:15: timezone: "},
        {V "jobs:\n  a:\n    every: 5m\n  b:\n  c: {command: }\n", "3:3: the job 'a' has no command|5:3: the job 'b' has no command|6:3: the job 'c' has no command"},
        {V "jobs:\n  a: make\n", "3:6: a job is a map of fields, not a text|hint: write `command: ...`"},
        {V "jobs:\n  12: {command: x}\n  -a: {command: x}\n", "3:3: '12' would be taken for a job's number|4:3: name: '-a' begins with '-'"},
        {V "jobs:\n  a:\n    command: x\n    every_from: end\n", "5:17: every_from: goes only with `every`"},
        {V "jobs:\n  a: {command: x}\n---\n" V "jobs:\n  a: {command: x}\n", "7:3: the name 'a' stands twice: in line 3 and in line 7"},
        {V "defaults:\n  timeout: 90\n  in: 5m\n  name: x\n  cron: 0 3 * * *\n  every: 5m\njobs: {a: {command: x}, b: {command: y}}\n",
         "3:12: timeout: 90 has no unit|4:3: `in` counts|5:3: a job's name|7:3: a job has one schedule: `cron` stands in line 6"},
        {V "x-e: &e {A: [1]}\njobs: {a: {command: x, env: *e}, b: {command: x, env: *e}}\n", "2:13: env: A: wants a text"},
        {"jobs: {a: {command: x}}\n", "1:1: the version of the format is missing: begin with a line `version: 1`"},
        {"version: 2\nthings: {}\n", "1:10: version 2 of the format is not known here: this ax reads version 1"},
        {"version: \"1\"\njobs: {}\n", "1:10: version: a whole number without quotes is expected"},
        {"version: one\njobs: {}\n", "1:10: version: a whole number"},
        {"[1]\n", "1:1: a job file is a map that begins with `version: 1`, not a list"},
        {"", "the file is empty: a job file begins with a line `version: 1`"},
        {"---\n# nothing\n", "the file is empty"},
        {V "jbos: {}\ncrontab: {}\ntimeout: 5m\nqueue: {}\njobs: {}\n",
         "2:1: there is no key 'jbos' at the top of a file: did you mean `jobs`?|3:1: there is no key 'crontab' at the top of a file: did you mean `jobs`?"
         "|4:1: there is no key 'timeout' at the top of a file: `timeout` belongs to a job, or for all jobs under `defaults:`|5:1: there is no key 'queue'"},
        {V "source: ''\njobs: {}\n", "2:9: source: is empty"},
        {V "queues: {a: -1, b: x, c: \"2\", d: {max: 2}, 12: 1, e: {}}\njobs: {}\n",
         "2:13: a: must be from 0 to 1000000|2:20: b: a whole number|2:26: c: a whole number|2:35: a queue has no field 'max': did you mean `limit`?"
         "|2:44: the name of a queue '12' would be|2:51: the limit is missing"},
        {V "queues: {a: 1}\njobs: {}\n---\n" V "queues: {a: 2}\njobs: {}\n", "6:10: the queue 'a' has the limit 2 here, and 1 in ax.yaml, line 2"},
        {V "queues: [a]\njobs: x\n", "2:9: queues is a map|3:7: jobs is a map from names to fields, not a text"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct got g = read_text(rows[i].in);
        char *said = errors_text(&g.errors), *says = mem_string(rows[i].says), *rest = says, *one;
        size_t places = 0;
        assert_int_equal(g.code, -ERROR_USAGE);
        while ((one = strsep(&rest, "|"))) {
            if (!strstr(said, one))
                fail_msg("%s\nsays\n%s\nwithout\n%s", rows[i].in, said, one);
            places += one[0] >= '0' && one[0] <= '9';
        }
        if (g.errors.count != (places ? places : 1))
            fail_msg("%s\nhas %zu errors instead of %zu:\n%s", rows[i].in, g.errors.count, places, said);
        free(says);
        free(said);
        got_clear(&g);
    }
}

/* The whole of what is shown. */
static void test_shown(void **state)
{
    (void)state;
    struct got g = read_text(V "jobs:\n  a:\n    command: x\n    cron: \"0 61 * * *\"   # at night\n");
    char *said = errors_text(&g.errors);
    assert_string_equal(said,
        "ax.yaml:5:14: cron: hour: 61 is above 23\n"
        "        cron: \"0 61 * * *\"   # at night\n"
        "                 ^~\n");
    free(said);
    got_clear(&g);
}

/* ---- warnings ---- */

static void test_warnings(void **state)
{
    static const struct { const char *in, *says; } rows[] = {
        {V "jobs:\n  a:\n    command: echo a # b\n", "4:21: warning: the command ends here"},
        {V "jobs:\n  a:\n    command: \"echo a #b\"\n", NULL},
        {V "jobs:\n  a: {command: x, at: 2025-12-31}\n", "3:23: warning: at: 2025-12-31 00:00:00 +00:00 is past: there will be no such job"},
        {V "jobs:\n  a:\n    command: x\n    at: \"@0\" # 2025\n", "5:9: warning: at: 1970-01-01 00:00:00 +00:00 is past"},
        {V "jobs:\n  a:\n    command: x\n    at: 1930-01-01 # 2025\n", "5:9: warning: at: 1930-01-01 00:00:00 +00:00 is past"},
        {V "jobs:\n  a:\n    command: x\n    at: 10:00 2024-12-31 # 2025\n", "5:9: warning: at: 2024-12-31 10:00:00 +00:00 is past"},
        {V "defaults: {env: {PATH: \"/opt:$PATH\"}}\njobs:\n  a: {command: x}\n  b: {command: x}\n", "2:24: warning: env: PATH: variables are not expanded here: $PATH stays"},
        {V "jobs:\n  a: {command: x, env: {A: \"pa$$word\", D: $HOMER, E: \"${X}\"}}\n", NULL},
        {V "jobs:\n  a:\n    command: x\n    cwd: /srv/${STAGE}/x\n    env_file: /etc/${}\n", "5:10: warning: cwd: ${STAGE} stays as it is: there is no such parameter"},
        {V "params: {STAGE: live}\njobs:\n  a:\n    command: x\n    cwd: /srv/${STAGE}/x\n", NULL},
        {V "jobs:\n  a:\n    command: x\n    env:\n      D: ${HOME}/x\n", "6:10: warning: env: D: variables are not expanded here: $HOME stays"},
        {V "jobs:\n  a:\n    command: x\n    env:\n      FOO: x$FOO\n", "6:12: warning: env: FOO: variables"},
        {V "source: x\n", "1:1: warning: there are no jobs in it"},
        {V "queues: {a: 1}\n", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct got g = read_text(rows[i].in);
        char *said = errors_text(&g.errors);
        assert_int_equal(g.code, 0);
        assert_int_equal(g.errors.count, g.errors.warnings);
        if (rows[i].says ? g.errors.count != 1 || !strstr(said, rows[i].says) : g.errors.count)
            fail_msg("%s\nsays\n%s\nnot\n%s", rows[i].in, said, rows[i].says ? rows[i].says : "nothing");
        if (g.files.items[0].job_count)
            assert_int_equal(g.files.items[0].jobs[0].past, strstr(rows[i].in, "2025") != NULL);
        free(said);
        got_clear(&g);
    }
}

/* In which folder of the file jobs without cwd make a warning. */
static void test_temporary(void **state)
{
    static const struct { const char *path; const char *tmpdir; bool warns; } rows[] = {
        {"/tmp/ax.yaml", NULL, true}, {"/tmp/a/b/ax.yaml", NULL, true}, {"/var/tmp/ax.yaml", NULL, true}, {"/tmpx/ax.yaml", NULL, false}, {"/srv/tmp/ax.yaml", NULL, false},
        {"/scratch/me/ax.yaml", "/scratch/", true}, {"/scratchy/ax.yaml", "/scratch", false}, {"/srv/ax.yaml", "/", false}, {"/ax.yaml", "", false},
    };
    static const char *const texts[] = {V "jobs: {a: {command: x}, b: {command: y}}\n", V "jobs: {a: {command: x, cwd: /}}\n", V "defaults: {cwd: /}\njobs: {a: {command: x}}\n"};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
            struct got g = {0};
            struct jobfile_rules rules = rules_of(NULL);
            if (rows[i].tmpdir)
                setenv("TMPDIR", rows[i].tmpdir, 1);
            assert_int_equal(jobfile_read("f", rows[i].path, texts[k], strlen(texts[k]), &rules, &g.files, &g.errors), 0);
            unsetenv("TMPDIR");
            if (g.errors.warnings != (rows[i].warns && k == 0))
                fail_msg("%s: %zu warnings", rows[i].path, g.errors.warnings);
            got_clear(&g);
        }
}

/* ---- parameters ---- */

static void test_params(void **state)
{
    static const struct { const char *in, *set[3], *out, *says; } rows[] = {
        {"params: {HOST: db}\njobs: {a: {command: \"dump ${HOST} ${HOME} $HOST\"}}\n", {NULL}, "{\"command\":\"dump db ${HOME} $HOST\",\"name\":\"a\"}\n", NULL},
        {"params: {HOST: db}\njobs: {a: {command: \"dump ${HOST}\"}}\n", {"HOST=web"}, "{\"command\":\"dump web\",\"name\":\"a\"}\n", NULL},
        {"params: {HOST: db}\njobs: {a: {command: \"dump ${HOST}\"}}\n", {"HOST=web", "HOST=x=y"}, "{\"command\":\"dump x=y\",\"name\":\"a\"}\n", NULL},
        {"params: {HOST: }\njobs: {a: {command: [\"${HOST}\", \"a${HOST}${HOST}\"]}}\n", {"HOST=h"}, "{\"command\":[\"h\",\"ahh\"],\"name\":\"a\"}\n", NULL},
        {"params: {HOST: db}\njobs: {a: {command: \"$${HOST} $$${HOST} $${HOME} $$\"}}\n", {NULL}, "{\"command\":\"${HOST} $${HOST} $${HOME} $$\",\"name\":\"a\"}\n", NULL},
        {"params: {A: '${B}', B: b}\njobs: {a: {command: \"${A} ${B}\"}}\n", {NULL}, "{\"command\":\"${B} b\",\"name\":\"a\"}\n", NULL},
        {"params: {N: 3, T: 5m}\ndefaults: {env: {X: \"${T}\"}}\njobs:\n  a:\n    command: x\n    retries: ${N}\n    timeout: ${T}\n", {NULL},
         "{\"command\":\"x\",\"name\":\"a\",\"timeout\":\"5m\",\"retries\":3,\"env\":{\"X\":\"5m\"}}\n", NULL},
        {"params: {E: ''}\njobs: {a: {command: \"x${E}\"}}\n", {NULL}, "{\"command\":\"x\",\"name\":\"a\"}\n", NULL},
        {"params: {E: ''}\nsource: ${E}\njobs: {\"${E}\": {command: \"x\"}}\n", {NULL}, "{\"command\":\"x\",\"name\":\"${E}\"}\n", NULL},
        {"jobs: {a: {command: \"${HOST} $${HOST}\"}}\n", {NULL}, "{\"command\":\"${HOST} $${HOST}\",\"name\":\"a\"}\n", NULL},
        {"params:\njobs: {}\n", {NULL}, "", NULL},
        {"params: {HOST: }\njobs: {}\n", {NULL}, NULL, "2:10: the parameter HOST has no value: say it by --set HOST=VALUE"},
        {"params: {HOST: a}\njobs: {}\n", {"HSOT=b"}, NULL, "--set: no file declares 'HSOT' under `params:`"},
        {"params: {HOST: a}\njobs: {}\n", {"HOST"}, NULL, "--set: 'HOST' is not NAME=VALUE"},
        {"jobs: {}\n", {"A=1"}, NULL, "--set: no file declares 'A'"},
        {"params: {a-b: 1}\njobs: {}\n", {NULL}, NULL, "2:10: 'a-b' is no name of a parameter"},
        {"params: {A: [1]}\njobs: {}\n", {NULL}, NULL, "2:13: the default of a parameter is a text, not a list"},
        {"params: [A]\njobs: {}\n", {NULL}, NULL, "2:9: params is a map of names, not a list"},
        {"params: {T: 90}\njobs:\n  a:\n    command: x\n    timeout: ${T}\n", {NULL}, NULL, "6:14: timeout: 90 has no unit"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct strvec set = {0};
        for (size_t k = 0; k < 3 && rows[i].set[k]; k++)
            strvec_add(&set, rows[i].set[k]);
        char *text = mem_format(V "%s", rows[i].in);
        struct got g = read_params(text, &set);
        char *said = errors_text(&g.errors), *jobs = jobs_text(&g.files);
        if (rows[i].says && !strstr(said, rows[i].says))
            fail_msg("%s\nsays\n%s\nnot\n%s", text, said, rows[i].says);
        if (!rows[i].says)
            same("errors", text, said, "");
        if (rows[i].out)
            same("jobs", text, jobs, rows[i].out);
        free(said);
        free(jobs);
        free(text);
        strvec_clear(&set);
        got_clear(&g);
    }
}

/* A value that is used so often that the texts would be larger than a file may be. */
static void test_param_bomb(void **state)
{
    (void)state;
    struct buf b = {0}, value = {0};
    struct strvec set = {0};
    buf_text(&value, "A=");
    for (int i = 0; i < 100000; i++)
        buf_text(&value, "0123456789");
    strvec_add(&set, buf_string(&value));
    buf_text(&b, V "params: {A: x}\njobs:\n");
    for (int i = 0; i < 200; i++)
        buf_format(&b, "  j%d: {command: x, stdin: \"${A}${A}\"}\n", i);
    struct got g = read_params(buf_string(&b), &set);
    char *said = errors_text(&g.errors);
    assert_int_equal(g.code, -ERROR_USAGE);
    assert_int_equal(g.errors.count, 1);
    assert_non_null(strstr(said, "the values of the parameters are more than 64 MiB together"));
    free(said);
    strvec_clear(&set);
    buf_clear(&b);
    buf_clear(&value);
    got_clear(&g);
}

/* A file full of errors: they have an end. */
static void test_many_errors(void **state)
{
    (void)state;
    struct buf b = {0};
    buf_text(&b, V "jobs:\n");
    for (int i = 0; i < 5000; i++)
        buf_format(&b, "  j%d: {comand: x}\n", i);
    struct got g = read_text(buf_string(&b));
    assert_int_equal(g.code, -ERROR_USAGE);
    assert_int_equal(g.errors.count, 1001);
    got_clear(&g);
    buf_clear(&b);
}

/* ---- field cases ---- */

static void test_words(void **state) /* YM-01 */
{
    (void)state;
    struct got g = read_text("jobs:\n  - name: no\n    schedule: \"0 3 * * *\"\n    command: env\n    env: {FLAG: on}\n");
    char *said = errors_text(&g.errors);
    assert_int_equal(g.code, -ERROR_USAGE);
    assert_int_equal(g.errors.count, 3);
    assert_non_null(strstr(said, "1:1: the version of the format is missing"));
    assert_non_null(strstr(said, "2:3: jobs is a map from names to fields, not a list"));
    assert_non_null(strstr(said, "hint: write `no:` and under it the fields of that job, without `-` and `name`"));
    assert_non_null(strstr(said, "3:5: there is no field 'schedule': did you mean `cron`, `every`, `at` or `calendar`?"));
    free(said);
    got_clear(&g);

    g = read_text(V "jobs:\n  no:\n    cron: \"0 3 * * *\"\n    command: env\n    env: {FLAG: on, COUNTRY: no, MODE: off, ASK: Yes, T: true}\n");
    char *jobs = jobs_text(&g.files);
    assert_string_equal(jobs, "{\"command\":\"env\",\"name\":\"no\",\"cron\":\"0 3 * * *\",\"env\":{\"FLAG\":\"on\",\"COUNTRY\":\"no\",\"MODE\":\"off\",\"ASK\":\"Yes\",\"T\":\"true\"}}\n");
    free(jobs);
    got_clear(&g);
}

static void test_twice(void **state) /* YM-02 */
{
    static const struct { const char *in, *first, *second; } rows[] = {
        {V "jobs:\n  a:\n    timeout: 10s\n    command: x\n    retries: 1\n    timeout: 0s\n", "4", "7:5"},
        {V "jobs: {a: {command: x}}\njobs: {b: {command: x}}\n", "2", "3:1"},
        {V "jobs:\n  backup: {command: x}\n  b: {command: x}\n  backup: {command: y}\n", "3", "5:3"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct got g = read_text(rows[i].in);
        char *said = errors_text(&g.errors), *first = mem_format("line %s", rows[i].first), *second = mem_format("ax.yaml:%s:", rows[i].second);
        if (g.code != -ERROR_USAGE || !strstr(said, first) || !strstr(said, second))
            fail_msg("%s\nsays %s", rows[i].in, said);
        free(said);
        free(first);
        free(second);
        got_clear(&g);
    }
}

/* Of the processor: other processes do not count. */
static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void test_bomb(void **state) /* YM-03 */
{
    (void)state;
    struct buf b = {0};
    buf_text(&b, V "x-bomb:\n  a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < 9; i++) {
        buf_format(&b, "  a%d: &a%d [", i, i);
        for (int k = 0; k < 9; k++)
            buf_format(&b, "%s*a%d", k ? ", " : "", i - 1);
        buf_text(&b, "]\n");
    }
    buf_text(&b, "jobs: {a: {command: x}}\n");
    double begin = seconds_now();
    struct got g = read_text(buf_string(&b));
    assert_int_equal(g.code, -ERROR_USAGE);
    assert_true(seconds_now() - begin < 5); /* below one, but for sanitizers; without a bound it would be years */
    got_clear(&g);
    g = read_text(V "x-a: &a [*a]\njobs: {}\n");
    assert_int_equal(g.code, -ERROR_USAGE);
    got_clear(&g);
    buf_reset(&b);
    buf_text(&b, V "x-a: ");
    for (int i = 0; i < 100000; i++)
        buf_char(&b, '[');
    g = read_text(buf_string(&b));
    assert_int_equal(g.code, -ERROR_USAGE);
    got_clear(&g);
    buf_clear(&b);
    g = read_text(V "x-a: &a {A: 1}\nx-b: &b {B: 2}\nx-c: &c {C: 3}\njobs:\n  a: {command: x, env: *a}\n  b: {command: x, env: *b}\n  c: {command: x, env: *c}\n"
                    "  d: {command: x, env: *a}\n  e: {command: x, env: *b}\n");
    assert_int_equal(g.code, 0);
    assert_string_equal(g.files.items[0].jobs[4].job.env.items[0], "B=2");
    got_clear(&g);
}

static void test_slips(void **state) /* YM-04 */
{
    static const struct { const char *in, *says; } rows[] = {
        {V "jobs:\n  a:\n    command: x\n    cron: */5 * * * *\n", "ax.yaml:5:"},
        {V "jobs:\n  a:\n    command: x\n    timout: 30\n", "ax.yaml:5:5: there is no field 'timout': did you mean `timeout`?"},
        {V "jobs:\n  a:\n\tcommand: x\n", "ax.yaml:4:"},
        {"\xef\xbb\xbf" V "jobs:\n  a:\n    command: x\n", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct got g = read_text(rows[i].in);
        char *said = errors_text(&g.errors);
        if (rows[i].says ? g.code == 0 || !strstr(said, rows[i].says) : g.code != 0 || *said)
            fail_msg("%s\nsays\n%s\nnot\n%s", rows[i].in, said, rows[i].says ? rows[i].says : "nothing");
        free(said);
        got_clear(&g);
    }
}

/* What is no YAML and what is no job are told in one go; nothing is told twice, and nothing that comes of what was wrong. */
static void test_all_at_once(void **state)
{
    (void)state;
    struct got g = read_text(V "jobs:\n  a:\n    command: x\n    cron: */5 * * * *\n    timout: 30s\n    retries: lots\n    retries: 3\n"
                             "  b:\n    command: \"$HOME/x\" -f\n    timeout: 90\n  b:\n    command: y\n");
    static const char *const says[] = {":5:11: ", ":6:5: there is no field 'timout'", ":7:14: retries: 'lots' is not", ":8:5: the key `retries` stands twice", ":10:",
                                       ":11:14: timeout: 90 has no unit", ":12:3: the key `b` stands twice"};
    char *said = errors_text(&g.errors);
    assert_int_equal(g.code, -ERROR_USAGE);
    for (size_t i = 0; i < sizeof says / sizeof *says; i++)
        if (!strstr(said, says[i]))
            fail_msg("%s\nwithout %s", said, says[i]);
    if (g.errors.count != sizeof says / sizeof *says)
        fail_msg("%zu errors:\n%s", g.errors.count, said);
    free(said);
    got_clear(&g);
}

/* ---- files and folders ---- */

static char *path_in(const char *name)
{
    return mem_format("%s/%s", scratch, name);
}

static void put(const char *name, const char *text, mode_t mode)
{
    char *path = path_in(name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    assert_int_equal(chmod(path, mode), 0);
    free(path);
}

static void put_link(const char *target, const char *name)
{
    char *path = path_in(name);
    assert_int_equal(symlink(target, path), 0);
    free(path);
}

static void make_folder(const char *name, mode_t mode)
{
    char *path = path_in(name);
    assert_int_equal(mkdir(path, 0755), 0);
    assert_int_equal(chmod(path, mode), 0);
    free(path);
}

static void drop(const char *name)
{
    char *path = path_in(name);
    assert_int_equal(remove(path), 0);
    free(path);
}

static struct got load(const char *name, bool trusted)
{
    struct got g = {0};
    struct jobfile_rules rules = rules_of(NULL);
    rules.directory = "/";
    char *path = path_in(name);
    g.code = jobfiles_load(path, trusted, &rules, &g.files, &g.errors);
    free(path);
    return g;
}

static void test_load(void **state)
{
    (void)state;
    make_folder("d", 0755);
    put("d/b.yaml", V "jobs: {b: {command: x}}\n", 0644);
    put("d/a.yml", V "jobs: {a: {command: x}}\n", 0644);
    put("d/.c.yaml", "nonsense", 0644);
    put("d/d.txt", "nonsense", 0644);
    put("d/e.yaml~", "nonsense", 0644);
    struct got g = load("d", true);
    assert_int_equal(g.code, 0);
    assert_int_equal(g.files.count, 2);
    assert_string_equal(g.files.items[0].jobs[0].job.name, "a");
    assert_string_equal(g.files.items[1].jobs[0].job.name, "b");
    char *path = path_in("d/a.yml"), *both[] = {path_in("d"), mem_string(path)};
    assert_string_equal(g.files.items[0].file, path);
    assert_string_equal(g.files.items[0].source, path);
    struct jobfile_rules rules = rules_of(NULL);
    assert_int_equal(jobfiles_load(both[0], false, &rules, &g.files, &g.errors), 0); /* and again: read once */
    assert_int_equal(jobfiles_load(both[1], false, &rules, &g.files, &g.errors), 0);
    assert_int_equal(g.files.count, 2);
    assert_int_equal(jobfiles_check(&g.files, &g.errors), 0);
    got_clear(&g);
    put("d/a.yml", V "jobs: {b: {command: x}}\n", 0644);
    g = load("d", false);
    assert_int_equal(jobfiles_check(&g.files, &g.errors), -ERROR_USAGE);
    char *said = errors_text(&g.errors);
    assert_non_null(strstr(said, "d/b.yaml:2:8: the name 'b' stands in "));
    assert_non_null(strstr(said, "d/a.yml too, in line 2"));
    free(said);
    got_clear(&g);
    free(path);
    free(both[0]);
    free(both[1]);
    drop("d/a.yml"), drop("d/b.yaml"), drop("d/.c.yaml"), drop("d/d.txt"), drop("d/e.yaml~");
    g = load("d", false);
    assert_int_equal(g.code, 0);
    assert_int_equal(g.errors.warnings, 1); /* nothing in it */
    got_clear(&g);
    drop("d");
}

/* Not a file: nothing waits for a writer, nothing is read without end. */
static void test_strange(void **state)
{
    (void)state;
    char *fifo = path_in("fifo.yaml");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    free(fifo);
    struct got g = load("fifo.yaml", false);
    assert_int_equal(g.code, -ERROR_USAGE);
    got_clear(&g);
    g = load("fifo.yaml", true);
    assert_int_equal(g.code, -ERROR_USAGE);
    got_clear(&g);
    drop("fifo.yaml");
    g = load("none.yaml", true);
    assert_int_equal(g.code, -ERROR_USAGE);
    assert_int_equal(g.errors.count, 1);
    got_clear(&g);
    put("large.yaml", "", 0644);
    char *large = path_in("large.yaml");
    assert_int_equal(truncate(large, (64 << 20) + 1), 0);
    free(large);
    g = load("large.yaml", true);
    char *said = errors_text(&g.errors);
    assert_non_null(strstr(said, "large.yaml: is larger than 64 MiB"));
    free(said);
    got_clear(&g);
    drop("large.yaml");
    put_link("loop.yaml", "loop.yaml");
    g = load("loop.yaml", true);
    assert_int_equal(g.code, -ERROR_USAGE);
    got_clear(&g);
    drop("loop.yaml");
}

static void refused(const char *name, const char *says, const char *hint)
{
    struct got g = load(name, true), plain = load(name, false);
    char *said = errors_text(&g.errors);
    if (g.code != -ERROR_USAGE || !strstr(said, says) || !strstr(said, hint))
        fail_msg("%s: %s", name, said);
    assert_int_equal(plain.code, 0); /* by hand it is taken */
    free(said);
    got_clear(&g);
    got_clear(&plain);
}

static void taken(const char *name)
{
    struct got g = load(name, true);
    char *said = errors_text(&g.errors);
    if (g.code != 0 || *said || !g.files.count)
        fail_msg("%s: %s", name, said);
    free(said);
    got_clear(&g);
}

static void test_trusted(void **state) /* SE-01 */
{
    (void)state;
    put("f.yaml", V "jobs: {a: {command: x}}\n", 0666);
    refused("f.yaml", "f.yaml can be written to by others (owner ", "mode 0666)");
    refused("f.yaml", "is not taken: the file ", "hint: chmod go-w /tmp/ax-test-jobfile-");
    put_link("f.yaml", "link.yaml");
    refused("link.yaml", "f.yaml can be written to by others", "mode 0666)");
    put("f.yaml", V "jobs: {a: {command: x}}\n", 0664);
    refused("f.yaml", "mode 0664)", "chmod go-w");
    put("f.yaml", V "jobs: {a: {command: x}}\n", 0644);
    taken("f.yaml");
    taken("link.yaml");
    make_folder("open", 0777);
    put("open/g.yaml", V "jobs: {a: {command: x}}\n", 0644);
    refused("open/g.yaml", "the folder /tmp/", "mode 0777)");
    refused("open", "the folder /tmp/", "mode 0777)");
    put_link("open/g.yaml", "far.yaml");
    refused("far.yaml", "/open can be written to by others", "mode 0777)");
    put_link("open", "far");
    refused("far", "/open can be written to by others", "mode 0777)");
    drop("far");
    put_link("../f.yaml", "open/near.yaml");
    refused("open/near.yaml", "/open can be written to by others", "mode 0777)");
    make_folder("sticky", 01777);
    put("sticky/g.yaml", V "jobs: {a: {command: x}}\n", 0644);
    taken("sticky/g.yaml");
    taken("sticky");
    taken("sticky//");
    put_link("sticky", "there");
    taken("there");
    put_link("../sticky", "open/there");
    refused("open/there", "/open can be written to by others", "mode 0777)");
    make_folder("open/deep", 0755); /* whoever moves another folder to its place has to have one of ours */
    put("open/deep/f.yaml", V "jobs: {a: {command: x}}\n", 0644);
    taken("open/deep");
    drop("open/deep/f.yaml"), drop("open/deep"), drop("open/there"), drop("there");
    /* one bad file does not keep the others out */
    make_folder("mixed", 0755);
    put("mixed/a.yaml", V "jobs: {a: {command: x}}\n", 0666);
    put("mixed/b.yaml", V "jobs: {b: {command: x}}\n", 0644);
    struct got g = load("mixed", true);
    assert_int_equal(g.code, -ERROR_USAGE);
    assert_int_equal(g.errors.count, 1);
    assert_int_equal(g.files.count, 1);
    assert_string_equal(g.files.items[0].jobs[0].job.name, "b");
    got_clear(&g);
    drop("mixed/a.yaml"), drop("mixed/b.yaml"), drop("mixed"), drop("sticky/g.yaml"), drop("sticky");
    drop("open/near.yaml"), drop("far.yaml"), drop("open/g.yaml"), drop("open"), drop("link.yaml"), drop("f.yaml");
}

/* Only root can give files away. */
static void test_owners(void **state)
{
    (void)state;
    if (geteuid() != 0)
        skip();
    put("f.yaml", V "jobs: {a: {command: x}}\n", 0644);
    char *path = path_in("f.yaml"), *link = path_in("l.yaml"), *dir = path_in("d");
    assert_int_equal(chown(path, 1, 1), 0);
    refused("f.yaml", "f.yaml belongs to someone else (owner daemon, mode 0644)", "hint: chown root /tmp/");
    put_link("f.yaml", "l.yaml");
    refused("l.yaml", "f.yaml belongs to someone else", "owner daemon");
    assert_int_equal(chown(path, 0, 0), 0);
    taken("l.yaml");
    assert_int_equal(lchown(link, 1, 1), 0);
    refused("l.yaml", "the symbolic link /tmp/", "belongs to someone else (owner daemon");
    make_folder("d", 01777);
    put("d/f.yaml", V "jobs: {a: {command: x}}\n", 0644);
    assert_int_equal(chown(dir, 4242424, 1), 0);
    refused("d/f.yaml", "/d belongs to someone else (owner uid 4242424, mode 1777)", "chown root");
    drop("d/f.yaml"), drop("d"), drop("l.yaml"), drop("f.yaml");
    free(path);
    free(link);
    free(dir);
}

/* Files as people have them. */
static void test_real(void **state)
{
    static const struct { const char *name; size_t jobs; } rows[] = {{"web", 5}, {"backup", 4}, {"pi", 5}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct got g = {0};
        struct strvec set = {0};
        strvec_add(&set, "ENVIRONMENT=production");
        struct jobfile_rules rules = rules_of(&set);
        char *path = mem_format("tests/data/jobfiles/%s.yaml", rows[i].name);
        g.code = jobfiles_load(path, false, &rules, &g.files, &g.errors);
        char *said = errors_text(&g.errors);
        same("errors", path, said, "");
        assert_int_equal(g.files.items[0].job_count, rows[i].jobs);
        free(said);
        free(path);
        strvec_clear(&set);
        got_clear(&g);
    }
}

/* ---- speed ---- */

static void test_speed(void **state)
{
    (void)state;
    struct buf b = {0};
    buf_text(&b, V "defaults:\n  timeout: 1h\n  env: {A: 1, B: 2}\njobs:\n");
    for (int i = 0; i < 10000; i++)
        buf_format(&b, "  job-%d:\n    command: echo %d\n    cron: %d 3 * * *\n    tags: [a, b]\n    retries: 3\n    env: {C: %d}\n", i, i, i % 60, i);
    double begin = seconds_now();
    struct got g = read_text(buf_string(&b));
    double took = seconds_now() - begin;
    assert_int_equal(g.code, 0);
    assert_int_equal(g.files.items[0].job_count, 10000);
    if (took > 3) /* far below, but for sanitizers and a busy machine: what grows with the square is found all the same */
        fail_msg("10,000 jobs took %.2f s", took);
    got_clear(&g);
    buf_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_job),       cmocka_unit_test(test_files),      cmocka_unit_test(test_owner),  cmocka_unit_test(test_refused),
        cmocka_unit_test(test_shown),     cmocka_unit_test(test_warnings),   cmocka_unit_test(test_temporary), cmocka_unit_test(test_params),
        cmocka_unit_test(test_param_bomb), cmocka_unit_test(test_many_errors), cmocka_unit_test(test_words), cmocka_unit_test(test_twice),
        cmocka_unit_test(test_bomb),      cmocka_unit_test(test_slips),      cmocka_unit_test(test_load),   cmocka_unit_test(test_strange),
        cmocka_unit_test(test_trusted),   cmocka_unit_test(test_owners),     cmocka_unit_test(test_all_at_once), cmocka_unit_test(test_real),   cmocka_unit_test(test_speed),
    };
    return cmocka_run_group_tests_name("jobfile", tests, setup, teardown);
}
