/* Optimization remarks in columns: what the parsers of both formats fill, and what they could not use.
 *
 * A remark has a kind, the strings that name its pass, itself and its function, perhaps a place and a hotness, and
 * arguments: a key, a value, perhaps a place. Strings are numbers of `strings`; places are numbers of rows of three
 * columns of their own, for few arguments have one. */
#ifndef SONDE_REMARK_COLUMNS_H
#define SONDE_REMARK_COLUMNS_H

#include "remark_strings.h"

/* As LLVM's bitstream numbers them. */
typedef enum {
    SN_REMARK_UNKNOWN,
    SN_REMARK_PASSED,
    SN_REMARK_MISSED,
    SN_REMARK_ANALYSIS,
    SN_REMARK_ANALYSIS_FP_COMMUTE,
    SN_REMARK_ANALYSIS_ALIASING,
    SN_REMARK_FAILURE,
    SN_REMARK_KINDS
} sn_remark_kind;

/* So many of the remarks that were skipped are told one by one; all are counted. */
#define SN_REMARK_PROBLEMS 20u

typedef struct {
    uint64_t where;   /* line of the text, or number of the remark in the bitstream, from 1 on */
    const char *what; /* why it was skipped */
} sn_remark_problem;

typedef struct {
    uint8_t kind, has_hotness;
    uint32_t pass, name, function, place;
    uint64_t hotness;
} sn_remark;

typedef struct {
    sn_remark_strings strings;
    /* of each remark; the place may be SN_REMARK_NONE */
    uint8_t *kinds, *has_hotness;
    uint32_t *passes, *names, *functions, *places;
    uint64_t *hotness;
    uint32_t *first_arguments; /* [count + 1] */
    /* of each argument */
    uint32_t *keys, *values, *argument_places;
    /* of each place */
    uint32_t *files, *lines, *columns;
    size_t count, arguments, located; /* `arguments` may be ahead of first_arguments[count], within a remark */
    size_t room, arguments_room, located_room;
    /* keys that remarks had and LLVM's have not, and how often */
    sn_remark_strings unknown_keys;
    uint64_t *unknown_counts;
    size_t unknown_room;
    sn_remark_problem problems[SN_REMARK_PROBLEMS];
    size_t problem_count;
    uint64_t skipped;
} sn_remarks;

/* The state to which to go back. */
typedef struct {
    size_t count, arguments, located, strings;
} sn_remarks_mark;

sn_status sn_remarks_create(sn_remarks *remarks);
void sn_remarks_destroy(sn_remarks *remarks);

/* Parts of a remark, then the remark: its arguments are those added since the last one. SN_NO_SPACE: more than can be
 * numbered. */
sn_status sn_remarks_add_place(sn_remarks *remarks, uint32_t file, uint32_t line, uint32_t column, uint32_t *place);
sn_status sn_remarks_add_argument(sn_remarks *remarks, uint32_t key, uint32_t value, uint32_t place);
sn_status sn_remarks_add(sn_remarks *remarks, const sn_remark *remark);

sn_remarks_mark sn_remarks_now(const sn_remarks *remarks);
void sn_remarks_return(sn_remarks *remarks, sn_remarks_mark to);

sn_status sn_remarks_count_unknown(sn_remarks *remarks, const char *key, size_t size);
void sn_remarks_skip(sn_remarks *remarks, uint64_t where, const char *what);

/* Numbers 0 up to `count` in the order of their groups, and within one in their own: those of group g lie at starts[g]
 * up to starts[g + 1] in `order`. SN_BAD_INPUT: there is a group beyond `groups`. */
sn_status sn_remark_groups(const uint32_t *group_of, size_t count, size_t groups, uint32_t *starts, uint32_t *order);

#endif
