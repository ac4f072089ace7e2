/* The Mandelbrot set as a bitmap: arithmetic of floating-point numbers. Argument: its width. */
#include <stdio.h>
#include <stdlib.h>

#define ITERATIONS 50

static __attribute__((noinline)) unsigned char eight_points(double y, int column, int width) {
    unsigned char bits = 0;
    for (int bit = 0; bit < 8; bit++) {
        double x = 2.0 * (column + bit) / width - 1.5, real = x, imaginary = y;
        int left = ITERATIONS;
        while (left > 0 && real * real + imaginary * imaginary <= 4.0) {
            double next = real * real - imaginary * imaginary + x;
            imaginary = 2 * real * imaginary + y;
            real = next;
            left--;
        }
        bits = (unsigned char)(bits << 1 | (left == 0));
    }
    return bits;
}

int main(int argc, char **argv) {
    int width = (argc > 1 ? atoi(argv[1]) : 32) & ~7;
    printf("P4\n%d %d\n", width, width);
    for (int row = 0; row < width; row++)
        for (int column = 0; column < width; column += 8)
            putchar(eight_points(2.0 * row / width - 1.0, column, width));
    return 0;
}
