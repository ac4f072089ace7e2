/* A set of addresses that is also a list in the order of insertion; its memory is nobody else's. */
#ifndef SONDE_ADDRESS_SET_H
#define SONDE_ADDRESS_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    uintptr_t *slots; /* open addressing; 0: free */
    uintptr_t *list;
    size_t size; /* slots: a power of 2; the list has room for half as many */
    size_t count;
} sn_address_set;

/* False: there is no memory. */
bool sn_address_set_create(sn_address_set *set);
void sn_address_set_destroy(sn_address_set *set);

/* True if `address`, not 0, was not in the set and now is; false, too, when there is no memory for more. */
bool sn_address_set_add(sn_address_set *set, uintptr_t address);

#endif
