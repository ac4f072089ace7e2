/* Dictionaries of another process. */
#ifndef SONDE_PYTHON_DICT_H
#define SONDE_PYTHON_DICT_H

#include "memory_reader.h"
#include "python_layout.h"

typedef struct {
    uint64_t key, value;
} sn_dict_entry;

/* Entries of a dictionary, at most `room`; returns how many. None of one whose values are with an instance. */
uint32_t sn_dict_entries(const sn_memory_reader *memory, const sn_python_layout *layout, uint64_t dict, sn_dict_entry *entries,
                         uint32_t room);

/* The value of a text of at most 24 ASCII characters in a dictionary of which `room` entries are looked at; 0: it is not there. */
uint64_t sn_dict_value(const sn_memory_reader *memory, const sn_python_layout *layout, uint64_t dict, const char *wanted,
                       uint32_t room);

#endif
