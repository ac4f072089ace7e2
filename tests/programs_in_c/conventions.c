/* Every way in which arguments and results travel, a global with state, a comparator that the C library calls. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct big { long values[8]; };
struct pair { double a; int b; };

static int calls;

int counted(void) { return ++calls; }

long sum(int count, ...) {
    va_list list;
    va_start(list, count);
    long total = 0;
    for (int i = 0; i < count; i++) total += va_arg(list, int);
    va_end(list);
    return total;
}

double mean(int count, ...) {
    va_list list;
    va_start(list, count);
    double total = 0;
    for (int i = 0; i < count; i++) total += va_arg(list, double);
    va_end(list);
    return total / count;
}

struct big twice(struct big x) {
    for (int i = 0; i < 8; i++) x.values[i] *= 2;
    return x;
}

struct pair swapped(struct pair x) { return (struct pair){x.b, (int)x.a}; }

long double half(long double x) { return x / 2; }

signed char narrow(signed char x, unsigned char y, _Bool z, float f) { return (signed char)(x + y + z + (int)f); }

static int descending(const void *a, const void *b) { return *(const int *)b - *(const int *)a; }

int sorted_first(int *numbers, int count) {
    qsort(numbers, (size_t)count, sizeof *numbers, descending);
    return numbers[0];
}

int through(int (*f)(int), int x) { return f(x); }

int square(int x) { return x * x; }

const char *greeting(void) { return "hello"; }

int leave(int status) { exit(status); }

int jumps(const char *code) { /* computed goto */
    static const void *const table[] = {&&stop, &&up, &&triple};
    int value = 1;
    goto *table[(int)*code++];
up:
    value++;
    goto *table[(int)*code++];
triple:
    value *= 3;
    goto *table[(int)*code++];
stop:
    return value;
}

int main(int argc, char **argv) {
    struct big b = {{1, 2, 3, 4, 5, 6, 7, 8}};
    b = twice(b);
    struct pair p = swapped((struct pair){2.5, 7});
    int numbers[] = {3, 9, 4};
    printf("%s %d %ld %.2f %ld %.1f %d %.2Lf %d %d %d %d\n", argc > 1 ? argv[1] : "-", counted(), sum(3, 1, 2, 3),
           mean(2, 1.0, 2.0), b.values[7], p.a, p.b, half(5.0L), narrow(-3, 200, 1, 2.9f), sorted_first(numbers, 3),
           through(square, 12), jumps("\1\2\2\1"));
    return argc > 2 ? leave(atoi(argv[2])) : argc;
}
