// Calls that are the last thing that a function does, and that the compiler cannot jump to: their arguments take more of the
// stack than those of the function.
#include <stdbool.h>
#include <stdio.h>

#define NOINLINE __attribute__((noinline))

static volatile int one = 1;

typedef struct { long a[5]; } large;

NOINLINE static int leaf(int x) { return x * one + 1; }
NOINLINE static int many(int a, int b, int c, int d, int e, int f, int g, int h, int i) {
    return leaf(a) + leaf(b + c) + d + e + f + g + h + i;
}
NOINLINE static int last(int x, int y) { leaf(y); return many(x, y, x, y, x, y, x, y, x); }
NOINLINE static bool many_bool(int a, int b, int c, int d, int e, int f, int g, long h, long i) {
    return leaf(a) + b + c + d + e + f + g + h + i > 20;
}
NOINLINE static bool last_bool(int x) { leaf(x); return many_bool(x, x, x, x, x, x, x, x, x); }
NOINLINE static large many_large(int a, int b, int c, int d, int e, int f, long g, long h, long i) {
    return (large){{leaf(a), b + c, d + e, f + g, h + i}};
}
NOINLINE static large last_large(int x) { leaf(x); return many_large(x, x, x, x, x, x, x, x, x); }
NOINLINE static double many_doubles(double a, double b, double c, double d, double e, double f, double g, double h, double i) {
    return leaf((int)a) + b + c + d + e + f + g + h + i;
}
NOINLINE static double last_double(double x) { leaf(1); return many_doubles(x, x, x, x, x, x, x, x, x); }
NOINLINE static int of_array(int n) {
    volatile int values[n + 1];
    values[n] = leaf(n);
    return many(values[n], n, n, n, n, n, n, n, n);
}
NOINLINE static void many_nothing(int a, int b, int c, int d, int e, int f, int g, int h, int i) { many(i, h, g, f, e, d, c, b, a); }
NOINLINE static void last_nothing(int x) { leaf(x); many_nothing(x, x, x, x, x, x, x, x, x); }
NOINLINE static int again(int n) { return n ? last(n, again(n - 1)) : last(n, n); }

int main(void) {
    double sum = 0;
    for (int i = 0; i < 30; i++) {
        sum += last(i, 2) + leaf(i) + last_bool(i) + leaf(i) + last_double(i) + leaf(i) + of_array(i % 5) + leaf(i);
        large found = last_large(i);
        sum += (double)found.a[i % 5] + leaf(i) + again(i % 4);
        last_nothing(i);
        sum += leaf(i);
    }
    printf("%.0f\n", sum);
}
