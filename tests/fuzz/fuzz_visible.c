/* UTF-8 and what is shown of it. */
#include "lib/text/utf8.h"
#include "lib/text/visible.h"
#include "tests/fuzz/fuzz.h"

/* Valid UTF-8, and nothing hidden in it but, where lines are allowed, tabs and line ends. */
static void check_shown(const struct buf *b, bool lines)
{
    for (size_t at = 0, step; at < b->length; at += step) {
        uint32_t c = 0;
        step = utf8_decode(b->data + at, b->length - at, &c);
        bool line = lines && (c == '\n' || c == '\t' || (c == '\r' && b->data[at + 1] == '\n'));
        FUZZ_CHECK(step && (!utf8_hidden(c) || line), "U+%04X is hidden at %zu", c, at);
    }
}

static void check_add(const char *data, size_t size, bool lines)
{
    struct buf b = {0}, twice = {0};
    visible_add(&b, data, size, lines);
    check_shown(&b, lines);
    visible_add(&twice, buf_string(&b), b.length, lines);
    FUZZ_CHECK(!strcmp(buf_string(&b), buf_string(&twice)), "shown twice it is another text");
    buf_clear(&b);
    buf_clear(&twice);
}

static void check_fit(const char *data, size_t size, uint64_t hash)
{
    size_t width = visible_width(data, size), columns = hash % (width + 3), fit = visible_fit(data, size, columns);
    FUZZ_CHECK(fit <= size && visible_width(data, fit) <= columns, "%zu bytes do not fit", fit);
    FUZZ_CHECK(columns < width || fit == size, "%zu of %zu bytes though all fit", fit, size);
    FUZZ_CHECK(visible_width(data, fit) + visible_width(data + fit, size - fit) == width, "a character is halved");
}

/* Takes quotes off as a shell does: '...', \ and $'...' with the escapes that are written there. */
static void unquote(const char *text, struct buf *out)
{
    static const char letters[] = "ntre\\'", bytes[] = "\n\t\r\033\\'";
    bool quoted = false, dollar = false;
    for (; *text; text++) {
        if (!quoted && *text == '$' && text[1] == '\'') {
            dollar = quoted = true;
            text++;
        } else if (*text == '\'') {
            quoted = !quoted;
            dollar = dollar && quoted;
        } else if (*text == '\\' && dollar && text[1] >= '0' && text[1] <= '3') {
            buf_char(out, (char)((text[1] - '0') * 64 + (text[2] - '0') * 8 + text[3] - '0'));
            text += 3;
        } else if (*text == '\\' && dollar) {
            const char *letter = strchr(letters, *++text);
            FUZZ_CHECK(letter && *letter, "\\%c is no escape", *text);
            buf_char(out, bytes[letter - letters]);
        } else {
            text += *text == '\\' && !quoted;
            buf_char(out, *text);
        }
    }
    FUZZ_CHECK(!quoted, "a quote is left open");
}

static void check_word(const char *word, void write(struct buf *, const char *), bool shown)
{
    struct buf b = {0}, plain = {0};
    write(&b, word);
    if (shown)
        check_shown(&b, false);
    unquote(buf_string(&b), &plain);
    FUZZ_CHECK(b.length && !strcmp(buf_string(&plain), word), "the word %s is another", buf_string(&b));
    buf_clear(&b);
    buf_clear(&plain);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    uint64_t hash = fuzz_hash(data, size);
    check_add((const char *)data, size, false);
    check_add((const char *)data, size, true);
    check_fit((const char *)data, size, hash);
    check_word(text, visible_shell_word, true);
    check_word(text, visible_shell_quote, false);
    size_t most = hash % (strlen(text) + 2), cut = utf8_cut(text, most);
    FUZZ_CHECK(
        cut <= most && cut <= strlen(text) && cut + 4 > (most < strlen(text) ? most : strlen(text)), "cut at %zu", cut);
    free(text);
    return 0;
}
