#include "path_forest.h"

#include <stdlib.h>
#include <string.h>

/* Up to so many items are sorted by insertion: counting digits takes 256 steps by itself. */
#define FEW 48u

/* A node of the slab forest, beside its id. */
typedef struct {
    uint64_t id;
    uint32_t node;
} item;

/* The children of one row: items, of which those before `at` have been looked at. */
typedef struct {
    size_t at, end;
    int64_t row;
} frame;

typedef struct {
    const sn_slab_forest *forest;
    uint64_t least;
    size_t most;
    sn_path_rows *rows;
    item *items, *spare; /* those of all frames, one after the other; of the same size, to sort by */
    size_t used, room;
    frame *frames;
    size_t depth, frame_room;
} joining;

void sn_path_rows_free(sn_path_rows *rows) {
    free(rows->parent);
    free(rows->id);
    free(rows->count);
    *rows = (sn_path_rows){0};
}

/* Make room in an array; what is there stays. */
static bool grown(void **array, size_t size, size_t room) {
    void *larger = realloc(*array, size * room);
    if (larger) *array = larger;
    return larger;
}

static sn_status add_row(joining *j, int64_t parent, uint64_t id, uint64_t count) {
    sn_path_rows *rows = j->rows;
    if (rows->rows == j->most) return SN_NO_SPACE;
    if (rows->rows == rows->room) {
        size_t room = rows->room ? 2 * rows->room : 1024;
        if (!grown((void **)&rows->parent, sizeof *rows->parent, room) ||
            !grown((void **)&rows->id, sizeof *rows->id, room) ||
            !grown((void **)&rows->count, sizeof *rows->count, room))
            return SN_NO_MEMORY;
        rows->room = room;
    }
    rows->parent[rows->rows] = parent;
    rows->id[rows->rows] = id;
    rows->count[rows->rows++] = count;
    return SN_OK;
}

static sn_status add_children(joining *j, uint32_t node) {
    const sn_slab_node *nodes = j->forest->nodes;
    uint32_t first = nodes[node].child, child = first;
    if (!first) return SN_OK;
    do {
        if (j->used == j->room) {
            size_t room = j->room ? 2 * j->room : 1024;
            if (!grown((void **)&j->items, sizeof *j->items, room) ||
                !grown((void **)&j->spare, sizeof *j->spare, room))
                return SN_NO_MEMORY;
            j->room = room;
        }
        j->items[j->used++] = (item){nodes[child].id, child};
        child = sn_slab_sibling(j->forest, child);
    } while (child != first);
    return SN_OK;
}

static void sort_few(item *items, size_t count) {
    for (size_t i = 1; i < count; i++) {
        item moved = items[i];
        size_t at = i;
        for (; at && items[at - 1].id > moved.id; at--) items[at] = items[at - 1];
        items[at] = moved;
    }
}

/* By the digits in which any two ids differ, the last one first. */
static void sort_many(item *items, item *spare, size_t count) {
    uint64_t differing = 0;
    for (size_t i = 1; i < count; i++) differing |= items[i].id ^ items[0].id;
    item *from = items, *to = spare;
    for (unsigned shift = 0; shift < 64 && differing >> shift; shift += 8) {
        size_t begins[256] = {0}, sum = 0;
        if (!(differing >> shift & 255)) continue;
        for (size_t i = 0; i < count; i++) begins[from[i].id >> shift & 255]++;
        for (size_t digit = 0; digit < 256; digit++) {
            size_t here = begins[digit];
            begins[digit] = sum;
            sum += here;
        }
        for (size_t i = 0; i < count; i++) to[begins[from[i].id >> shift & 255]++] = from[i];
        item *swapped = from;
        from = to;
        to = swapped;
    }
    if (from != items) memcpy(items, from, count * sizeof *items);
}

/* A frame of the items from `first` on, sorted, whose parent is `row`. */
static sn_status push_frame(joining *j, size_t first, int64_t row) {
    if (j->depth == j->frame_room) {
        size_t room = j->frame_room ? 2 * j->frame_room : 64;
        if (!grown((void **)&j->frames, sizeof *j->frames, room)) return SN_NO_MEMORY;
        j->frame_room = room;
    }
    if (j->used - first <= FEW) sort_few(j->items + first, j->used - first);
    else sort_many(j->items + first, j->spare + first, j->used - first);
    j->frames[j->depth++] = (frame){first, j->used, row};
    return SN_OK;
}

/* The next run of equal ids of the last frame: a row, and a frame of what is below it. */
static sn_status take_run(joining *j) {
    frame *above = &j->frames[j->depth - 1];
    size_t first = above->at, end = first;
    uint64_t id = j->items[first].id, count = 0;
    for (; end < above->end && j->items[end].id == id; end++) count += j->forest->nodes[j->items[end].node].count;
    above->at = end;
    if (count < j->least) return SN_OK; /* then so is what begins with it */
    sn_status status = add_row(j, above->row, id, count);
    int64_t row = (int64_t)j->rows->rows - 1;
    if (j->depth == j->forest->k) return status;
    size_t below = j->used;
    for (size_t i = first; status == SN_OK && i < end; i++) status = add_children(j, j->items[i].node);
    return status == SN_OK ? push_frame(j, below, row) : status;
}

static sn_status join_routine(joining *j, uint32_t routine) {
    const sn_slab_node *node = &j->forest->nodes[routine];
    if (!node->count && !node->child) return SN_OK; /* it could have been entered, and was not */
    sn_status status = add_row(j, -1, node->id, node->count);
    int64_t row = (int64_t)j->rows->rows - 1;
    size_t first = j->used;
    if (status == SN_OK) status = add_children(j, routine);
    /* Sequences begin at every node of the routine. */
    for (size_t i = first; status == SN_OK && i < j->used; i++) status = add_children(j, j->items[i].node);
    if (status == SN_OK) status = push_frame(j, first, row);
    while (status == SN_OK && j->depth) {
        const frame *last = &j->frames[j->depth - 1];
        if (last->at < last->end) {
            status = take_run(j);
            continue;
        }
        j->depth--;
        j->used = j->depth ? j->frames[j->depth - 1].end : first;
    }
    return status;
}

sn_status sn_path_rows_make(const sn_slab_forest *forest, uint64_t least, size_t most, sn_path_rows *rows) {
    *rows = (sn_path_rows){0};
    joining j = {.forest = forest, .least = least ? least : 1, .most = most, .rows = rows};
    sn_status status = add_children(&j, SN_SLAB_TOP);
    size_t routines = j.used;
    if (routines > FEW) sort_many(j.items, j.spare, routines);
    else sort_few(j.items, routines);
    for (size_t i = 0; status == SN_OK && i < routines; i++) status = join_routine(&j, j.items[i].node);
    free(j.items);
    free(j.spare);
    free(j.frames);
    return status;
}
