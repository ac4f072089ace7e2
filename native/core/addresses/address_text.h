/* Accesses in the forms that other simulators read (docs/address-trace.md, "For other simulators"). */
#ifndef SONDE_ADDRESS_TEXT_H
#define SONDE_ADDRESS_TEXT_H

#include "address_trace_reader.h"

enum sn_address_form {
    SN_ADDRESS_DIN,    /* "0 ADDRESS": Dinero's traditional form */
    SN_ADDRESS_LACKEY, /* " L ADDRESS,SIZE": what Valgrind's lackey prints */
    SN_ADDRESS_CSV,    /* "IP,ADDRESS,SIZE,KIND,THREAD" */
    SN_ADDRESS_RAW,    /* struct sn_raw_access */
    SN_ADDRESS_FORMS
};

struct sn_raw_access {
    uint64_t ip, address;
    uint32_t thread;
    uint16_t size;
    uint8_t kind; /* enum sn_address_kind */
    uint8_t zero;
};

/* No access takes more in any form. */
#define SN_ADDRESS_TEXT_BYTES 64u

/* Write `count` accesses to `to`, which has SN_ADDRESS_TEXT_BYTES for each; returns how many bytes they took. */
size_t sn_address_text(const struct sn_address_columns *columns, size_t count, enum sn_address_form form, char *to);

#endif
