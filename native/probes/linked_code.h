/* Functions and places of calls of programs that a linker made: numbers for them, the same in all processes of a run.
 *
 * They are in a file beside the spools, which each process appends to under a lock: of an object file when the first of
 * its functions is called, of a program or library before the first of its object files. Its records are
 * sn_linked_record, each with `bytes` of text behind it, up to a multiple of 8 bytes.
 */
#ifndef SONDE_LINKED_CODE_H
#define SONDE_LINKED_CODE_H

#include "probes.h"

#define SN_LINKED_FILE "linked.code"

enum {
    SN_LINKED_MODULE = 1,   /* a program or library: places of calls from `first` on, `count` bytes of code; its path */
    SN_LINKED_OBJECT = 2,   /* functions from `first` on; lines of symbol, file and line */
    SN_LINKED_FUNCTION = 3, /* one function that says no more than its address */
};

typedef struct {
    uint32_t kind, bytes, first, count;
    uint64_t address; /* MODULE: of its code; OBJECT: of its sn_probes_object; FUNCTION: of it; as the file has it */
    uint64_t module;  /* OBJECT, FUNCTION: number of its MODULE record, from 0 */
} sn_linked_record;

/* Begin, with a folder that stays, and the first numbers of functions and of places. 0, or what errno says. */
int sn_linked_begin(const char *folder, uint32_t first_function, uint32_t first_place);

/* The number of the first function of an object file; SN_PROBES_NO_NUMBERS when it cannot have one. In a thread that
 * is marked as busy. */
uint32_t sn_linked_first(sn_probes_object *object);

/* The number of the function at an address, likewise. */
uint32_t sn_linked_function(const void *address);

/* `call_line` for a return address. */
uint32_t sn_linked_line(const void *return_address);

#endif
