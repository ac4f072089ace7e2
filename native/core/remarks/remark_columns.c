#include "remark_columns.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_ROOM 256u
#define MOST (SN_REMARK_NONE - 1)

#define GROW(array, room)                                                                                             \
    do {                                                                                                              \
        void *grown_ = realloc((array), (room) * sizeof *(array));                                                    \
        if (!grown_) return SN_NO_MEMORY;                                                                             \
        (array) = grown_;                                                                                             \
    } while (0)

static sn_status grow_remarks(sn_remarks *r) {
    size_t room = r->room ? 2 * r->room : FIRST_ROOM;
    GROW(r->kinds, room);
    GROW(r->has_hotness, room);
    GROW(r->passes, room);
    GROW(r->names, room);
    GROW(r->functions, room);
    GROW(r->places, room);
    GROW(r->hotness, room);
    GROW(r->first_arguments, room + 1);
    r->room = room;
    return SN_OK;
}

static sn_status grow_arguments(sn_remarks *r) {
    size_t room = r->arguments_room ? 2 * r->arguments_room : FIRST_ROOM;
    GROW(r->keys, room);
    GROW(r->values, room);
    GROW(r->argument_places, room);
    r->arguments_room = room;
    return SN_OK;
}

static sn_status grow_places(sn_remarks *r) {
    size_t room = r->located_room ? 2 * r->located_room : FIRST_ROOM;
    GROW(r->files, room);
    GROW(r->lines, room);
    GROW(r->columns, room);
    r->located_room = room;
    return SN_OK;
}

sn_status sn_remarks_create(sn_remarks *remarks) {
    *remarks = (sn_remarks){0};
    sn_status status = sn_remark_strings_create(&remarks->strings);
    if (status == SN_OK) status = sn_remark_strings_create(&remarks->unknown_keys);
    if (status == SN_OK) status = grow_remarks(remarks);
    if (status == SN_OK) remarks->first_arguments[0] = 0;
    if (status != SN_OK) sn_remarks_destroy(remarks);
    return status;
}

void sn_remarks_destroy(sn_remarks *r) {
    void *const arrays[] = {r->kinds, r->has_hotness, r->passes, r->names,   r->functions, r->places,
                            r->keys,  r->values,      r->files,  r->hotness, r->lines,     r->columns,
                            r->first_arguments,       r->argument_places,    r->unknown_counts};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
    sn_remark_strings_destroy(&r->strings);
    sn_remark_strings_destroy(&r->unknown_keys);
    *r = (sn_remarks){0};
}

sn_status sn_remarks_add_place(sn_remarks *r, uint32_t file, uint32_t line, uint32_t column, uint32_t *place) {
    if (r->located >= MOST) return SN_NO_SPACE;
    if (r->located == r->located_room) {
        sn_status status = grow_places(r);
        if (status != SN_OK) return status;
    }
    r->files[r->located] = file;
    r->lines[r->located] = line;
    r->columns[r->located] = column;
    *place = (uint32_t)r->located++;
    return SN_OK;
}

sn_status sn_remarks_add_argument(sn_remarks *r, uint32_t key, uint32_t value, uint32_t place) {
    if (r->arguments >= MOST) return SN_NO_SPACE;
    if (r->arguments == r->arguments_room) {
        sn_status status = grow_arguments(r);
        if (status != SN_OK) return status;
    }
    r->keys[r->arguments] = key;
    r->values[r->arguments] = value;
    r->argument_places[r->arguments++] = place;
    return SN_OK;
}

sn_status sn_remarks_add(sn_remarks *r, const sn_remark *remark) {
    if (r->count >= MOST) return SN_NO_SPACE;
    if (r->count == r->room) {
        sn_status status = grow_remarks(r);
        if (status != SN_OK) return status;
    }
    size_t i = r->count++;
    r->kinds[i] = remark->kind;
    r->has_hotness[i] = remark->has_hotness;
    r->passes[i] = remark->pass;
    r->names[i] = remark->name;
    r->functions[i] = remark->function;
    r->places[i] = remark->place;
    r->hotness[i] = remark->hotness;
    r->first_arguments[i + 1] = (uint32_t)r->arguments;
    return SN_OK;
}

sn_remarks_mark sn_remarks_now(const sn_remarks *r) {
    return (sn_remarks_mark){r->count, r->arguments, r->located, r->strings.count};
}

void sn_remarks_return(sn_remarks *r, sn_remarks_mark to) {
    r->count = to.count;
    r->arguments = to.arguments;
    r->located = to.located;
    sn_remark_strings_forget(&r->strings, to.strings);
}

sn_status sn_remarks_count_unknown(sn_remarks *r, const char *key, size_t size) {
    uint32_t number;
    size_t known = r->unknown_keys.count;
    if (known == r->unknown_room) {
        size_t room = r->unknown_room ? 2 * r->unknown_room : FIRST_ROOM;
        GROW(r->unknown_counts, room);
        r->unknown_room = room;
    }
    sn_status status = sn_remark_strings_add(&r->unknown_keys, key, size, &number);
    if (status != SN_OK) return status;
    if (number == known) r->unknown_counts[number] = 0;
    r->unknown_counts[number]++;
    return SN_OK;
}

void sn_remarks_skip(sn_remarks *r, uint64_t where, const char *what) {
    r->skipped++;
    if (r->problem_count < SN_REMARK_PROBLEMS) r->problems[r->problem_count++] = (sn_remark_problem){where, what};
}

sn_status sn_remark_groups(const uint32_t *group_of, size_t count, size_t groups, uint32_t *starts, uint32_t *order) {
    memset(starts, 0, (groups + 1) * sizeof *starts);
    for (size_t i = 0; i < count; i++) {
        if (group_of[i] >= groups) return SN_BAD_INPUT;
        starts[group_of[i]]++;
    }
    uint32_t end = 0;
    for (size_t g = 0; g <= groups; g++) starts[g] = end += starts[g];
    /* Backwards, so that the ends become the beginnings. */
    for (size_t i = count; i-- > 0;) order[--starts[group_of[i]]] = (uint32_t)i;
    return SN_OK;
}
