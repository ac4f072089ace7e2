/* Random sequences of letters, by cumulated probabilities. Argument: how many letters. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE 60

struct letter {
    float probability;
    char name;
};

static unsigned seed = 42;

static float random_below(float most) {
    seed = (seed * 3877 + 29573) % 139968;
    return most * seed / 139968;
}

static void cumulate(struct letter *letters, int count) {
    float sum = 0;
    for (int at = 0; at < count; at++) {
        sum += letters[at].probability;
        letters[at].probability = sum;
    }
}

static __attribute__((noinline)) char chosen(const struct letter *letters, int count) {
    float drawn = random_below(1);
    for (int at = 0; at < count; at++)
        if (drawn < letters[at].probability)
            return letters[at].name;
    return letters[count - 1].name;
}

static void random_lines(const struct letter *letters, int count, long length) {
    char line[LINE + 1];
    while (length > 0) {
        int width = length < LINE ? (int)length : LINE;
        for (int at = 0; at < width; at++)
            line[at] = chosen(letters, count);
        line[width] = '\n';
        fwrite(line, 1, width + 1, stdout);
        length -= width;
    }
}

static void repeated_lines(const char *text, long length) {
    size_t size = strlen(text), at = 0;
    while (length > 0) {
        int width = length < LINE ? (int)length : LINE;
        for (int column = 0; column < width; column++) {
            putchar(text[at]);
            at = at + 1 == size ? 0 : at + 1;
        }
        putchar('\n');
        length -= width;
    }
}

static struct letter many[] = {{.27f, 'a'}, {.12f, 'c'}, {.12f, 'g'}, {.27f, 't'}, {.02f, 'B'}, {.02f, 'D'}, {.18f, 'H'}};
static struct letter few[] = {{.30f, 'a'}, {.20f, 'c'}, {.20f, 'g'}, {.30f, 't'}};

int main(int argc, char **argv) {
    long length = argc > 1 ? atol(argv[1]) : 200;
    cumulate(many, 7);
    cumulate(few, 4);
    repeated_lines("GGCCGGGCGCGGTGGCTCACGCCTGTAATCCCAGCACTTTGG", 2 * length);
    random_lines(many, 7, 3 * length);
    random_lines(few, 4, 5 * length);
    return 0;
}
