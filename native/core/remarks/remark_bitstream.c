#include "remark_bitstream.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "remark_bits.h"

enum { META_BLOCK = 8, REMARK_BLOCK = 9 };
enum { CONTAINER = 1, REMARK_VERSION, TABLE, EXTERNAL, HEADER, PLACE, HOTNESS, ARGUMENT_WITH_PLACE, ARGUMENT };

/* In the place of a kind, until strings are known: a remark that cannot be used. Its hotness is what is wrong. */
#define BROKEN UINT8_MAX

typedef struct {
    sn_bits bits;
    sn_remarks *to;
    sn_remark_container *about;
    sn_status status; /* what went wrong other than with the bytes */
    bool is_damaged;  /* the bytes are no bitstream from here on */
} reader;

static bool failed(reader *r, sn_status status) {
    r->status = status;
    return false;
}

static bool wrong(reader *r, const char *what) {
    r->bits.what = what;
    return failed(r, SN_BAD_INPUT);
}

static bool damaged(reader *r) {
    r->is_damaged = r->bits.what != NULL;
    return failed(r, r->is_damaged ? SN_BAD_INPUT : SN_NO_MEMORY);
}

static bool count_unknown(reader *r, const char *what, uint64_t number) {
    char key[40];
    int size = snprintf(key, sizeof key, "%s %" PRIu64, what, number);
    sn_status status = sn_remarks_count_unknown(r->to, key, (size_t)size);
    return status == SN_OK || failed(r, status);
}

/* The next record of the block that is open; false at its end and when something is wrong, which `status` tells. */
static bool next_record(reader *r) {
    for (;;) {
        switch (sn_bits_next(&r->bits)) {
        case SN_BITS_RECORD:
            return true;
        case SN_BITS_BLOCK:
            if (!count_unknown(r, "block", r->bits.blocks[r->bits.depth].number)) return false;
            sn_bits_skip_block(&r->bits);
            break;
        case SN_BITS_WRONG:
            return damaged(r);
        default:
            return false;
        }
    }
}

/* ---- what the container says of itself ---- */

static bool meta_record(reader *r) {
    const sn_bits *b = &r->bits;
    sn_remark_container *about = r->about;
    switch (b->code) {
    case CONTAINER:
        if (b->value_count != 2) return wrong(r, "a version of the container that is not one");
        about->has_version = true;
        about->version = b->values[0];
        about->type = b->values[1];
        return about->version <= SN_REMARK_CONTAINER_VERSION || wrong(r, "a newer container");
    case REMARK_VERSION:
        if (b->value_count != 1) return wrong(r, "a version of the remarks that is not one");
        about->remark_version = b->values[0];
        return about->remark_version <= SN_REMARK_VERSION || wrong(r, "newer remarks");
    case TABLE:
        if (!b->blob) return wrong(r, "strings that are not bytes");
        about->table = (const char *)b->blob;
        about->table_size = b->blob_size;
        return true;
    case EXTERNAL:
        if (!b->blob) return wrong(r, "a name of a file that is not bytes");
        about->external = (const char *)b->blob;
        about->external_size = b->blob_size;
        return true;
    default:
        return count_unknown(r, "record", b->code);
    }
}

static bool read_meta(reader *r) {
    while (next_record(r))
        if (!meta_record(r)) return false;
    return r->status == SN_OK;
}

/* ---- remarks, with numbers of the container's strings ---- */

static bool add_place(reader *r, const uint64_t *values, uint32_t *place, const char **what) {
    *place = SN_REMARK_NONE;
    if (values[0] >= SN_REMARK_NONE || values[1] > UINT32_MAX || values[2] > UINT32_MAX) {
        *what = "a place that is too large";
        return true;
    }
    sn_status status =
        sn_remarks_add_place(r->to, (uint32_t)values[0], (uint32_t)values[1], (uint32_t)values[2], place);
    return status == SN_OK || failed(r, status);
}

static bool add_argument(reader *r, bool has_place, const char **what) {
    const uint64_t *values = r->bits.values;
    uint32_t place = SN_REMARK_NONE;
    if (r->bits.value_count != (has_place ? 5 : 2)) {
        *what = "an argument with another number of fields";
        return true;
    }
    if (values[0] >= SN_REMARK_NONE || values[1] >= SN_REMARK_NONE) {
        *what = "a number beyond the table of strings";
        return true;
    }
    if (has_place && !add_place(r, values + 2, &place, what)) return false;
    sn_status status = sn_remarks_add_argument(r->to, (uint32_t)values[0], (uint32_t)values[1], place);
    return status == SN_OK || failed(r, status);
}

static void read_header(const sn_bits *b, sn_remark *remark, bool *has_header, const char **what) {
    const uint64_t *values = b->values;
    if (b->value_count != 4 || *has_header) {
        *what = "not one kind, name, pass and function";
        return;
    }
    *has_header = true;
    if (values[0] >= SN_REMARK_KINDS) {
        *what = "not a kind of remark";
    } else if (values[1] >= SN_REMARK_NONE || values[2] >= SN_REMARK_NONE || values[3] >= SN_REMARK_NONE) {
        *what = "a number beyond the table of strings";
    } else {
        remark->kind = (uint8_t)values[0];
        remark->name = (uint32_t)values[1];
        remark->pass = (uint32_t)values[2];
        remark->function = (uint32_t)values[3];
    }
}

/* False: not the fault of this remark alone. */
static bool remark_record(reader *r, sn_remark *remark, bool *has_header, const char **what) {
    const sn_bits *b = &r->bits;
    switch (b->code) {
    case HEADER:
        read_header(b, remark, has_header, what);
        return true;
    case PLACE:
        if (b->value_count != 3 || remark->place != SN_REMARK_NONE) {
            *what = "not one file, line and column";
            return true;
        }
        return add_place(r, b->values, &remark->place, what);
    case HOTNESS:
        if (b->value_count != 1 || remark->has_hotness) {
            *what = "not one hotness";
            return true;
        }
        remark->has_hotness = 1;
        remark->hotness = b->values[0];
        return true;
    case ARGUMENT_WITH_PLACE:
    case ARGUMENT:
        return add_argument(r, b->code == ARGUMENT_WITH_PLACE, what);
    default:
        return count_unknown(r, "record", b->code);
    }
}

static bool read_remark(reader *r) {
    sn_remark remark = {.place = SN_REMARK_NONE};
    sn_remarks_mark mark = sn_remarks_now(r->to);
    bool has_header = false;
    const char *what = NULL;
    while (next_record(r)) {
        const char *found = NULL;
        if (!remark_record(r, &remark, &has_header, &found)) return false;
        if (!what) what = found;
    }
    if (r->status != SN_OK) {
        sn_remarks_return(r->to, mark);
        return false;
    }
    if (!what && !has_header) what = "not one kind, name, pass and function";
    if (what) {
        sn_remarks_return(r->to, mark);
        remark = (sn_remark){.kind = BROKEN, .place = SN_REMARK_NONE, .hotness = (uintptr_t)what};
    }
    sn_status status = sn_remarks_add(r->to, &remark);
    return status == SN_OK || failed(r, status);
}

static bool read_blocks(reader *r) {
    for (;;) {
        sn_bits_entry entry = sn_bits_next(&r->bits);
        if (entry == SN_BITS_END) return r->about->has_version || wrong(r, "no version of the container");
        if (entry != SN_BITS_BLOCK) return damaged(r);
        uint64_t number = r->bits.blocks[r->bits.depth].number;
        if (number == META_BLOCK) {
            if (!read_meta(r)) return false;
        } else if (number == REMARK_BLOCK) {
            if (!read_remark(r)) return false;
        } else {
            if (!count_unknown(r, "block", number)) return false;
            sn_bits_skip_block(&r->bits);
        }
    }
}

/* ---- from the container's strings to ours ---- */

typedef struct {
    const char *bytes;
    size_t *starts; /* [count + 1] */
    uint32_t *ours; /* SN_REMARK_NONE: not yet */
    size_t count;
} table;

static bool table_create(table *t, const char *bytes, size_t size) {
    size_t strings = 1;
    for (size_t i = 0; i < size; i++) strings += !bytes[i];
    *t = (table){.bytes = bytes};
    t->starts = malloc((strings + 1) * sizeof *t->starts);
    t->ours = malloc(strings * sizeof *t->ours);
    if (!t->starts || !t->ours) return false;
    t->starts[0] = 0;
    for (size_t i = 0; i < size; i++)
        if (!bytes[i]) t->starts[++t->count] = i + 1;
    if (t->starts[t->count] < size) t->starts[++t->count] = size + 1; /* the last may be without its zero */
    for (size_t i = 0; i < t->count; i++) t->ours[i] = SN_REMARK_NONE;
    return true;
}

static void table_destroy(table *t) {
    free(t->starts);
    free(t->ours);
}

static sn_status translate(table *t, sn_remarks *remarks, uint32_t *string) {
    uint32_t theirs = *string, *ours = &t->ours[theirs];
    if (*ours == SN_REMARK_NONE) {
        size_t start = t->starts[theirs], size = t->starts[theirs + 1] - start - 1;
        sn_status status = sn_remark_strings_add(&remarks->strings, t->bytes + start, size, ours);
        if (status != SN_OK) return status;
    }
    *string = *ours;
    return SN_OK;
}

static bool has_place_strings(const table *t, const sn_remarks *r, uint32_t place) {
    return place == SN_REMARK_NONE || r->files[place] < t->count;
}

static bool has_strings(const table *t, const sn_remarks *r, size_t i, size_t first, size_t last) {
    if (r->passes[i] >= t->count || r->names[i] >= t->count || r->functions[i] >= t->count ||
        !has_place_strings(t, r, r->places[i]))
        return false;
    for (size_t a = first; a < last; a++)
        if (r->keys[a] >= t->count || r->values[a] >= t->count || !has_place_strings(t, r, r->argument_places[a]))
            return false;
    return true;
}

static sn_status translate_place(table *t, sn_remarks *r, uint32_t place) {
    return place == SN_REMARK_NONE ? SN_OK : translate(t, r, &r->files[place]);
}

static sn_status translate_remark(table *t, sn_remarks *r, size_t i, size_t first, size_t last) {
    sn_status status = translate(t, r, &r->passes[i]);
    if (status == SN_OK) status = translate(t, r, &r->names[i]);
    if (status == SN_OK) status = translate(t, r, &r->functions[i]);
    if (status == SN_OK) status = translate_place(t, r, r->places[i]);
    for (size_t a = first; status == SN_OK && a < last; a++) {
        status = translate(t, r, &r->keys[a]);
        if (status == SN_OK) status = translate(t, r, &r->values[a]);
        if (status == SN_OK) status = translate_place(t, r, r->argument_places[a]);
    }
    return status;
}

/* Where the next of each is kept, and how many of them were before the remark that is looked at. */
typedef struct {
    size_t remarks, arguments, places, arguments_before, places_before;
} progress;

static uint32_t moved(uint32_t place, size_t by) {
    return place == SN_REMARK_NONE ? place : (uint32_t)(place - by);
}

static void keep(sn_remarks *r, progress *p, size_t i, size_t last, size_t places) {
    size_t by = p->places_before - p->places;
    for (size_t from = p->places_before; from < p->places_before + places; from++, p->places++) {
        r->files[p->places] = r->files[from];
        r->lines[p->places] = r->lines[from];
        r->columns[p->places] = r->columns[from];
    }
    for (size_t a = p->arguments_before; a < last; a++, p->arguments++) {
        r->keys[p->arguments] = r->keys[a];
        r->values[p->arguments] = r->values[a];
        r->argument_places[p->arguments] = moved(r->argument_places[a], by);
    }
    size_t to = p->remarks++;
    r->kinds[to] = r->kinds[i];
    r->has_hotness[to] = r->has_hotness[i];
    r->passes[to] = r->passes[i];
    r->names[to] = r->names[i];
    r->functions[to] = r->functions[i];
    r->places[to] = moved(r->places[i], by);
    r->hotness[to] = r->hotness[i];
    r->first_arguments[to + 1] = (uint32_t)p->arguments;
}

/* Remarks from `mark` on: those that cannot be used are left out, and told. The places of each lie together. */
static sn_status translate_all(sn_remarks *r, sn_remarks_mark mark, table *t) {
    progress p = {mark.count, mark.arguments, mark.located, mark.arguments, mark.located};
    for (size_t i = mark.count; i < r->count; i++) {
        size_t first = p.arguments_before, last = r->first_arguments[i + 1], places = r->places[i] != SN_REMARK_NONE;
        for (size_t a = first; a < last; a++) places += r->argument_places[a] != SN_REMARK_NONE;
        const char *what = r->kinds[i] == BROKEN ? (const char *)(uintptr_t)r->hotness[i] : NULL;
        if (!what && !has_strings(t, r, i, first, last)) what = "a number beyond the table of strings";
        if (what) {
            sn_remarks_skip(r, i - mark.count + 1, what);
        } else {
            sn_status status = translate_remark(t, r, i, first, last);
            if (status != SN_OK) return status;
            keep(r, &p, i, last, places);
        }
        p.arguments_before = last;
        p.places_before += places;
    }
    r->count = p.remarks;
    r->arguments = p.arguments;
    r->located = p.places;
    return SN_OK;
}

static sn_status read_container(reader *r, sn_remarks_mark mark, const char *strings, size_t strings_size) {
    if (!read_blocks(r) && !r->is_damaged) return r->status;
    if (r->about->table) {
        strings = r->about->table;
        strings_size = r->about->table_size;
    }
    if (r->is_damaged && (!strings || !r->about->has_version || r->to->count == mark.count)) return r->status;
    if (!strings && r->to->count > mark.count) {
        r->about->needs_table = true;
        wrong(r, "no table of strings");
        return r->status;
    }
    table t;
    sn_status status = table_create(&t, strings, strings_size) ? translate_all(r->to, mark, &t) : SN_NO_MEMORY;
    table_destroy(&t);
    return status;
}

sn_status sn_remarks_read_bitstream(sn_remarks *remarks, const uint8_t *bytes, size_t size, const char *table,
                                    size_t table_size, sn_remark_container *about) {
    const size_t magic = sizeof SN_REMARK_MAGIC - 1;
    reader r = {.to = remarks, .about = about, .status = SN_OK};
    sn_remarks_mark mark = sn_remarks_now(remarks);
    *about = (sn_remark_container){0};
    sn_bits_create(&r.bits, bytes, size, size < magic ? size : magic);
    sn_status status = SN_BAD_INPUT;
    if (size < magic || memcmp(bytes, SN_REMARK_MAGIC, magic)) {
        r.bits.what = "other bytes than those with which remarks begin";
    } else {
        status = read_container(&r, mark, table, table_size);
    }
    about->what = r.bits.what;
    about->bit = r.bits.at;
    if (status != SN_OK) sn_remarks_return(remarks, mark);
    sn_bits_destroy(&r.bits);
    return status;
}
