/* A process whose memory is any bytes, and changes while it is read: an interpreter that was damaged in many places. */
#define _GNU_SOURCE
#include "fuzz.h"

#include "../tests/fake_python.h"

#include "../core/stacks/asyncio_offsets.h"
#include "../core/stacks/debug_offsets.h"
#include "../core/stacks/stack_sampler.h"

#include <sys/syscall.h>
#include <unistd.h>

enum { DAMAGE = 2 * sizeof(uint64_t), MOST_DAMAGE = 256 };

typedef struct {
    const uint8_t *bytes;
    size_t count, at; /* of places that are damaged; those that are by now */
    uint64_t threads; /* their states: between them and the end lies all that is read */
} damages;

/* Before each piece that is read: damage one more place. An address, or an offset to what is there, so that what is
 * damaged often points to something. */
static void damage(fake_python *fake, unsigned piece) {
    damages *d = fake->about;
    if (piece < 40 || d->at >= d->count) return;
    uint64_t words[2];
    memcpy(words, d->bytes + DAMAGE * d->at++, sizeof words);
    uint64_t address = words[0] % (FAKE_BYTES - 8), value = words[1];
    if (words[0] >> 62 == 1) value = FAKE_BASE + value % FAKE_BYTES;
    if (words[0] >> 62 == 2) value = fake_get(fake, FAKE_BASE + address) + (value & 0xff) - 0x80;
    if (words[0] >> 62 == 3) value = FAKE_BASE + (value % FAKE_BYTES & ~UINT64_C(7));
    fake_put(fake, FAKE_BASE + address, value);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    if (size < DAMAGE) return 0;
    static fake_python fake;
    fake_begin(&fake, bytes[0] & 1);
    uint64_t thread = (uint64_t)syscall(SYS_gettid), state = 0, code[3], frame = 0;
    const char *const names[] = {"<module>", "work", "leaf"};
    for (int i = 0; i < 3; i++) code[i] = fake_code(&fake, names[i], "app.py", 10 * (uint32_t)i + 1, 9);
    for (int t = 0; t < 3; t++) {
        frame = fake.root;
        for (int i = 0; i < 12; i++) frame = fake_push(&fake, code[i % 3], (unsigned)i % 9, frame, 80 + 300 * (uint64_t)t);
        state = fake_thread(&fake, frame, thread, state);
    }
    fake_set_threads(&fake, state);
    if (bytes[0] & 64) { /* threads run copies of instructions */
        fake.python.layout.frame_copy = 64;
        fake.python.layout.code_copies = fake.python.layout.code_instructions - 8;
    }
    if (bytes[0] & 32) { /* the last thread has the lock, and collects garbage */
        const sn_python_layout *l = &fake.python.layout;
        uint64_t interpreter = fake_get(&fake, fake.python.runtime + l->runtime_interpreters);
        uint64_t lock = fake_take(&fake, l->lock_bytes);
        fake_put(&fake, interpreter + l->interpreter_lock, lock);
        fake_put(&fake, lock + l->lock_holder, state);
        fake_at(&fake, lock + l->lock_locked)[0] = 1;
        fake_at(&fake, interpreter + l->interpreter_collecting)[0] = 1;
    }
    if (bytes[0] & 8) fake_task(&fake, frame, "a task");
    damages all = {.bytes = bytes, .count = size / DAMAGE < MOST_DAMAGE ? size / DAMAGE : MOST_DAMAGE};
    fake.about = &all;
    fake.before_piece = damage;
    sn_sampled_kind kind = bytes[0] & 16 ? SN_SAMPLE_LOCK : bytes[0] & 2 ? SN_SAMPLE_WALL : SN_SAMPLE_PROCESSOR;
    sn_apart apart = bytes[0] & 8 ? SN_APART_TASKS : bytes[0] & 4 ? SN_APART_THREADS : SN_APART_NOTHING;
    sn_stack_sampler *sampler = sn_stack_sampler_create(1000000, kind, apart);
    PROMISE(sampler);
    const sn_memory_reader memory = fake_reader(&fake);
    PROMISE(sn_stack_sampler_add_python(sampler, getpid(), &fake.python, &memory) == SN_OK);
    for (uint64_t i = 1; i <= 12; i++) sn_stack_sampler_look(sampler, i * 1000000);
    /* No more time than went by is given to anybody, and all that is told can be read. */
    const sn_stack_tree *tree = sn_stack_sampler_tree(sampler);
    const sn_code_functions *functions = sn_stack_sampler_functions(sampler);
    uint64_t nodes = tree->tree.nodes;
    int64_t *columns = calloc(4 * nodes + 4, sizeof *columns);
    double *squares = calloc(nodes + 1, sizeof *squares);
    PROMISE(columns && squares);
    const sn_stack_columns to = {columns, columns + nodes, columns + 2 * nodes, columns + 3 * nodes, squares};
    uint64_t rows = sn_stack_tree_columns(tree, &to), sum = 0;
    PROMISE(rows == nodes);
    for (uint64_t i = 0; i < rows; i++) {
        PROMISE(to.parent[i] < (int64_t)i && to.function[i] < (int64_t)functions->count);
        PROMISE(to.self_ns[i] >= 0 && squares[i] >= 0);
        sum += (uint64_t)to.self_ns[i];
    }
    PROMISE(sum <= 11 * UINT64_C(1000000) * sn_stack_sampler_threads(sampler));
    free(columns);
    free(squares);
    sn_stack_sampler_destroy(sampler);
    /* What an interpreter says of itself may be anything, too, and so may what asyncio says. */
    static const uint64_t versions[] = {0x030D00F0, 0x030E0AF0, 0x030F02F0, 0x031000F0};
    uint8_t told[SN_OFFSETS_BYTES] = "xdebugpy";
    memcpy(told + 8, &versions[bytes[0] >> 6], sizeof *versions);
    memcpy(told + 24, bytes, size < sizeof told - 24 ? size : sizeof told - 24);
    if (bytes[0] & 32) /* small numbers, as offsets are */
        for (size_t i = 24; i < sizeof told; i += 8) memset(told + i + 1, 0, 7);
    sn_python_layout layout;
    if (sn_python_layout_told(told, &layout))
        PROMISE(layout.frame_owner < layout.frame_bytes && layout.code_name < SN_CODE_HEAD && layout.code_flags < SN_CODE_HEAD);
    if (sn_asyncio_layout_told(told + 24, &layout)) PROMISE(layout.state_task % 8 == 0);
    return 0;
}

size_t fuzz_example(uint8_t *bytes, size_t room, uint64_t *random) {
    size_t size = 0;
    for (; size + DAMAGE <= room && size < DAMAGE * (8 + *random % 64); size += DAMAGE) {
        *random = *random * 6364136223846793005u + 1442695040888963407u; /* Knuth, see fuzz_python_lines.c */
        uint64_t words[2] = {*random >> 3, *random * 31};
        memcpy(bytes + size, words, sizeof words);
    }
    return size;
}
