#include "many_pieces.h"

bool sn_read_many(const sn_memory_reader *memory, const sn_piece *pieces, uint32_t count, bool *is_there, sn_read_result *why) {
    *why = SN_READ_ALL;
    for (uint32_t at = 0; at < count;) {
        uint32_t part = count - at < SN_MOST_LEADING ? count - at : SN_MOST_LEADING;
        unsigned done = memory->read(memory->at, pieces + at, part, why);
        if (*why == SN_READ_OVER || *why == SN_READ_FORBIDDEN) return false;
        for (uint32_t i = 0; i < done; i++) is_there[at + i] = true;
        at += done;
        if (done < part) is_there[at++] = false;
    }
    return true;
}
