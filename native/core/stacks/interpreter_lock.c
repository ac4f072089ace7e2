#include "interpreter_lock.h"

uint64_t sn_interpreter_lock_find(const sn_memory_reader *memory, const sn_python *python, uint64_t interpreter) {
    const sn_python_layout *l = &python->layout;
    uint64_t lock = 0;
    if (l->runtime_lock) return python->runtime + l->runtime_lock;
    if (!l->interpreter_lock || !sn_read_one(memory, interpreter + l->interpreter_lock, &lock, sizeof lock)) return 0;
    return lock % 8 ? 0 : lock;
}

void sn_interpreter_lock_pieces(const sn_python_layout *layout, uint64_t interpreter, uint64_t lock, sn_lock_words *words,
                                sn_piece *pieces) {
    *words = (sn_lock_words){0};
    pieces[0] = (sn_piece){lock + layout->lock_holder, &words->holder, sizeof words->holder};
    pieces[1] = (sn_piece){lock + layout->lock_locked, &words->locked, sizeof words->locked};
    pieces[2] = (sn_piece){interpreter + layout->interpreter_collecting, &words->collecting, sizeof words->collecting};
}
