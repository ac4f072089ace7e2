/* Lines of memory that several threads access. See line_sharing.h. */
#include "line_sharing.h"

#include "../base/pages.h"

bool sn_line_sharing_start(struct sn_line_sharing *sharing, uint32_t line_limit, uint32_t access_limit) {
    sharing->lines = sn_pages((uint64_t)line_limit * sizeof *sharing->lines);
    sharing->accesses = sn_pages((uint64_t)access_limit * sizeof *sharing->accesses);
    sharing->line_limit = line_limit, sharing->access_limit = access_limit;
    sharing->line_count = sharing->access_count = 1;
    return sharing->lines && sharing->accesses;
}

static uint64_t bit_of(uint32_t thread) { return UINT64_C(1) << (thread % SN_TOLD_THREADS); }

void sn_thread_begins(struct sn_line_sharing *sharing, uint32_t thread) {
    for (uint32_t i = 0; i < SN_TOLD_THREADS; i++)
        if (sharing->alive >> i & 1) sharing->meets[i] |= bit_of(thread);
    sharing->meets[thread % SN_TOLD_THREADS] |= sharing->alive;
    sharing->alive |= bit_of(thread);
}

void sn_thread_ends(struct sn_line_sharing *sharing, uint32_t thread) { sharing->alive &= ~bit_of(thread); }

static struct sn_used_line *line_at(struct sn_line_sharing *sharing, uint64_t line, uint32_t thread) {
    uint32_t number = sn_word_get(&sharing->line_by_address, line);
    if (number) return &sharing->lines[number];
    if (sharing->line_count == sharing->line_limit) return 0;
    if (!sn_word_set(&sharing->line_by_address, line, sharing->line_count)) return 0;
    struct sn_used_line *found = &sharing->lines[sharing->line_count++];
    found->line = line, found->thread = thread;
    return found;
}

/* The one that was asked for last comes first. */
static struct sn_line_access *access_of(struct sn_line_sharing *sharing, struct sn_used_line *line,
                                        const struct sn_line_use *use) {
    uint32_t *link = &line->accesses;
    for (; *link; link = &sharing->accesses[*link].next) {
        struct sn_line_access *each = &sharing->accesses[*link];
        if (each->thread != use->thread || each->place != use->place || each->group != use->group) continue;
        uint32_t number = *link;
        *link = each->next, each->next = line->accesses, line->accesses = number;
        return each;
    }
    if (sharing->access_count == sharing->access_limit) return 0;
    struct sn_line_access *made = &sharing->accesses[sharing->access_count];
    made->thread = use->thread, made->place = use->place, made->group = use->group, made->base = use->base;
    made->next = line->accesses, line->accesses = sharing->access_count++;
    return made;
}

static void line_used(struct sn_line_sharing *sharing, const struct sn_line_use *use, uint64_t address, uint64_t size) {
    struct sn_used_line *line = line_at(sharing, address >> SN_SHARED_LINE_BITS, use->thread);
    struct sn_line_access *access = line ? access_of(sharing, line, use) : 0;
    if (!access) {
        sharing->lost++;
        return;
    }
    const uint64_t thread = bit_of(use->thread);
    const uint64_t bytes = (size < 64 ? (UINT64_C(1) << size) - 1 : UINT64_MAX) << (address % SN_SHARED_LINE_BYTES);
    line->is_shared |= use->thread != line->thread;
    line->transfers += line->is_stored && !(line->current & thread);
    line->current |= thread;
    if (use->store) {
        line->current = thread, line->is_stored = true;
        access->stores++, access->stored |= bytes;
    } else {
        access->loads++, access->loaded |= bytes;
    }
}

void sn_line_used(struct sn_line_sharing *sharing, const struct sn_line_use *use) {
    const uint64_t room = SN_SHARED_LINE_BYTES - use->address % SN_SHARED_LINE_BYTES;
    line_used(sharing, use, use->address, use->size < room ? use->size : room);
    if (use->size > room) line_used(sharing, use, use->address + room, use->size - room);
}

uint64_t sn_line_most_transfers(const struct sn_line_sharing *sharing, const struct sn_used_line *line, bool same_bytes) {
    uint64_t accesses[SN_TOLD_THREADS] = {0}, bytes[SN_TOLD_THREADS] = {0}, behind[SN_TOLD_THREADS] = {0};
    uint64_t all = 0, most = 0, behind_stores = 0, threads_before = 0; /* of each thread, whether one stored before it began */
    if (!line->is_shared || !line->is_stored) return 0;
    for (uint32_t at = line->accesses; at; at = sharing->accesses[at].next) {
        const struct sn_line_access *each = &sharing->accesses[at];
        const uint32_t thread = each->thread % SN_TOLD_THREADS;
        accesses[thread] += each->loads + each->stores;
        bytes[thread] |= each->loaded | each->stored;
    }
    for (uint32_t at = line->accesses; at; at = sharing->accesses[at].next) {
        const struct sn_line_access *each = &sharing->accesses[at];
        const uint32_t thread = each->thread % SN_TOLD_THREADS;
        if (!each->stores) continue;
        for (uint32_t i = 0; i < SN_TOLD_THREADS; i++) {
            if (i == thread || (same_bytes && !(bytes[i] & each->stored))) continue;
            if (sharing->meets[i] & bit_of(thread))
                behind[i] += each->stores;
            else
                threads_before |= bit_of(i);
        }
    }
    for (uint32_t i = 0; i < SN_TOLD_THREADS; i++) {
        uint64_t stores = behind[i] + (threads_before >> i & 1);
        all += accesses[i];
        if (accesses[i] > most) most = accesses[i];
        behind_stores += accesses[i] < stores ? accesses[i] : stores;
    }
    uint64_t changes = all - 1 < 2 * (all - most) ? all - 1 : 2 * (all - most);
    return changes < behind_stores ? changes : behind_stores;
}
