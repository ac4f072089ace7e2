/* Filter the masked parts of a picture, eight pixels at a time where all go one way: eight_at_once [PERCENT [TIMES]]. */
#include "picture.h"

#include <stdint.h>
#include <string.h>

void filter_masked(unsigned char *out, const unsigned char *in, const unsigned char *where, const convolution *filter,
                   long count, int width) {
    long i = 0;
    while (i + 8 <= count) {
        uint64_t eight;
        memcpy(&eight, where + i, sizeof eight);
        const long end = i + 8;
        if (eight == UINT64_MAX) {
            memcpy(out + i, in + i, sizeof eight);
            i = end;
        } else if (eight == 0) {
            for (; i < end; i++) out[i] = convolve(in + i, filter, width);
        } else {
            for (; i < end; i++) out[i] = where[i] ? in[i] : convolve(in + i, filter, width);
        }
    }
    for (; i < count; i++) out[i] = where[i] ? in[i] : convolve(in + i, filter, width);
}
