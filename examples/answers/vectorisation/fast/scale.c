/* Adds a multiple of one list of numbers to another, many times. */
#include <stdio.h>

struct numbers {
    int count;
    int *at;
};

static __attribute__((noinline)) void add_scaled(struct numbers *to, const int *from, int factor) {
    int count = to->count;
    int *at = to->at;
    for (int i = 0; i < count; i++)
        at[i] += factor * from[i];
}

int main(void) {
    static int values[4096], totals[4096];
    struct numbers total = {4096, totals};
    for (int i = 0; i < 4096; i++)
        values[i] = i;
    for (int round = 0; round < 100000; round++)
        add_scaled(&total, values, round);
    printf("%d\n", totals[17]);
    return 0;
}
