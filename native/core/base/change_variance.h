/* The variance of a time that is known by looks: by the changes between what was seen at one look and at the next.
 *
 * From one look to the next a thread is taken to have run half of the gap `g` what it ran at the first, half what it ran at
 * the second. Let V(h) be the probability that, of two moments which are `h` gaps apart, it runs something at one of them only.
 *
 *   Isolated changes. A stay of many gaps begins, and ends, at any moment of the gap in which it does, while g/2 is taken for
 *       it: the variance of each is that of a uniform variable, g^2/12.
 *   Dense changes. Where stays are short, looks are independent draws with some probability p: V(h) = 2p(1 - p). Each
 *       weighs g, so that the variance is g^2 p(1 - p) per gap, half of g^2 for each change that is seen.
 *   Both. With V(h) = n + s h, a part of short stays and one of long ones, the sum over all looks errs per gap by the Euler-
 *       Maclaurin formula: the jump n at 0 counts by its half, the slope s by B_2/2 = 1/12, so g^2 (n/2 + s/12). What is seen
 *       are V(1) and V(2): n = 2 V(1) - V(2) and s = V(2) - V(1), and the variance per gap is g^2 (11 V(1) - 5 V(2)) / 12.
 *
 * Of two gaps that follow one another, what is seen at the two ends differs if just one of them has a change. So each change has
 * 11/12, less 5/12 for each of the two gaps beside it that has none: 1/12 where it is alone, 1/2 with one neighbour, 11/12
 * with two. As it is summed up here: 1/12 for each change, and 5/12 for both of each two that follow one another. It is
 * never negative, and 11/6 of what it would be if all changes were dense at most.
 *
 * Guarantee: right on average where stays are much shorter or much longer than gaps, and for a mixture of these. Too
 *     large between them, as V is concave for independent stays: then the chord through V(1) and V(2) lies above V at 0. The
 *     standard error of stays of 1, 2, 5 and 20 gaps on average, exponentially distributed, is 1.7, 1.5, 1.3 and 1.1
 *     times what it should be (looks at random moments).
 * Not right: where looks are equally far apart, and all stays last for the same number of gaps and a half (0.8 times what it
 *     should be); where the program repeats itself in step with the looks.
 * Source: the estimator of overlapping successive differences for systematic samples, Wolter, Introduction to Variance
 *     Estimation (1985), chapter 7.
 * Differs: it is that for dense changes only; and gaps are weighed by their own squares, as they are not equally long.
 */
#ifndef SONDE_CHANGE_VARIANCE_H
#define SONDE_CHANGE_VARIANCE_H

#include <stdbool.h>
#include <stdint.h>

/* Of a change in a gap of `ns`; `is_second`: it follows one in the gap before, of `ns_before`. */
static inline double sn_change_square(uint64_t ns, uint64_t ns_before, bool is_second) {
    double square = (double)ns * (double)ns;
    return square / 12 + (is_second ? (square + (double)ns_before * (double)ns_before) * 5 / 12 : 0);
}

#endif
