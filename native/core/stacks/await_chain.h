/* What coroutines of another process await, and what that awaits in turn: many chains at once.
 *
 * A coroutine that is suspended in an `await` has what it awaits on top of its stack. That may be a coroutine, a generator, or
 * something that only passes on to one of these; a chain ends at a future, or at what is none of them.
 *
 * The program goes on meanwhile. So all that a chain is made of is read again when all chains were read, and one that is not the
 * same is not believed: then each coroutine awaited the next one at one moment, if not all at the same one.
 */
#ifndef SONDE_AWAIT_CHAIN_H
#define SONDE_AWAIT_CHAIN_H

#include "many_pieces.h"
#include "object_types.h"
#include "python_layout.h"
#include "task_layout.h"

enum { SN_CHAINS_AT_ONCE = 256, SN_LONGEST_CHAIN = 256, SN_KNOWN_RESUMES = 64 };

/* One object of a chain. */
typedef struct {
    uint64_t object, type;
    uint64_t code, instruction; /* of a coroutine, or a generator; else 0 */
    uint64_t next;              /* what it awaits, or passes on to; 0: nothing */
    uint64_t next_at;           /* where that stands; 0: nowhere */
    uint32_t before;            /* the link before it, + 1 */
    sn_object_kind kind;
    int8_t state;               /* of a coroutine, as it is laid out */
    bool has_next;              /* whether that was within what was read of the object */
    uint8_t resumes;            /* the instruction that comes next, where that tells whether it awaits something */
} sn_await_link;

typedef enum {
    SN_CHAIN_READ = 0,
    SN_CHAIN_CHANGED, /* while it was read */
    SN_CHAIN_LONG,    /* it was cut at SN_LONGEST_CHAIN */
    SN_CHAIN_RUNS,    /* its outermost coroutine is not suspended, but runs */
    SN_CHAIN_ENDED,   /* its outermost coroutine has ended */
    SN_CHAIN_CREATED, /* its outermost coroutine has not begun */
} sn_chain_result;

typedef struct {
    uint32_t count;
    uint64_t first[SN_CHAINS_AT_ONCE];       /* objects at which chains begin; 0: there is none */
    uint32_t last[SN_CHAINS_AT_ONCE];        /* the last link of each, + 1; 0: none was read */
    sn_chain_result result[SN_CHAINS_AT_ONCE];
    sn_await_link *links;
    uint32_t link_count, link_room;
    struct {
        uint64_t instruction;
        uint8_t resumes;
    } known[SN_KNOWN_RESUMES]; /* what comes after instructions, for one reading */
    sn_piece *pieces;
    bool *is_there;
    uint8_t *bytes;
    uint32_t piece_room;
} sn_await_chains;

/* False: memory is short. */
bool sn_await_init(sn_await_chains *chains);
void sn_await_free(sn_await_chains *chains);

/* Read the chains that begin at `first`. False when nothing can be read any more, and `*why` says why; or when memory is short. */
bool sn_await_read(sn_await_chains *chains, const sn_memory_reader *memory, const sn_python_layout *layout,
                   const sn_task_layout *tasks, sn_object_types *types, sn_read_result *why);

/* Read them again; those that are not the same are CHANGED. False as above. */
bool sn_await_check(sn_await_chains *chains, const sn_memory_reader *memory, const sn_python_layout *layout,
                    const sn_task_layout *tasks, sn_read_result *why);

#endif
