/* A main for fuzz targets where there is no libFuzzer: replay FOLDER [MUTATIONS [SECONDS]].
 *
 * Gives the target each file of the folder, then as many mutations of these, always the same ones, or as many as it
 * comes to in that time. A child does it, so that a crash, a failed property or a hang is reported with the bytes that
 * made it. */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/buf.h"
#include "tests/fuzz/fuzz.h"

enum { INPUT_MAX = 1 << 16, HANG = 10 /* seconds for one input */ };

/* Shared with the child: what it is doing, and how far it got. */
struct progress {
    size_t files, mutations;
    size_t size; /* of the input */
    char input[INPUT_MAX];
};

struct corpus {
    struct buf *items;
    size_t count, capacity;
};

static void give(struct progress *p, const struct buf *input)
{
    p->size = input->length < INPUT_MAX ? input->length : INPUT_MAX;
    if (p->size)
        memcpy(p->input, input->data, p->size);
    uint8_t *exact = malloc(p->size ? p->size : 1); /* so that a sanitizer sees a read past the end */
    if (!exact)
        abort();
    memcpy(exact, p->input, p->size);
    alarm(HANG);
    LLVMFuzzerTestOneInput(exact, p->size);
    alarm(0);
    free(exact);
}

/* ---- corpus ---- */

static void read_one(struct corpus *c, const char *path)
{
    char chunk[4096];
    FILE *f = fopen(path, "re");
    size_t n;
    if (!f)
        return;
    MEM_GROW(c->items, c->capacity, c->count + 1);
    struct buf *b = &c->items[c->count++];
    *b = (struct buf){0};
    while ((n = fread(chunk, 1, sizeof chunk, f)) > 0)
        buf_add(b, chunk, n);
    fclose(f);
}

static void read_folder(struct corpus *c, const char *folder)
{
    struct dirent **names = NULL;
    int count = scandir(folder, &names, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char *path = mem_format("%s/%s", folder, names[i]->d_name);
        if (names[i]->d_name[0] != '.')
            read_one(c, path);
        free(path);
        free(names[i]);
    }
    free(names);
}

static void corpus_clear(struct corpus *c)
{
    for (size_t i = 0; i < c->count; i++)
        buf_clear(&c->items[i]);
    free(c->items);
}

/* ---- mutations ---- */

static uint64_t draw(uint64_t *random, uint64_t below)
{
    *random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (*random >> 33) % below;
}

/* Puts `length` bytes in the place of `gone` bytes at `at`. */
static void splice(struct buf *b, size_t at, size_t gone, const void *data, size_t length)
{
    struct buf made = {0};
    buf_add(&made, b->data, at);
    buf_add(&made, data, length);
    buf_add(&made, b->data + at + gone, b->length - at - gone);
    buf_clear(b);
    *b = made;
}

static void splice_from(struct buf *b, const struct buf *from, uint64_t *random)
{
    if (!from->length)
        return;
    size_t start = draw(random, from->length), length = 1 + draw(random, from->length - start);
    size_t at = draw(random, b->length + 1), gone = draw(random, 2) ? draw(random, b->length - at + 1) : 0;
    struct buf piece = {0};
    buf_add(&piece, from->data + start, length);
    splice(b, at, gone, piece.data, piece.length);
    buf_clear(&piece);
}

static void mutate(struct buf *b, const struct corpus *c, uint64_t *random)
{
    static const char bytes[] = "0123456789 :-/,*.+LW#~?@=\"'{}[]\\\n\xff\x80\x7f";
    static const char *const words[] = {
        "99999999999999999999", "2147483648", "-1", "00", "2026", "mon", "now", "12:30"};
    size_t at = draw(random, b->length + 1), left = b->length - at;
    const char *word = words[draw(random, sizeof words / sizeof words[0])];
    switch (draw(random, 7)) {
    case 0: /* one bit */
        if (left)
            b->data[at] = (char)(b->data[at] ^ 1 << draw(random, 8));
        break;
    case 1: /* another byte, or one more */
        splice(b, at, left ? draw(random, 2) : 0, bytes + draw(random, sizeof bytes), 1);
        break;
    case 2: /* any byte */
        if (left)
            b->data[at] = (char)draw(random, 256);
        break;
    case 3: /* some bytes less */
        splice(b, at, draw(random, (left < 8 ? left : 8) + 1), "", 0);
        break;
    case 4: /* the end is cut off */
        if (draw(random, 4) == 0)
            buf_cut(b, at);
        break;
    case 5:
        splice(b, at, 0, word, strlen(word));
        break;
    default:
        splice_from(b, &c->items[draw(random, c->count)], random);
    }
}

static void replay(struct progress *p, const struct corpus *c, size_t mutations, double seconds)
{
    struct timespec start, now;
    struct buf b = {0};
    uint64_t random = 20260301;
    for (; p->files < c->count; p->files++)
        give(p, &c->items[p->files]);
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (; p->mutations < mutations; p->mutations++) {
        const struct buf *from = &c->items[p->mutations % c->count];
        buf_reset(&b);
        buf_add(&b, from->data, from->length);
        for (uint64_t i = draw(&random, 4); i < 4; i++)
            mutate(&b, c, &random);
        give(p, &b);
        clock_gettime(CLOCK_MONOTONIC, &now);
        if ((double)(now.tv_sec - start.tv_sec) + (double)(now.tv_nsec - start.tv_nsec) / 1e9 > seconds)
            break;
    }
    buf_clear(&b);
}

/* ---- report ---- */

static void print_input(const struct progress *p)
{
    printf("# the input, %zu bytes: $'", p->size);
    for (size_t i = 0; i < p->size; i++) {
        unsigned char c = (unsigned char)p->input[i];
        if (c < 0x20 || c >= 0x7f || c == '\'' || c == '\\')
            printf("\\%03o", c);
        else
            putchar(c);
    }
    printf("'\n");
}

static int report(const struct progress *p, size_t files, int status)
{
    bool good = WIFEXITED(status) && WEXITSTATUS(status) == 0, read_all = files && p->files == files;
    printf("%s 1 - %zu of the %zu files of the corpus\n", read_all ? "ok" : "not ok", p->files, files);
    printf("%s 2 - %zu mutations of them\n", good && p->mutations ? "ok" : "not ok", p->mutations);
    if (good)
        return !read_all || !p->mutations;
    if (WIFSIGNALED(status))
        printf("# %s\n", WTERMSIG(status) == SIGALRM ? "it hangs" : strsignal(WTERMSIG(status)));
    print_input(p);
    return 1;
}

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 4) {
        fprintf(stderr, "usage: %s FOLDER [MUTATIONS [SECONDS]]\n", argv[0]);
        return 2;
    }
    struct corpus c = {0};
    struct progress *p = mmap(NULL, sizeof *p, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return 2;
    read_folder(&c, argv[1]);
    printf("1..2\n");
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        if (c.count)
            replay(p, &c, argc > 2 ? strtoul(argv[2], NULL, 10) : 20000, argc > 3 ? strtod(argv[3], NULL) : 3);
        corpus_clear(&c);
        exit(0);
    }
    int status = -1;
    while (child < 0 || (waitpid(child, &status, 0) < 0 && errno == EINTR))
        if (child < 0)
            return 2;
    int code = report(p, c.count, status);
    corpus_clear(&c);
    return code;
}
