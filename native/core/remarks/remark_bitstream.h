/* Remarks as LLVM writes them as a bitstream, into columns.
 *
 *   RMRK                       then blocks, see remark_bits.h:
 *   block 8, "Meta"            1 version and type of the container; 2 version of the remarks; 3 strings, each with a
 *                              zero byte behind it; 4 the file that has the remarks
 *   block 9, "Remark"          5 kind, name, pass, function; 6 file, line, column; 7 hotness;
 *                              8 key, value, file, line, column of an argument; 9 key, value of one without a place
 *
 * Names, keys, values and files are numbers of strings. Containers of version 0 (up to LLVM 21) have the strings in
 * front of the remarks, or in another file; those of version 1 behind them. */
#ifndef SONDE_REMARK_BITSTREAM_H
#define SONDE_REMARK_BITSTREAM_H

#include "remark_columns.h"

#define SN_REMARK_MAGIC "RMRK"
#define SN_REMARK_CONTAINER_VERSION 1u
#define SN_REMARK_VERSION 0u

/* What is said of a container; strings are in its bytes. */
typedef struct {
    bool has_version, needs_table; /* there are remarks, and no strings */
    uint64_t version, type, remark_version;
    const char *table, *external; /* NULL: there is none */
    size_t table_size, external_size;
    const char *what; /* is wrong with it; NULL: nothing is */
    uint64_t bit;     /* where */
} sn_remark_container;

/* All remarks of a container. `table`: strings from elsewhere, for one that has none; may be NULL.
 * Of one that is damaged those before the damage, if their strings are known: `about->what` tells.
 * SN_BAD_INPUT: it is damaged and there are none such, newer than this code, or has no strings; no remark was added. */
sn_status sn_remarks_read_bitstream(sn_remarks *remarks, const uint8_t *bytes, size_t size, const char *table,
                                    size_t table_size, sn_remark_container *about);

#endif
