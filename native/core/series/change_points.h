/* Where the level of a series changes: optimal partitioning of rank scores, with pruning.
 *
 * A series is replaced by the normal scores of its ranks, so that neither outliers, nor skew, nor the unit matter,
 * and what noise alone does depends on the number of values only. The scores are cut where that lessens their sum of
 * squares around the means of the parts by more than a penalty for each cut; the penalty grows with the
 * autocorrelation of what is left. Parts are ranked anew and cut again. A few slow (or fast) values at the very
 * beginning, too few for that, are told by a test of their own. docs/notes/warm-up.md says why.
 */
#ifndef SONDE_CHANGE_POINTS_H
#define SONDE_CHANGE_POINTS_H

#include "../base/cells.h"

/* Parts have at least so many values, but for a head. */
#define SN_LEAST_PART 4u

/* Series of fewer values are not cut. */
#define SN_LEAST_SERIES (2 * SN_LEAST_PART)

/* What is found, series after series. The caller owns the arrays. */
typedef struct {
    int64_t *points;  /* change points, ascending in each series, 0 < each < its length; room: number of values */
    int64_t *offsets; /* [series + 1] where those of each begin; series i has points + 1 parts, from offsets[i] + i on */
    double *levels;   /* of each part: mean of its middle half; room: number of values + series */
    double *spreads;  /* of each part: distance of its quartiles */
    int64_t *drifts;  /* [series] the part from which on a straight line fits better than steps; -1: there is none */
    double *alike;    /* [series] lag-1 autocorrelation of the scores around the means of their parts, 0 .. 0.9 */
} sn_changes;

/* Change points of each of `series` series: `values[offsets[i]]` up to `values[offsets[i + 1]]`, all finite.
 * `penalty` 0 takes the calibrated one.
 * SN_BAD_INPUT: offsets do not ascend from 0, a value is not finite, or the penalty is negative or not finite. */
sn_status sn_change_points(const double *values, const int64_t *offsets, size_t series, double penalty,
                           const sn_changes *found);

#endif
