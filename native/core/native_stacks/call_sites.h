/* Whether an address is one that a call returns to: what is before it is a call. */
#ifndef SONDE_CALL_SITES_H
#define SONDE_CALL_SITES_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes before an address that are looked at. */
enum { SN_CALL_BYTES = 8 };

/* `before`: (SN_CALL_BYTES,), the last one of them just before the address. On machines whose code is not known: true. */
bool sn_is_after_call(const uint8_t *before);

#endif
