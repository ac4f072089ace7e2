#include "remark_scalars.h"

#include <stdlib.h>
#include <string.h>

/* The rules are those of YAML 1.2 (chapters 5 to 8), less what no remark needs: tags, anchors, keys over several lines.
 * The twin, sonde/native/reference_remark_scalars.py, agrees in what is wrong, too. */

#define FIRST_ROOM 256u

bool sn_remark_is_wrong(sn_remark_cursor *c, const char *what) {
    c->what = what;
    return false;
}

static bool append(sn_remark_cursor *c, const char *bytes, size_t size) {
    if (size > c->room - c->used) {
        size_t room = 2 * c->room + size + FIRST_ROOM;
        char *grown = realloc(c->scratch, room);
        if (!grown) return sn_remark_is_wrong(c, NULL);
        c->scratch = grown;
        c->room = room;
    }
    if (size) memcpy(c->scratch + c->used, bytes, size);
    c->used += size;
    return true;
}

static bool append_breaks(sn_remark_cursor *c, size_t count) {
    for (; count > 0; count--)
        if (!append(c, "\n", 1)) return false;
    return true;
}

/* Lines that continue a scalar: one break between them is a space, of more the first is dropped. */
static bool append_fold(sn_remark_cursor *c, size_t breaks) {
    return breaks == 1 ? append(c, " ", 1) : append_breaks(c, breaks - 1);
}

/* Bytes of the line break at `at`; 0: there is none. */
static size_t break_at(const sn_remark_cursor *c, size_t at) {
    if (at >= c->stop) return 0;
    if (c->text[at] == '\n') return 1;
    return c->text[at] == '\r' && at + 1 < c->stop && c->text[at + 1] == '\n' ? 2 : 0;
}

static size_t behind_blanks(const sn_remark_cursor *c, size_t at) {
    while (at < c->stop && sn_remark_is_blank(c->text[at])) at++;
    return at;
}

static size_t behind_spaces(const sn_remark_cursor *c, size_t at) {
    while (at < c->stop && c->text[at] == ' ') at++;
    return at;
}

/* The line feed at or behind `at`, or the end. */
static size_t line_feed(const sn_remark_cursor *c, size_t at) {
    const char *found = at < c->stop ? memchr(c->text + at, '\n', c->stop - at) : NULL;
    return found ? (size_t)(found - c->text) : c->stop;
}

static bool is_comment_at(const sn_remark_cursor *c, size_t at) {
    return at < c->stop && c->text[at] == '#' &&
           (!at || sn_remark_is_blank(c->text[at - 1]) || c->text[at - 1] == '\n');
}

static bool is_flow_mark(char byte) {
    return byte == ',' || byte == '[' || byte == ']' || byte == '{' || byte == '}';
}

bool sn_remark_end_line(sn_remark_cursor *c) {
    size_t at = behind_blanks(c, c->at);
    if (is_comment_at(c, at)) at = line_feed(c, at);
    size_t bytes = break_at(c, at);
    if (!bytes && at < c->stop) {
        c->at = at;
        return sn_remark_is_wrong(c, "text behind a value");
    }
    c->at = at + bytes;
    return true;
}

bool sn_remark_next_line(sn_remark_cursor *c, size_t *indent) {
    while (c->at < c->stop) {
        size_t first = behind_spaces(c, c->at), at = behind_blanks(c, first), bytes = break_at(c, at);
        if (!bytes && at < c->stop && c->text[at] != '#') {
            *indent = first - c->at;
            return true;
        }
        at = bytes ? at : line_feed(c, at);
        c->at = at + (bytes ? bytes : at < c->stop);
    }
    return false;
}

void sn_remark_skip_space(sn_remark_cursor *c) {
    for (;;) {
        size_t at = behind_blanks(c, c->at);
        if (is_comment_at(c, at)) at = line_feed(c, at);
        size_t bytes = break_at(c, at);
        c->at = at + bytes;
        if (!bytes) return;
    }
}

/* ---- in quotes ---- */

/* A line break within quotes, and blanks around it: those before go, back to `fixed` bytes of scratch at most. */
static bool fold_quoted(sn_remark_cursor *c, size_t fixed) {
    while (c->used > fixed && sn_remark_is_blank(c->scratch[c->used - 1])) c->used--;
    size_t breaks = 0, bytes;
    while ((bytes = break_at(c, c->at))) {
        breaks++;
        c->at = behind_blanks(c, c->at + bytes);
    }
    return append_fold(c, breaks);
}

static bool unclosed(sn_remark_cursor *c) { return sn_remark_is_wrong(c, "a quote is not closed"); }

static bool single_quoted(sn_remark_cursor *c, sn_remark_scalar *found) {
    size_t fixed = c->used = 0;
    for (;;) {
        size_t start = c->at;
        while (c->at < c->stop && c->text[c->at] != '\'' && !break_at(c, c->at)) c->at++;
        if (!append(c, c->text + start, c->at - start)) return false;
        if (c->at >= c->stop) return unclosed(c);
        if (c->text[c->at] != '\'') {
            if (!fold_quoted(c, fixed)) return false;
            fixed = c->used;
        } else {
            c->at++;
            if (c->at >= c->stop || c->text[c->at] != '\'') break;
            if (!append(c, "'", 1)) return false;
            c->at++;
        }
    }
    *found = (sn_remark_scalar){c->scratch, c->used};
    return true;
}

static bool append_code_point(sn_remark_cursor *c, uint32_t point) {
    if (point > 0x10FFFF || (point >= 0xD800 && point < 0xE000))
        return sn_remark_is_wrong(c, "an escape that is no character");
    char bytes[4];
    size_t size = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    static const unsigned char leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (size_t i = size; i-- > 1; point >>= 6) bytes[i] = (char)(0x80 | (point & 0x3F));
    bytes[0] = (char)(leads[size] | point);
    return append(c, bytes, size);
}

static bool append_hexadecimal(sn_remark_cursor *c, size_t digits) {
    uint32_t point = 0;
    for (; digits > 0; digits--, c->at++) {
        char byte = c->at < c->stop ? c->text[c->at] : 0;
        uint32_t digit = byte >= '0' && byte <= '9'   ? (uint32_t)(byte - '0')
                         : byte >= 'a' && byte <= 'f' ? (uint32_t)(byte - 'a' + 10)
                         : byte >= 'A' && byte <= 'F' ? (uint32_t)(byte - 'A' + 10)
                                                      : 16;
        if (digit > 15) return sn_remark_is_wrong(c, "an escape that is no character");
        point = point << 4 | digit;
    }
    return append_code_point(c, point);
}

/* `at` is behind the backslash. */
static bool append_escaped(sn_remark_cursor *c) {
    static const char names[] = "0abt\tnvfre \"/\\N_LP";
    static const uint16_t points[] = {0,  7,   8,   '\t', '\t', '\n', 11,   12,     13,
                                      27, ' ', '"', '/',  '\\', 0x85, 0xA0, 0x2028, 0x2029};
    if (c->at >= c->stop) return unclosed(c);
    size_t bytes = break_at(c, c->at);
    if (bytes) { /* no break at all; empty lines behind it count */
        size_t breaks = 0;
        for (; bytes; bytes = break_at(c, c->at), breaks++) c->at = behind_blanks(c, c->at + bytes);
        return append_breaks(c, breaks - 1);
    }
    char name = c->text[c->at++];
    if (name == 'x') return append_hexadecimal(c, 2);
    if (name == 'u') return append_hexadecimal(c, 4);
    if (name == 'U') return append_hexadecimal(c, 8);
    const char *known = name ? strchr(names, name) : NULL;
    if (known) return append_code_point(c, points[known - names]);
    c->at--;
    return sn_remark_is_wrong(c, "an escape that YAML does not know");
}

static bool double_quoted(sn_remark_cursor *c, sn_remark_scalar *found) {
    size_t fixed = c->used = 0;
    for (;;) {
        size_t start = c->at;
        while (c->at < c->stop && c->text[c->at] != '"' && c->text[c->at] != '\\' && !break_at(c, c->at)) c->at++;
        if (!append(c, c->text + start, c->at - start)) return false;
        if (c->at >= c->stop) return unclosed(c);
        char byte = c->text[c->at];
        if (byte == '"') break;
        if (byte == '\\') {
            c->at++;
            if (!append_escaped(c)) return false;
        } else if (!fold_quoted(c, fixed)) {
            return false;
        }
        fixed = c->used;
    }
    c->at++;
    *found = (sn_remark_scalar){c->scratch, c->used};
    return true;
}

bool sn_remark_quoted(sn_remark_cursor *c, sn_remark_scalar *found) {
    char quote = c->text[c->at];
    size_t start = ++c->at;
    /* Nearly all are in one line, and the same in quotes as without. */
    const char *text = c->text;
    size_t at = start, stop = c->stop;
    if (quote == '\'') {
        while (at < stop && text[at] != '\'' && text[at] != '\n') at++;
        if (at < stop && text[at] == '\'' && (at + 1 >= stop || text[at + 1] != '\'')) {
            *found = (sn_remark_scalar){text + start, at - start};
            c->at = at + 1;
            return true;
        }
        return single_quoted(c, found);
    }
    while (at < stop && text[at] != '"' && text[at] != '\\' && text[at] != '\n') at++;
    if (at < stop && text[at] == '"') {
        *found = (sn_remark_scalar){text + start, at - start};
        c->at = at + 1;
        return true;
    }
    return double_quoted(c, found);
}

/* ---- without quotes ---- */

static bool begins_plain(sn_remark_cursor *c, bool in_flow) {
    static const char never[] = "\t,[]{}#&*!|>'\"%@`";
    char first = c->at < c->stop ? c->text[c->at] : 0;
    bool alone = sn_remark_is_space_at(c, c->at + 1) || (in_flow && is_flow_mark(c->text[c->at + 1]));
    if ((first && strchr(never, first)) || ((first == '-' || first == '?' || first == ':') && alone))
        return sn_remark_is_wrong(c, "not a string or number");
    return true;
}

/* What of a plain scalar is in this line, from `start` on; `at` is then at the line feed, the comment or the end. */
static bool plain_part(sn_remark_cursor *c, size_t start, sn_remark_scalar *part) {
    const char *text = c->text;
    size_t at = start, stop = c->stop;
    for (; at < stop && text[at] != '\n'; at++) {
        if (text[at] == ':' && sn_remark_is_space_at(c, at + 1)) {
            c->at = at;
            return sn_remark_is_wrong(c, "a key within a value");
        }
        if (text[at] == '#' && at > start && sn_remark_is_blank(text[at - 1])) break;
    }
    size_t end = at;
    if (at < stop && text[at] == '\n' && end > start && text[end - 1] == '\r') end--;
    while (end > start && sn_remark_is_blank(text[end - 1])) end--;
    *part = (sn_remark_scalar){text + start, end - start};
    c->at = at;
    return true;
}

/* Empty lines from `at` on, and the first byte of the one behind them. */
typedef struct {
    size_t breaks, indent, first;
} gap;

static gap gap_at(const sn_remark_cursor *c, size_t at) {
    gap found = {0, 0, c->stop};
    size_t bytes;
    do {
        size_t behind = behind_spaces(c, at);
        found.indent = behind - at;
        found.first = behind_blanks(c, behind);
        bytes = break_at(c, found.first);
        found.breaks += bytes > 0;
        at = found.first + bytes;
    } while (bytes);
    return found;
}

static bool plain(sn_remark_cursor *c, size_t indent, sn_remark_scalar *found) {
    if (!begins_plain(c, false) || !plain_part(c, c->at, found)) return false;
    bool is_copied = false;
    while (c->at < c->stop && c->text[c->at] == '\n') {
        gap next = gap_at(c, c->at + 1);
        if (next.first >= c->stop || next.indent <= indent || c->text[next.first] == '#') break;
        if (!is_copied) {
            c->used = 0;
            if (!append(c, found->bytes, found->size)) return false;
            is_copied = true;
        }
        if (!append_fold(c, next.breaks + 1) || !plain_part(c, next.first, found) ||
            !append(c, found->bytes, found->size))
            return false;
    }
    if (is_copied) *found = (sn_remark_scalar){c->scratch, c->used};
    return sn_remark_end_line(c);
}

static bool ends_flow_plain(const sn_remark_cursor *c, size_t at) {
    char byte = c->text[at];
    return is_flow_mark(byte) ||
           (byte == ':' && (sn_remark_is_space_at(c, at + 1) || is_flow_mark(c->text[at + 1])));
}

bool sn_remark_flow_plain(sn_remark_cursor *c, sn_remark_scalar *found) {
    *found = (sn_remark_scalar){"", 0};
    if (c->at >= c->stop || c->text[c->at] == ',' || c->text[c->at] == '}') return true;
    if (!begins_plain(c, true)) return false;
    const char *text = c->text;
    bool is_copied = false;
    for (;;) {
        size_t start = c->at, at = start;
        while (at < c->stop && text[at] != '\n' && !ends_flow_plain(c, at) &&
               !(text[at] == '#' && at > start && sn_remark_is_blank(text[at - 1])))
            at++;
        size_t end = at;
        if (at < c->stop && text[at] == '\n' && end > start && text[end - 1] == '\r') end--;
        while (end > start && sn_remark_is_blank(text[end - 1])) end--;
        *found = (sn_remark_scalar){text + start, end - start};
        c->at = at;
        if (is_copied && !append(c, found->bytes, found->size)) return false;
        if (at >= c->stop || text[at] != '\n') break;
        gap next = gap_at(c, at + 1);
        c->at = next.first;
        if (next.first >= c->stop || ends_flow_plain(c, next.first) || text[next.first] == '#') break;
        if (!is_copied) {
            c->used = 0;
            if (!append(c, found->bytes, found->size)) return false;
            is_copied = true;
        }
        if (!append_fold(c, next.breaks + 1)) return false;
    }
    if (is_copied) *found = (sn_remark_scalar){c->scratch, c->used};
    return true;
}

/* ---- blocks of lines ---- */

/* By how much the lines of a block are indented: as the first that has anything on it. */
static bool find_width(sn_remark_cursor *c, size_t indent, size_t *width) {
    size_t longest = 0, line = c->at, bytes, spaces;
    do {
        size_t at = behind_spaces(c, line);
        spaces = at - line;
        bytes = break_at(c, at);
        if (bytes && spaces > longest) longest = spaces;
        line = at + bytes;
    } while (bytes);
    bool is_empty = line >= c->stop || spaces <= indent;
    if (!is_empty && longest > spaces)
        return sn_remark_is_wrong(c, "an empty line that is indented more than the block it begins");
    *width = is_empty ? (longest > indent ? longest : indent + 1) : spaces;
    return true;
}

static bool block(sn_remark_cursor *c, size_t indent, sn_remark_scalar *found) {
    bool folded = c->text[c->at++] == '>';
    char chomp = 0;
    size_t width = 0;
    for (int i = 0; i < 2 && c->at < c->stop; i++) {
        char byte = c->text[c->at];
        if ((byte == '+' || byte == '-') && !chomp) {
            chomp = byte;
        } else if (byte >= '1' && byte <= '9' && !width) {
            width = indent + (size_t)(byte - '0');
        } else {
            break;
        }
        c->at++;
    }
    if (!sn_remark_end_line(c) || (!width && !find_width(c, indent, &width))) return false;
    size_t breaks = 0; /* since the last line that was not empty */
    bool is_empty = true, was_spaced = false;
    c->used = 0;
    while (c->at < c->stop) {
        size_t at = c->at;
        while (at < c->stop && c->text[at] == ' ' && at - c->at < width) at++;
        size_t bytes = break_at(c, at);
        if (bytes || at >= c->stop) {
            breaks += bytes > 0;
            c->at = at + bytes;
            continue;
        }
        if (at - c->at < width) break;
        bool spaced = sn_remark_is_blank(c->text[at]);
        bool folds = folded && !is_empty && !spaced && !was_spaced;
        if (!(folds ? append_fold(c, breaks) : append_breaks(c, breaks))) return false;
        size_t end = line_feed(c, at), next = end + (end < c->stop);
        breaks = end < c->stop;
        if (breaks && c->text[end - 1] == '\r') end--;
        if (!append(c, c->text + at, end - at)) return false;
        is_empty = false;
        was_spaced = spaced;
        c->at = next;
    }
    size_t kept = chomp == '+' ? breaks : chomp == '-' || is_empty ? 0 : breaks > 0;
    if (!append_breaks(c, kept)) return false;
    *found = (sn_remark_scalar){c->scratch, c->used};
    return true;
}

/* ---- what they are in ---- */

bool sn_remark_value(sn_remark_cursor *c, size_t indent, sn_remark_scalar *found) {
    c->began = c->at;
    c->at = behind_blanks(c, c->at);
    if (c->at >= c->stop || break_at(c, c->at) || is_comment_at(c, c->at)) {
        size_t deeper;
        if (!sn_remark_end_line(c)) return false;
        if (!sn_remark_next_line(c, &deeper) || deeper <= indent) {
            *found = (sn_remark_scalar){"", 0};
            return true;
        }
        c->at += deeper;
    }
    c->began = c->at;
    char first = c->text[c->at];
    if (first == '\'' || first == '"') return sn_remark_quoted(c, found) && sn_remark_end_line(c);
    if (first == '|' || first == '>') return block(c, indent, found);
    return plain(c, indent, found);
}

bool sn_remark_key(sn_remark_cursor *c, sn_remark_scalar *found) {
    const char *text = c->text;
    char first = text[c->at];
    if (first == '\'' || first == '"') {
        size_t line = line_feed(c, c->at);
        if (!sn_remark_quoted(c, found)) return false;
        if (c->at > line) return sn_remark_is_wrong(c, "a key over several lines");
        c->at = behind_blanks(c, c->at);
        if (c->at >= c->stop || text[c->at] != ':') return sn_remark_is_wrong(c, "a line without a key");
    } else {
        if (!begins_plain(c, false)) return sn_remark_is_wrong(c, "a line without a key");
        size_t start = c->at, at = start;
        while (at < c->stop && text[at] != '\n' && !(text[at] == ':' && sn_remark_is_space_at(c, at + 1)) &&
               !(text[at] == '#' && at > start && sn_remark_is_blank(text[at - 1])))
            at++;
        if (at >= c->stop || text[at] != ':') return sn_remark_is_wrong(c, "a line without a key");
        c->at = at;
        while (at > start && sn_remark_is_blank(text[at - 1])) at--;
        *found = (sn_remark_scalar){text + start, at - start};
    }
    c->at++;
    return sn_remark_is_space_at(c, c->at) || sn_remark_is_wrong(c, "a key without a space behind its colon");
}

bool sn_remark_skip_flow(sn_remark_cursor *c) {
    size_t depth = 0;
    sn_remark_scalar skipped;
    char before = ' '; /* a quote behind a letter is none */
    do {
        sn_remark_skip_space(c);
        if (c->at >= c->stop) return sn_remark_is_wrong(c, "a bracket is not closed");
        char byte = c->text[c->at];
        bool begins = is_flow_mark(before) || sn_remark_is_space_at(c, c->at - 1) || before == ':';
        before = byte;
        if (begins && (byte == '\'' || byte == '"')) {
            if (!sn_remark_quoted(c, &skipped)) return false;
            continue;
        }
        if (byte == '{' || byte == '[') depth++;
        if (byte == '}' || byte == ']') depth--;
        c->at++;
    } while (depth);
    return true;
}
