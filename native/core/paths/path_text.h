/* Path ids as text: decimal numbers, one per line. */
#ifndef SONDE_PATH_TEXT_H
#define SONDE_PATH_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Read lines from the beginning up to the first one that is no id below 2^64 of at most 20 digits, or has no end. Lines
 * end with \n or \r\n. `ids` has room for `most` of them. Returns how many bytes were read. */
size_t sn_path_text_ids(const char *text, size_t size, uint64_t *ids, size_t most, size_t *count);

#endif
