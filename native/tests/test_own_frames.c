/* The stack of the calling thread, laid out as 3.12 has it in memory of this process, in all states that a signal can find. */
#define _GNU_SOURCE
#include "check.h"

#include "../core/stacks/own_frames.h"

#include <sys/mman.h>
#include <sys/uio.h>

enum { PART = 4096, FRAME = 96, OWNER_GENERATOR = 1, OWNER_C = 3 };

typedef struct {
    sn_python_layout layout;
    sn_frame_part *parts[2];
    uint8_t outside[256] __attribute__((aligned(8))); /* a frame of C, and one of a generator */
    sn_own_walker walker;
    uint64_t root, generator;
    unsigned reads;
} thread;

static unsigned read_self(void *at, const sn_piece *pieces, unsigned count, sn_read_result *result) {
    ((thread *)at)->reads++;
    for (unsigned i = 0; i < count; i++) {
        struct iovec to = {pieces[i].to, pieces[i].bytes}, from = {(void *)(uintptr_t)pieces[i].from, pieces[i].bytes};
        if (process_vm_readv(getpid(), &to, 1, &from, 1, 0) != (ssize_t)pieces[i].bytes) {
            *result = SN_READ_ABSENT;
            return i;
        }
    }
    *result = SN_READ_ALL;
    return count;
}

static void put(uint64_t at, uint64_t value) { memcpy((void *)(uintptr_t)at, &value, sizeof value); }

static uint64_t set_frame(const thread *t, uint64_t at, uint64_t code, uint8_t owner, uint64_t previous) {
    put(at + t->layout.frame_code, code);
    put(at + t->layout.frame_instruction, code + 100);
    put(at + t->layout.frame_previous, previous);
    *(uint8_t *)(uintptr_t)(at + t->layout.frame_owner) = owner;
    return at;
}

static uint64_t in_part(const thread *t, unsigned part, unsigned number) {
    return (uint64_t)(uintptr_t)t->parts[part]->data + number * FRAME;
}

static thread *begin(void) {
    thread *t = calloc(1, sizeof *t);
    CHECK(t);
    CHECK(sn_python_layout_of(0x030C0000, &t->layout));
    for (unsigned i = 0; i < 2; i++) {
        t->parts[i] = mmap(NULL, PART, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        CHECK(t->parts[i] != MAP_FAILED);
        t->parts[i]->bytes = PART;
        t->parts[i]->previous = i ? t->parts[0] : NULL;
    }
    t->root = set_frame(t, (uint64_t)(uintptr_t)t->outside, 0, OWNER_C, 0);
    t->generator = (uint64_t)(uintptr_t)t->outside + 128;
    return t;
}

static void end(thread *t) {
    munmap(t->parts[0], PART);
    munmap(t->parts[1], PART);
    free(t);
}

static sn_stack_result walk(thread *t, uint64_t top, unsigned part, uint64_t part_top, uint32_t *count) {
    const sn_memory_reader elsewhere = {read_self, t};
    const sn_own_stack stack = {top, t->parts[part], part_top};
    t->reads = 0;
    return sn_own_frames(&t->walker, &elsewhere, &t->layout, &stack, count);
}

static void frames_are_found_in_all_parts_and_on_the_heap(void) {
    thread *t = begin();
    uint32_t count;
    uint64_t first = set_frame(t, in_part(t, 0, 0), 8, 0, t->root);
    uint64_t second = set_frame(t, in_part(t, 0, 1), 16, 0, first);
    uint64_t generator = set_frame(t, t->generator, 24, OWNER_GENERATOR, second);
    uint64_t third = set_frame(t, in_part(t, 1, 0), 32, 0, generator);
    uint64_t fourth = set_frame(t, in_part(t, 1, 1), 40, 0, third);
    CHECK_EQUAL(walk(t, fourth, 1, fourth + FRAME, &count), SN_STACK_READ);
    CHECK_EQUAL(count, 5);
    for (uint32_t i = 0; i < count; i++) CHECK_EQUAL(t->walker.frames[i].code, 40 - 8 * i);
    CHECK_EQUAL(t->walker.frames[4].instruction, 108);
    CHECK_EQUAL(t->reads, 2); /* of what is not in parts; the second is below the first */
    end(t);
}

static void nothing_runs(void) {
    thread *t = begin();
    uint32_t count;
    CHECK_EQUAL(walk(t, 0, 1, in_part(t, 1, 0), &count), SN_STACK_EMPTY);
    CHECK_EQUAL(walk(t, t->root, 1, in_part(t, 1, 0), &count), SN_STACK_EMPTY);
    CHECK_EQUAL(count, 0);
    end(t);
}

/* Pointers that were not written yet lead anywhere; the stack is not believed, and nothing is touched that is not there. */
static void a_call_under_way_is_not_believed(void) {
    thread *t = begin();
    uint32_t count;
    uint64_t first = set_frame(t, in_part(t, 0, 0), 8, 0, t->root), second = set_frame(t, in_part(t, 0, 1), 16, 0, first);
    uint64_t used = second + FRAME;
    const uint64_t nowhere[] = {8, 4096, UINT64_C(0xdeadbeef0000), UINT64_MAX - 7, UINT64_C(0x8000000000000000), second + 4};
    for (unsigned i = 0; i < sizeof nowhere / sizeof *nowhere; i++) {
        CHECK_EQUAL(walk(t, nowhere[i], 0, used, &count), SN_STACK_TORN);
        set_frame(t, second, 16, 0, nowhere[i]);
        CHECK_EQUAL(walk(t, second, 0, used, &count), SN_STACK_TORN);
        set_frame(t, second, 16, 0, first);
    }
    CHECK_EQUAL(walk(t, second, 0, used, &count), SN_STACK_READ);
    end(t);
}

static void a_frame_that_has_ended_is_not_believed(void) {
    thread *t = begin();
    uint32_t count;
    uint64_t first = set_frame(t, in_part(t, 0, 0), 8, 0, t->root), second = set_frame(t, in_part(t, 0, 1), 16, 0, first);
    CHECK_EQUAL(walk(t, second, 0, second, &count), SN_STACK_TORN); /* above what is used */
    set_frame(t, first, 8, 0, second);                              /* a caller above its callee, or a circle */
    CHECK_EQUAL(walk(t, second, 0, second + FRAME, &count), SN_STACK_TORN);
    set_frame(t, first, 8, 0, 0); /* no beginning: it is not linked yet */
    CHECK_EQUAL(walk(t, second, 0, second + FRAME, &count), SN_STACK_TORN);
    end(t);
}

/* Only what is on the heap can be in one: in the parts callers lie below callees. */
static void a_circle_is_left_before_its_third_round(void) {
    enum { MOST = 7, APART = 4096 };
    thread *t = begin();
    uint8_t *heap = calloc(MOST, APART); /* so far apart that each is read by itself */
    CHECK(heap);
    for (unsigned before = 0; before < MOST; before++) {
        for (unsigned i = 0; i < MOST; i++) {
            uint64_t previous = (uint64_t)(uintptr_t)(heap + (i + 1 < MOST ? i + 1 : before) * APART);
            set_frame(t, (uint64_t)(uintptr_t)(heap + i * APART), 8, OWNER_GENERATOR, previous);
        }
        uint32_t count;
        CHECK_EQUAL(walk(t, (uint64_t)(uintptr_t)heap, 0, in_part(t, 0, 1), &count), SN_STACK_TORN);
        CHECK(t->reads <= 3 * MOST);
    }
    free(heap);
    end(t);
}

/* Whatever is written over frames: it ends, and says something. */
static void any_bytes_are_survived(void) {
    thread *t = begin();
    uint64_t state = 4711;
    for (unsigned round = 0; round < 20000; round++) {
        uint64_t places[6] = {in_part(t, 0, 0), in_part(t, 0, 1), in_part(t, 1, 0), in_part(t, 1, 1), t->root, t->generator};
        for (unsigned i = 0; i < 6; i++) {
            uint64_t previous = check_random(&state) % 9;
            previous = previous < 6 ? places[previous] : previous == 6 ? check_random(&state) : previous == 7 ? 0 : places[0] + 48;
            set_frame(t, places[i], check_random(&state), (uint8_t)(check_random(&state) % 5), previous);
        }
        uint32_t count;
        sn_stack_result result = walk(t, places[check_random(&state) % 6], check_random(&state) % 2, in_part(t, 1, 2), &count);
        CHECK(result == SN_STACK_READ || result == SN_STACK_EMPTY || result == SN_STACK_TORN || result == SN_STACK_TOO_DEEP);
        if (result == SN_STACK_READ) CHECK(count >= 1 && count <= SN_MOST_FRAMES);
    }
    end(t);
}

CHECK_MAIN(TEST(frames_are_found_in_all_parts_and_on_the_heap), TEST(nothing_runs), TEST(a_call_under_way_is_not_believed),
           TEST(a_frame_that_has_ended_is_not_believed),
           TEST(a_circle_is_left_before_its_third_round), TEST(any_bytes_are_survived))
