/* A picture with noise, and a mask of discs, inside of which the picture is to be blurred. */
#include <stdio.h>
#include <stdlib.h>

enum { rows = 1188, columns = 1557, pixels = rows * columns, edge = 2 };

static unsigned char picture[pixels], mask[pixels], blurred[pixels];

/* The mask is 0 in discs, which are PERCENT of the picture, and 255 elsewhere; near the edges always. */
static void draw(int percent) {
    const int step = 200;
    const long radius_squared = (long)percent * step * step * 100 / 31416;
    unsigned noise = 1;
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < columns; x++) {
            const long dy = y % step - step / 2, dx = x % step - step / 2;
            const int is_inside = dy * dy + dx * dx < radius_squared;
            const int is_near_edge = y < edge || x < edge || y >= rows - edge || x >= columns - edge;
            mask[y * columns + x] = is_inside && !is_near_edge ? 0 : 255;
            noise = noise * 1103515245 + 12345;
            picture[y * columns + x] = (unsigned char)(noise >> 16);
        }
}

static unsigned checksum(void) {
    unsigned sum = 0;
    for (long i = 0; i < pixels; i++) sum = sum * 31 + blurred[i];
    return sum;
}

/* A filter of 5 by 5, which is added up, scaled and shifted. */
typedef struct {
    signed char weights[25];
    double factor, bias;
} convolution;

static inline unsigned char convolve(const unsigned char *at, const convolution *filter, int width) {
    const signed char *weight = filter->weights;
    int sum = 0;
    for (int dy = -edge; dy <= edge; dy++)
        for (int dx = -edge; dx <= edge; dx++) sum += at[dy * width + dx] * *weight++;
    const int value = (int)(sum * filter->factor + filter->bias);
    return (unsigned char)(value < 0 ? 0 : value > 255 ? 255 : value);
}

void filter_masked(unsigned char *out, const unsigned char *in, const unsigned char *where, const convolution *filter,
                   long count, int width);

int main(int count, char **words) {
    convolution blur = {.factor = 1.0 / 25, .bias = 0};
    for (int at = 0; at < 25; at++) blur.weights[at] = 1;
    draw(count > 1 ? atoi(words[1]) : 50);
    for (int times = count > 2 ? atoi(words[2]) : 1; times > 0; times--)
        filter_masked(blurred, picture, mask, &blur, pixels, columns);
    printf("%u\n", checksum());
}
