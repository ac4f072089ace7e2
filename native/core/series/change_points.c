#include "change_points.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Every operation is done in the same order by the twin, sonde/native/reference_change_points.py, so that both find
 * the same to the last bit. */

/* Tukey's lambda distribution with this shape is within 0.01 of the normal one over the ranks of 2,000 values. */
#define SHAPE 0.14
#define SCALE 4.91

/* Calibrated by benches/bench_change_points.py: noise of 20 to 2,000 values is cut in 1 % of all series, the head
 * and autocorrelation aside. */
#define PENALTY_EACH 2.0
#define PENALTY_BASE 6.0

/* Residuals that are more alike than this are a trend, for which no penalty helps. */
#define MOST_AUTOCORRELATION 0.9
#define ROUNDS 4

/* The search begins with a penalty for so much of the noise that differences show, and with a larger one when what it
 * leaves is more. Beginning low, it sees levels that change often. */
#define NOISE_SHARE 0.8

/* Values that each cut uses up: its place is chosen among many. Without it, noise that was cut to pieces would look
 * small enough to have been worth it. At least a quarter are taken to be left. */
#define USED_BY_CUT 4.0

/* The head: at most so many values; how rarely noise may look like one. */
#define MOST_HEAD 32
#define HEAD_CHANCE 0.0005
/* A head of fewer values than chance can tell must lie beyond Tukey's outer fence of all. */
#define SHORT_HEAD 3
#define FENCE 3.0

/* A straight line must explain so many times the variance of what is left, which it does by chance once in 2,000
 * series; and all that steps explain, but for what each cut picks up of the noise, or this share. Of equal steps a
 * line explains 75 %, 89 %, 94 % for one, two, three; steps of a line, of which there are as many as the noise allows,
 * explain less than the line does. */
#define DRIFT_GAIN 12.0
#define DRIFT_CUT 4.0
#define DRIFT_SHARE 0.07

/* One value less than a part has: no more of it can be on the wrong side. */
#define MOST_MOVE ((int64_t)SN_LEAST_PART - 1)

/* In distances of the quartiles from the level: 2.7 standard deviations of normal values. */
#define FIT 2.0

/* Candidates are looked through after every so many values; not less than SN_LEAST_PART. */
#define PRUNE_EVERY 16

/* Parts have all sorts of lengths; quantiles for up to so many values are kept, in 256 KiB. */
#define KEPT_RANKS 256

typedef struct {
    double value;
    uint32_t place;
} ranked;

typedef struct {
    ranked *sorted, *spare;
    double *quantiles; /* of each rank, for `ranks` values, more than KEPT_RANKS */
    size_t ranks;
    double *kept; /* the same for up to KEPT_RANKS: those of n begin at n (n - 1) / 2 */
    bool is_kept[KEPT_RANKS + 1];
    double *scores, *sums;         /* of the part looked at; sums of the first i */
    double *all_scores, *all_sums; /* of the whole series */
    double *sum, *best, *start;    /* candidates: sums[start], cost of the best partition of what is before, start */
    bool *doomed;
    double *costs;
    size_t *previous;
    int64_t *cuts, *ends;
} workspace;

static void destroy(workspace *w) {
    free(w->sorted);
    free(w->spare);
    free(w->quantiles);
    free(w->kept);
    free(w->scores);
    free(w->sums);
    free(w->all_scores);
    free(w->all_sums);
    free(w->sum);
    free(w->best);
    free(w->start);
    free(w->doomed);
    free(w->costs);
    free(w->previous);
    free(w->cuts);
    free(w->ends);
}

static bool create(workspace *w, size_t longest) {
    memset(w, 0, sizeof *w);
    if (longest >= UINT32_MAX / 2) return false;
    size_t room = longest + 2;
    w->sorted = calloc(room, sizeof *w->sorted);
    w->spare = calloc(room, sizeof *w->spare);
    w->quantiles = calloc(room, sizeof *w->quantiles);
    w->kept = malloc(KEPT_RANKS * (KEPT_RANKS + 1) / 2 * sizeof *w->kept);
    w->scores = calloc(room, sizeof *w->scores);
    w->sums = calloc(room, sizeof *w->sums);
    w->all_scores = calloc(room, sizeof *w->all_scores);
    w->all_sums = calloc(room, sizeof *w->all_sums);
    w->sum = calloc(room, sizeof *w->sum);
    w->best = calloc(room, sizeof *w->best);
    w->start = calloc(room, sizeof *w->start);
    w->doomed = calloc(room, sizeof *w->doomed);
    w->costs = calloc(room, sizeof *w->costs);
    w->previous = calloc(room, sizeof *w->previous);
    w->cuts = calloc(room, sizeof *w->cuts);
    w->ends = calloc(2 * room, sizeof *w->ends);
    if (w->sorted && w->spare && w->quantiles && w->kept && w->scores && w->sums && w->all_scores && w->all_sums && w->sum &&
        w->best && w->start && w->doomed && w->costs && w->previous && w->cuts && w->ends)
        return true;
    destroy(w);
    return false;
}

static inline void put_in_order(ranked *first, ranked *second) {
    ranked low = *first, high = *second;
    bool swap = high.value < low.value;
    *first = swap ? high : low;
    *second = swap ? low : high;
}

/* Into `sorted`: fours by a network of comparisons, then merged. Noise is in no order that a branch could guess, so
 * there are none. */
static void sort(workspace *w, const double *values, size_t n) {
    ranked *from = w->sorted, *to = w->spare;
    for (size_t i = 0; i < n; i++) from[i] = (ranked){values[i], (uint32_t)i};
    for (size_t i = 0; i < n; i += 4) {
        size_t left = n - i;
        ranked *four = from + i;
        if (left > 1) put_in_order(four, four + 1);
        if (left > 3) {
            put_in_order(four + 2, four + 3);
            put_in_order(four, four + 2);
            put_in_order(four + 1, four + 3);
        }
        if (left > 2) put_in_order(four + 1, four + 2);
        if (left == 3) put_in_order(four, four + 1);
    }
    for (size_t width = 4; width < n; width *= 2) {
        for (size_t start = 0; start < n; start += 2 * width) {
            size_t middle = start + width < n ? start + width : n;
            size_t stop = start + 2 * width < n ? start + 2 * width : n;
            size_t left = start, right = middle; /* one beyond the values may be read, and is not taken */
            for (size_t i = start; i < stop; i++) {
                size_t take_right = (right < stop) & ((left == middle) | (from[right].value < from[left].value));
                to[i] = from[left + (right - left) * take_right]; /* which compilers leave as it is */
                right += take_right;
                left += 1 - take_right;
            }
        }
        ranked *swap = from;
        from = to;
        to = swap;
    }
    w->sorted = from;
    w->spare = to;
}

static const double *normal_quantiles(workspace *w, size_t n) {
    bool keep = n <= KEPT_RANKS;
    double *quantiles = keep ? w->kept + n * (n - 1) / 2 : w->quantiles;
    if (keep ? w->is_kept[n] : w->ranks == n) return quantiles;
    for (size_t i = 0; i < n; i++) {
        double u = ((double)i + 0.5) / (double)n;
        quantiles[i] = SCALE * (pow(u, SHAPE) - pow(1.0 - u, SHAPE));
    }
    if (keep) w->is_kept[n] = true;
    else w->ranks = n;
    return quantiles;
}

/* Normal scores of the ranks into `scores`, their prefix sums into `sums`; the mean of their squares is returned.
 * Equal values share the mean of their scores. Leaves the values in `sorted`. */
static double score(workspace *w, const double *values, size_t n) {
    const double *quantiles = normal_quantiles(w, n);
    sort(w, values, n);
    double squares = 0;
    if (w->sorted[0].value == w->sorted[n - 1].value) { /* the sum of all scores is rounded, and may not be 0 */
        memset(w->scores, 0, n * sizeof *w->scores);
        memset(w->sums, 0, (n + 1) * sizeof *w->sums);
        return 0;
    }
    for (size_t i = 0; i < n;) {
        size_t stop = i + 1;
        double sum = quantiles[i];
        while (stop < n && w->sorted[stop].value == w->sorted[i].value) sum += quantiles[stop++];
        double shared = stop - i == 1 ? sum : sum / (double)(stop - i);
        for (; i < stop; i++) {
            w->scores[w->sorted[i].place] = shared;
            squares += shared * shared;
        }
    }
    w->sums[0] = 0;
    for (size_t i = 0; i < n; i++) w->sums[i + 1] = w->sums[i] + w->scores[i];
    return squares / (double)n;
}

/* The costs of letting the last part, which ends before t, begin at each candidate; the least is returned. */
static double least_cost(workspace *w, size_t live, double sum, double t) {
    const double *restrict sum_at = w->sum, *restrict best = w->best, *restrict start = w->start;
    double *restrict costs = w->costs, least = INFINITY;
    size_t i = 0;
#ifdef __SSE2__ /* compilers see that the costs go in pairs, but not that the least of them does */
    __m128d sums = _mm_set1_pd(sum), ends = _mm_set1_pd(t), pair = _mm_set1_pd(least);
    for (; i + 2 <= live; i += 2) {
        __m128d change = _mm_sub_pd(sums, _mm_loadu_pd(sum_at + i));
        __m128d length = _mm_sub_pd(ends, _mm_loadu_pd(start + i));
        __m128d gain = _mm_div_pd(_mm_mul_pd(change, change), length);
        __m128d cost = _mm_sub_pd(_mm_loadu_pd(best + i), gain);
        _mm_storeu_pd(costs + i, cost);
        pair = _mm_min_pd(cost, pair);
    }
    least = fmin(_mm_cvtsd_f64(pair), _mm_cvtsd_f64(_mm_unpackhi_pd(pair, pair)));
#endif
    for (; i < live; i++) {
        double change = sum - sum_at[i];
        costs[i] = best[i] - change * change / (t - start[i]);
        least = costs[i] < least ? costs[i] : least;
    }
    return least;
}

/* Optimal partitioning of `sums` into `cuts`, pruned: Killick, Fearnhead and Eckley, JASA 107(500), 2012.
 *
 * The best partition of the first t scores has cost B(t) = the least of (penalty - sum^2 / length) over all parts, and
 * B(0) = 0, less one penalty. A candidate s for the beginning of the last part that at t is no better than B(t), when
 * the penalty for one more cut is in B(t) only, is not needed for parts that end SN_LEAST_PART or more behind t: a cut
 * at t is as good, as sum^2 / length of two parts together never exceeds that of both. */
static size_t partition(workspace *w, size_t n, double penalty) {
    size_t live = 1;
    w->sum[0] = 0;
    w->best[0] = -penalty;
    w->start[0] = 0;
    w->doomed[0] = false;
    /* B(t) of the last SN_LEAST_PART values, which are no candidates yet. */
    double recent[SN_LEAST_PART];
    for (size_t t = SN_LEAST_PART; t <= n; t++) {
        if (t >= SN_LEAST_SERIES) {
            size_t s = t - SN_LEAST_PART;
            w->sum[live] = w->sums[s];
            w->best[live] = recent[s % SN_LEAST_PART];
            w->start[live] = (double)s;
            w->doomed[live++] = false;
        }
        double least = least_cost(w, live, w->sums[t], (double)t);
        size_t from = 0;
        while (w->costs[from] != least) from++;
        w->previous[t] = (size_t)w->start[from];
        least += penalty;
        recent[t % SN_LEAST_PART] = least;
        if (t % PRUNE_EVERY) continue;
        size_t kept = 0;
        for (size_t i = 0; i < live; i++) {
            if (w->doomed[i]) continue;
            w->sum[kept] = w->sum[i];
            w->best[kept] = w->best[i];
            w->start[kept] = w->start[i];
            w->doomed[kept++] = w->costs[i] >= least;
        }
        live = kept;
    }
    size_t count = 0;
    for (size_t at = w->previous[n]; at; at = w->previous[at]) w->cuts[count++] = (int64_t)at;
    for (size_t i = 0; i < count / 2; i++) {
        int64_t swap = w->cuts[i];
        w->cuts[i] = w->cuts[count - 1 - i];
        w->cuts[count - 1 - i] = swap;
    }
    return count;
}

typedef struct {
    double alike; /* lag-1 autocorrelation of the residuals */
    double squares;
} residuals;

/* Scores around the means of their parts. Noise that was cut where it happened to change looks less alike than it is:
 * by about 1 / n for each mean that was fitted. */
static residuals look_at_residuals(const double *scores, const double *sums, size_t n, const int64_t *cuts,
                                   size_t count) {
    double squares = 0, products = 0, before = 0;
    size_t start = 0;
    for (size_t part = 0; part <= count; part++) {
        size_t stop = part < count ? (size_t)cuts[part] : n;
        double mean = (sums[stop] - sums[start]) / (double)(stop - start);
        for (size_t i = start; i < stop; i++) {
            double residual = scores[i] - mean;
            squares += residual * residual;
            products += residual * before;
            before = residual;
        }
        start = stop;
    }
    if (!(squares > 0)) return (residuals){0, 0};
    double alike = products / squares + (double)(count + 1) / (double)n;
    alike = alike < 0 ? 0 : alike > MOST_AUTOCORRELATION ? MOST_AUTOCORRELATION : alike;
    return (residuals){alike, squares};
}

/* How much larger sums of values that are so much alike are squared, than of independent ones. */
static double inflation(double alike) { return (1 + alike) / (1 - alike); }

/* What share of the variance of the scores is noise, at least: half the mean square of differences says that, whatever
 * the levels (von Neumann, Annals of Mathematical Statistics 12(4), 1941), if they change seldom enough. */
static double noise_share(const double *scores, size_t n, double spread) {
    double squares = 0;
    for (size_t i = 1; i < n; i++) {
        double change = scores[i] - scores[i - 1];
        squares += change * change;
    }
    double share = NOISE_SHARE * squares / (2 * (double)(n - 1)) / spread;
    return share < 1 ? share : 1;
}

/* Cut one part: its ranks, their best partition, again with a larger penalty as long as that is due. */
static size_t cut(workspace *w, const double *values, size_t n, double penalty) {
    double spread = score(w, values, n);
    if (!(spread > 0)) return 0;
    double unit = (penalty > 0 ? penalty : PENALTY_EACH * log((double)n) + PENALTY_BASE) * spread;
    double factor = noise_share(w->scores, n, spread);
    size_t count = partition(w, n, unit * factor);
    for (int round = 0; count && round < ROUNDS; round++) {
        residuals left = look_at_residuals(w->scores, w->sums, n, w->cuts, count);
        double free = (double)n - 1 - USED_BY_CUT * (double)count, least = (double)n / 4;
        double due = inflation(left.alike) * (left.squares / (free > least ? free : least)) / spread;
        if (due <= factor) break;
        factor = due;
        count = partition(w, n, unit * factor);
    }
    return count;
}

/* How many of the first values are too slow, or too fast, for it to be chance: 0, or up to MOST_HEAD.
 *
 * If all orders are equally likely, the first k values are among the d largest with probability
 * (d choose k) / (n choose k). A head of up to SHORT_HEAD values, which are no more than 1 / n likely to be the
 * largest, may be slow beyond Tukey's outer fence instead. Reads `sorted`, of the same values. */
static size_t head(const workspace *w, const double *values, size_t n, bool slow) {
    size_t most = n / 2 < MOST_HEAD ? n / 2 : MOST_HEAD, found = 0, extreme = 0;
    double quarter = w->sorted[n / 4].value, three_quarters = w->sorted[n - 1 - n / 4].value;
    double fence = three_quarters + FENCE * (three_quarters - quarter), chance_found = HEAD_CHANCE;
    for (size_t k = 1; k <= most; k++) {
        double value = values[k - 1];
        size_t low = 0, high = n; /* the first that is not less (slow), or that is greater (fast) */
        while (low < high) {
            size_t middle = (low + high) / 2;
            double other = w->sorted[middle].value;
            if (slow ? other < value : other <= value) low = middle + 1;
            else high = middle;
        }
        size_t outside = slow ? n - low : low;
        if (outside > extreme) extreme = outside;
        if (2 * extreme > n) break; /* it only grows */
        double chance = 1;
        for (size_t i = 0; i < k; i++) chance *= (double)(extreme - i) / (double)(n - i);
        if (chance <= chance_found) {
            chance_found = chance;
            found = k;
        } else if (slow && k <= SHORT_HEAD && extreme == k && w->sorted[n - k].value > fence) {
            found = k;
        }
    }
    return found;
}

/* The first part from which on a straight line through all scores explains more than steps do; -1: none.
 * A series that never stops changing is cut into steps, the last of which may be long enough to pass for steady. */
static int64_t drift(const workspace *w, size_t n, const int64_t *cuts, size_t count, residuals left) {
    double unit = left.squares / (double)n * inflation(left.alike);
    for (size_t part = 0; part <= count; part++) {
        size_t start = part ? (size_t)cuts[part - 1] : 0, length = n - start;
        if (length < SN_LEAST_SERIES) break;
        double whole = w->all_sums[n] - w->all_sums[start], steps = -whole * whole / (double)length;
        for (size_t i = part; i <= count; i++) {
            size_t from = i ? (size_t)cuts[i - 1] : 0, to = i < count ? (size_t)cuts[i] : n;
            double sum = w->all_sums[to] - w->all_sums[from];
            steps += sum * sum / (double)(to - from);
        }
        double middle = ((double)length - 1) / 2, product = 0;
        for (size_t i = 0; i < length; i++) product += ((double)i - middle) * w->all_scores[start + i];
        double line = product * product / ((double)length * ((double)length * (double)length - 1) / 12);
        double allowed = DRIFT_CUT * (double)(count - part) * unit;
        if (line > DRIFT_GAIN * unit && line > steps - (allowed < DRIFT_SHARE * steps ? allowed : DRIFT_SHARE * steps))
            return (int64_t)part;
    }
    return -1;
}

/* Level and spread of the `n` values in `sorted`. */
static void describe(const workspace *w, size_t n, double *level, double *spread) {
    size_t low = n / 4, high = n - n / 4;
    double sum = 0;
    for (size_t i = low; i < high; i++) sum += w->sorted[i].value;
    *level = sum / (double)(high - low);
    *spread = w->sorted[high - 1].value - w->sorted[low].value + 0.0; /* not -0 */
}

/* Move change points by up to MOST_MOVE values to where the values, not their ranks, say that they are: each value near
 * one of them to the side whose level is nearer, if it is one like others there. (Ranks do not tell the first fast
 * iteration from a slow one that is a little slower still.) Then levels and spreads are computed anew. */
static void settle(workspace *w, const double *values, size_t n, int64_t *points, size_t count, double *levels,
                   double *spreads) {
    int64_t moved = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t at = points[i], best_at = at;
        int64_t lowest = (i ? points[i - 1] : 0) + 1, highest = (i + 1 < count ? points[i + 1] : (int64_t)n) - 1;
        if (lowest < at - MOST_MOVE) lowest = at - MOST_MOVE;
        if (highest > at + MOST_MOVE) highest = at + MOST_MOVE;
        double left = levels[i], right = levels[i + 1], change = 0, best = 0;
        for (int64_t to = at - 1; to >= lowest && fabs(values[to] - right) <= FIT * spreads[i + 1]; to--) {
            change += fabs(values[to] - right) - fabs(values[to] - left);
            if (change < best) {
                best = change;
                best_at = to;
            }
        }
        change = 0;
        for (int64_t to = at + 1; to <= highest && fabs(values[to - 1] - left) <= FIT * spreads[i]; to++) {
            change += fabs(values[to - 1] - left) - fabs(values[to - 1] - right);
            if (change < best) {
                best = change;
                best_at = to;
            }
        }
        points[i] = best_at;
        moved += best_at != at;
    }
    for (size_t i = 0; moved && i <= count; i++) {
        size_t start = i ? (size_t)points[i - 1] : 0, stop = i < count ? (size_t)points[i] : n;
        sort(w, values + start, stop - start);
        describe(w, stop - start, levels + i, spreads + i);
    }
}

/* One series of one value or more: change points, of which the number is returned, and what goes with them. */
static size_t search(workspace *w, const double *values, size_t n, double penalty, int64_t *points, double *levels,
                     double *spreads, int64_t *drifts, double *alike) {
    *drifts = -1;
    *alike = 0;
    if (n < SN_LEAST_SERIES) {
        sort(w, values, n);
        describe(w, n, levels, spreads);
        return 0;
    }
    size_t count = cut(w, values, n, penalty), first = head(w, values, n, true), total = 0;
    if (!first) first = head(w, values, n, false);
    if (count && first >= (size_t)w->cuts[0]) first = 0;
    memcpy(w->all_scores, w->scores, n * sizeof *w->scores);
    memcpy(w->all_sums, w->sums, (n + 1) * sizeof *w->sums);
    if (!count && !first) {
        describe(w, n, levels, spreads);
    } else {
        /* Ends of parts that are to be cut again, the leftmost on top; each begins where the one before it ended. */
        size_t depth = 0, start = 0;
        w->ends[depth++] = (int64_t)n;
        for (size_t i = count; i-- > 0;) w->ends[depth++] = w->cuts[i];
        if (first) w->ends[depth++] = (int64_t)first;
        while (depth) {
            size_t stop = (size_t)w->ends[depth - 1], length = stop - start;
            if (length < SN_LEAST_SERIES) sort(w, values + start, length);
            else if ((count = cut(w, values + start, length, penalty))) {
                for (size_t i = count; i-- > 0;) w->ends[depth++] = (int64_t)start + w->cuts[i];
                continue;
            }
            describe(w, length, levels + total, spreads + total);
            depth--;
            if (stop < n) points[total++] = (int64_t)stop;
            start = stop;
        }
        settle(w, values, n, points, total, levels, spreads);
    }
    residuals left = look_at_residuals(w->all_scores, w->all_sums, n, points, total);
    *drifts = drift(w, n, points, total, left);
    *alike = left.alike;
    return total;
}

sn_status sn_change_points(const double *values, const int64_t *offsets, size_t series, double penalty,
                           const sn_changes *found) {
    if (!(penalty >= 0 && isfinite(penalty)) || offsets[0] != 0) return SN_BAD_INPUT;
    size_t longest = 0;
    for (size_t i = 0; i < series; i++) {
        if (offsets[i + 1] < offsets[i]) return SN_BAD_INPUT;
        size_t length = (size_t)(offsets[i + 1] - offsets[i]);
        if (length > longest) longest = length;
    }
    for (int64_t i = 0; i < offsets[series]; i++)
        if (!isfinite(values[i])) return SN_BAD_INPUT;
    workspace w;
    if (!create(&w, longest)) return SN_NO_MEMORY;
    found->offsets[0] = 0;
    for (size_t i = 0; i < series; i++) {
        int64_t at = found->offsets[i];
        size_t length = (size_t)(offsets[i + 1] - offsets[i]), part = (size_t)at + i, count = 0;
        if (length) {
            count = search(&w, values + offsets[i], length, penalty, found->points + at, found->levels + part,
                           found->spreads + part, found->drifts + i, found->alike + i);
        } else { /* one part of no values */
            found->levels[part] = found->spreads[part] = 0;
            found->drifts[i] = -1;
            found->alike[i] = 0;
        }
        found->offsets[i + 1] = at + (int64_t)count;
    }
    destroy(&w);
    return SN_OK;
}
