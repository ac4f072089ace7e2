#include "merged_stack.h"

/* Whether entries tell where they are: on the same stack as the C frames, each further out than the one that it has called. */
static bool are_entries_known(const sn_two_stacks *s) {
    uint64_t last = s->c_count ? s->c[0].stack : 0;
    for (uint32_t i = s->entry_count; i-- > 0;) {
        if (s->entries[i] <= last) return false;
        last = s->entries[i];
    }
    for (uint32_t i = 1; i < s->c_count; i++)
        if (s->c[i].stack <= s->c[i - 1].stack) return false;
    return true;
}

typedef struct {
    const sn_two_stacks *stacks;
    sn_seen_frame *to; /* innermost first, for now */
    uint32_t count;
    uint32_t python, entry; /* that are left, from the outermost one on */
} merging;

/* The Python functions of the innermost entry that is left. */
static void put_entry(merging *m) {
    const sn_python_frame *python = m->stacks->python;
    m->entry--;
    for (; m->python && python[m->python - 1].entry >= m->entry; m->python--) m->to[m->count++] = python[m->python - 1].seen;
}

uint32_t sn_merge_stacks(const sn_two_stacks *s, sn_seen_frame *merged) {
    merging m = {s, merged, 0, s->python_count, s->entry_count};
    bool is_by_address = are_entries_known(s), has_python = s->python_count > 0;
    for (uint32_t i = 0; i < s->c_count && (m.python || !has_python); i++) {
        const sn_c_frame *frame = &s->c[i];
        uint64_t end = i + 1 < s->c_count ? s->c[i + 1].stack : s->is_cut ? frame->stack : UINT64_MAX;
        bool is_loop = frame->role == SN_FRAME_LOOP;
        while (is_by_address && m.entry && s->entries[m.entry - 1] < frame->stack) put_entry(&m); /* its loop was not seen */
        while (is_by_address && m.entry && s->entries[m.entry - 1] < end) {
            put_entry(&m);
            is_loop = true;
        }
        if (!is_by_address && is_loop && m.entry) put_entry(&m);
        bool is_left_out = is_loop || frame->role == SN_FRAME_GLUE || (has_python && !m.python);
        if (!is_left_out) m.to[m.count++] = frame->seen;
    }
    while (m.python) m.to[m.count++] = s->python[--m.python].seen;
    for (uint32_t i = 0; i < m.count / 2; i++) {
        sn_seen_frame outer = merged[i];
        merged[i] = merged[m.count - 1 - i];
        merged[m.count - 1 - i] = outer;
    }
    return m.count;
}
