/* Code that a JIT has announced to debuggers: what it is called, and how its frames are laid out.
 *
 * LLVM's JITs, and so Numba, and others keep a list of object files in memory, which `__jit_debug_descriptor` leads to (the JIT interface of
 * GDB). Each has its sections with the addresses at which they were loaded, symbols, and mostly .eh_frame. Of that we make what
 * unwinders read: an ELF file for each piece of code, in our memory, with the .eh_frame that the process has, in which addresses are
 * filled in. Any bytes may be an object file, or a list.
 */
#ifndef SONDE_JIT_OBJECTS_H
#define SONDE_JIT_OBJECTS_H

#include "../stacks/memory_reader.h"
#include "jit_map.h"

/* Objects that are looked at; their bytes. */
enum { SN_MOST_JIT_OBJECTS = 8192, SN_MOST_OBJECT_BYTES = 64 << 20 };

/* A piece of code: an executable section. */
typedef struct {
    uint64_t begin, end;
    uint64_t object; /* address of the object file: of which it is */
    uint8_t *image;  /* an ELF file with its call-frame information; NULL: there is none */
    size_t size;
} sn_jit_section;

typedef struct {
    uint64_t descriptor; /* 0: not found */
    uint64_t *objects;   /* addresses of those that are known */
    uint32_t object_count;
    sn_jit_section *sections;
    uint32_t count, room;
} sn_jit_objects;

/* Where the list begins, in one of the libraries that may have it; 0: nowhere. */
uint64_t sn_jit_objects_find(pid_t process);

void sn_jit_objects_free(sn_jit_objects *objects);

/* Take an object file that was read from `address`: its names go to the map, its code to the sections. */
void sn_jit_objects_take(sn_jit_objects *objects, sn_jit_map *map, const sn_memory_reader *memory, uint64_t address,
                         const uint8_t *bytes, size_t size);

typedef enum { SN_JIT_OBJECTS_SAME, SN_JIT_OBJECTS_MORE, SN_JIT_OBJECTS_LESS } sn_jit_objects_change;

/* Follow the list to objects that are new. LESS: some are gone; nothing was done, and all is to be taken anew. */
sn_jit_objects_change sn_jit_objects_read(sn_jit_objects *objects, sn_jit_map *map, const sn_memory_reader *memory);

/* The section that begins at an address, or NULL. */
const sn_jit_section *sn_jit_objects_at(const sn_jit_objects *objects, uint64_t begin);

#endif
