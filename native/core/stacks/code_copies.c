#include "code_copies.h"

enum { PER_CALL = SN_MOST_LEADING / 3 };
/* A thread has one number; none is ever this large. */
enum { MOST_COPIES = 1 << 20 };

/* Read pieces, of which any may be absent. */
static void read_each(const sn_memory_reader *memory, const sn_piece *pieces, unsigned count) {
    sn_read_result result = SN_READ_ALL;
    for (unsigned at = 0; at < count && (result == SN_READ_ALL || result == SN_READ_ABSENT); at++)
        at += memory->read(memory->at, pieces + at, count - at, &result);
}

static void find_some(const sn_memory_reader *memory, const sn_python_layout *l, sn_code_copy *copies, unsigned count) {
    enum { SIZE = 8 }; /* how many there are stands before them */
    uint64_t list[PER_CALL] = {0}, size[PER_CALL] = {0}, begin[PER_CALL] = {0};
    sn_piece pieces[2 * PER_CALL] = {0};
    unsigned used = 0;
    for (unsigned i = 0; i < count; i++) pieces[i] = (sn_piece){copies[i].code + l->code_copies, &list[i], sizeof list[i]};
    read_each(memory, pieces, count);
    for (unsigned i = 0; i < count; i++) {
        copies[i].begin = 0;
        if (!list[i] || list[i] % 8 || copies[i].number >= MOST_COPIES) continue;
        pieces[used++] = (sn_piece){list[i], &size[i], sizeof size[i]};
        pieces[used++] = (sn_piece){list[i] + SIZE + 8 * (uint64_t)copies[i].number, &begin[i], sizeof begin[i]};
    }
    read_each(memory, pieces, used);
    for (unsigned i = 0; i < count; i++)
        if (copies[i].number < size[i] && begin[i] % 2 == 0) copies[i].begin = begin[i];
}

void sn_code_copies_find(const sn_memory_reader *memory, const sn_python_layout *l, sn_code_copy *copies, uint32_t count) {
    for (uint32_t at = 0; at < count; at += PER_CALL)
        find_some(memory, l, copies + at, count - at < PER_CALL ? count - at : PER_CALL);
}
