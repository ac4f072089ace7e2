/* Reading an address trace. See address_trace_reader.h. */
#define _GNU_SOURCE
#include "address_trace_reader.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CONTENT_BYTES (SN_ADDRESS_BLOCK_BYTES + 8u * SN_ADDRESS_BLOCK_WORDS)
/* Eight bytes are read where one to eight are meant. */
#define SLACK 8u

/* ---- the file ---- */

static ssize_t read_fully(int file, void *to, size_t size) {
    size_t done = 0;
    while (done < size) {
        ssize_t got = read(file, (uint8_t *)to + done, size - done);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return -1;
        if (!got) break;
        done += (size_t)got;
    }
    return (ssize_t)done;
}

static enum sn_address_result damaged(struct sn_address_reader *reader, const char *what) {
    reader->problem = what;
    return SN_ADDRESS_DAMAGED;
}

static enum sn_address_result cut(struct sn_address_reader *reader, ssize_t left_over) {
    reader->left_over = (uint64_t)left_over;
    return SN_ADDRESS_CUT;
}

static enum sn_address_result read_header(struct sn_address_reader *reader) {
    struct sn_address_header header;
    ssize_t got = read_fully(reader->file, &header, sizeof header);
    if (got < 0) return SN_ADDRESS_UNREADABLE;
    if (got < (ssize_t)sizeof header.magic || memcmp(header.magic, SN_ADDRESS_TRACE_MAGIC, sizeof header.magic))
        return SN_ADDRESS_FOREIGN;
    if (got < (ssize_t)sizeof header) return damaged(reader, "its header is cut off");
    if (header.check != sn_address_check(0, &header, offsetof(struct sn_address_header, check) / 8))
        return damaged(reader, "its header does not match its checksum");
    reader->version = header.version;
    if (header.version > SN_ADDRESS_TRACE_VERSION) return SN_ADDRESS_NEWER;
    if (header.version != SN_ADDRESS_TRACE_VERSION || header.header_bytes != sizeof header ||
        header.block_bytes != SN_ADDRESS_BLOCK_BYTES || header.block_words != SN_ADDRESS_BLOCK_WORDS)
        return damaged(reader, "its header says what cannot be");
    reader->check = header.check;
    reader->at = sizeof header;
    return SN_ADDRESS_MORE;
}

/* The next block, checked. */
static enum sn_address_result read_block(struct sn_address_reader *reader) {
    struct sn_address_block *head = &reader->head;
    if (reader->blocks) reader->at += sizeof *head + (head->bytes + 7u) / 8 * 8 + 8 * (uint64_t)head->words;
    if (head->last) {
        uint8_t more;
        ssize_t got = read_fully(reader->file, &more, 1);
        if (got < 0) return SN_ADDRESS_UNREADABLE;
        return got ? damaged(reader, "something follows its end") : SN_ADDRESS_END;
    }
    ssize_t got = read_fully(reader->file, head, sizeof *head);
    if (got < 0) return SN_ADDRESS_UNREADABLE;
    if (got < (ssize_t)sizeof *head) return cut(reader, got);
    if (head->magic != SN_ADDRESS_BLOCK_MAGIC || head->index != (uint32_t)reader->blocks ||
        head->bytes > SN_ADDRESS_BLOCK_BYTES || head->words > SN_ADDRESS_BLOCK_WORDS || head->last > 1 ||
        head->first_access != reader->accesses)
        return damaged(reader, "a block's head says what cannot be");
    size_t padded = (head->bytes + 7u) / 8 * 8, size = padded + 8 * (size_t)head->words;
    got = read_fully(reader->file, reader->content, size);
    if (got < 0) return SN_ADDRESS_UNREADABLE;
    if ((size_t)got < size) return cut(reader, (ssize_t)sizeof *head + got);
    uint64_t check = sn_address_check(reader->check, head, offsetof(struct sn_address_block, check) / 8);
    check = sn_address_check(check, reader->content, size / 8);
    if (check != head->check) return damaged(reader, "a block does not match its checksum");
    memset(reader->content + size, 0, SLACK);
    reader->check = check;
    reader->blocks++;
    reader->operations = head->operations;
    reader->block_accesses = 0;
    reader->flags = reader->flag_count = reader->next_word = reader->next_byte = 0;
    return SN_ADDRESS_MORE;
}

/* ---- what is in a block: numbers beyond its end are 0, which `overrun` tells ---- */

/* Make sure that the next `count` flags, at most 32, are in `flags`. */
static inline void fetch_flags(struct sn_address_reader *reader, uint32_t count) {
    if (reader->flag_count >= count) return;
    /* Half a word is taken at a time, so that there is always room for it. */
    uint32_t half = 0;
    if (reader->next_word < 2 * reader->head.words)
        memcpy(&half, reader->content + (reader->head.bytes + 7u) / 8 * 8 + 4 * (size_t)reader->next_word, 4);
    reader->next_word++;
    reader->flags |= (uint64_t)half << reader->flag_count;
    reader->flag_count += 32;
}

static inline uint64_t get_flags(struct sn_address_reader *reader, uint32_t count) {
    fetch_flags(reader, count);
    uint64_t flags = reader->flags & ((UINT64_C(1) << count) - 1);
    reader->flags >>= count;
    reader->flag_count -= count;
    return flags;
}

static inline uint8_t get_byte(struct sn_address_reader *reader) {
    return reader->next_byte < reader->head.bytes ? reader->content[reader->next_byte++] : (reader->next_byte++, 0);
}

/* A number of at most `most`; else something beyond the end is taken, so that `overrun` tells. */
static uint64_t get_varint(struct sn_address_reader *reader, uint64_t most) {
    uint64_t number = 0;
    for (uint32_t shift = 0; shift < 64; shift += 7) {
        uint64_t byte = get_byte(reader), part = byte & 0x7F;
        if (part << shift >> shift != part) break;
        number |= part << shift;
        if (byte < 0x80) {
            if (number <= most) return number;
            break;
        }
    }
    reader->next_byte = reader->head.bytes + 1;
    return 0;
}

static inline uint32_t flags_taken(const struct sn_address_reader *reader) {
    return 32 * reader->next_word - reader->flag_count;
}

static inline bool overrun(const struct sn_address_reader *reader) {
    return reader->next_byte > reader->head.bytes || flags_taken(reader) > 64 * reader->head.words;
}

/* Room for one more item of `size` bytes, or for `more` of them. */
static bool grow(void **items, uint32_t *room, uint32_t used, uint32_t more, size_t size) {
    if (more <= *room - used) return true;
    uint64_t wanted = 2 * ((uint64_t)used + more) + 64;
    if (wanted > UINT32_MAX) return false;
    void *grown = realloc(*items, (size_t)wanted * size);
    if (!grown) return false;
    *items = grown;
    *room = (uint32_t)wanted;
    return true;
}

static enum sn_address_result get_segment(struct sn_address_reader *reader) {
    uint32_t n = (uint32_t)get_varint(reader, SN_ADDRESS_SLOTS);
    if (!n || overrun(reader)) return damaged(reader, "a segment has no slots");
    if (!grow((void **)&reader->segments, &reader->segment_room, reader->segment_count, 1, sizeof *reader->segments) ||
        !grow((void **)&reader->slots, &reader->slot_room, reader->slot_count, n, sizeof *reader->slots) ||
        !grow((void **)&reader->states, &reader->state_room, reader->state_count, n, sizeof *reader->states))
        return SN_ADDRESS_NO_MEMORY;
    struct sn_read_segment segment = {
        .first_slot = reader->slot_count, .slots = n, .first_state = reader->state_count};
    for (uint32_t i = 0; i < n; i++) {
        reader->defined_ip += sn_address_unzigzag(get_varint(reader, UINT64_MAX));
        uint32_t form = (uint32_t)get_varint(reader, UINT32_C(4) * UINT16_MAX + 3);
        reader->slots[segment.first_slot + i] = (struct sn_trace_slot){
            .ip = reader->defined_ip, .size = (uint16_t)(form >> 2), .kind = (uint8_t)(form & 3)};
        if ((form & 3) != SN_ADDRESS_FETCH) segment.states++;
    }
    if (overrun(reader)) return damaged(reader, "a segment is not whole");
    memset(reader->states + segment.first_state, 0, segment.states * sizeof *reader->states);
    reader->segments[reader->segment_count++] = segment;
    reader->slot_count += n;
    reader->state_count += segment.states;
    return SN_ADDRESS_MORE;
}

/* An address that was not predicted; 0: it is absent. */
static inline uint64_t get_address(struct sn_address_reader *reader, uint32_t number, uint64_t previous) {
    const struct sn_address_state *state = &reader->states[number];
    uint64_t *remembered = &reader->table[sn_address_place(number, state->last)];
    if (get_flags(reader, 1)) return *remembered;
    uint64_t form = get_flags(reader, 1 + SN_ADDRESS_SIZE_BITS);
    uint32_t size = (uint32_t)(form >> 1);
    bool from_previous = form & 1;
    if (!size && from_previous) return 0;
    size = size ? size : 8;
    uint64_t distance = 0;
    if (reader->next_byte + size <= reader->head.bytes)
        memcpy(&distance, reader->content + reader->next_byte, 8);
    reader->next_byte += size;
    distance = sn_address_unzigzag(distance & UINT64_MAX >> (64 - 8 * size));
    return *remembered = (from_previous ? previous : state->last) + distance;
}

/* Put a run's accesses where `to` says; returns how many there are. */
static uint32_t get_accesses(struct sn_address_reader *reader, const struct sn_read_segment *segment, bool expected,
                             struct sn_address_columns to) {
    const struct sn_trace_slot *slot = reader->slots + segment->first_slot, *end = slot + segment->slots;
    struct sn_address_state *const states = reader->states + segment->first_state;
    const uint32_t thread = reader->thread;
    uint64_t previous = reader->previous, predicted = UINT64_MAX;
    uint32_t count = 0, i = 0;
    for (; slot < end; slot++) {
        uint64_t address = slot->ip;
        if (slot->kind != SN_ADDRESS_FETCH) {
            struct sn_address_state *state = states + i;
            if (!expected && i % 64 == 0) {
                uint32_t flags = segment->states - i < 64 ? segment->states - i : 64;
                predicted = get_flags(reader, flags < 32 ? flags : 32);
                if (flags > 32) predicted |= get_flags(reader, flags - 32) << 32;
            }
            if (__builtin_expect(predicted >> i % 64 & 1, 1)) {
                address = state->absent ? 0 : sn_address_predict(state, previous);
            } else {
                address = get_address(reader, segment->first_state + i, previous);
                if (address)
                    state->rule =
                        sn_address_next_rule(state->rule, sn_address_right_rules(state, address, previous));
            }
            i++;
            state->absent = !address;
            if (__builtin_expect(!address, 0)) continue;
            sn_address_learn(state, address, previous);
            previous = address;
        }
        to.ip[count] = slot->ip;
        to.address[count] = address;
        to.size[count] = slot->size;
        to.kind[count] = slot->kind;
        to.thread[count] = thread;
        count++;
    }
    reader->previous = previous;
    return count;
}

/* ---- accesses ---- */

struct delivery {
    struct sn_address_columns to;
    size_t room, done;
};

static struct sn_address_columns behind(const struct sn_address_columns *columns, size_t count) {
    return (struct sn_address_columns){columns->ip + count, columns->address + count, columns->size + count,
                                       columns->kind + count, columns->thread + count};
}

/* Deliver what is pending, as far as there is room. */
static void deliver(struct sn_address_reader *reader, struct delivery *d) {
    size_t count = reader->pending_count - reader->pending_at, at = reader->pending_at;
    if (count > d->room - d->done) count = d->room - d->done;
    struct sn_address_columns to = behind(&d->to, d->done);
    memcpy(to.ip, reader->pending.ip + at, count * sizeof *to.ip);
    memcpy(to.address, reader->pending.address + at, count * sizeof *to.address);
    memcpy(to.size, reader->pending.size + at, count * sizeof *to.size);
    memcpy(to.kind, reader->pending.kind + at, count * sizeof *to.kind);
    memcpy(to.thread, reader->pending.thread + at, count * sizeof *to.thread);
    reader->pending_at += (uint32_t)count;
    d->done += count;
}

/* The next operation: a run is delivered, or is pending. */
static enum sn_address_result operate(struct sn_address_reader *reader, struct delivery *d) {
    reader->operations--;
    fetch_flags(reader, 4);
    uint32_t zeros = (uint32_t)__builtin_ctzll(reader->flags | 16), number;
    (void)get_flags(reader, zeros < 4 ? zeros + 1 : 4);
    if (__builtin_expect(zeros == 4, 0)) {
        uint8_t code = get_byte(reader);
        if (code == SN_ADDRESS_ESCAPE_SEGMENT) return get_segment(reader);
        reader->thread = (uint32_t)get_varint(reader, UINT32_MAX);
        if (code != SN_ADDRESS_ESCAPE_THREAD || overrun(reader))
            return damaged(reader, "a block has an operation that cannot be");
        return SN_ADDRESS_MORE;
    }
    if (__builtin_expect(!reader->segment_count, 0)) return damaged(reader, "what runs was not defined");
    uint32_t *successor = reader->segments[reader->current].successor;
    if (zeros <= 1)
        number = successor[0];
    else
        number = zeros == 2 ? successor[1] : (uint32_t)get_varint(reader, UINT32_MAX);
    if (number >= reader->segment_count) return damaged(reader, "what runs was not defined");
    sn_address_followed(successor, number);
    reader->current = number;
    const struct sn_read_segment *segment = &reader->segments[number];
    const bool fits = segment->slots <= d->room - d->done;
    const struct sn_address_columns pending = {reader->pending.ip, reader->pending.address, reader->pending.size,
                                               reader->pending.kind, reader->pending.thread};
    uint32_t count = get_accesses(reader, segment, zeros == 0, fits ? behind(&d->to, d->done) : pending);
    if (__builtin_expect(overrun(reader), 0)) return damaged(reader, "a block has less than it says");
    reader->block_accesses += count;
    if (fits) {
        d->done += count;
    } else {
        reader->pending_at = 0;
        reader->pending_count = count;
    }
    return SN_ADDRESS_MORE;
}

static enum sn_address_result end_block(struct sn_address_reader *reader) {
    const struct sn_address_block *head = &reader->head;
    if (!reader->blocks) return read_block(reader);
    if (reader->next_byte != head->bytes || (flags_taken(reader) + 63) / 64 != head->words || reader->flags ||
        reader->block_accesses != head->accesses)
        return damaged(reader, "a block has more than it says");
    return read_block(reader);
}

enum sn_address_result sn_address_read(struct sn_address_reader *reader, const struct sn_address_columns *columns,
                                       size_t room, size_t *count) {
    struct delivery d = {*columns, room, 0};
    const uint64_t before = reader->accesses;
    while (reader->ended == SN_ADDRESS_MORE) {
        if (reader->pending_at < reader->pending_count) deliver(reader, &d);
        reader->accesses = before + d.done;
        if (d.done == room) break;
        reader->ended = reader->operations ? operate(reader, &d) : end_block(reader);
    }
    *count = d.done;
    return d.done ? SN_ADDRESS_MORE : reader->ended;
}

/* ---- opening and closing ---- */

enum sn_address_result sn_address_open_file(struct sn_address_reader *reader, int file) {
    memset(reader, 0, sizeof *reader);
    reader->file = file;
    enum sn_address_result result = read_header(reader);
    if (result == SN_ADDRESS_MORE) {
        reader->content = malloc(CONTENT_BYTES + SLACK);
        if (!reader->content) result = SN_ADDRESS_NO_MEMORY;
    }
    if (result != SN_ADDRESS_MORE) {
        int error = errno;
        close(file);
        reader->file = -1;
        errno = error;
    }
    return result;
}

enum sn_address_result sn_address_open(struct sn_address_reader *reader, const char *path) {
    memset(reader, 0, sizeof *reader);
    reader->file = -1;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return SN_ADDRESS_UNREADABLE;
    struct stat about;
    if (!fstat(file, &about) && S_ISDIR(about.st_mode)) {
        close(file);
        errno = EISDIR;
        return SN_ADDRESS_UNREADABLE;
    }
    return sn_address_open_file(reader, file);
}

void sn_address_close(struct sn_address_reader *reader) {
    if (reader->file >= 0) close(reader->file);
    free(reader->content);
    free(reader->segments);
    free(reader->slots);
    free(reader->states);
    memset(reader, 0, sizeof *reader);
    reader->file = -1;
}
