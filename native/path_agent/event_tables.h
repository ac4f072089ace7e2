/* CPython 3.12 and later: what is known of a routine whose paths are followed by events (event_tables.py). */
#ifndef SONDE_PATHS_EVENT_TABLES_H
#define SONDE_PATHS_EVENT_TABLES_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdbool.h>
#include <stdint.h>

typedef enum { ADDS, EMITS, ENDS } step_kind;

/* What an edge does with the register. */
typedef struct {
    int64_t block; /* that it leads to */
    int64_t kind;
    int64_t value;
    int64_t start; /* the register behind an emission */
} sn_step;

/* The edges up to the next branch, or to the end. */
typedef struct {
    int32_t first, count;
    int32_t block;    /* where it begins */
    int32_t has_left; /* that block: the first edge was taken */
    int32_t end;      /* block */
    int32_t silent;   /* the branch in that block that tells nothing; -1: there is none */
} sn_chain;

typedef struct {
    int32_t target;  /* unit that it may jump to, which is behind it */
    int32_t ways[2]; /* chains: it goes on, it jumps */
    int32_t is_silent; /* the next event tells which */
    int32_t block;     /* that it ends */
} sn_site;

/* An exception leaves a block. */
typedef struct {
    int64_t block, handler, value, start, chain;
} sn_raise;

typedef struct {
    uint32_t number;
    uint32_t node; /* in the forest, once there is one */
    int64_t start;
    int32_t entry;
    int32_t outside; /* block for exceptions that leave the function */
    uint32_t units, raise_count;
    const int32_t *block_of, *site_of;
    const sn_site *sites;
    const sn_chain *chains;
    const sn_step *steps;
    const sn_raise *raises;
} sn_routine_tables;

/* From (number, start, entry, outside, block_of, site_of, sites, chains, steps, raises): a copy. NULL with an exception. */
sn_routine_tables *sn_tables_new(PyObject *arguments);
void sn_tables_free(void *tables);

#endif
