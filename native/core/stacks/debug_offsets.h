/* What an interpreter tells about its own structures at the beginning of its `_PyRuntime`: _Py_DebugOffsets, from 3.13 on.
 *
 * It is a list of words, each an offset, whose order is that of the minor version; versions that are not known are taken to have
 * that of the last one that is. What is not told is derived from what is, or has been the same in all versions; a test compares all
 * of it with the headers.
 */
#ifndef SONDE_DEBUG_OFFSETS_H
#define SONDE_DEBUG_OFFSETS_H

#include "python_layout.h"

enum { SN_OFFSETS_BYTES = 8 * 102 }; /* that are read of it */

/* Whether these are offsets at all, and of which version, as in PY_VERSION_HEX: (SN_OFFSETS_BYTES,). */
bool sn_python_version_told(const uint8_t *offsets, uint32_t *version);

/* Whether an interpreter that tells offsets says that it is built without a global lock: (SN_OFFSETS_BYTES,). */
bool sn_python_is_free_threaded(const uint8_t *offsets);

/* The layout that an interpreter tells: (SN_OFFSETS_BYTES,). False when it tells none, or one that makes no sense.
 * Guarantee: whatever the bytes are, what a layout says of a frame, a text or the head of a code object lies within it. */
bool sn_python_layout_told(const uint8_t *offsets, sn_python_layout *layout);

#endif
