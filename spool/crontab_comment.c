/* Comments above a job: what says something about it, and not about crontabs. */
#include <stdlib.h>
#include <string.h>

#include "spool/crontab_parts.h"

enum { COMMENT_MAX = 2000 }; /* bytes */

/* A job that somebody switched off. */
static bool is_job(const char *text)
{
    struct crontab_schedule s;
    crontab_schedule_read(text, CRONTAB_DEBIAN, &s);
    bool job = !s.refused && *s.rest;
    crontab_schedule_clear(&s);
    return job;
}

/* `m h dom mon dow command`, with any blanks; and the drawing of /etc/crontab. */
static bool is_legend(const char *text)
{
    static const char *const begins[] = {"m h ", "min hour ", "minute hour ", "m h,"};
    char words[32];
    size_t length = 0;
    for (const char *at = text; *at && length < sizeof words - 1; at++)
        if (!crontab_space(*at) || (length && words[length - 1] != ' '))
            words[length++] = crontab_space(*at) ? ' ' : *at;
    words[length] = '\0';
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++)
        if (!strncmp(words, begins[i], strlen(begins[i])))
            return true;
    return *text == '|' || !strncmp(text, ".-", 2) || !strncmp(words, "* * * * *", 9);
}

static bool has_letter(const char *text)
{
    for (; *text; text++)
        if ((*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z') || (unsigned char)*text >= 0x80)
            return true;
    return false;
}

void crontab_comment_add(struct crontab_comment *c, const char *line)
{
    while (*line == '#' || crontab_space(*line))
        line++;
    size_t length = strlen(line);
    while (length && (crontab_space(line[length - 1]) || line[length - 1] == '#'))
        length--;
    if (is_legend(line) || is_job(line)) {
        buf_reset(&c->text);
        return;
    }
    if (!has_letter(line) || c->text.length + length + 1 > COMMENT_MAX)
        return;
    if (c->text.length)
        buf_char(&c->text, '\n');
    buf_add(&c->text, line, length);
}

char *crontab_comment_take(struct crontab_comment *c)
{
    if (!c->text.length)
        return NULL;
    return buf_take(&c->text);
}
