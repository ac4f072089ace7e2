/* Scalars of YAML: what LLVM writes as keys and values of remarks, and what a person would.
 *
 * A cursor moves over one document. What is wrong is said once and ends the document. */
#ifndef SONDE_REMARK_SCALARS_H
#define SONDE_REMARK_SCALARS_H

#include "../base/cells.h"

typedef struct {
    const char *text;
    size_t at, stop;  /* of the document */
    const char *what; /* is wrong with it, at `at`; NULL: memory ran out */
    size_t began;     /* the value that was read last */
    char *scratch;    /* a scalar that is not in the text as it is */
    size_t used, room;
} sn_remark_cursor;

/* Lies in the text or in `scratch`; good until the next one is read. */
typedef struct {
    const char *bytes;
    size_t size;
} sn_remark_scalar;

/* Every function: whether there is such a thing; if not, `what` tells. */

/* A scalar in quotes; `at` is at the first and then behind the last one. It may go over several lines. */
bool sn_remark_quoted(sn_remark_cursor *cursor, sn_remark_scalar *found);

/* A scalar without quotes in a flow mapping; `at` is then at what ends it. It may be empty. */
bool sn_remark_flow_plain(sn_remark_cursor *cursor, sn_remark_scalar *found);

/* The value of a key in a block mapping that is indented by `indent`; `at` is behind the colon, and then at the
 * beginning of a line. */
bool sn_remark_value(sn_remark_cursor *cursor, size_t indent, sn_remark_scalar *found);

/* The key of a block mapping; `at` is at its first byte, and then behind the colon. */
bool sn_remark_key(sn_remark_cursor *cursor, sn_remark_scalar *found);

/* Nothing but spaces or a comment is left of the line; `at` is then at the beginning of the next one. */
bool sn_remark_end_line(sn_remark_cursor *cursor);

/* The next line with anything on it, from `at` on, which is then at its beginning, and by how many spaces it is
 * indented; false: there is none, which is no mistake. */
bool sn_remark_next_line(sn_remark_cursor *cursor, size_t *indent);

/* Spaces, line breaks and comments. */
void sn_remark_skip_space(sn_remark_cursor *cursor);

/* A flow mapping or sequence, whatever is in it; `at` is at its first bracket, and then behind its last. */
bool sn_remark_skip_flow(sn_remark_cursor *cursor);

bool sn_remark_is_wrong(sn_remark_cursor *cursor, const char *what);

static inline bool sn_remark_is_blank(char c) { return c == ' ' || c == '\t'; }

/* Whether a word ends before `at`. */
static inline bool sn_remark_is_space_at(const sn_remark_cursor *c, size_t at) {
    return at >= c->stop || c->text[at] == ' ' || c->text[at] == '\t' || c->text[at] == '\n' || c->text[at] == '\r';
}

#endif
