/* A tiny test harness: each test runs in a process of its own, so that one may set limits,
 * crash or leak without harm to the next. */
#ifndef SONDE_CHECK_H
#define SONDE_CHECK_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SKIPPED 77

#define CHECK(condition)                                                                                              \
    do {                                                                                                              \
        if (!(condition)) {                                                                                           \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                                 \
            exit(1);                                                                                                  \
        }                                                                                                             \
    } while (0)

/* Two numbers that should be equal; both are shown when they are not. */
#define CHECK_EQUAL(got, wanted)                                                                                      \
    do {                                                                                                              \
        long long got_ = (long long)(got), wanted_ = (long long)(wanted);                                             \
        if (got_ != wanted_) {                                                                                        \
            fprintf(stderr, "%s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #got, got_, wanted_);                \
            exit(1);                                                                                                  \
        }                                                                                                             \
    } while (0)

/* Give up this test, because the machine lacks what it needs. */
#define SKIP(reason)                                                                                                  \
    do {                                                                                                              \
        printf("  skipped: %s\n", reason);                                                                            \
        exit(SKIPPED);                                                                                                \
    } while (0)

typedef struct {
    const char *name;
    void (*run)(void);
} check_test;

#define TEST(name) {#name, name}

static inline int check_all(const check_test *tests, size_t count) {
    int failed = 0, skipped = 0;
    for (size_t i = 0; i < count; i++) {
        printf("%s\n", tests[i].name);
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            tests[i].run();
            exit(0);
        }
        int status = 0;
        if (child < 0 || waitpid(child, &status, 0) != child) return 2;
        if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED) {
            skipped++;
        } else if (status) {
            printf("  FAILED\n");
            failed++;
        }
    }
    printf("%zu tests, %d failed, %d skipped\n", count, failed, skipped);
    return failed ? 1 : 0;
}

#define CHECK_MAIN(...)                                                                                               \
    int main(void) {                                                                                                  \
        static const check_test tests[] = {__VA_ARGS__};                                                              \
        return check_all(tests, sizeof tests / sizeof *tests);                                                        \
    }

/* Whether the sanitizers are on: they need address space of their own. */
#if defined(__SANITIZE_ADDRESS__)
#define CHECK_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CHECK_SANITIZED 1
#endif
#endif
#ifndef CHECK_SANITIZED
#define CHECK_SANITIZED 0
#endif

/* A pseudo-random sequence, the same on every machine: Marsaglia's xorshift64 (JSS 8(14), 2003). */
static inline uint64_t check_random(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

#endif
