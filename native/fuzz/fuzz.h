/* What a fuzzer offers to libFuzzer, or to the mutation loop in mutate.c. */
#ifndef SONDE_FUZZ_H
#define SONDE_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Run one input; never fails but by aborting. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Write a valid input of at most `room` bytes for mutate.c to begin with; returns its size. */
size_t fuzz_example(uint8_t *bytes, size_t room, uint64_t *random);

#define FUZZ_ROOM 16384

/* A promise of the code under test; broken, the input is a finding. */
#define PROMISE(condition)                                                                                            \
    do {                                                                                                              \
        if (!(condition)) {                                                                                           \
            fprintf(stderr, "%s:%d: promise broken: %s\n", __FILE__, __LINE__, #condition);                           \
            abort();                                                                                                  \
        }                                                                                                             \
    } while (0)

#endif
