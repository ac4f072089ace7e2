#include "thread_list.h"

#include <string.h>

/* Threads that are looked at by one call, with what comes before the first. */
enum { PER_CALL = (SN_MOST_LEADING - 3) / 2 };

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
            threads[(*count)++] = (sn_listed_thread){state, native_id, interpreter};
            state = next_state;
        }
        interpreter = next;
    }
    return true;
}

bool sn_thread_list_is(const sn_memory_reader *memory, const sn_python *python, const sn_listed_thread *threads,
                       uint32_t count, uint64_t *interpreter) {
    const sn_python_layout *l = &python->layout;
    uint64_t here = 0, next = 0, expected = 0;
    sn_piece pieces[SN_MOST_LEADING];
    sn_listed_thread now[PER_CALL];
    sn_read_result result;
    uint64_t runtime = python->runtime + l->runtime_interpreters;
    if (!*interpreter && !sn_read_one(memory, runtime, interpreter, sizeof *interpreter)) return false;
    for (uint32_t from = 0; from < count || !from;) {
        unsigned used = 0;
        if (!from) {
            pieces[used++] = (sn_piece){runtime, &here, sizeof here};
            pieces[used++] = (sn_piece){*interpreter + l->interpreter_next, &next, sizeof next};
            pieces[used++] = (sn_piece){*interpreter + l->interpreter_threads, &expected, sizeof expected};
        }
        uint32_t part = count - from < PER_CALL ? count - from : PER_CALL;
        for (uint32_t i = 0; i < part; i++) {
            uint64_t state = threads[from + i].state;
            pieces[used++] = (sn_piece){state + l->state_next, &now[i].state, sizeof now[i].state};
            pieces[used++] = (sn_piece){state + l->state_native_id, &now[i].native_id, sizeof now[i].native_id};
        }
        if (memory->read(memory->at, pieces, used, &result) < used || here != *interpreter || next) {
            *interpreter = 0;
            return false;
        }
        for (uint32_t i = 0; i < part; i++) {
            if (threads[from + i].state != expected || now[i].native_id != threads[from + i].native_id) return false;
            expected = now[i].state;
        }
        from += part;
        if (!part) break;
    }
    return !expected;
}
