/* Filter the masked parts of a picture, a pixel at a time: one_by_one [PERCENT [TIMES]]. */
#include "picture.h"

void filter_masked(unsigned char *out, const unsigned char *in, const unsigned char *where, const convolution *filter,
                   long count, int width) {
    for (long i = 0; i < count; i++)
        if (where[i])
            out[i] = in[i];
        else
            out[i] = convolve(in + i, filter, width);
}
