/* Loops, switches, recursion, computed jumps, calls by pointer and setjmp, with sums that show every wrong turn. */
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned long sum;

struct list { struct list *next; int value; };

static const char *const words[] = {"alpha", "beta", "gamma", "delta"};
static jmp_buf back;

static sum mix(sum s, sum x) { return (s ^ x) * 1099511628211ul + (s >> 7); }

static int kind(int x) {
    switch (x % 11) {
    case 0: return 3;
    case 1: case 4: return kind(x / 2) + 1;
    case 7: return -x;
    case 8: case 9: x += 5; /* falls through */
    case 10: return x * 2;
    default: return x;
    }
}

static sum interpret(const char *code, int fuel) {
    static void *const jumps[] = {&&add, &&twice, &&branch, &&stop};
    void *local[] = {&&again, &&stop};
    sum s = 1;
    const char *at = code;
again:
    if (fuel-- <= 0) goto *local[1];
    goto *jumps[*at++ & 3];
add: s += (sum)fuel; goto *local[0];
twice: s = mix(s, 2); goto *local[0];
branch: at = s % 3 ? code : at; goto again;
stop: return s;
}

static int by_value(const void *a, const void *b) {
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static sum sorted(int n) {
    int *values = malloc(sizeof *values * (size_t)n);
    unsigned seed = 42;
    for (int i = 0; i < n; i++) values[i] = (int)((seed = seed * 1664525u + 1013904223u) >> 16);
    qsort(values, (size_t)n, sizeof *values, by_value);
    sum s = 0;
    for (int i = 0; i < n; i++) s = mix(s, (sum)values[i]);
    free(values);
    return s;
}

static sum lists(int n) {
    struct list *all = NULL;
    for (int i = 0; i < n; i++) {
        struct list *one = malloc(sizeof *one);
        *one = (struct list){all, kind(i)};
        all = one;
    }
    sum s = 0;
    while (all) {
        struct list *next = all->next;
        s = mix(s, (sum)all->value);
        free(all);
        all = next;
    }
    return s;
}

static void fail(int depth) {
    if (depth == 0) longjmp(back, 5);
    fail(depth - 1);
}

static sum recovered(int n) {
    volatile sum s = 0;
    for (volatile int i = 0; i < n; i++) {
        int code = setjmp(back);
        if (code == 0) fail(i);
        s = mix(s, (sum)(code + i));
    }
    return s;
}

static double series(int n) {
    double table[8][8], total = 0;
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) table[i][j] = 1.0 / (1 + i + j);
    for (int k = 0; k < n; k++)
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++) total += table[i][j] * table[j][(i + k) & 7];
    return total;
}

static sum (*const tasks[])(int) = {sorted, lists, recovered};

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 50;
    for (unsigned i = 0; i < sizeof tasks / sizeof *tasks; i++) printf("%s %lx\n", words[i], tasks[i](n));
    printf("%s %lx\n", words[3], interpret("\0\1\0\2\1\0\3", n));
    printf("%.12f\n", series(n));
    return (int)(sorted(n) & 63);
}
