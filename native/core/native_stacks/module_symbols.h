/* Functions of a module by address: its symbols, sorted once.
 *
 * libdw looks at all symbols of a module for each address, which takes a millisecond where there are a hundred thousand.
 */
#ifndef SONDE_MODULE_SYMBOLS_H
#define SONDE_MODULE_SYMBOLS_H

#include "libdw.h"

typedef struct {
    uint64_t begin, end;
    const char *name; /* the module has it */
    uint8_t rank;     /* of several at one address the one of the highest rank is meant */
} sn_symbol;

/* Sort symbols, and leave one for each beginning. Returns how many there are then. */
uint32_t sn_symbols_sort(sn_symbol *symbols, uint32_t count);

/* The innermost symbol that has an address; NULL: none has. Cost: O(log n) where few are in one another. */
const sn_symbol *sn_symbols_find(const sn_symbol *symbols, uint32_t count, uint64_t address);

typedef struct {
    Dwfl_Module *module;
    sn_symbol *symbols;
    uint32_t count;
} sn_module_table;

typedef struct {
    sn_module_table *tables;
    uint32_t count, room;
} sn_module_symbols;

/* The function of a module at an address, NULL: it has none there. */
const sn_symbol *sn_module_symbols_find(sn_module_symbols *all, const sn_libdw *library, Dwfl_Module *module, uint64_t address);

/* The module is gone. */
void sn_module_symbols_forget(sn_module_symbols *all, const Dwfl_Module *module);
void sn_module_symbols_free(sn_module_symbols *all);

#endif
