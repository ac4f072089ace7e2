/* A driver for the fuzzers where there is no libFuzzer: valid inputs, damaged at random.
 *
 *   fuzz_spool_file [-runs=N] [-seed=N]     the same inputs for the same numbers, everywhere
 *   fuzz_spool_file FILE ...                run inputs that were kept
 *
 * An input that breaks a promise is left in `finding` in the working folder. It is blind to
 * coverage; what it has for that is knowledge of where the interesting bytes are: whole
 * words, at multiples of their size, with values at the edges.
 */
#include "fuzz.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static uint8_t input[FUZZ_ROOM];
static size_t input_size;

static uint64_t next(uint64_t *random) { /* xorshift64, as in native/tests/check.h */
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return *random;
}

static void mutate(uint64_t *random) {
    static const uint64_t edges[] = {0,          1,          2,          4,          64,         INT32_MAX,
                                     UINT32_MAX, 1ull << 31, 1ull << 63, INT64_MAX,  UINT64_MAX, UINT64_MAX - 63};
    for (uint64_t changes = next(random) % 6; changes-- > 0 && input_size > 8;) {
        uint64_t dice = next(random);
        size_t at = next(random) % (input_size - 8), other = next(random) % (input_size - 8);
        switch (dice % 8) {
        case 0:
            input[at] ^= (uint8_t)(1u << (dice >> 8 & 7));
            break;
        case 1:
            input[at] = (uint8_t)(dice >> 8);
            break;
        case 2: /* an edge, as a word or half of one */
            at &= ~(size_t)7;
            memcpy(input + at + (dice >> 8 & 4), &edges[(dice >> 16) % (sizeof edges / sizeof *edges)], 4);
            break;
        case 3:
            memcpy(input + (at & ~(size_t)7), &edges[(dice >> 16) % (sizeof edges / sizeof *edges)], 8);
            break;
        case 4: /* a word from elsewhere: pointers that point to the wrong thing */
            memmove(input + (at & ~(size_t)7), input + (other & ~(size_t)7), 8);
            break;
        case 5: { /* a little more or less: neighbours */
            uint64_t word;
            memcpy(&word, input + (at & ~(size_t)7), 8);
            word += (dice >> 8 & 1) ? 64 : UINT64_C(0) - 64;
            memcpy(input + (at & ~(size_t)7), &word, 8);
            break;
        }
        case 6:
            if (dice >> 8 & 3) break;
            input_size = at;
            break;
        default: { /* a cell in another's place */
            size_t from = other & ~(size_t)63, to = at & ~(size_t)63;
            if (from + 64 <= input_size && to + 64 <= input_size) memmove(input + to, input + from, 64);
        }
        }
    }
}

static void keep_finding(int number) {
    (void)number;
    FILE *file = fopen("finding", "wb");
    if (file) {
        fwrite(input, 1, input_size, file);
        fclose(file);
        fprintf(stderr, "input kept as 'finding', %zu bytes\n", input_size);
    }
    signal(SIGABRT, SIG_DFL);
    abort();
}

/* The input with an allocation of its own, so that a sanitizer sees every byte beyond it. */
static void run(void) {
    uint8_t *bytes = malloc(input_size ? input_size : 1);
    if (!bytes) abort();
    memcpy(bytes, input, input_size);
    LLVMFuzzerTestOneInput(bytes, input_size);
    free(bytes);
}

int main(int count, char **words) {
    unsigned long long runs = 20000, seed = 1;
    int files = 0;
    signal(SIGABRT, keep_finding);
    for (int i = 1; i < count; i++) {
        if (sscanf(words[i], "-runs=%llu", &runs) == 1 || sscanf(words[i], "-seed=%llu", &seed) == 1) continue;
        FILE *file = fopen(words[i], "rb");
        if (!file) {
            perror(words[i]);
            return 2;
        }
        input_size = fread(input, 1, sizeof input, file);
        fclose(file);
        run();
        files++;
    }
    uint64_t random = seed * 0x9E3779B97F4A7C15u | 1; /* any odd number will do, close seeds should differ */
    for (unsigned long long i = 0; !files && i < runs; i++) {
        input_size = fuzz_example(input, sizeof input, &random);
        mutate(&random);
        run();
    }
    printf("%llu inputs, no finding\n", files ? (unsigned long long)files : runs);
    return 0;
}
