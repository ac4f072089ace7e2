/* Code objects that the reader was told of, by their addresses.
 *
 * Handlers look them up and add some; the interpreter, when it frees one, takes it out. So an address that is here is that of
 * a code object, and of the same that the reader knows by it.
 *
 * Sets of eight, a cache line each: what finds no room in its set takes the place of another one, which is told anew when it
 * is seen again.
 */
#include "agent.h"

#include "../core/base/word_map.h"
#include "../core/stacks/code_pieces.h"

#include <sys/mman.h>

enum { SETS = 1 << 13, WAYS = 8 };

static uint64_t (*known)[WAYS];
static bool is_adding;
static unsigned next_way;
static destructor dealloc_itself;

static uint64_t *set_of(uint64_t address) { return known[sn_word_home(address, SETS - 1)]; }

static bool has(uint64_t address) {
    const uint64_t *set = set_of(address);
    for (unsigned way = 0; way < WAYS; way++)
        if (__atomic_load_n(&set[way], __ATOMIC_RELAXED) == address) return true;
    return false;
}

static void forget(uint64_t address) {
    uint64_t *set = set_of(address);
    for (unsigned way = 0; way < WAYS; way++)
        if (__atomic_load_n(&set[way], __ATOMIC_RELAXED) == address) __atomic_store_n(&set[way], 0, __ATOMIC_RELAXED);
}

/* One at a time, so that none is there twice; who finds another one at it leaves it. */
static void add(uint64_t address) {
    if (__atomic_exchange_n(&is_adding, true, __ATOMIC_ACQUIRE)) return;
    uint64_t *set = set_of(address);
    unsigned way = 0;
    while (way < WAYS && set[way]) way++;
    if (way == WAYS) way = next_way++ % WAYS;
    if (!has(address)) __atomic_store_n(&set[way], address, __ATOMIC_RELAXED);
    __atomic_store_n(&is_adding, false, __ATOMIC_RELEASE);
}

static bool tell(sn_ring_header *ring, uint64_t address, bool *is_code) {
    sn_ring_piece pieces[SN_CODE_PIECES];
    *is_code = sn_code_pieces(&sn_own_memory, &ring->layout, ring->code_type, address, pieces);
    if (!*is_code) return false;
    uint32_t bytes = sn_code_record_bytes(pieces);
    sn_record_code *record = sn_ring_reserve(ring, bytes);
    if (!record) return false;
    bool is_whole = sn_code_record_fill(&sn_own_memory, address, pieces, record);
    sn_ring_commit(record, is_whole ? SN_RECORD_CODE : SN_RECORD_PAD, bytes);
    if (!is_whole) *is_code = false;
    return is_whole;
}

bool sn_known_code(uint64_t address, bool *is_code) {
    if (has(address)) return true;
    sn_ring_header *ring = sn_sampling_now.ring;
    if (!ring || !tell(ring, address, is_code)) return false;
    add(address);
    return true;
}

/* Taken out afterwards: until its memory is free, a frame that is being left may still name it. */
static void dealloc(PyObject *code) {
    dealloc_itself(code);
    forget((uint64_t)(uintptr_t)code);
}

bool sn_known_code_begin(void) {
    known = mmap(NULL, SETS * sizeof *known, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (known == MAP_FAILED) return false;
    dealloc_itself = PyCode_Type.tp_dealloc;
    PyCode_Type.tp_dealloc = dealloc;
    return true;
}

void sn_known_code_forget_all(void) { madvise(known, SETS * sizeof *known, MADV_DONTNEED); }
