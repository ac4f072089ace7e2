#include "code_pieces.h"

static uint64_t padded(uint64_t bytes) { return (bytes + 7) & ~UINT64_C(7); }

static bool text_piece(const sn_memory_reader *reader, const sn_python_layout *l, uint64_t object, sn_ring_piece *piece) {
    uint64_t length;
    uint32_t state;
    if (!sn_read_one(reader, object + l->text_length, &length, sizeof length) ||
        !sn_read_one(reader, object + l->text_state, &state, sizeof state))
        return false;
    state = sn_text_state(l, state);
    uint32_t kind = state >> 2 & 7;
    if ((kind != 1 && kind != 2 && kind != 4) || length > SN_CODE_TEXT / kind) return false;
    *piece = (sn_ring_piece){object + l->text_length, sn_code_before_text(l, state) + (length + 1) * kind}; /* and the zero after it */
    return true;
}

bool sn_code_pieces(const sn_memory_reader *reader, const sn_python_layout *l, uint64_t code_type, uint64_t address,
                    sn_ring_piece *pieces) {
    uint8_t head[SN_CODE_HEAD];
    uint64_t type, file, name, lines, length;
    uint32_t bytes = sn_code_head_bytes(l);
    if (!address || address % 8 || !sn_read_one(reader, address, head, bytes)) return false;
    memcpy(&type, head + l->object_type, sizeof type);
    memcpy(&file, head + l->code_file, sizeof file);
    memcpy(&name, head + l->code_name, sizeof name);
    memcpy(&lines, head + l->code_line_table, sizeof lines);
    if (type != code_type) return false;
    pieces[0] = (sn_ring_piece){address, bytes};
    if (!text_piece(reader, l, file, &pieces[1]) || !text_piece(reader, l, name, &pieces[2]) ||
        !sn_read_one(reader, lines + l->object_size, &length, sizeof length))
        return false;
    if (length > SN_CODE_LINES) length = SN_CODE_LINES;
    pieces[3] = (sn_ring_piece){lines + l->object_size, l->bytes_data - l->object_size + length};
    return true;
}

uint32_t sn_code_record_bytes(const sn_ring_piece *pieces) {
    uint64_t bytes = sizeof(sn_record_code) + SN_CODE_PIECES * sizeof *pieces;
    for (unsigned i = 0; i < SN_CODE_PIECES; i++) bytes += padded(pieces[i].bytes);
    return (uint32_t)bytes;
}

bool sn_code_record_fill(const sn_memory_reader *reader, uint64_t address, const sn_ring_piece *pieces,
                         sn_record_code *record) {
    uint8_t *to = (uint8_t *)(record + 1);
    sn_piece parts[SN_CODE_PIECES];
    sn_read_result result;
    record->address = address;
    record->pieces = SN_CODE_PIECES;
    record->reserved = 0;
    memcpy(to, pieces, SN_CODE_PIECES * sizeof *pieces);
    to += SN_CODE_PIECES * sizeof *pieces;
    for (unsigned i = 0; i < SN_CODE_PIECES; i++) {
        parts[i] = (sn_piece){pieces[i].from, to, pieces[i].bytes};
        to += padded(pieces[i].bytes);
    }
    return reader->read(reader->at, parts, SN_CODE_PIECES, &result) == SN_CODE_PIECES;
}

bool sn_code_record_is_whole(const sn_record_code *record) {
    uint64_t bytes = sizeof *record;
    if (record->head.bytes < bytes || record->pieces > SN_CODE_PIECES) return false;
    bytes += record->pieces * sizeof(sn_ring_piece);
    if (record->head.bytes < bytes) return false;
    const sn_ring_piece *pieces = (const sn_ring_piece *)(record + 1);
    for (uint32_t i = 0; i < record->pieces; i++) {
        if (pieces[i].bytes > record->head.bytes) return false;
        bytes += padded(pieces[i].bytes);
    }
    return bytes <= record->head.bytes;
}

/* A sn_read_pieces of a sn_record_code. */
static unsigned read_record(void *at, const sn_piece *wanted, unsigned count, sn_read_result *result) {
    const sn_record_code *record = at;
    const sn_ring_piece *pieces = (const sn_ring_piece *)(record + 1);
    unsigned done = 0;
    for (bool is_there = true; is_there && done < count; done += is_there) {
        const uint8_t *bytes = (const uint8_t *)(pieces + record->pieces);
        is_there = false;
        for (uint32_t i = 0; i < record->pieces && !is_there; bytes += padded(pieces[i++].bytes)) {
            uint64_t offset = wanted[done].from - pieces[i].from;
            if (wanted[done].from < pieces[i].from || offset > pieces[i].bytes ||
                wanted[done].bytes > pieces[i].bytes - offset)
                continue;
            memcpy(wanted[done].to, bytes + offset, wanted[done].bytes);
            is_there = true;
        }
    }
    *result = done == count ? SN_READ_ALL : SN_READ_ABSENT;
    return done;
}

sn_memory_reader sn_code_record_reader(const sn_record_code *record) {
    return (sn_memory_reader){read_record, (void *)(uintptr_t)record};
}
