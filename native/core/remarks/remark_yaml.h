/* Remarks as LLVM writes them as YAML, into columns.
 *
 *   --- !Missed                                               a document for each remark, its kind the tag
 *   Pass:            inline
 *   Name:            NoDefinition
 *   DebugLoc:        { File: 'a b.c', Line: 6, Column: 30 }   perhaps
 *   Function:        main
 *   Hotness:         300                                      perhaps
 *   Args:                                                     perhaps
 *     - Callee:          puts                                 each has one key and value,
 *       DebugLoc:        { File: stdio.h, Line: 9, Column: 1 }   and perhaps a place
 *   ...                                                       may be missing
 *
 * A document that is not such a remark is skipped, told and counted; its beginning and end are lines, so that no
 * mistake reaches further. */
#ifndef SONDE_REMARK_YAML_H
#define SONDE_REMARK_YAML_H

#include "remark_columns.h"

/* All remarks of a text. `table`: strings, each with a zero byte behind it, for which numbers stand in the text; NULL:
 * the text has the strings. `unended` tells whether the last remark had no end mark: it may have lost arguments. */
sn_status sn_remarks_read_yaml(sn_remarks *remarks, const char *text, size_t size, const char *table,
                               size_t table_size, bool *unended);

#endif
