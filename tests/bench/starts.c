/* starts ROUNDS COMMAND... [-- COMMAND...]...: how long each command takes from posix_spawn to its end, standard output
 * and error thrown away. The commands take turns, so that noise meets all alike. Prints a median in ms for each.
 * In a command {now} stands for the time in nanoseconds since 1970 and {n} for the round, counted from 1.
 * With PAUSE_US set it waits that long after each command. */
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { COMMANDS = 16, WORDS = 64 };

static int64_t clock_ns(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Runs the command once; ms, or -1 if it could not be started or did not end with 0. */
static double once(char **words, const posix_spawn_file_actions_t *quiet, int round)
{
    char now[32], number[32], *argv[WORDS + 1];
    snprintf(number, sizeof number, "%d", round);
    int64_t from = clock_ns(CLOCK_MONOTONIC);
    snprintf(now, sizeof now, "%" PRId64, clock_ns(CLOCK_REALTIME));
    int count = 0;
    for (; words[count]; count++)
        argv[count] = strcmp(words[count], "{now}") == 0 ? now : strcmp(words[count], "{n}") == 0 ? number : words[count];
    argv[count] = NULL;
    pid_t pid;
    int status;
    if (posix_spawnp(&pid, argv[0], quiet, NULL, argv, environ) != 0 || waitpid(pid, &status, 0) < 0 || status != 0)
        return -1;
    return (double)(clock_ns(CLOCK_MONOTONIC) - from) / 1e6;
}

/* Cuts argv into commands at each `--`; returns how many. A command may hold a `--` written as `\--`. */
static int cut(char **argv, char **commands[])
{
    int count = 0;
    commands[count++] = argv;
    for (char **word = argv; *word; word++) {
        if (strcmp(*word, "--") == 0 && count < COMMANDS) {
            *word = NULL;
            commands[count++] = word + 1;
        } else if (strcmp(*word, "\\--") == 0) {
            *word += 1;
        }
    }
    return count;
}

int main(int argc, char **argv)
{
    int rounds = argc > 2 ? atoi(argv[1]) : 0;
    if (rounds < 1 || argc - 2 > WORDS)
        return 2;
    char **commands[COMMANDS];
    int count = cut(argv + 2, commands);
    const char *pause = getenv("PAUSE_US");
    posix_spawn_file_actions_t quiet;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", O_WRONLY, 0);
    double *taken = calloc((size_t)rounds * (size_t)count, sizeof *taken);
    for (int round = 0; taken && round < rounds; round++) {
        for (int i = 0; i < count; i++) {
            double ms = once(commands[i], &quiet, round + 1);
            if (ms < 0) {
                fprintf(stderr, "starts: %s failed in round %d\n", commands[i][0], round + 1);
                return 1;
            }
            taken[(size_t)i * (size_t)rounds + (size_t)round] = ms;
            if (pause)
                usleep((useconds_t)atoi(pause));
        }
    }
    for (int i = 0; taken && i < count; i++) {
        double *mine = taken + (size_t)i * (size_t)rounds;
        qsort(mine, (size_t)rounds, sizeof *mine, compare);
        printf("%.3f\n", mine[rounds / 2]);
    }
    free(taken);
    posix_spawn_file_actions_destroy(&quiet);
    return 0;
}
