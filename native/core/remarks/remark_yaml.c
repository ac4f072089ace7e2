#include "remark_yaml.h"

#include <stdlib.h>
#include <string.h>

#include "remark_line_memory.h"
#include "remark_scalars.h"

/* What stands before the line number of a place; most places are in the same file as the last one. */
typedef struct {
    const char *text;
    size_t size;
    uint32_t era, file;
} place_start;

typedef struct {
    sn_remark_cursor cursor;
    sn_remarks *to;
    sn_status status; /* what went wrong other than with the text */
    const size_t *table; /* where its strings begin, and its end; NULL: there is none */
    size_t table_count;
    const char *table_bytes;
    sn_remark_line_memory memory;
    place_start starts[2]; /* of the last place of a remark and of an argument */
} reader;

static bool failed(reader *r, sn_status status) {
    r->status = status;
    return false;
}

static bool wrong(reader *r, const char *what) { return sn_remark_is_wrong(&r->cursor, what); }

static bool is(const sn_remark_scalar *scalar, const char *word, size_t size) {
    return scalar->size == size && !memcmp(scalar->bytes, word, size);
}
#define IS(scalar, word) is(scalar, word, sizeof word - 1)

/* Of a value that was read: it is not as it should be. */
static bool wrong_value(reader *r, const char *what) {
    r->cursor.at = r->cursor.began;
    return wrong(r, what);
}

static bool number_of(reader *r, const sn_remark_scalar *scalar, uint64_t most, uint64_t *number) {
    uint64_t value = 0;
    for (size_t i = 0; i < scalar->size; i++) {
        if (scalar->bytes[i] < '0' || scalar->bytes[i] > '9') return wrong_value(r, "not a number");
        uint64_t digit = (uint64_t)(scalar->bytes[i] - '0');
        if (value > (most - digit) / 10) return wrong_value(r, "a number that is too large");
        value = 10 * value + digit;
    }
    *number = value;
    return scalar->size > 0 || wrong_value(r, "not a number");
}

static bool keep(reader *r, sn_remark_scalar scalar, uint32_t *string) {
    if (r->table) {
        uint64_t index = 0;
        if (!number_of(r, &scalar, SIZE_MAX, &index)) return false;
        if (index >= r->table_count) return wrong_value(r, "a number beyond the table of strings");
        scalar.bytes = r->table_bytes + r->table[index];
        scalar.size = r->table[index + 1] - r->table[index] - 1;
    }
    sn_status status = sn_remark_strings_add(&r->to->strings, scalar.bytes, scalar.size, string);
    return status == SN_OK || failed(r, status);
}

/* Whether the line at `at` is where a value that began in the line before, in a mapping indented by `indent`, cannot go
 * on. That it may does not say that it does. */
static bool ends_value(const sn_remark_cursor *c, size_t at, size_t indent) {
    size_t first = at;
    while (first < c->stop && first - at < indent && c->text[first] == ' ') first++;
    return first >= c->stop || !sn_remark_is_space_at(c, first);
}

/* A key and value that were read before, from the line at `at` on: whether they are the same in the same words. If so,
 * `at` is behind them. */
static bool recall(reader *r, size_t indent, uint32_t *key, uint32_t *value) {
    sn_remark_cursor *c = &r->cursor;
    const char *text = c->text + c->at, *end = memchr(text, '\n', c->stop - c->at);
    if (!end) return false;
    size_t size = (size_t)(end - text);
    const sn_remark_line *line = sn_remark_line_for(&r->memory, text, size);
    if (!sn_remark_line_is(&r->memory, line, indent, text, size) || !ends_value(c, c->at + size + 1, indent))
        return false;
    *key = line->key;
    *value = line->value;
    c->at += size + 1;
    return true;
}

/* The lines from `start` up to where the cursor is now, if it is but one. */
static void remember(reader *r, size_t start, size_t indent, uint32_t key, uint32_t value) {
    const char *text = r->cursor.text + start;
    size_t size = r->cursor.at - start - 1;
    if (size > UINT32_MAX || indent > UINT32_MAX || memchr(text, '\n', size + 1) != text + size) return;
    *sn_remark_line_for(&r->memory, text, size) =
        (sn_remark_line){text, (uint32_t)size, r->memory.era, (uint32_t)indent, key, value};
}

static bool count_unknown(reader *r, const sn_remark_scalar *key) {
    sn_status status = sn_remarks_count_unknown(r->to, key->bytes, key->size);
    return status == SN_OK || failed(r, status);
}

/* The value of a key that is not known. */
static bool skip_value(reader *r, size_t indent) {
    sn_remark_cursor *c = &r->cursor;
    sn_remark_scalar skipped;
    while (c->at < c->stop && sn_remark_is_blank(c->text[c->at])) c->at++;
    if (c->at < c->stop && (c->text[c->at] == '{' || c->text[c->at] == '['))
        return sn_remark_skip_flow(c) && sn_remark_end_line(c);
    sn_remark_cursor line = *c;
    if (!sn_remark_end_line(&line)) return sn_remark_value(c, indent, &skipped);
    c->at = line.at;
    size_t deeper;
    while (sn_remark_next_line(c, &deeper)) {
        size_t first = c->at + deeper;
        bool is_item = deeper == indent && c->text[first] == '-' && sn_remark_is_space_at(c, first + 1);
        if (deeper <= indent && !is_item) break;
        const char *end = memchr(c->text + first, '\n', c->stop - first);
        c->at = end ? (size_t)(end - c->text) + 1 : c->stop;
    }
    return true;
}

/* ---- places ---- */

enum { HAS_FILE = 1, HAS_LINE = 2, HAS_COLUMN = 4, HAS_ALL = 7 };

typedef struct {
    uint32_t file;
    uint64_t line, column;
    int has;
} place_parts;

static int part_named(const sn_remark_scalar *key) {
    return IS(key, "File") ? HAS_FILE : IS(key, "Line") ? HAS_LINE : IS(key, "Column") ? HAS_COLUMN : 0;
}

static bool place_part(reader *r, int part, sn_remark_scalar value, place_parts *parts) {
    if (parts->has & part) return wrong(r, "a key that is there twice");
    parts->has |= part;
    if (part == HAS_FILE) return keep(r, value, &parts->file);
    return number_of(r, &value, UINT32_MAX, part == HAS_LINE ? &parts->line : &parts->column);
}

static bool flow_scalar(reader *r, sn_remark_scalar *found) {
    sn_remark_cursor *c = &r->cursor;
    c->began = c->at;
    if (c->at < c->stop && (c->text[c->at] == '\'' || c->text[c->at] == '"')) return sn_remark_quoted(c, found);
    return sn_remark_flow_plain(c, found);
}

static bool passes(sn_remark_cursor *c, const char *word, size_t size) {
    if (c->stop - c->at < size || memcmp(c->text + c->at, word, size)) return false;
    c->at += size;
    return true;
}
#define PASSES(cursor, word) passes(cursor, word, sizeof word - 1)

static sn_remark_scalar digits_at(sn_remark_cursor *c) {
    size_t start = c->at;
    while (c->at < c->stop && c->text[c->at] >= '0' && c->text[c->at] <= '9') c->at++;
    return (sn_remark_scalar){c->text + start, c->at - start};
}

/* A place in the file of the last one, as LLVM writes it. If it is not, `at` is where it was. */
static bool recall_place(reader *r, const place_start *start, place_parts *parts) {
    sn_remark_cursor *c = &r->cursor;
    size_t before = c->at;
    if (start->era == r->memory.era && passes(c, start->text, start->size)) {
        sn_remark_scalar line = digits_at(c);
        if (PASSES(c, ", Column: ")) {
            sn_remark_scalar column = digits_at(c);
            if (PASSES(c, " }\n") && number_of(r, &line, UINT32_MAX, &parts->line) &&
                number_of(r, &column, UINT32_MAX, &parts->column)) {
                parts->file = start->file;
                parts->has = HAS_ALL;
                return true;
            }
        }
    }
    c->at = before;
    return false;
}

/* `at` is at the opening bracket, and then at the beginning of a line. */
static bool flow_place(reader *r, place_parts *parts, place_start *start) {
    sn_remark_cursor *c = &r->cursor;
    if (recall_place(r, start, parts)) return true;
    const char *opening = c->text + c->at++;
    bool is_usual = true;
    for (;;) {
        sn_remark_scalar key, value;
        sn_remark_skip_space(c);
        if (c->at < c->stop && c->text[c->at] == '}') break;
        if (!flow_scalar(r, &key)) return false;
        int part = part_named(&key);
        is_usual &= part > 0;
        if (!part && !count_unknown(r, &key)) return false;
        sn_remark_skip_space(c);
        if (c->at >= c->stop || c->text[c->at] != ':') return wrong(r, "a place that is not of keys and values");
        c->at++;
        sn_remark_skip_space(c);
        bool is_nested = c->at < c->stop && (c->text[c->at] == '{' || c->text[c->at] == '[');
        if (!part && is_nested) {
            if (!sn_remark_skip_flow(c)) return false;
        } else {
            if (is_usual && part == HAS_LINE && parts->has == HAS_FILE)
                *start = (place_start){opening, (size_t)(c->text + c->at - opening), r->memory.era, parts->file};
            if (!flow_scalar(r, &value) || (part && !place_part(r, part, value, parts))) return false;
        }
        sn_remark_skip_space(c);
        if (c->at >= c->stop || (c->text[c->at] != ',' && c->text[c->at] != '}'))
            return wrong(r, "a place that is not of keys and values");
        c->at += c->text[c->at] == ',';
    }
    c->at++;
    return sn_remark_end_line(c);
}

/* Keys in lines of their own, each indented by `inner`. */
static bool block_place(reader *r, size_t indent, size_t inner, place_parts *parts) {
    sn_remark_cursor *c = &r->cursor;
    size_t deeper;
    while (sn_remark_next_line(c, &deeper) && deeper > indent) {
        sn_remark_scalar key, value;
        if (deeper != inner) return wrong(r, "a line that is indented unlike those before it");
        c->at += inner;
        if (!sn_remark_key(c, &key)) return false;
        int part = part_named(&key);
        if (part) {
            if (!sn_remark_value(c, inner, &value) || !place_part(r, part, value, parts)) return false;
        } else if (!count_unknown(r, &key) || !skip_value(r, inner)) {
            return false;
        }
    }
    return true;
}

/* `at` is behind the colon of a key that is indented by `indent`. */
static bool read_place(reader *r, size_t indent, uint32_t *place) {
    sn_remark_cursor *c = &r->cursor;
    if (*place != SN_REMARK_NONE) return wrong(r, "a key that is there twice");
    place_parts parts = {0};
    size_t start = c->at;
    while (c->at < c->stop && sn_remark_is_blank(c->text[c->at])) c->at++;
    size_t inner = 0;
    if (c->at >= c->stop || c->text[c->at] != '{') {
        if (!sn_remark_end_line(c)) return wrong(r, "a place that is not of keys and values");
        if (!sn_remark_next_line(c, &inner) || inner <= indent)
            return wrong(r, "a place that is not of keys and values");
    }
    if (c->text[c->at + inner] == '{') {
        c->at += inner;
        if (!flow_place(r, &parts, &r->starts[indent > 0])) return false;
    } else if (!block_place(r, indent, inner, &parts)) {
        return false;
    }
    if (parts.has != HAS_ALL) {
        c->at = start;
        return wrong(r, "a place without its file, line or column");
    }
    sn_status status =
        sn_remarks_add_place(r->to, parts.file, (uint32_t)parts.line, (uint32_t)parts.column, place);
    return status == SN_OK || failed(r, status);
}

/* ---- arguments ---- */

/* A key, or the place. */
static bool argument_part(reader *r, size_t inner, uint32_t *key, uint32_t *value, uint32_t *place) {
    sn_remark_cursor *c = &r->cursor;
    sn_remark_scalar word;
    if (!sn_remark_key(c, &word)) return false;
    if (IS(&word, "DebugLoc")) return read_place(r, inner, place);
    if (*key != SN_REMARK_NONE) return wrong(r, "an argument with two keys");
    sn_status status = sn_remark_strings_add(&r->to->strings, word.bytes, word.size, key);
    if (status != SN_OK) return failed(r, status);
    return sn_remark_value(c, inner, &word) && keep(r, word, value);
}

/* One, in lines that are indented by `inner`; `at` is at the first key, in the line that begins at `line`. */
static bool read_argument(reader *r, size_t line, size_t inner) {
    sn_remark_cursor *c = &r->cursor;
    uint32_t key = SN_REMARK_NONE, value = SN_REMARK_NONE, place = SN_REMARK_NONE;
    size_t first = c->at, deeper;
    c->at = line;
    if (!recall(r, inner, &key, &value)) {
        c->at = first;
        if (!argument_part(r, inner, &key, &value, &place)) return false;
        if (place == SN_REMARK_NONE) remember(r, line, inner, key, value);
    }
    while (sn_remark_next_line(c, &deeper) && deeper == inner) {
        c->at += inner;
        if (!argument_part(r, inner, &key, &value, &place)) return false;
    }
    if (key == SN_REMARK_NONE) {
        c->at = first;
        return wrong(r, "an argument without a key");
    }
    sn_status status = sn_remarks_add_argument(r->to, key, value, place);
    return status == SN_OK || failed(r, status);
}

/* `at` is behind the colon. */
static bool read_arguments(reader *r) {
    sn_remark_cursor *c = &r->cursor;
    while (c->at < c->stop && sn_remark_is_blank(c->text[c->at])) c->at++;
    if (c->at < c->stop && c->text[c->at] == '[') {
        c->at++;
        sn_remark_skip_space(c);
        if (c->at >= c->stop || c->text[c->at] != ']') return wrong(r, "arguments that are not in lines of their own");
        c->at++;
        return sn_remark_end_line(c);
    }
    if (!sn_remark_end_line(c)) return wrong(r, "arguments that are not in lines of their own");
    size_t indent, deeper;
    if (!sn_remark_next_line(c, &indent)) return true;
    deeper = indent;
    do {
        size_t line = c->at, first = line + deeper;
        bool is_item = c->text[first] == '-' && sn_remark_is_space_at(c, first + 1);
        if (!is_item && !deeper) return true;
        if (!is_item || deeper != indent) return wrong(r, "an argument that is not in a list");
        c->at = first + 1;
        while (c->at < c->stop && c->text[c->at] == ' ') c->at++;
        size_t inner = c->at - line;
        sn_remark_cursor rest = *c;
        if (sn_remark_is_space_at(c, c->at) && sn_remark_end_line(&rest)) {
            c->at = rest.at;
            if (!sn_remark_next_line(c, &inner) || inner <= indent) return wrong(r, "an argument without a key");
            line = c->at;
            c->at += inner;
        }
        if (!read_argument(r, line, inner)) return false;
    } while (sn_remark_next_line(c, &deeper));
    return true;
}

/* ---- documents ---- */

enum { PASS, NAME, FUNCTION, NAMES };

/* A name whose key begins at `line`; `at` is behind the colon. */
static bool read_name(reader *r, size_t line, uint32_t which, uint32_t names[NAMES]) {
    sn_remark_scalar value;
    if (names[which] != SN_REMARK_NONE) return wrong(r, "a key that is there twice");
    if (!sn_remark_value(&r->cursor, 0, &value) || !keep(r, value, &names[which])) return false;
    remember(r, line, 0, which, names[which]);
    return true;
}

static bool read_hotness(reader *r, sn_remark *remark) {
    sn_remark_scalar value;
    if (remark->has_hotness) return wrong(r, "a key that is there twice");
    remark->has_hotness = 1;
    return sn_remark_value(&r->cursor, 0, &value) && number_of(r, &value, UINT64_MAX, &remark->hotness);
}

static bool read_kind(reader *r, uint8_t *kind) {
    static const char *const names[SN_REMARK_KINDS] = {
        "!Unknown", "!Passed", "!Missed", "!Analysis", "!AnalysisFPCommute", "!AnalysisAliasing", "!Failure"};
    sn_remark_cursor *c = &r->cursor;
    while (c->at < c->stop && sn_remark_is_blank(c->text[c->at])) c->at++;
    size_t start = c->at;
    while (!sn_remark_is_space_at(c, c->at)) c->at++;
    const sn_remark_scalar tag = {c->text + start, c->at - start};
    for (uint8_t i = 0; i < SN_REMARK_KINDS; i++) {
        if (is(&tag, names[i], strlen(names[i]))) {
            *kind = i;
            return sn_remark_end_line(c);
        }
    }
    return wrong(r, "not a kind of remark");
}

/* One document, from behind its mark on. */
static bool read_remark(reader *r) {
    sn_remark_cursor *c = &r->cursor;
    uint32_t names[NAMES] = {SN_REMARK_NONE, SN_REMARK_NONE, SN_REMARK_NONE}, which, known;
    sn_remark remark = {.place = SN_REMARK_NONE};
    if (!read_kind(r, &remark.kind)) return false;
    bool has_arguments = false, well = true;
    size_t indent;
    while (well && sn_remark_next_line(c, &indent)) {
        sn_remark_scalar key;
        size_t line = c->at;
        if (indent) return wrong(r, "a line that is indented unlike those before it");
        if (recall(r, 0, &which, &known)) {
            if (names[which] != SN_REMARK_NONE) {
                c->at = line;
                return wrong(r, "a key that is there twice");
            }
            names[which] = known;
            continue;
        }
        if (!sn_remark_key(c, &key)) return false;
        if (IS(&key, "Pass")) {
            well = read_name(r, line, PASS, names);
        } else if (IS(&key, "Name")) {
            well = read_name(r, line, NAME, names);
        } else if (IS(&key, "Function")) {
            well = read_name(r, line, FUNCTION, names);
        } else if (IS(&key, "DebugLoc")) {
            well = read_place(r, 0, &remark.place);
        } else if (IS(&key, "Hotness")) {
            well = read_hotness(r, &remark);
        } else if (IS(&key, "Args")) {
            if (has_arguments) return wrong(r, "a key that is there twice");
            has_arguments = true;
            well = read_arguments(r);
        } else {
            well = count_unknown(r, &key) && skip_value(r, 0);
        }
    }
    if (!well) return false;
    remark.pass = names[PASS];
    remark.name = names[NAME];
    remark.function = names[FUNCTION];
    if (remark.pass == SN_REMARK_NONE || remark.name == SN_REMARK_NONE || remark.function == SN_REMARK_NONE)
        return wrong(r, "no pass, name or function");
    sn_status status = sn_remarks_add(r->to, &remark);
    return status == SN_OK || failed(r, status);
}

/* Whether the line at `at` is three times this sign, and perhaps something behind a space. */
static bool is_mark(const char *text, size_t size, size_t at, char sign) {
    if (size - at < 3 || text[at] != sign || text[at + 1] != sign || text[at + 2] != sign) return false;
    return size - at == 3 || sn_remark_is_blank(text[at + 3]) || text[at + 3] == '\n' || text[at + 3] == '\r';
}

static size_t next_line_at(const char *text, size_t size, size_t at) {
    const char *end = memchr(text + at, '\n', size - at);
    return end ? (size_t)(end - text) + 1 : size;
}

/* The mark that ends the document that `at` is in, which is the beginning of a line. */
static size_t document_end(const char *text, size_t size, size_t at) {
    while (at < size && !is_mark(text, size, at, '-') && !is_mark(text, size, at, '.'))
        at = next_line_at(text, size, at);
    return at;
}

static bool is_anything(const char *text, size_t at, size_t end) {
    while (at < end && (sn_remark_is_blank(text[at]) || text[at] == '\r' || text[at] == '\n')) at++;
    return at < end && text[at] != '#' && text[at] != '%';
}

/* Lines up to a place, counted from the last one that was asked for. */
typedef struct {
    size_t at;
    uint64_t line;
} line_counter;

static void skip(reader *r, line_counter *counter, size_t at, const char *what) {
    if (r->to->problem_count < SN_REMARK_PROBLEMS) {
        for (; counter->at < at; counter->at++) counter->line += r->cursor.text[counter->at] == '\n';
    }
    sn_remarks_skip(r->to, counter->line, what);
}

static sn_status read_documents(reader *r, const char *text, size_t size, bool *unended) {
    line_counter counter = {0, 1};
    bool strays = false; /* the last line between documents was told to be no remark */
    size_t at = size >= 3 && !memcmp(text, "\xEF\xBB\xBF", 3) ? 3 : 0;
    while (at < size) {
        if (!is_mark(text, size, at, '-')) {
            size_t next = next_line_at(text, size, at);
            bool stray = !is_mark(text, size, at, '.') && is_anything(text, at, next);
            if (stray && !strays) skip(r, &counter, at, "text outside of a remark");
            strays |= stray;
            at = next;
            continue;
        }
        strays = false;
        size_t stop = document_end(text, size, next_line_at(text, size, at));
        sn_remarks_mark mark = sn_remarks_now(r->to);
        r->cursor.at = at + 3;
        r->cursor.stop = stop;
        bool well = stop == size && text[size - 1] != '\n' ? wrong(r, "the text ends within it") : read_remark(r);
        *unended = well && stop == size;
        if (!well) {
            if (r->status == SN_OK && !r->cursor.what) r->status = SN_NO_MEMORY;
            if (r->to->strings.count > mark.strings) sn_remark_lines_forget(&r->memory);
            sn_remarks_return(r->to, mark);
            if (r->status != SN_OK) return r->status;
            skip(r, &counter, r->cursor.at, r->cursor.what);
        }
        at = stop;
    }
    return SN_OK;
}

/* Where each string of a table begins, and one more behind the last; NULL: no memory. */
static size_t *starts_of(const char *table, size_t size, size_t *count) {
    size_t strings = 0;
    for (size_t i = 0; i < size; i++) strings += !table[i];
    size_t *starts = malloc((strings + 2) * sizeof *starts);
    if (!starts) return NULL;
    *count = 0;
    starts[0] = 0;
    for (size_t i = 0; i < size; i++)
        if (!table[i]) starts[++*count] = i + 1;
    if (starts[*count] < size) starts[++*count] = size + 1; /* the last may be without its zero */
    return starts;
}

sn_status sn_remarks_read_yaml(sn_remarks *remarks, const char *text, size_t size, const char *table,
                               size_t table_size, bool *unended) {
    reader r = {.cursor = {.text = text}, .to = remarks, .status = SN_OK, .table_bytes = table};
    size_t *starts = NULL;
    *unended = false;
    if (table) {
        r.table = starts = starts_of(table, table_size, &r.table_count);
        if (!starts) return SN_NO_MEMORY;
    }
    sn_status status = sn_remark_line_memory_create(&r.memory);
    if (status == SN_OK) status = read_documents(&r, text, size, unended);
    sn_remark_line_memory_destroy(&r.memory);
    free(starts);
    free(r.cursor.scratch);
    return status;
}
