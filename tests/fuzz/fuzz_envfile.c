#include <unistd.h>

#include "lib/base/strvec.h"
#include "spool/envfile.h"
#include "tests/fuzz/fuzz.h"

#define VALUES_MAX (1 << 20)

/* What is in single quotes, and what has no `${`, is in the environment as it stands in the file. */
static void check_plain(const struct strvec *env, const char *text)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text || strpbrk(text, "$\r\n\"'") || text[0] == '#' || strchr(" \t", text[0]) ||
        !strncmp(text, "\xef\xbb\xbf", 3))
        return;
    char *name = mem_format("%.*s", (int)(equals - text), text);
    const char *value = strvec_env_get(env, name);
    FUZZ_CHECK(value && strcmp(value, equals + 1) == 0, "'%s' has become '%s'", text, value ? value : "nothing");
    free(name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct strvec env = {0};
    struct error e = {0};
    int room = envfile_room();
    if (room < 0 || write(room, data, size) != (ssize_t)size)
        abort();
    strvec_env_set(&env, "HOME", "/home/ann");
    strvec_env_set(&env, "LITERAL", "${HOME}");
    int code = envfile_take(&env, "f", room, &e);
    size_t total = 0;
    if (code) {
        FUZZ_CHECK(code == -ERROR_USAGE && !strcmp(e.field, "env_file") && !strchr(e.text, '\n'), "refused badly: '%s'",
            e.text);
    } else {
        char *text = fuzz_text(data, size);
        if (strlen(text) == size)
            check_plain(&env, text);
        free(text);
    }
    for (size_t i = 0; i < env.count; i++)
        total += strlen(env.items[i]);
    FUZZ_CHECK(total <= VALUES_MAX + size + 100, "%zu bytes have become %zu", size, total);
    close(room);
    strvec_clear(&env);
    return 0;
}
