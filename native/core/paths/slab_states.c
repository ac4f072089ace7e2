#include "slab_states.h"

#include <stdlib.h>
#include <sys/mman.h>

/* In `links`, of a node of the upper slab: how many ids lead there from its routine. Of one of the lower slab: the node of
 * the upper slab for which it stands, too. Of one in a row: how many nodes before it the row's is. */
#define UPPER (UINT32_C(1) << 31)
#define IN_ROW (UINT32_C(1) << 30)

/* So that six times the number of a node is less than 2^31. */
#define MOST_NODES (UINT64_C(1) << 28)

static size_t link_bytes(const sn_slab_states *states) { return states->forest.most * sizeof *states->links; }

/* A row for the node that was made last. */
static void add_row(sn_slab_states *states, uint32_t row) {
    for (uint32_t i = 1; i < SN_SLAB_PLACES(row); i++) states->links[states->forest.used++] = IN_ROW | i;
}

static void add_routines(sn_slab_states *states, const uint32_t *rows) {
    sn_slab_forest *forest = &states->forest;
    forest->used++;
    add_row(states, SN_SLAB_ROW);
    for (uint32_t i = 0; i < states->routines; i++) {
        uint32_t node = states->roots[i] = (uint32_t)forest->used++;
        states->links[node] = UPPER;
        forest->nodes[node] = (sn_slab_node){.id = i, .next = states->roots[0]};
        if (i) forest->nodes[states->roots[i - 1]].next = node;
        forest->nodes[SN_SLAB_TOP].child = node;
        add_row(states, rows[i]);
    }
}

sn_status sn_slab_states_create(sn_slab_states *states, int file, uint32_t k, uint64_t most, uint32_t routines,
                                const uint32_t *rows) {
    *states = (sn_slab_states){.routines = routines};
    uint64_t own = SN_SLAB_PLACES(SN_SLAB_ROW);
    for (uint32_t i = 0; i < routines; i++) own += SN_SLAB_PLACES(rows[i]);
    if (own > MOST_NODES) return SN_BAD_INPUT;
    if (most > MOST_NODES - own) most = MOST_NODES - own;
    sn_status status = sn_slab_create(&states->forest, file, k, most + own);
    if (status != SN_OK) return status;
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *links = mmap(NULL, link_bytes(states), PROT_READ | PROT_WRITE, flags, -1, 0);
    if (links != MAP_FAILED) states->links = links;
    states->roots = malloc((routines + (size_t)1) * sizeof *states->roots);
    status = !states->links || !states->roots ? SN_NO_MEMORY : SN_NO_SPACE;
    if (status == SN_NO_MEMORY || !sn_slab_has_room(&states->forest, own)) {
        sn_slab_states_destroy(states);
        return status;
    }
    add_routines(states, rows);
    return SN_OK;
}

void sn_slab_states_destroy(sn_slab_states *states) {
    if (states->links) munmap(states->links, link_bytes(states));
    free(states->roots);
    sn_slab_destroy(&states->forest);
}

uint32_t sn_slab_row_of(const sn_slab_states *states, uint32_t node) {
    uint32_t link = states->links[node];
    return (link & (UPPER | IN_ROW)) == IN_ROW ? node - (link & ~IN_ROW) : node;
}

/* Of a node of the upper slab, whether a chunk is complete there. */
static bool is_complete(const sn_slab_states *states, uint32_t top) {
    return (states->links[top] & ~UPPER) >= states->forest.k - 1;
}

/* Make what is lacking of a child of `above`, in the upper slab, and one of `below`, unless that is 0, in the lower slab: all of
 * it, or nothing. The latter, or else the former; 0: there is no room. */
static __attribute__((noinline)) uint32_t make(sn_slab_states *states, uint32_t above, uint32_t below, uint64_t id,
                                               uint32_t row) {
    sn_slab_forest *forest = &states->forest;
    uint32_t top = below ? sn_slab_find(forest, above, id) : 0;
    if (!sn_slab_has_room(forest, SN_SLAB_PLACES(row) * ((uint64_t)!top + (below != 0)))) return 0;
    if (!top) {
        states->links[forest->used] = states->links[above] + 1;
        top = sn_slab_add(forest, above, id);
        if (top) add_row(states, row);
    }
    if (!top || !below) return top;
    states->links[forest->used] = top;
    uint32_t bottom = sn_slab_add(forest, below, id);
    if (bottom) add_row(states, row);
    return bottom;
}

uint32_t sn_slab_follow(sn_slab_states *states, uint32_t state, uint64_t id, uint32_t routine, uint32_t row) {
    sn_slab_node *nodes = states->forest.nodes;
    uint32_t root = states->roots[routine];
    if (state == SN_SLAB_LIMBO) state = root;
    bool is_upper = states->links[state] & UPPER;
    uint32_t above = is_upper ? state : states->links[state], below = is_upper ? 0 : state;
    if (above != root && is_complete(states, above)) {
        below = states->forest.k > 1 ? above : 0;
        above = root;
    }
    /* What is in the lower slab is in the upper one, too. */
    uint32_t parent = below ? below : above, next = sn_slab_find(&states->forest, parent, id);
    if (!next) next = make(states, above, below, id, row);
    if (!next) {
        nodes[SN_SLAB_TOP].count++;
        return SN_SLAB_LIMBO;
    }
    nodes[next].count++;
    nodes[parent].child = next;
    return next;
}
