/* What the profile is to say of this process. */
#include "notes.h"

#include "agent.h"

#include <string.h>

void sn_note(const char *kind, uint32_t amount, const char *detail) {
    const char *text[4] = {kind, detail, NULL, NULL};
    uint32_t number[4] = {amount, 0, 0, 0};
    uint32_t length[4] = {(uint32_t)strlen(kind), (uint32_t)strlen(detail), 0, 0};
    sn_cells_record(&agent.cells, SN_RECORD_NOTE, number, text, length);
}
