/* Reading an address trace: whole, cut off, or damaged. Every byte may be hostile.
 *
 * What is delivered is what was written, from the first access on without a gap: a block is believed when its check
 * is right, and the reading ends where one is not.
 */
#ifndef SONDE_ADDRESS_TRACE_READER_H
#define SONDE_ADDRESS_TRACE_READER_H

#include "address_trace.h"

enum sn_address_result {
    SN_ADDRESS_MORE,       /* accesses were delivered */
    SN_ADDRESS_END,        /* the trace ends here */
    SN_ADDRESS_CUT,        /* the file ends here, the trace does not say so */
    SN_ADDRESS_DAMAGED,    /* see `problem` */
    SN_ADDRESS_FOREIGN,    /* not an address trace */
    SN_ADDRESS_NEWER,      /* of a later version, see `version` */
    SN_ADDRESS_UNREADABLE, /* see errno */
    SN_ADDRESS_NO_MEMORY,
};

/* Where accesses are put: a value of each column for each. Absent ones are not among them. */
struct sn_address_columns {
    uint64_t *ip, *address;
    uint16_t *size;
    uint8_t *kind; /* enum sn_address_kind */
    uint32_t *thread;
};

struct sn_read_segment {
    uint32_t first_slot, slots;
    uint32_t first_state, states;
    uint32_t successor[2];
};

struct sn_address_reader {
    int file;
    uint32_t version;
    const char *problem;  /* what is wrong; NULL: nothing */
    uint64_t at;          /* byte in the file: where the block that is read begins */
    uint64_t left_over;   /* bytes at the end that are no whole block */
    uint64_t accesses;    /* delivered, fetches included */
    uint64_t blocks;      /* read */
    enum sn_address_result ended; /* MORE: not yet */

    struct sn_read_segment *segments;
    struct sn_trace_slot *slots;
    struct sn_address_state *states;
    uint32_t segment_count, slot_count, state_count;
    uint32_t segment_room, slot_room, state_room;
    uint64_t defined_ip, previous;
    uint32_t current, thread;

    uint64_t check;
    struct sn_address_block head; /* of the open block */
    uint8_t *content;             /* its bytes and words */
    uint64_t flags;               /* the flags that come next: at least 32 of them, or the last */
    uint32_t flag_count, next_word, next_byte;
    uint32_t operations;          /* left in it */
    uint64_t block_accesses;      /* decoded from it */

    struct { /* accesses of a run for which there was not enough room */
        uint64_t ip[SN_ADDRESS_SLOTS], address[SN_ADDRESS_SLOTS];
        uint16_t size[SN_ADDRESS_SLOTS];
        uint8_t kind[SN_ADDRESS_SLOTS];
        uint32_t thread[SN_ADDRESS_SLOTS];
    } pending;
    uint32_t pending_at, pending_count;
    uint64_t table[1u << SN_ADDRESS_TABLE_BITS];
};

/* Open a file: MORE, or why it is not open. Then nothing needs to be closed. */
enum sn_address_result sn_address_open(struct sn_address_reader *reader, const char *path);
/* The descriptor is closed by `close`, or when this fails. */
enum sn_address_result sn_address_open_file(struct sn_address_reader *reader, int file);

/* Deliver up to `room` accesses; `count`: how many. Any other result than MORE delivers none, and is final. */
enum sn_address_result sn_address_read(struct sn_address_reader *reader, const struct sn_address_columns *columns,
                                       size_t room, size_t *count);

void sn_address_close(struct sn_address_reader *reader);

#endif
