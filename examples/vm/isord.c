/* Is an array in order? With a comparator, so that calls through pointers are there to look at. */
#include <stdio.h>
#include <stdlib.h>

typedef int (*comparator)(const void *, const void *);

static int compare_longs(const void *one, const void *other) {
    long a = *(const long *)one, b = *(const long *)other;
    return (a > b) - (a < b);
}

int isord(const long *values, long count, comparator compare) {
    for (long at = 1; at < count; at++)
        if (compare(values + at - 1, values + at) > 0)
            return 0;
    return 1;
}

int is_ascending(const long *values, long count) { return isord(values, count, compare_longs); }

long sum_of_squares(int count) {
    long sum = 0;
    for (int number = 1; number <= count; number++)
        sum += (long)number * number;
    return sum;
}

int main(int argc, char **argv) {
    long rounds = argc > 1 ? atol(argv[1]) : 1, ordered = 0;
    long values[1000];
    for (int at = 0; at < 1000; at++)
        values[at] = at;
    for (long round = 0; round < rounds; round++)
        ordered += is_ascending(values, 1000);
    printf("%ld of %ld in order\n", ordered, rounds);
    return 0;
}
