#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/buf.h"
#include "lib/sys/watch.h"

static char folder[] = "/tmp/ax-watch-XXXXXX";
static int home = -1;

#define ALL (WATCH_WRITTEN | WATCH_ARRIVED | WATCH_GONE | WATCH_MODIFIED)

/* What to do in the folder; the watched things are the folder (0) and the file `f` in it (1). */
enum act { END, CREATE, OPEN, WRITE, CLOSE, DELETE, RENAME, MODE, OPEN_READ };
struct step {
    enum act act;
    const char *name, *to;
};

static const struct row {
    const char *what;
    uint32_t folder_events, file_events; /* 0: not watched */
    struct step steps[8];
    const char *expected; /* number:event:name of each call */
} rows[] = {
    {"written", WATCH_WRITTEN, 0, {{OPEN, "a", 0}, {WRITE, 0, 0}, {WRITE, 0, 0}, {CLOSE, 0, 0}}, "0:1:a "},
    {"not yet closed", WATCH_WRITTEN, 0, {{OPEN, "a", 0}, {WRITE, 0, 0}}, ""},
    {"closed without a write", WATCH_WRITTEN, 0, {{OPEN, "f", 0}, {CLOSE, 0, 0}}, "0:1:f "},
    {"only read", ALL, ALL, {{OPEN_READ, "f", 0}, {CLOSE, 0, 0}}, ""},
    {"a file that is written", 0, WATCH_WRITTEN, {{OPEN, "f", 0}, {WRITE, 0, 0}, {CLOSE, 0, 0}}, "1:1: "},
    {"both of it", WATCH_WRITTEN, WATCH_WRITTEN, {{OPEN, "f", 0}, {CLOSE, 0, 0}}, "0:1:f 1:1: "},
    {"modified", 0, WATCH_MODIFIED, {{OPEN, "f", 0}, {WRITE, 0, 0}, {CLOSE, 0, 0}}, "1:8: "},
    {"arrives by creation", WATCH_ARRIVED, 0, {{CREATE, "a", 0}}, "0:2:a "},
    {"arrives by a move", WATCH_ARRIVED, 0, {{RENAME, "f", "g"}}, "0:2:g "},
    {"goes by a move", WATCH_GONE, 0, {{RENAME, "f", "g"}}, "0:4:f "},
    {"moved, all of it", WATCH_GONE | WATCH_ARRIVED, 0, {{RENAME, "f", "g"}}, "0:4:f 0:2:g "},
    {"goes by deletion", WATCH_GONE, 0, {{DELETE, "f", 0}}, "0:4:f "},
    {"the file itself goes", 0, WATCH_GONE, {{DELETE, "f", 0}}, "1:4: "},
    {"the file itself moves", 0, WATCH_GONE, {{RENAME, "f", "g"}}, "1:4: "},
    {"the file goes while it is open", 0, WATCH_GONE, {{OPEN_READ, "f", 0}, {DELETE, "f", 0}}, "1:4: "},
    {"another takes its place while it is open", 0, WATCH_GONE, {{CREATE, "g", 0}, {OPEN_READ, "f", 0}, {RENAME, "g", "f"}}, "1:4: "},
    {"only the mode changes", ALL, ALL, {{MODE, "f", 0}}, ""},
    {"not asked for", WATCH_ARRIVED, WATCH_GONE, {{OPEN, "f", 0}, {WRITE, 0, 0}, {CLOSE, 0, 0}}, ""},
};

static void do_step(const struct step *s, int *open_fd)
{
    switch (s->act) {
    case CREATE:
        close(openat(home, s->name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
        break;
    case OPEN:
        *open_fd = openat(home, s->name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        break;
    case OPEN_READ:
        *open_fd = openat(home, s->name, O_RDONLY | O_CLOEXEC);
        break;
    case WRITE:
        assert_int_equal(write(*open_fd, "x", 1), 1);
        break;
    case CLOSE:
        close(*open_fd);
        *open_fd = -1;
        break;
    case DELETE:
        assert_int_equal(unlinkat(home, s->name, 0), 0);
        break;
    case RENAME:
        assert_int_equal(renameat(home, s->name, home, s->to), 0);
        break;
    case MODE:
        assert_int_equal(fchmodat(home, s->name, 0640, 0), 0);
        break;
    case END:
        break;
    }
}

static void record(void *context, int number, uint32_t event, const char *name)
{
    buf_format(context, "%d:%u:%s ", number, event, name);
}

static void path_of(const char *name, char out[128])
{
    snprintf(out, 128, "%s/%s", folder, name);
}

static void clean(void)
{
    static const char *const names[] = {"a", "f", "g", "l"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlinkat(home, names[i], 0);
}

static struct watch *fresh(void)
{
    struct watch *w;
    int fd = -1;
    clean();
    do_step(&(struct step){CREATE, "f", 0}, &fd);
    assert_int_equal(watch_new(&w, NULL), 0);
    return w;
}

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct watch *w = fresh();
        struct buf calls = {0};
        char file[128];
        int fd = -1;
        path_of("f", file);
        assert_int_equal(watch_add(w, rows[i].folder_events ? folder : "/", rows[i].folder_events ? rows[i].folder_events : WATCH_MODIFIED, NULL), 0);
        if (rows[i].file_events)
            assert_int_equal(watch_add(w, file, rows[i].file_events, NULL), 1);
        for (const struct step *s = rows[i].steps; s->act != END; s++)
            do_step(s, &fd);
        watch_read(w, record, &calls);
        if (strcmp(buf_string(&calls), rows[i].expected) != 0)
            fail_msg("%s: \"%s\" instead of \"%s\"", rows[i].what, buf_string(&calls), rows[i].expected);
        buf_clear(&calls);
        if (fd >= 0)
            close(fd);
        watch_free(w);
    }
}

static bool readable(const struct watch *w)
{
    struct pollfd p = {.fd = watch_fd(w), .events = POLLIN};
    return poll(&p, 1, 0) == 1;
}

static void test_two_watches_of_one_thing(void **state)
{
    (void)state;
    struct watch *w = fresh();
    struct buf calls = {0};
    int fd = -1;
    int a = watch_add(w, folder, WATCH_ARRIVED, NULL), b = watch_add(w, folder, WATCH_ARRIVED | WATCH_GONE, NULL);
    assert_int_not_equal(a, b);
    do_step(&(struct step){RENAME, "f", "g"}, &fd);
    watch_read(w, record, &calls);
    assert_string_equal(buf_string(&calls), "1:4:f 0:2:g 1:2:g ");
    watch_remove(w, a);
    buf_reset(&calls);
    do_step(&(struct step){RENAME, "g", "f"}, &fd);
    watch_read(w, record, &calls);
    assert_string_equal(buf_string(&calls), "1:4:g 1:2:f "); /* the other one goes on */
    watch_remove(w, b);
    watch_remove(w, b);
    watch_remove(w, -1);
    watch_remove(w, 77);
    buf_reset(&calls);
    watch_read(w, record, &calls);
    do_step(&(struct step){RENAME, "f", "g"}, &fd);
    watch_read(w, record, &calls);
    assert_string_equal(buf_string(&calls), "");
    assert_false(readable(w));
    buf_clear(&calls);
    watch_free(w);
}

/* Events that wait when a watch is removed are not given to the one that takes its number. */
static void test_number_used_again(void **state)
{
    (void)state;
    struct watch *w = fresh();
    struct buf calls = {0};
    char file[128];
    int fd = -1;
    assert_int_equal(watch_add(w, folder, WATCH_ARRIVED, NULL), 0);
    do_step(&(struct step){CREATE, "a", 0}, &fd);
    assert_true(readable(w));
    watch_remove(w, 0);
    path_of("f", file);
    assert_int_equal(watch_add(w, file, ALL, NULL), 0);
    watch_read(w, record, &calls);
    assert_string_equal(buf_string(&calls), "");
    do_step(&(struct step){DELETE, "f", 0}, &fd);
    watch_read(w, record, &calls);
    assert_string_equal(buf_string(&calls), "0:4: ");
    buf_clear(&calls);
    watch_free(w);
}

struct removing {
    struct watch *watch;
    int calls;
};

static void remove_and_add(void *context, int number, uint32_t event, const char *name)
{
    struct removing *r = context;
    (void)event;
    (void)name;
    r->calls++;
    watch_remove(r->watch, number);
    for (int i = 0; i < 20; i++) /* the table grows under the callback */
        watch_add(r->watch, "/", WATCH_MODIFIED, NULL);
}

static void test_callback_changes_watches(void **state)
{
    (void)state;
    struct watch *w = fresh();
    struct removing r = {.watch = w};
    int fd = -1;
    watch_add(w, folder, WATCH_ARRIVED, NULL);
    watch_add(w, folder, WATCH_ARRIVED, NULL);
    do_step(&(struct step){CREATE, "a", 0}, &fd);
    do_step(&(struct step){CREATE, "g", 0}, &fd);
    watch_read(w, remove_and_add, &r);
    assert_int_equal(r.calls, 2); /* each once */
    watch_free(w);
}

static void test_overflow(void **state)
{
    (void)state;
    struct watch *w = fresh();
    struct buf calls = {0};
    char file[128];
    int fd = -1, limit = 16384;
    FILE *setting = fopen("/proc/sys/fs/inotify/max_queued_events", "re");
    if (setting) {
        assert_int_equal(fscanf(setting, "%d", &limit), 1);
        fclose(setting);
    }
    if (limit > 100000) {
        watch_free(w);
        skip();
    }
    path_of("f", file);
    watch_add(w, folder, WATCH_ARRIVED, NULL);
    watch_add(w, file, WATCH_GONE, NULL);
    for (int i = 0; i < limit / 2 + 10; i++) { /* equal events in a row would be one */
        do_step(&(struct step){RENAME, i % 2 ? "g" : "f", i % 2 ? "f" : "g"}, &fd);
    }
    watch_read(w, record, &calls);
    assert_non_null(strstr(buf_string(&calls), " 0:16: 1:16: "));
    assert_false(readable(w));
    buf_clear(&calls);
    watch_free(w);
}

static void test_add_fails(void **state)
{
    (void)state;
    struct watch *w = fresh();
    struct error e = {0};
    assert_int_equal(watch_add(w, "/no/such/file", ALL, &e), -ERROR_NOT_FOUND);
    assert_int_equal(e.sys, ENOENT);
    assert_int_equal(watch_add(w, folder, ALL, NULL), 0); /* no number was used up */
    assert_true(fcntl(watch_fd(w), F_GETFD) & FD_CLOEXEC);
    assert_true(fcntl(watch_fd(w), F_GETFL) & O_NONBLOCK);
    watch_free(w);
    watch_free(NULL);
}

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    home = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return home < 0 ? -1 : 0;
}

static int remove_folder(void **state)
{
    (void)state;
    clean();
    close(home);
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows), cmocka_unit_test(test_two_watches_of_one_thing), cmocka_unit_test(test_number_used_again),
        cmocka_unit_test(test_callback_changes_watches), cmocka_unit_test(test_overflow), cmocka_unit_test(test_add_fails),
    };
    return cmocka_run_group_tests_name("watch", tests, make_folder, remove_folder);
}
