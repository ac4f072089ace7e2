/* What compiled advice stands on: arithmetic that has no undefined cases, tables, histograms, caches, output, results.
 *
 * The code that uses it is generated (sonde.toolkit), one file for a tool; its slow twin is sonde/toolkit/int64.py and
 * the containers beside it. Freestanding: memory comes from sn_pages(), is never given back, and is bounded by the
 * limits below. What does not fit is counted and told.
 */
#ifndef SONDE_ADVICE_RUNTIME_H
#define SONDE_ADVICE_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "advice.h"
#include "../caches/cache_model.h"

/* Iterations of all loops of one piece of advice, so that an endless one ends: tenths of a second. */
#ifndef SN_ADVICE_STEPS
#define SN_ADVICE_STEPS 10000000
#endif
#define SN_COUNTS_ROWS (1u << 20)
#define SN_HISTOGRAM_ROWS (1u << 16)
/* Bytes of what a tool prints for its report. */
#define SN_PRINTED_BYTES (1u << 20)
#define SN_OUTPUT_BUFFER (1u << 16)
/* Bytes of a printed line; sonde.toolkit lets no longer one pass. */
#define SN_PRINTED_LINE 1000u

/* ---- integers: 64 bits, wrapping; // and % round down as Python's do ------------------------------------------- */

static inline int64_t sn_add(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }
static inline int64_t sn_sub(int64_t a, int64_t b) { return (int64_t)((uint64_t)a - (uint64_t)b); }
static inline int64_t sn_mul(int64_t a, int64_t b) { return (int64_t)((uint64_t)a * (uint64_t)b); }
static inline int64_t sn_neg(int64_t a) { return sn_sub(0, a); }
/* Functions, because compilers warn of arithmetic and comparisons with what was a bool once. */
static inline int64_t sn_int(bool a) { return a; }
static inline int64_t sn_invert(int64_t a) { return ~a; }
static inline int64_t sn_abs(int64_t a) { return a < 0 ? sn_neg(a) : a; }
static inline int64_t sn_min(int64_t a, int64_t b) { return b < a ? b : a; }
static inline int64_t sn_max(int64_t a, int64_t b) { return b > a ? b : a; }
static inline double sn_min_float(double a, double b) { return b < a ? b : a; }
static inline double sn_max_float(double a, double b) { return b > a ? b : a; }
/* Only the sign bit goes, as for Python. */
static inline double sn_abs_float(double a) { return __builtin_fabs(a); }

/* `b` is not 0. */
static inline int64_t sn_floor_div(int64_t a, int64_t b) {
    if (b == -1) return sn_neg(a);
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
static inline int64_t sn_mod(int64_t a, int64_t b) {
    if (b == -1) return 0;
    int64_t rest = a % b;
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

/* `by` is not negative. */
static inline int64_t sn_shift_left(int64_t a, int64_t by) { return by < 64 ? (int64_t)((uint64_t)a << by) : 0; }
static inline int64_t sn_shift_right(int64_t a, int64_t by) {
    return by < 64 ? a >> by : (a < 0 ? -1 : 0); /* C compilers of today shift the sign in */
}

/* Whether int() of it is an integer of 64 bits. */
static inline bool sn_is_whole(double a) { return a >= -0x1p63 && a < 0x1p63; }

/* An integer and a float, exactly: -1, 0, 1 as less, equal, greater; 2: the float is no number. */
static inline int sn_compare(int64_t a, double b) {
    if (b != b) return 2;
    if (b >= 0x1p63) return -1;
    if (b < -0x1p63) return 1;
    int64_t whole = (int64_t)b;
    if (a != whole) return a < whole ? -1 : 1;
    double rest = b - (double)whole;
    return rest > 0 ? -1 : rest < 0 ? 1 : 0;
}

/* Floats are kept in the fields of objects as their bits. */
static inline double sn_float_of(int64_t bits) {
    double value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}
static inline int64_t sn_bits_of(double value) {
    int64_t bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* How many times `for i in range(start, stop, step)` goes round; `step` is not 0. */
static inline uint64_t sn_rounds(int64_t start, int64_t stop, int64_t step) {
    if (step > 0) return start < stop ? ((uint64_t)stop - (uint64_t)start - 1) / (uint64_t)step + 1 : 0;
    return start > stop ? ((uint64_t)start - (uint64_t)stop - 1) / (0 - (uint64_t)step) + 1 : 0;
}

/* ---- faults: what ends the advice of the whole run ------------------------------------------------------------- */

enum sn_fault {
    SN_NO_FAULT,
    SN_DIVISION_BY_ZERO,
    SN_NEGATIVE_SHIFT,
    SN_NO_SUCH_INTEGER, /* int() of a float that is too large, or no number */
    SN_RANGE_WITHOUT_STEP,
    SN_ENDLESS_LOOP,
    SN_NO_MEMORY,
};

struct sn_faults {
    uint32_t what; /* enum sn_fault */
    uint32_t line; /* of the tool's file */
    int64_t steps; /* what is left of SN_ADVICE_STEPS */
};

/* The first fault counts. */
void sn_fault(struct sn_faults *faults, uint32_t line, enum sn_fault what);

/* ---- tables: rows of integers by up to two keys --------------------------------------------------------------- */

struct sn_table {
    const char *name;
    const char *kinds;   /* of the keys, with commas: "type,int"; "-": none */
    const char *columns; /* NULL: a histogram */
    uint32_t cells, limit;
    int64_t *last;       /* the row that was looked up last; NULL at first. A row is two keys, then its cells */
    int64_t **index;     /* rows, hashed by key, with free places between */
    uint64_t mask;       /* places - 1 */
    uint32_t rows;
    int64_t *room, *room_end; /* for rows to come */
    int64_t *overflow;   /* what is handed out when nothing fits */
    uint64_t refused;
};

/* Whether there is memory for it. */
bool sn_table_start(struct sn_table *table);

int64_t *sn_table_find(struct sn_table *table, int64_t key, int64_t second);

/* The cells of a row, which comes to be, all 0, when it is first asked for. A row never moves.
 * Beyond the limit: a row that nobody sees. Cost: O(1) expected. */
static inline int64_t *sn_table_row(struct sn_table *table, int64_t key, int64_t second) {
    int64_t *last = table->last;
    if (last && last[0] == key && last[1] == second) return last + 2;
    return sn_table_find(table, key, second);
}

/* A histogram's row: count, sum, least, greatest, and SN_BINS bins; bin 0 is for 0 and less, bin b for 2^(b-1) and up. */
enum { SN_BINS = 64, SN_HISTOGRAM_CELLS = 4 + SN_BINS };

static inline void sn_histogram_add(int64_t *row, int64_t value) {
    if (row[0] == 0 || value < row[2]) row[2] = value;
    if (row[0] == 0 || value > row[3]) row[3] = value;
    row[0]++;
    row[1] = sn_add(row[1], value);
    row[4 + (value > 0 ? 64 - __builtin_clzll((unsigned long long)value) : 0)]++;
}

/* ---- caches ---------------------------------------------------------------------------------------------------- */

struct sn_tool_cache {
    const char *name;
    struct sn_cache_geometry level[SN_CACHE_LEVELS];
    uint32_t levels;
    struct sn_cache *cache;
    int64_t accesses, misses[SN_CACHE_LEVELS];
};

/* Whether there is memory for it. */
bool sn_tool_cache_start(struct sn_tool_cache *cache);

static inline int64_t sn_tool_cache_access(struct sn_tool_cache *cache, const struct sn_location *loc) {
    unsigned size = loc->size > 1 ? (unsigned)loc->size : 1;
    unsigned depth = sn_cache_data(cache->cache, loc->address, size, loc->store != 0);
    cache->accesses++;
    for (unsigned level = 0; level < depth; level++) cache->misses[level]++;
    return depth;
}

/* ---- printing -------------------------------------------------------------------------------------------------- */

struct sn_output {
    const char *name; /* NULL: what is shown with the report */
    const char *file;
    int handle;
    bool failed;
    char *text; /* complete lines, and the one that is being written */
    uint32_t used, room;
    uint64_t lines, waiting, lost; /* waiting: in `text`, not written yet */
};

/* A file that cannot be opened or written loses lines, which are counted; nothing else happens. */
void sn_output_start(struct sn_output *output);
void sn_print_text(struct sn_output *output, const char *text, size_t bytes);
/* As Python's format(value, spec): base 'd', 'x' or 'X'; `prefixed`: 0x before it; `fill` '0' or ' ' up to `width`. */
void sn_print_number(struct sn_output *output, int64_t value, char base, bool prefixed, char fill, unsigned width);
void sn_print_truth(struct sn_output *output, bool value);
void sn_print_end(struct sn_output *output);

/* ---- results: lines of fields, see docs/tool-language.md -------------------------------------------------------- */

void sn_result_tool(const char *name);
/* `kind` is "int", "bool", "float" (its bits), or that of a handle (its number + 1, or 0). */
void sn_result_field(const char *name, const char *kind, int64_t value);
void sn_result_table(const struct sn_table *table);
void sn_result_cache(const struct sn_tool_cache *cache);
/* Also writes what is waiting. */
void sn_result_output(struct sn_output *output);
void sn_result_fault(const struct sn_faults *faults);

#endif
