/* Any bytes as a ring of samples, and as the layout that it tells: read to its end, or to the damage. */
#define _GNU_SOURCE
#include "fuzz.h"

#include "../core/stacks/code_pieces.h"
#include "../core/stacks/ring_sampler.h"
#include "../tests/fake_python.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { RING = 4096 };

static void check(const sn_ring_sampler *sampler) {
    const sn_code_functions *functions = sn_ring_sampler_functions(sampler);
    for (uint32_t i = 0; i < functions->count; i++)
        PROMISE(functions->functions[i].name_bytes <= 4 * SN_CODE_TEXT && functions->functions[i].file_bytes <= 4 * SN_CODE_TEXT);
    sn_ring_sums sums = sn_ring_sampler_sums(sampler);
    PROMISE(sums.stacks + sums.outside <= sums.samples && sums.damaged <= 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    if (size < 2) return 0;
    int file = memfd_create("ring", MFD_CLOEXEC);
    PROMISE(file >= 0 && !ftruncate(file, SN_RING_HEADER + RING));
    sn_ring_header *ring = mmap(NULL, SN_RING_HEADER + RING, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    PROMISE(ring != MAP_FAILED);
    ring->magic = SN_RING_MAGIC;
    ring->header_bytes = sizeof *ring;
    ring->pid = 17;
    ring->ring_bytes = RING;
    ring->code_type = FAKE_BASE + 8; /* of fake_python.h */
    PROMISE(sn_python_layout_of(0x030C0000, &ring->layout));
    bool is_told = bytes[0] & 1;
    ring->head = (uint64_t)bytes[1] * 32;
    bytes += 2;
    size -= 2;
    if (is_told) {
        size_t part = size < sizeof ring->layout ? size : sizeof ring->layout;
        memcpy(&ring->layout, bytes, part);
        bytes += part;
        size -= part;
    }
    memcpy((uint8_t *)ring + SN_RING_HEADER, bytes, size < RING ? size : RING);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    sn_ring_sampler *sampler = sn_ring_sampler_create(true);
    PROMISE(sampler);
    if (sn_ring_sampler_add(sampler, path) == SN_RING_ADDED) {
        for (int i = 0; i < 3; i++) sn_ring_sampler_drain(sampler);
        check(sampler);
    }
    sn_ring_sampler_destroy(sampler);
    munmap(ring, SN_RING_HEADER + RING);
    close(file);
    return 0;
}

static size_t put_code(fake_python *fake, uint64_t code, uint8_t *to) {
    const sn_memory_reader memory = fake_reader(fake);
    sn_ring_piece pieces[SN_CODE_PIECES];
    PROMISE(sn_code_pieces(&memory, &fake->python.layout, fake->python.code_type, code, pieces));
    sn_record_code *record = (sn_record_code *)(void *)to;
    PROMISE(sn_code_record_fill(&memory, code, pieces, record));
    sn_ring_commit(record, SN_RECORD_CODE, sn_code_record_bytes(pieces));
    return record->head.bytes;
}

size_t fuzz_example(uint8_t *bytes, size_t room, uint64_t *random) {
    static fake_python fake;
    static uint64_t records[RING / 8];
    uint8_t *to = (uint8_t *)records;
    fake_begin(&fake, false);
    uint64_t codes[] = {fake_code(&fake, "<module>", "app.py", 1, 9), fake_code(&fake, "work", "app.py", 10, 9)};
    size_t used = put_code(&fake, codes[0], to);
    used += put_code(&fake, codes[1], to + used);
    while (used + 200 < RING && used + 400 < room) {
        sn_record_sample *sample = (sn_record_sample *)(void *)(to + used);
        uint32_t frames = (uint32_t)(*random >> 33) % 4;
        sample->thread = 17 + (uint32_t)(*random >> 40) % 2;
        sample->frames = frames;
        sample->ran_ns = used * 1000;
        sn_ring_frame *frame = (sn_ring_frame *)(sample + 1);
        for (uint32_t i = 0; i < frames; i++)
            frame[i] = (sn_ring_frame){codes[i % 2], codes[i % 2] + fake.python.layout.code_instructions + 2 * i};
        uint32_t size = (uint32_t)(sizeof *sample + frames * sizeof *frame);
        sn_ring_commit(sample, SN_RECORD_SAMPLE, size);
        used += size;
        *random = *random * UINT64_C(6364136223846793005) + 1;
    }
    bool is_told = *random >> 63;
    size_t at = 2;
    bytes[0] = is_told;
    bytes[1] = (uint8_t)(used / 32);
    if (is_told) {
        memcpy(bytes + at, &fake.python.layout, sizeof fake.python.layout);
        at += sizeof fake.python.layout;
    }
    memcpy(bytes + at, records, used);
    return at + used;
}
