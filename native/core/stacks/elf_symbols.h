/* Addresses of symbols in an ELF file: of the dynamic table, else of the full one; and of sections, which are named even where
 * all symbols were removed. Any bytes may be a file. */
#ifndef SONDE_ELF_SYMBOLS_H
#define SONDE_ELF_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* OTHER: it is no ELF file, or not of this machine. */
typedef enum { SN_ELF_FOUND, SN_ELF_MISSING, SN_ELF_OTHER } sn_elf_result;

/* Find `count` symbols; values[i] is the address of names[i] as the file has it, 0 where there is none. `*first` is the
 * address, as the file has it, of the beginning of the file in memory. FOUND: names[0] is there.
 * Cost: O(symbols * count). */
sn_elf_result sn_elf_find(const uint8_t *bytes, size_t size, const char *const *names, uint64_t *values, unsigned count,
                          uint64_t *first);

/* The address of a section that is loaded, as the file has it; 0: there is none of this name. */
uint64_t sn_elf_section(const uint8_t *bytes, size_t size, const char *name, uint64_t *first);

#endif
