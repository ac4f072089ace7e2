/* As fasta, with a table in which the drawn number is looked up. Argument: how many letters. */
#include <stdio.h>
#include <stdlib.h>

#define LINE 60
#define TABLE 4096

static unsigned seed = 42;
static char table[TABLE];

static unsigned drawn(void) {
    seed = (seed * 3877 + 29573) % 139968;
    return seed;
}

static void fill(const char *names, const double *probabilities, int count) {
    double sum = probabilities[0];
    int at = 0;
    for (int entry = 0; entry < TABLE; entry++) {
        while (at + 1 < count && entry >= sum * TABLE)
            sum += probabilities[++at];
        table[entry] = names[at];
    }
}

static __attribute__((noinline)) void lines(long length) {
    char line[LINE + 1];
    for (; length > 0; length -= LINE) {
        int width = length < LINE ? (int)length : LINE;
        for (int at = 0; at < width; at++)
            line[at] = table[(unsigned long)drawn() * TABLE / 139968];
        line[width] = '\n';
        fwrite(line, 1, width + 1, stdout);
    }
}

int main(int argc, char **argv) {
    static const double many[] = {.27, .12, .12, .27, .02, .02, .18}, few[] = {.3, .2, .2, .3};
    long length = argc > 1 ? atol(argv[1]) : 200;
    fill("acgtBDH", many, 7);
    lines(3 * length);
    fill("acgt", few, 4);
    lines(5 * length);
    return 0;
}
