/* Writing an address trace. See address_trace_writer.h. */
#include "address_trace_writer.h"

/* The most that one operation takes: a definition has at most 10 bytes for an ip and 3 for size and kind of a slot,
 * a run 8 bytes and 6 flags for each address. */
#define OPERATION_BYTES (SN_ADDRESS_SLOTS * 13u + 16u)
#define OPERATION_WORDS (SN_ADDRESS_SLOTS * 6u / 64u + 2u)
#define FULL_BYTES (SN_ADDRESS_BLOCK_BYTES - OPERATION_BYTES)
#define FULL_WORDS (SN_ADDRESS_BLOCK_WORDS - OPERATION_WORDS)

struct segment {
    uint32_t first_slot, slots;
    uint32_t first_state, states;
    uint32_t successor[2];
};

/* Where flags and bytes go: copied into registers for the time of a run. */
struct sink {
    uint64_t flags; /* that do not fill a word yet */
    uint32_t flag_count;
    uint64_t *word; /* the next */
    uint8_t *byte;
};

struct sn_address_trace {
    struct sink out;
    uint32_t operations;
    uint64_t previous; /* address */
    uint32_t current;  /* segment that ran last */
    bool stopped, failed;

    struct segment *segments;
    struct sn_address_state *states;
    struct sn_trace_slot *slots;
    uint32_t *index; /* from hashes of segments to their numbers + 1 */
    uint32_t segment_count, slot_count, state_count;
    uint32_t segment_room, slot_room, index_mask;
    uint32_t thread;
    uint64_t defined_ip; /* the last of a definition */

    sn_address_trace_write *write;
    void *context;
    uint64_t check;
    uint32_t block_index;
    uint64_t accesses, accesses_before; /* taken; and up to the open block */
    uint64_t dropped, unknown_runs, written;

    uint64_t table[1u << SN_ADDRESS_TABLE_BITS];
    uint64_t word[SN_ADDRESS_BLOCK_WORDS];
    /* A block as it is written: the words are put behind the bytes at the end. */
    struct sn_address_block head;
    uint8_t byte[SN_ADDRESS_BLOCK_BYTES + 8u * SN_ADDRESS_BLOCK_WORDS];
};

static_assert(sizeof(struct sn_address_trace) + 65536 <= SN_ADDRESS_TRACE_LEAST, "there is room for some segments");
static_assert(offsetof(struct sn_address_trace, byte) ==
                  offsetof(struct sn_address_trace, head) + sizeof(struct sn_address_block),
              "head and bytes are written at once");

/* ---- what goes into a block ---- */

/* The lowest `count` bits of `flags`, at most 32; no others are set. */
static inline void put_flags(struct sink *out, uint64_t flags, uint32_t count) {
    out->flags |= flags << out->flag_count;
    out->flag_count += count;
    if (out->flag_count >= 64) {
        *out->word++ = out->flags;
        out->flag_count -= 64;
        out->flags = flags >> (count - out->flag_count);
    }
}

static inline void put_varint(struct sink *out, uint64_t number) {
    for (; number > 0x7F; number >>= 7) *out->byte++ = (uint8_t)(number | 0x80);
    *out->byte++ = (uint8_t)number;
}

static inline uint32_t bytes_of(const struct sn_address_trace *trace) {
    return (uint32_t)(trace->out.byte - trace->byte);
}

static inline uint32_t words_of(const struct sn_address_trace *trace) {
    return (uint32_t)(trace->out.word - trace->word);
}

static void append(struct sn_address_trace *trace, const void *bytes, size_t size) {
    if (trace->stopped) return;
    if (trace->write(trace->context, bytes, size))
        trace->written += size;
    else
        trace->stopped = trace->failed = true;
}

static void write_block(struct sn_address_trace *trace, bool last) {
    if (trace->out.flag_count) *trace->out.word++ = trace->out.flags;
    const uint32_t bytes = bytes_of(trace), words = words_of(trace), padded = (bytes + 7u) & ~7u;
    for (uint32_t i = bytes; i < padded; i++) trace->byte[i] = 0;
    __builtin_memcpy(trace->byte + padded, trace->word, 8 * (size_t)words);
    trace->head = (struct sn_address_block){
        .magic = SN_ADDRESS_BLOCK_MAGIC,
        .index = trace->block_index++,
        .bytes = bytes,
        .words = words,
        .first_access = trace->accesses_before,
        .accesses = trace->accesses - trace->accesses_before,
        .operations = trace->operations,
        .last = last,
    };
    uint64_t check = sn_address_check(trace->check, &trace->head, offsetof(struct sn_address_block, check) / 8);
    check = sn_address_check(check, trace->byte, padded / 8 + words);
    trace->check = trace->head.check = check;
    append(trace, &trace->head, sizeof trace->head + padded + 8 * (size_t)words);
    if (trace->failed) { /* what was in it is lost */
        trace->dropped += trace->accesses - trace->accesses_before;
        trace->accesses = trace->accesses_before;
    }
    trace->accesses_before = trace->accesses;
    trace->out = (struct sink){.word = trace->word, .byte = trace->byte};
    trace->operations = 0;
}

static inline void begin_operation(struct sn_address_trace *trace) {
    if (__builtin_expect(trace->out.byte > trace->byte + FULL_BYTES || trace->out.word > trace->word + FULL_WORDS, 0))
        write_block(trace, false);
    trace->operations++;
}

/* ---- segments ---- */

static inline bool equal_slots(const struct sn_trace_slot *a, const struct sn_trace_slot *b) {
    return a->ip == b->ip && a->size == b->size && a->kind == b->kind;
}

static uint64_t hash_of(const struct sn_trace_slot *slots, uint32_t n) {
    uint64_t hash = n;
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t words[2] = {slots[i].ip, (uint64_t)slots[i].size << 8 | slots[i].kind};
        hash = sn_address_check(hash, words, 2);
    }
    return hash;
}

/* Where in the index the segment is, or would be. */
static uint32_t index_of(const struct sn_address_trace *trace, const struct sn_trace_slot *slots, uint32_t n) {
    for (uint32_t at = (uint32_t)hash_of(slots, n) & trace->index_mask;; at = (at + 1) & trace->index_mask) {
        if (!trace->index[at]) return at;
        const struct segment *found = &trace->segments[trace->index[at] - 1];
        if (found->slots != n) continue;
        uint32_t equal = 0;
        while (equal < n && equal_slots(&trace->slots[found->first_slot + equal], &slots[equal])) equal++;
        if (equal == n) return at;
    }
}

uint32_t sn_address_trace_segment(struct sn_address_trace *trace, const struct sn_trace_slot *slots, uint32_t n) {
    if (!n || n > SN_ADDRESS_SLOTS) return SN_ADDRESS_TRACE_NONE;
    uint32_t states = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (slots[i].kind > SN_ADDRESS_FETCH) return SN_ADDRESS_TRACE_NONE;
        states += slots[i].kind != SN_ADDRESS_FETCH;
    }
    uint32_t at = index_of(trace, slots, n);
    if (trace->index[at]) return trace->index[at] - 1;
    if (trace->segment_count == trace->segment_room || n > trace->slot_room - trace->slot_count)
        return SN_ADDRESS_TRACE_NONE;

    begin_operation(trace);
    put_flags(&trace->out, SN_ADDRESS_ESCAPE, 4);
    *trace->out.byte++ = SN_ADDRESS_ESCAPE_SEGMENT;
    put_varint(&trace->out, n);
    for (uint32_t i = 0; i < n; i++) {
        put_varint(&trace->out, sn_address_zigzag(slots[i].ip - trace->defined_ip));
        put_varint(&trace->out, (uint64_t)slots[i].size << 2 | slots[i].kind);
        trace->defined_ip = slots[i].ip;
        trace->slots[trace->slot_count + i] = slots[i];
    }
    trace->segments[trace->segment_count] = (struct segment){
        .first_slot = trace->slot_count, .slots = n, .first_state = trace->state_count, .states = states};
    trace->slot_count += n;
    trace->state_count += states;
    trace->index[at] = ++trace->segment_count;
    return trace->segment_count - 1;
}

/* ---- runs ---- */

/* An address that was not predicted, from what was learnt of it. */
static inline void put_address(struct sn_address_trace *trace, struct sink *out, uint32_t number) {
    const struct sn_address_state *state = &trace->states[number];
    if (__builtin_expect(state->absent, 0)) {
        put_flags(out, SN_ADDRESS_FROM_PREVIOUS, 2 + SN_ADDRESS_SIZE_BITS);
        return;
    }
    const uint64_t address = state->last, stride = state->stride;
    uint64_t *remembered = &trace->table[sn_address_place(number, address - stride)];
    if (*remembered == address) {
        put_flags(out, SN_ADDRESS_REMEMBERED, 1);
        return;
    }
    *remembered = address;
    uint64_t from_last = sn_address_zigzag(stride), from_previous = sn_address_zigzag(state->after);
    bool last = (from_last <= from_previous) | (from_previous >> 56 != 0);
    uint64_t distance = last ? from_last : from_previous;
    uint32_t size = (71u - (uint32_t)__builtin_clzll(distance | 1)) / 8;
    put_flags(out, (last ? SN_ADDRESS_FROM_LAST : SN_ADDRESS_FROM_PREVIOUS) | (size & 7) << 2,
              2 + SN_ADDRESS_SIZE_BITS);
    __builtin_memcpy(out->byte, &distance, 8); /* what is too much is overwritten */
    out->byte += size;
}

static inline uint64_t ones(uint32_t count) { return count < 64 ? (UINT64_C(1) << count) - 1 : UINT64_MAX; }

/* Compare with the predictions, and learn: returns a bit for each of up to 64 addresses, 1: as predicted.
 * All addresses are known, so none waits for the one before. As long as they are as predicted, which most are, there is
 * one branch for each; after that, none that depends on a prediction. */
static inline uint64_t learn(struct sn_address_trace *trace, struct sn_address_state *state, const uint64_t *addresses,
                             uint32_t count, uint32_t *absent) {
    uint64_t previous = trace->previous;
    uint32_t i = 0;
    for (; i < count; i++, state++) {
        uint64_t address = addresses[i];
        if (__builtin_expect(!address || state->absent, 0)) break;
        if (address != sn_address_predict(state, previous)) break;
        sn_address_learn(state, address, previous);
        previous = address;
    }
    uint64_t predicted = ones(i);
    for (; i < count; i++, state++) {
        uint64_t address = addresses[i], right;
        if (__builtin_expect(!address, 0)) {
            right = state->absent;
            state->absent = 1;
            (*absent)++;
        } else {
            uint32_t rules = sn_address_right_rules(state, address, previous);
            right = (rules >> state->rule & 1) & ~state->absent;
            state->rule = sn_address_next_rule(state->rule, rules);
            state->absent = 0;
            sn_address_learn(state, address, previous);
            previous = address;
        }
        predicted |= right << i;
    }
    trace->previous = previous;
    return predicted;
}

/* A run that is not wholly as expected. */
static void put_run(struct sn_address_trace *trace, uint32_t number, const uint64_t *predicted, uint32_t *successor) {
    const struct segment segment = trace->segments[number];
    struct sink out = trace->out;
    if (successor[0] == number) {
        put_flags(&out, SN_ADDRESS_RUN_FIRST, 2);
    } else if (successor[1] == number) {
        put_flags(&out, SN_ADDRESS_RUN_SECOND, 3);
    } else {
        put_flags(&out, SN_ADDRESS_RUN_OTHER, 4);
        put_varint(&out, number);
    }
    sn_address_followed(successor, number);
    for (uint32_t done = 0; done < segment.states; done += 64, predicted++) {
        uint32_t count = segment.states - done < 64 ? segment.states - done : 64;
        put_flags(&out, *predicted & UINT32_MAX, count < 32 ? count : 32);
        if (count > 32) put_flags(&out, *predicted >> 32, count - 32);
        for (uint64_t wrong = *predicted ^ ones(count); wrong; wrong &= wrong - 1)
            put_address(trace, &out, segment.first_state + done + (uint32_t)__builtin_ctzll(wrong));
    }
    trace->out = out;
}

void sn_address_trace_run(struct sn_address_trace *trace, uint32_t number, const uint64_t *addresses) {
    if (__builtin_expect(number >= trace->segment_count, 0)) {
        trace->unknown_runs++;
        return;
    }
    const struct segment *segment = &trace->segments[number];
    const uint32_t states = segment->states;
    if (__builtin_expect(trace->stopped, 0)) {
        trace->dropped += segment->slots - states;
        for (uint32_t i = 0; i < states; i++) trace->dropped += addresses[i] != 0;
        return;
    }
    begin_operation(trace);
    uint32_t *successor = trace->segments[trace->current].successor;
    trace->current = number;
    uint64_t predicted[SN_ADDRESS_SLOTS / 64];
    struct sn_address_state *state = &trace->states[segment->first_state];
    uint32_t absent = 0;
    bool all = successor[0] == number;
    if (__builtin_expect(states <= 64, 1)) {
        predicted[0] = learn(trace, state, addresses, states, &absent);
        all &= predicted[0] == ones(states);
    } else {
        for (uint32_t done = 0; done < states; done += 64) {
            uint32_t count = states - done < 64 ? states - done : 64;
            predicted[done / 64] = learn(trace, state + done, addresses + done, count, &absent);
            all &= predicted[done / 64] == ones(count);
        }
    }
    trace->accesses += segment->slots - absent;
    if (all)
        put_flags(&trace->out, SN_ADDRESS_RUN_EXPECTED, 1);
    else
        put_run(trace, number, predicted, successor);
}

void sn_address_trace_thread(struct sn_address_trace *trace, uint32_t thread) {
    if (thread == trace->thread || trace->stopped) return;
    trace->thread = thread;
    begin_operation(trace);
    put_flags(&trace->out, SN_ADDRESS_ESCAPE, 4);
    *trace->out.byte++ = SN_ADDRESS_ESCAPE_THREAD;
    put_varint(&trace->out, thread);
}

/* ---- beginning and end ---- */

struct sn_address_trace *sn_address_trace_place(void *memory, size_t bytes, sn_address_trace_write *write,
                                                void *context) {
    if (bytes < SN_ADDRESS_TRACE_LEAST || (uintptr_t)memory % 8) return NULL;
    struct sn_address_trace *trace = (struct sn_address_trace *)memory;
    size_t rest = bytes - sizeof *trace;
    /* One segment for each 256 bytes, so that there are four slots for it, and an index twice as large. */
    uint32_t room = 64;
    while (room < UINT32_C(1) << 30 && (size_t)room * 2 * 256 <= rest) room *= 2;
    size_t taken = (size_t)room * (sizeof *trace->segments + 2 * sizeof *trace->index);
    size_t slots = (rest - taken) / (sizeof *trace->states + sizeof *trace->slots);
    trace->segment_room = room;
    trace->slot_room = slots < UINT32_MAX ? (uint32_t)slots : UINT32_MAX;
    trace->index_mask = 2 * room - 1;
    trace->states = (struct sn_address_state *)(trace + 1);
    trace->slots = (struct sn_trace_slot *)(trace->states + trace->slot_room);
    trace->segments = (struct segment *)(trace->slots + trace->slot_room);
    trace->index = (uint32_t *)(trace->segments + room);
    trace->out = (struct sink){.word = trace->word, .byte = trace->byte};
    trace->write = write;
    trace->context = context;

    struct sn_address_header header = {
        .magic = SN_ADDRESS_TRACE_MAGIC,
        .version = SN_ADDRESS_TRACE_VERSION,
        .header_bytes = sizeof header,
        .block_bytes = SN_ADDRESS_BLOCK_BYTES,
        .block_words = SN_ADDRESS_BLOCK_WORDS,
    };
    header.check = sn_address_check(0, &header, offsetof(struct sn_address_header, check) / 8);
    trace->check = header.check;
    append(trace, &header, sizeof header);
    return trace;
}

void sn_address_trace_flush(struct sn_address_trace *trace) {
    if (!trace->stopped && trace->operations) write_block(trace, false);
}

void sn_address_trace_finish(struct sn_address_trace *trace) {
    if (trace->stopped) return;
    write_block(trace, true);
    trace->stopped = true;
}

struct sn_address_trace_counts sn_address_trace_count(const struct sn_address_trace *trace) {
    return (struct sn_address_trace_counts){
        .accesses = trace->accesses,
        .dropped = trace->dropped,
        .unknown_runs = trace->unknown_runs,
        .bytes = trace->written,
        .segments = trace->segment_count,
        .failed = trace->failed,
    };
}
