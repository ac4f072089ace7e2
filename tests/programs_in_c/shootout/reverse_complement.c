/* A sequence made up, complemented and reversed in place, many times. Arguments: letters, rounds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char complement[256];

static __attribute__((noinline)) void reverse_complement(char *text, long length) {
    for (char *low = text, *high = text + length - 1; low <= high; low++, high--) {
        char kept = complement[(unsigned char)*low];
        *low = complement[(unsigned char)*high];
        *high = kept;
    }
}

int main(int argc, char **argv) {
    long length = argc > 1 ? atol(argv[1]) : 300, rounds = argc > 2 ? atol(argv[2]) : 3;
    const char *letters = "ACGTUMRWSYKVHDBN", *others = "TGCAAKYWSRMBDHVN";
    for (int at = 0; letters[at] != '\0'; at++)
        complement[(unsigned char)letters[at]] = others[at];
    char *text = malloc(length + 1);
    unsigned seed = 7;
    for (long at = 0; at < length; at++) {
        seed = seed * 1103515245u + 12345u;
        text[at] = letters[seed >> 28];
    }
    text[length] = '\0';
    for (long round = 0; round < rounds; round++)
        reverse_complement(text, length);
    for (long at = 0; at < length; at += 60)
        printf("%.60s\n", text + at);
    free(text);
    return 0;
}
