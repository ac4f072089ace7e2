/* A forest that another process has left in a file.
 *
 * The file may be damaged, or end in the middle of a change: what is not part of a tree is refused, and nodes that are
 * not linked yet are left out.
 */
#ifndef SONDE_SLAB_FILE_H
#define SONDE_SLAB_FILE_H

#include "slab_forest.h"

/* A forest over a file's bytes, which must stay; it can be read, not added to, and is not to be destroyed. SN_BAD_INPUT
 * when they are no forest, SN_NO_MEMORY. Cost: O(nodes). */
sn_status sn_slab_over(sn_slab_forest *forest, const void *bytes, size_t size, uint32_t k);

#endif
