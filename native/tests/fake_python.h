/* A CPython in a piece of memory, as far as its stacks are looked at: laid out as 3.12 or as 3.13 is. */
#ifndef SONDE_FAKE_PYTHON_H
#define SONDE_FAKE_PYTHON_H

#include "../core/stacks/python_process.h"
#include "../core/stacks/python_stack.h"

#include <string.h>

enum { FAKE_BYTES = 1 << 16 };
#define FAKE_BASE UINT64_C(0x7000000000)

typedef struct fake_python {
    uint8_t bytes[FAKE_BYTES];
    uint64_t used, stack; /* where the next object, and the next frame, will be */
    sn_python python;
    uint64_t root; /* the frame of the C function that has called the first one */
    /* Called before each piece is read; may be NULL. */
    void (*before_piece)(struct fake_python *fake, unsigned piece);
    unsigned pieces, calls; /* that were read, and by how many calls */
    uint64_t piece_bytes;   /* of the one that is read next */
    sn_read_result refusal;
    void *about; /* for the test */
} fake_python;

static inline uint8_t *fake_at(fake_python *fake, uint64_t address) { return fake->bytes + (address - FAKE_BASE); }

static inline void fake_put(fake_python *fake, uint64_t address, uint64_t value) {
    memcpy(fake_at(fake, address), &value, sizeof value);
}

static inline uint64_t fake_get(fake_python *fake, uint64_t address) {
    uint64_t value;
    memcpy(&value, fake_at(fake, address), sizeof value);
    return value;
}

static inline unsigned fake_read(void *at, const sn_piece *pieces, unsigned count, sn_read_result *result) {
    fake_python *fake = at;
    fake->calls++;
    for (unsigned i = 0; i < count; i++) {
        fake->piece_bytes = pieces[i].bytes;
        if (fake->before_piece) fake->before_piece(fake, fake->pieces);
        fake->pieces++;
        uint64_t from = pieces[i].from - FAKE_BASE;
        if (fake->refusal != SN_READ_ALL || from >= FAKE_BYTES || FAKE_BYTES - from < pieces[i].bytes) {
            *result = fake->refusal != SN_READ_ALL ? fake->refusal : SN_READ_ABSENT;
            return i;
        }
        memcpy(pieces[i].to, fake->bytes + from, pieces[i].bytes);
    }
    *result = SN_READ_ALL;
    return count;
}

static inline sn_memory_reader fake_reader(fake_python *fake) { return (sn_memory_reader){fake_read, fake}; }

static inline uint64_t fake_take(fake_python *fake, uint64_t bytes) {
    uint64_t address = FAKE_BASE + fake->used;
    fake->used += (bytes + 15) & ~UINT64_C(15);
    return address;
}

static inline uint64_t fake_text(fake_python *fake, const char *text) {
    const sn_python_layout *l = &fake->python.layout;
    uint64_t length = strlen(text), address = fake_take(fake, l->text_ascii + length + 1);
    uint32_t state = 1u << 2 | 1u << 5 | 1u << 6; /* a byte for each character, compact, ASCII */
    fake_put(fake, address + l->object_type, FAKE_BASE + 24);
    fake_put(fake, address + l->text_length, length);
    memcpy(fake_at(fake, address + l->text_state), &state, sizeof state);
    memcpy(fake_at(fake, address + l->text_ascii), text, length);
    return address;
}

/* A code object of `lines` lines from `first_line` on, one instruction each. */
static inline void fake_code_at(fake_python *fake, uint64_t address, const char *name, const char *file, uint32_t first_line,
                                unsigned lines) {
    const sn_python_layout *l = &fake->python.layout;
    uint64_t table = fake_take(fake, l->bytes_data + 2 * lines + 1);
    fake_put(fake, table + l->object_size, 2 * lines);
    for (unsigned i = 0; i < lines; i++) { /* one code unit; the line grows by one, but for the first */
        fake_at(fake, table + l->bytes_data)[2 * i] = (uint8_t)(0x80 | 13 << 3);
        fake_at(fake, table + l->bytes_data)[2 * i + 1] = i ? 2 : 0;
    }
    uint32_t flags = 3;
    fake_put(fake, address + l->object_type, fake->python.code_type);
    memcpy(fake_at(fake, address + l->code_first_line), &first_line, sizeof first_line);
    memcpy(fake_at(fake, address + l->code_flags), &flags, sizeof flags);
    fake_put(fake, address + l->code_file, fake_text(fake, file));
    fake_put(fake, address + l->code_name, fake_text(fake, name));
    fake_put(fake, address + l->code_line_table, table);
}

static inline uint64_t fake_code(fake_python *fake, const char *name, const char *file, uint32_t first_line, unsigned lines) {
    uint64_t address = fake_take(fake, fake->python.layout.code_instructions + 2 * lines);
    fake_code_at(fake, address, name, file, first_line, lines);
    return address;
}

/* A dictionary of some entries; `of_texts`: whose keys are texts. */
static inline uint64_t fake_dict(fake_python *fake, bool of_texts, const uint64_t *keys, const uint64_t *values, unsigned count) {
    const sn_python_layout *l = &fake->python.layout;
    unsigned words = of_texts ? 2 : 3;
    uint64_t table = fake_take(fake, l->keys_entries + 8 + 8 * words * count), dict = fake_take(fake, 48);
    memcpy(fake_at(fake, table + 8), (uint8_t[]){3, 3, of_texts}, 3); /* eight indices of a byte */
    fake_put(fake, table + 24, count);
    for (unsigned i = 0; i < count; i++) {
        uint64_t at = table + l->keys_entries + 8 + 8 * words * i + 8 * (words - 2);
        fake_put(fake, at, keys[i]);
        fake_put(fake, at + 8, values[i]);
    }
    fake_put(fake, dict + l->object_type, FAKE_BASE + 16);
    fake_put(fake, dict + l->dict_keys, table);
    return dict;
}

/* Let a task of asyncio run the frame at this address as its coroutine, whose code becomes one; returns where the task is. */
static inline uint64_t fake_task(fake_python *fake, uint64_t frame, const char *name) {
    const sn_python_layout *l = &fake->python.layout;
    uint64_t code = fake_get(fake, frame + l->frame_code), task = fake_take(fake, 176), module = fake_take(fake, 56);
    fake_at(fake, code + l->code_flags)[0] |= 0x80;
    fake_at(fake, frame + l->frame_owner)[0] = 1;
    fake_put(fake, task + l->task_coroutine, frame - l->generator_frame);
    fake_put(fake, task + l->task_coroutine + 8, fake_text(fake, name));
    uint64_t running = fake_dict(fake, false, &(uint64_t){FAKE_BASE + 32}, &task, 1);
    const uint64_t names[] = {fake_text(fake, "other"), fake_text(fake, "_current_tasks")};
    fake_put(fake, module + 16, fake_dict(fake, true, names, (uint64_t[]){module, running}, 2));
    const uint64_t modules[] = {fake_text(fake, "sys"), fake_text(fake, "asyncio"), fake_text(fake, "_asyncio")};
    uint64_t interpreter = fake_get(fake, fake->python.runtime + l->runtime_interpreters);
    fake_put(fake, interpreter + l->interpreter_modules,
             fake_dict(fake, true, modules, (uint64_t[]){module + 8, module + 8, module}, 3));
    return task;
}

/* Make the frame at `address` run instruction `line` of a code object. */
static inline void fake_set_frame(fake_python *fake, uint64_t address, uint64_t code, unsigned line, uint64_t previous) {
    const sn_python_layout *l = &fake->python.layout;
    fake_put(fake, address + l->frame_code, code);
    fake_put(fake, address + l->frame_instruction, code + l->code_instructions + 2 * line);
    fake_put(fake, address + l->frame_previous, previous);
    fake_at(fake, address + l->frame_owner)[0] = 0;
}

/* One more frame on the stack, which is a page before the next one, so that many pages are needed for few frames. */
static inline uint64_t fake_push(fake_python *fake, uint64_t code, unsigned line, uint64_t previous, uint64_t distance) {
    uint64_t address = FAKE_BASE + fake->stack;
    fake->stack += distance;
    fake_set_frame(fake, address, code, line, previous);
    return address;
}

/* A thread whose frame on top is `top`; returns its state. */
static inline uint64_t fake_thread(fake_python *fake, uint64_t top, uint64_t native_id, uint64_t next) {
    const sn_python_layout *l = &fake->python.layout;
    uint64_t state = fake_take(fake, 256), held = top;
    if (l->held_frame != SN_NO_HOLDER) {
        held = fake_take(fake, 16);
        fake_put(fake, held + l->held_frame, top);
    }
    fake_put(fake, state + l->state_frame, held);
    fake_put(fake, state + l->state_native_id, native_id);
    fake_put(fake, state + l->state_next, next);
    return state;
}

static inline void fake_set_top(fake_python *fake, uint64_t state, uint64_t top) {
    const sn_python_layout *l = &fake->python.layout;
    uint64_t at = state + l->state_frame;
    if (l->held_frame != SN_NO_HOLDER) at = fake_get(fake, at) + l->held_frame;
    fake_put(fake, at, top);
}

static inline void fake_begin(fake_python *fake, bool has_holder) {
    memset(fake, 0, sizeof *fake);
    sn_python_layout_of(0x030C01F0, &fake->python.layout);
    if (!has_holder) fake->python.layout.held_frame = SN_NO_HOLDER;
    fake->python.version = 0x030C01F0;
    fake->python.code_type = FAKE_BASE + 8;
    fake->used = 64;
    fake->stack = FAKE_BYTES / 2;
    fake->python.runtime = fake_take(fake, 256);
    uint64_t interpreter = fake_take(fake, 1024);
    fake_put(fake, fake->python.runtime + fake->python.layout.runtime_interpreters, interpreter);
    fake->root = fake_take(fake, fake->python.layout.frame_bytes);
    fake_at(fake, fake->root + fake->python.layout.frame_owner)[0] = (uint8_t)fake->python.layout.owner_c;
}

static inline void fake_set_threads(fake_python *fake, uint64_t first) {
    const sn_python_layout *l = &fake->python.layout;
    uint64_t interpreter = fake_get(fake, fake->python.runtime + l->runtime_interpreters);
    fake_put(fake, interpreter + l->interpreter_threads, first);
}

#endif
