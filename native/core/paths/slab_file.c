#include "slab_file.h"

#include <stdlib.h>

/* Follow a ring of children, and mark them. False when one is not there, or was met before. */
static bool mark_children(const sn_slab_forest *forest, uint32_t parent, uint8_t *seen, uint32_t *waiting,
                          size_t *count) {
    uint32_t first = forest->nodes[parent].child, child = first;
    if (!first) return true;
    do {
        if (child <= SN_SLAB_TOP || child >= forest->used || seen[child]) return false;
        seen[child] = 1;
        waiting[(*count)++] = child;
        child = sn_slab_sibling(forest, child);
    } while (child != first);
    return true;
}

static sn_status check_tree(const sn_slab_forest *forest) {
    uint8_t *seen = calloc(forest->used, 1);
    uint32_t *waiting = malloc(forest->used * sizeof *waiting);
    sn_status status = seen && waiting ? SN_OK : SN_NO_MEMORY;
    size_t count = 0;
    if (status == SN_OK) waiting[count++] = SN_SLAB_TOP;
    while (status == SN_OK && count)
        if (!mark_children(forest, waiting[--count], seen, waiting, &count)) status = SN_BAD_INPUT;
    free(seen);
    free(waiting);
    return status;
}

sn_status sn_slab_over(sn_slab_forest *forest, const void *bytes, size_t size, uint32_t k) {
    const sn_header *header = bytes;
    if (size < sizeof *header || !sn_is_spool(header) || !k) return SN_BAD_INPUT;
    uint64_t cells = size / SN_CELL_BYTES;
    if (header->used < cells) cells = header->used;
    uint64_t nodes = cells * SN_CELL_BYTES / sizeof(sn_slab_node);
    if (nodes <= SN_SLAB_TOP || nodes > SN_SLAB_TOP + 1 + SN_SLAB_MOST_NODES) return SN_BAD_INPUT;
    *forest = (sn_slab_forest){.nodes = (sn_slab_node *)(uintptr_t)bytes, .used = nodes, .room = nodes, .most = nodes,
                               .k = k};
    return check_tree(forest);
}
