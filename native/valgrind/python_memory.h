/* What lies in the memory of a Python that is measured, wherever its layout says.
 * SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SONDE_PYTHON_MEMORY_H
#define SONDE_PYTHON_MEMORY_H

#include "pub_tool_basics.h"

static inline Addr word(Addr address) { return *(Addr *)address; }
static inline UInt half(Addr address) { return *(UInt *)address; }

/* Of tp_flags: values of attributes behind the rest of an instance; weak references and a dict before its head. */
enum { FLAG_INLINE_VALUES = 1 << 2, FLAG_MANAGED_WEAK = 1 << 3, FLAG_MANAGED_DICT = 1 << 4, FLAG_IS_HEAP = 1 << 9,
       FLAG_HAS_GC = 1 << 14 };

/* So many bases of a type are looked at: what is read may be no type any more, and lie in a ring. */
enum { MOST_BASES = 64 };

#endif
