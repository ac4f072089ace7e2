#include "thread_list.h"

#include <string.h>

enum { PER_CALL = SN_MOST_LEADING / 2 };

bool sn_thread_list(const sn_memory_reader *memory, const sn_python *python, sn_listed_thread *threads, uint32_t *count) {
    const sn_python_layout *l = &python->layout;
    uint64_t interpreter = 0;
    *count = 0;
    if (!sn_read_one(memory, python->runtime + l->runtime_interpreters, &interpreter, sizeof interpreter)) return false;
    for (unsigned i = 0; interpreter; i++) {
        uint64_t state = 0, next = 0;
        if (i == SN_MOST_INTERPRETERS) return false;
        const sn_piece pieces[] = {{interpreter + l->interpreter_next, &next, sizeof next},
                                   {interpreter + l->interpreter_threads, &state, sizeof state}};
        sn_read_result result;
        if (memory->read(memory->at, pieces, 2, &result) < 2) return false;
        while (state) {
            uint64_t next_state = 0, native_id = 0;
            const sn_piece of_state[] = {{state + l->state_next, &next_state, sizeof next_state},
                                         {state + l->state_native_id, &native_id, sizeof native_id}};
            if (*count == SN_MOST_THREADS || memory->read(memory->at, of_state, 2, &result) < 2) return false;
            threads[(*count)++] = (sn_listed_thread){state, native_id};
            state = next_state;
        }
        interpreter = next;
    }
    return true;
}

/* Threads of one interpreter are looked at; with several, the list is read anew. */
bool sn_thread_list_is(const sn_memory_reader *memory, const sn_python *python, const sn_listed_thread *threads,
                       uint32_t count) {
    const sn_python_layout *l = &python->layout;
    uint64_t interpreter = 0, next = 0, expected = 0;
    sn_piece pieces[SN_MOST_LEADING];
    sn_listed_thread now[PER_CALL];
    sn_read_result result;
    if (!sn_read_one(memory, python->runtime + l->runtime_interpreters, &interpreter, sizeof interpreter)) return false;
    const sn_piece first[] = {{interpreter + l->interpreter_next, &next, sizeof next},
                              {interpreter + l->interpreter_threads, &expected, sizeof expected}};
    if (memory->read(memory->at, first, 2, &result) < 2 || next) return false;
    for (uint32_t from = 0; from < count; from += PER_CALL) {
        uint32_t part = count - from < PER_CALL ? count - from : PER_CALL;
        for (uint32_t i = 0; i < part; i++) {
            uint64_t state = threads[from + i].state;
            pieces[2 * i] = (sn_piece){state + l->state_next, &now[i].state, sizeof now[i].state};
            pieces[2 * i + 1] = (sn_piece){state + l->state_native_id, &now[i].native_id, sizeof now[i].native_id};
        }
        if (memory->read(memory->at, pieces, 2 * part, &result) < 2 * part) return false;
        for (uint32_t i = 0; i < part; i++) {
            if (threads[from + i].state != expected || now[i].native_id != threads[from + i].native_id) return false;
            expected = now[i].state;
        }
    }
    return !expected;
}
