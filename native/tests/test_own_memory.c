/* Memory of the probes' own against a plain record of which bytes are whose. */
#include "check.h"

#include <pthread.h>
#include <stdalign.h>
#include <stdint.h>

#include "../probes/own_memory.h"
#undef malloc
#undef calloc
#undef realloc
#undef free
#undef strdup

enum { PIECES = 300 };

typedef struct {
    unsigned char *at;
    size_t bytes;
    unsigned char content; /* of all of its bytes */
} piece;

static void fill(piece *p, unsigned char content) {
    p->content = content;
    memset(p->at, content, p->bytes);
}

static void check_content(const piece *p, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) CHECK_EQUAL(p->at[i], p->content);
}

static void check_place(const piece *pieces, const piece *new) {
    CHECK_EQUAL((uintptr_t)new->at % alignof(max_align_t), 0);
    for (uint32_t i = 0; i < PIECES; i++) {
        const piece *other = &pieces[i];
        if (other == new || !other->at) continue;
        CHECK(other->at + other->bytes <= new->at || new->at + new->bytes <= other->at);
    }
}

/* Mostly small, some larger than a chunk, some of one byte less or more than a power of two. */
static size_t random_size(uint64_t *random) {
    uint64_t choice = check_random(random);
    size_t power = (size_t)1 << choice % 19;
    if (choice >> 8 & 1) return choice >> 9 & 1 ? power : power - 1;
    return (size_t)(choice >> 16) % (power + 1);
}

static void use_at_random(uint64_t seed) {
    static _Thread_local piece pieces[PIECES];
    uint64_t random = seed;
    for (uint32_t round = 0; round < 20000; round++) {
        piece *p = &pieces[check_random(&random) % PIECES];
        size_t bytes = random_size(&random), kept = bytes < p->bytes ? bytes : p->bytes;
        switch (check_random(&random) % 4) {
        case 0:
            if (p->at) check_content(p, p->bytes);
            sn_own_free(p->at);
            *p = (piece){0};
            continue;
        case 1:
            if (p->at) check_content(p, p->bytes);
            p->at = sn_own_realloc(p->at, bytes);
            CHECK(p->at);
            check_content(p, kept);
            break;
        case 2:
            sn_own_free(p->at);
            p->at = sn_own_calloc(bytes / 3, 3);
            CHECK(p->at);
            bytes = bytes / 3 * 3;
            p->content = 0;
            check_content(p, bytes);
            break;
        default:
            sn_own_free(p->at);
            p->at = sn_own_malloc(bytes);
            CHECK(p->at);
        }
        p->bytes = bytes;
        check_place(pieces, p);
        fill(p, (unsigned char)round);
    }
    for (uint32_t i = 0; i < PIECES; i++)
        if (pieces[i].at) check_content(&pieces[i], pieces[i].bytes);
}

static void pieces_are_aligned_apart_and_keep_what_they_hold(void) {
    for (uint64_t seed = 1; seed < 4; seed++) {
        pid_t child = fork();
        if (child == 0) use_at_random(seed), _exit(0);
        int status;
        CHECK(waitpid(child, &status, 0) == child && status == 0);
    }
}

static void *use_in_thread(void *seed) {
    use_at_random((uintptr_t)seed);
    return NULL;
}

static void threads_have_pieces_of_their_own(void) {
    pthread_t threads[3];
    for (uintptr_t i = 0; i < 3; i++) CHECK_EQUAL(pthread_create(&threads[i], NULL, use_in_thread, (void *)(i + 10)), 0);
    for (uint32_t i = 0; i < 3; i++) CHECK_EQUAL(pthread_join(threads[i], NULL), 0);
}

/* Address space that the process has. */
static size_t pages_mapped(void) {
    size_t pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    CHECK(file && fscanf(file, "%zu", &pages) == 1);
    fclose(file);
    return pages;
}

static void what_was_given_back_is_used_again(void) {
    size_t mapped = 0;
    for (uint32_t round = 0; round < 200; round++) {
        void *kept[60];
        for (uint32_t i = 0; i < 60; i++) CHECK(kept[i] = sn_own_malloc(i * i * 20));
        for (uint32_t i = 0; i < 60; i++) sn_own_free(kept[(i * 7) % 60]);
        if (round == 0) mapped = pages_mapped();
    }
    CHECK(pages_mapped() <= mapped + 16);
}

static void what_cannot_be_had_is_refused(void) {
    unsigned char *kept = sn_own_malloc(100);
    CHECK(kept);
    memset(kept, 7, 100);
    CHECK(!sn_own_malloc(SIZE_MAX));
    CHECK(!sn_own_malloc(SIZE_MAX / 2));
    CHECK(!sn_own_calloc(SIZE_MAX / 2, 4));
    CHECK(!sn_own_realloc(kept, SIZE_MAX));
    for (uint32_t i = 0; i < 100; i++) CHECK_EQUAL(kept[i], 7); /* and is still there */
    sn_own_free(NULL);
    CHECK(sn_own_malloc(0));
    CHECK(sn_own_calloc(0, 5));
}

static void texts_are_copied(void) {
    char text[3000] = "";
    for (uint32_t length = 0; length < 2999; length += 37) {
        memset(text, 'a' + (int)(length % 26), length);
        text[length] = 0;
        char *copy = sn_own_strdup(text);
        CHECK(copy && copy != text && !strcmp(copy, text));
        sn_own_free(copy);
    }
}

CHECK_MAIN(TEST(pieces_are_aligned_apart_and_keep_what_they_hold), TEST(threads_have_pieces_of_their_own),
           TEST(what_was_given_back_is_used_again), TEST(what_cannot_be_had_is_refused), TEST(texts_are_copied))
