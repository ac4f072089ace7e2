/* The spectral norm of an infinite matrix: loops in loops with calls. Argument: its size. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double element(int row, int column) { return 1.0 / ((row + column) * (row + column + 1) / 2 + row + 1); }

static __attribute__((noinline)) void times(int size, const double *vector, double *product) {
    for (int row = 0; row < size; row++) {
        double sum = 0;
        for (int column = 0; column < size; column++)
            sum += element(row, column) * vector[column];
        product[row] = sum;
    }
}

static void transposed_times(int size, const double *vector, double *product) {
    for (int row = 0; row < size; row++) {
        double sum = 0;
        for (int column = 0; column < size; column++)
            sum += element(column, row) * vector[column];
        product[row] = sum;
    }
}

static void both(int size, const double *vector, double *product) {
    double between[size];
    times(size, vector, between);
    transposed_times(size, between, product);
}

int main(int argc, char **argv) {
    int size = argc > 1 ? atoi(argv[1]) : 16;
    double *u = malloc(size * sizeof *u), *v = malloc(size * sizeof *v), along = 0, square = 0;
    for (int at = 0; at < size; at++)
        u[at] = 1;
    for (int round = 0; round < 10; round++) {
        both(size, u, v);
        both(size, v, u);
    }
    for (int at = 0; at < size; at++) {
        along += u[at] * v[at];
        square += v[at] * v[at];
    }
    printf("%.9f\n", sqrt(along / square));
    free(u);
    free(v);
    return 0;
}
