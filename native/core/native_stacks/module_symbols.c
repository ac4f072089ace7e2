#include "module_symbols.h"

#include <stdlib.h>
#include <string.h>

/* Symbols that are looked at before the one that begins last: one may lie in another. */
enum { MOST_AROUND = 8 };

static int compare(const void *a, const void *b) {
    const sn_symbol *x = a, *y = b;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    if (x->rank != y->rank) return x->rank > y->rank ? -1 : 1;
    size_t inner_x = strspn(x->name, "_"), inner_y = strspn(y->name, "_"); /* `malloc` is `__libc_malloc`, too */
    if (inner_x != inner_y) return inner_x < inner_y ? -1 : 1;
    return strcmp(x->name, y->name); /* whatever the order in the file was */
}

uint32_t sn_symbols_sort(sn_symbol *symbols, uint32_t count) {
    uint32_t kept = 0;
    qsort(symbols, count, sizeof *symbols, compare);
    for (uint32_t i = 0; i < count; i++) {
        if (kept && symbols[kept - 1].begin == symbols[i].begin) {
            if (symbols[i].end > symbols[kept - 1].end) symbols[kept - 1].end = symbols[i].end;
        } else {
            symbols[kept++] = symbols[i];
        }
    }
    return kept;
}

const sn_symbol *sn_symbols_find(const sn_symbol *symbols, uint32_t count, uint64_t address) {
    uint32_t low = 0, high = count;
    while (low < high) { /* the first that begins behind it */
        uint32_t middle = low + (high - low) / 2;
        if (symbols[middle].begin <= address) low = middle + 1;
        else high = middle;
    }
    for (uint32_t i = 0; i < MOST_AROUND && i < low; i++)
        if (symbols[low - 1 - i].end > address) return &symbols[low - 1 - i];
    return NULL;
}

static uint8_t rank_of(const Elf64_Sym *symbol) {
    unsigned binding = ELF64_ST_BIND(symbol->st_info);
    return binding == STB_GLOBAL ? 2 : binding == STB_WEAK ? 1 : 0;
}

static void read_symbols(const sn_libdw *dw, sn_module_table *table) {
    int all = dw->module_getsymtab(table->module);
    table->symbols = all > 0 ? malloc((size_t)all * sizeof *table->symbols) : NULL;
    for (int i = 1; table->symbols && i < all; i++) {
        Elf64_Sym symbol;
        uint64_t address = 0;
        uint32_t section = 0;
        const char *name = dw->module_getsym_info(table->module, i, &symbol, &address, &section, NULL, NULL);
        unsigned type = ELF64_ST_TYPE(symbol.st_info);
        if (!name || !*name || section == SHN_UNDEF || !symbol.st_size) continue;
        if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) continue;
        table->symbols[table->count++] = (sn_symbol){address, address + symbol.st_size, name, rank_of(&symbol)};
    }
    if (table->count) table->count = sn_symbols_sort(table->symbols, table->count);
}

const sn_symbol *sn_module_symbols_find(sn_module_symbols *all, const sn_libdw *library, Dwfl_Module *module, uint64_t address) {
    for (uint32_t i = 0; i < all->count; i++)
        if (all->tables[i].module == module) return sn_symbols_find(all->tables[i].symbols, all->tables[i].count, address);
    if (all->count == all->room) {
        uint32_t room = all->room ? 2 * all->room : 16;
        sn_module_table *grown = realloc(all->tables, room * sizeof *grown);
        if (!grown) return NULL;
        all->tables = grown;
        all->room = room;
    }
    sn_module_table *table = &all->tables[all->count++];
    *table = (sn_module_table){module, NULL, 0};
    read_symbols(library, table);
    return sn_symbols_find(table->symbols, table->count, address);
}

void sn_module_symbols_forget(sn_module_symbols *all, const Dwfl_Module *module) {
    for (uint32_t i = 0; i < all->count; i++) {
        if (all->tables[i].module != module) continue;
        free(all->tables[i].symbols);
        all->tables[i] = all->tables[--all->count];
        return;
    }
}

void sn_module_symbols_free(sn_module_symbols *all) {
    for (uint32_t i = 0; i < all->count; i++) free(all->tables[i].symbols);
    free(all->tables);
    *all = (sn_module_symbols){0};
}
