#include "lib/time/zone_near.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/strvec.h"
#include "lib/text/suggest.h"

static char *small_letters(const char *text)
{
    char *small = mem_string(text);
    for (char *p = small; *p; p++)
        *p = (char)tolower((unsigned char)*p);
    return small;
}

/* Lines of zones, `Z NAME ...`, and of further names, `L NAME FURTHER`. */
static void read_names(FILE *list, struct strvec *names)
{
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, list) >= 0) {
        char *rest = line, *kind = strsep(&rest, " \n"), *name = strsep(&rest, " \n");
        if (name && strcmp(kind, "L") == 0)
            name = strsep(&rest, " \n");
        if (name && *name && (strcmp(kind, "Z") == 0 || strcmp(kind, "L") == 0))
            strvec_add(names, name);
    }
    free(line);
}

static char *nearest(const char *name, const struct strvec *names)
{
    struct strvec small = {0};
    char *word = small_letters(name), *found = NULL;
    struct suggest s = {.word = word};
    for (size_t i = 0; i < names->count; i++) {
        strvec_take(&small, small_letters(names->items[i]));
        suggest_offer(&s, small.items[i]);
    }
    for (size_t i = 0; i < small.count && !strchr(word, '/'); i++) {
        const char *city = strrchr(small.items[i], '/');
        suggest_offer(&s, city ? city + 1 : small.items[i]);
    }
    for (size_t i = 0; s.best && i < small.count && !found; i++)
        if (s.best >= small.items[i] && s.best <= small.items[i] + strlen(small.items[i]))
            found = mem_string(names->items[i]);
    strvec_clear(&small);
    free(word);
    return found;
}

char *zone_near(const char *folder, const char *name)
{
    struct strvec names = {0};
    char *path = mem_format("%s/tzdata.zi", folder), *found = NULL;
    FILE *list = fopen(path, "re");
    free(path);
    if (!list)
        return NULL;
    read_names(list, &names);
    fclose(list);
    found = nearest(name, &names);
    strvec_clear(&names);
    return found;
}
