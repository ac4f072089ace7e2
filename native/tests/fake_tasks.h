/* Tasks of asyncio in a made-up CPython 3.12, as far as they are looked at: coroutines, futures, callbacks, the sets of tasks. */
#ifndef SONDE_FAKE_TASKS_H
#define SONDE_FAKE_TASKS_H

#include "fake_python.h"

enum { FAKE_RESUME = 151, FAKE_MOST_TASKS = 32, FAKE_TASK_BYTES = 176, FAKE_FUTURE_BYTES = 128 };
enum { FAKE_CREATED = -2, FAKE_SUSPENDED = -1, FAKE_RUNS = 0, FAKE_ENDED = 1 };

typedef struct {
    fake_python *fake;
    uint64_t coroutine, generator, iterator, future, task, reference, set, weak_set, builtin, function, tuple, cell, method, group;
    uint64_t gathering, subclass, foreign, none; /* types */
    uint64_t members, eager; /* where the set of tasks is, and that of eager ones */
    uint32_t count;
} fake_tasks;

static inline uint64_t fake_type(fake_python *fake, const char *name, uint64_t flags, uint64_t base) {
    uint64_t type = fake_take(fake, 272), text = fake_take(fake, strlen(name) + 1);
    memcpy(fake_at(fake, text), name, strlen(name) + 1);
    fake_put(fake, type + 24, text);
    fake_put(fake, type + 32, 64);
    fake_put(fake, type + 168, flags | 1 << 12); /* it is ready */
    fake_put(fake, type + 256, base);
    return type;
}

static inline uint64_t fake_object(fake_python *fake, uint64_t type, uint64_t bytes) {
    uint64_t object = fake_take(fake, bytes);
    fake_put(fake, object + fake->python.layout.object_type, type);
    return object;
}

static inline uint64_t fake_set(fake_tasks *t, uint64_t room) {
    uint64_t set = fake_object(t->fake, t->set, 200);
    fake_put(t->fake, set + 32, room - 1);
    fake_put(t->fake, set + 40, fake_take(t->fake, 16 * room));
    return set;
}

/* An instance with attributes, whose values a marked pointer before it leads to. */
static inline uint64_t fake_instance(fake_tasks *t, uint64_t type, const uint64_t *values, unsigned count) {
    uint64_t kept = fake_take(t->fake, 16 + 8 * count) + 16, instance = fake_take(t->fake, 64) + 32;
    fake_at(t->fake, kept - 2)[0] = (uint8_t)count;
    for (unsigned i = 0; i < count; i++) fake_put(t->fake, kept + 8 * i, values[i]);
    fake_put(t->fake, instance - 24, kept - 1);
    fake_put(t->fake, instance + t->fake->python.layout.object_type, type);
    return instance;
}

static inline void fake_tasks_begin(fake_tasks *t, fake_python *fake) {
    enum { ON_HEAP = 1 << 9, IMMUTABLE = 1 << 8, MANAGED = 1 << 4 };
    *t = (fake_tasks){.fake = fake};
    t->coroutine = fake_type(fake, "coroutine", 0, 0);
    t->generator = fake_type(fake, "generator", 0, 0);
    t->iterator = fake_type(fake, "_asyncio.FutureIter", ON_HEAP | IMMUTABLE, 0);
    t->future = fake_type(fake, "_asyncio.Future", ON_HEAP | IMMUTABLE, 0);
    t->task = fake_type(fake, "_asyncio.Task", ON_HEAP | IMMUTABLE, 0);
    t->reference = fake_type(fake, "weakref.ReferenceType", 0, 0);
    t->set = fake_type(fake, "set", 0, 0);
    t->weak_set = fake_type(fake, "WeakSet", ON_HEAP | MANAGED, 0);
    t->builtin = fake_type(fake, "builtin_function_or_method", 0, 0);
    t->function = fake_type(fake, "function", 0, 0);
    t->tuple = fake_type(fake, "tuple", 0, 0);
    t->cell = fake_type(fake, "cell", 0, 0);
    t->method = fake_type(fake, "method", 0, 0);
    t->group = fake_type(fake, "TaskGroup", ON_HEAP | MANAGED, 0);
    t->gathering = fake_type(fake, "_GatheringFuture", ON_HEAP | MANAGED, t->future);
    t->subclass = fake_type(fake, "MyTask", ON_HEAP | MANAGED, t->task);
    t->foreign = fake_type(fake, "Task", ON_HEAP | MANAGED, 0);
    t->members = fake_set(t, FAKE_MOST_TASKS);
    t->eager = fake_set(t, 8);
    uint64_t weak = fake_instance(t, t->weak_set, &t->members, 1), module = fake_take(fake, 56);
    const uint64_t names[] = {fake_text(fake, "_scheduled_tasks"), fake_text(fake, "_eager_tasks")};
    fake_put(fake, module + 16, fake_dict(fake, true, names, (uint64_t[]){weak, t->eager}, 2));
    const uint64_t name = fake_text(fake, "_asyncio");
    uint64_t interpreter = fake_get(fake, fake->python.runtime + fake->python.layout.runtime_interpreters);
    fake_put(fake, interpreter + fake->python.layout.interpreter_modules, fake_dict(fake, true, &name, &module, 1));
}

/* A coroutine at a line of its code, which awaits something if `awaited` is not 0; `type`: of coroutines, or of generators. */
static inline uint64_t fake_coroutine(fake_tasks *t, uint64_t type, uint64_t code, unsigned line, int state, uint64_t awaited) {
    const sn_python_layout *l = &t->fake->python.layout;
    uint64_t coroutine = fake_object(t->fake, type, l->generator_frame + l->frame_bytes + 16), frame = coroutine + l->generator_frame;
    uint64_t instruction = code + l->code_instructions + 2 * line;
    fake_at(t->fake, code + l->code_flags)[0] |= 0x80;
    fake_put(t->fake, frame + l->frame_code, code);
    fake_put(t->fake, frame + l->frame_instruction, instruction);
    fake_at(t->fake, frame + l->frame_owner)[0] = 1;
    fake_at(t->fake, frame - 5)[0] = (uint8_t)state;
    fake_at(t->fake, frame + 64)[0] = 2; /* locals and stack: one each */
    fake_put(t->fake, frame + l->frame_bytes + 8, awaited);
    if (awaited) memcpy(fake_at(t->fake, instruction + 2), (uint8_t[]){FAKE_RESUME, 3}, 2);
    return coroutine;
}

static inline uint64_t fake_future(fake_tasks *t, uint64_t type, uint32_t state) {
    uint64_t future = fake_object(t->fake, type, FAKE_FUTURE_BYTES);
    fake_put(t->fake, future + 88, state);
    return future;
}

/* What `await future` awaits. */
static inline uint64_t fake_iterator(fake_tasks *t, uint64_t future) {
    uint64_t iterator = fake_object(t->fake, t->iterator, 24);
    fake_put(t->fake, iterator + 16, future);
    return iterator;
}

/* A task, which is in the set of all. */
static inline uint64_t fake_waiting(fake_tasks *t, uint64_t type, const char *name, uint64_t coroutine, uint64_t waits_for) {
    const sn_python_layout *l = &t->fake->python.layout;
    uint64_t task = fake_object(t->fake, type, FAKE_TASK_BYTES), reference = fake_object(t->fake, t->reference, 56);
    fake_put(t->fake, task + l->task_coroutine - 8, waits_for);
    fake_put(t->fake, task + l->task_coroutine, coroutine);
    fake_put(t->fake, task + l->task_coroutine + 8, fake_text(t->fake, name));
    fake_put(t->fake, reference + 16, task);
    fake_put(t->fake, fake_get(t->fake, t->members + 40) + 16 * t->count++, reference);
    return task;
}

/* Let a task be woken when a future, or another task, is done. */
static inline void fake_woken(fake_tasks *t, uint64_t future, uint64_t task) {
    uint64_t callback = fake_object(t->fake, t->builtin, 56);
    fake_put(t->fake, callback + 24, task);
    fake_put(t->fake, future + 24, callback);
}

/* Let a function that has `held` in its closure be called when one is done, as `gather` does. */
static inline void fake_closure(fake_tasks *t, uint64_t future, uint64_t held) {
    uint64_t function = fake_object(t->fake, t->function, 128), tuple = fake_object(t->fake, t->tuple, 32);
    uint64_t cell = fake_object(t->fake, t->cell, 24);
    fake_put(t->fake, cell + 16, held);
    fake_put(t->fake, tuple + 16, 1);
    fake_put(t->fake, tuple + 24, cell);
    fake_put(t->fake, function + 72, tuple);
    fake_put(t->fake, future + 24, function);
}

/* Link tasks to a list, as 3.14 does, that begins in an interpreter or in the state of a thread. */
static inline void fake_link(fake_tasks *t, uint64_t head, const uint64_t *tasks, unsigned count) {
    uint64_t before = head;
    for (unsigned i = 0; i <= count; i++) {
        uint64_t node = i < count ? tasks[i] + t->fake->python.layout.task_node : head;
        fake_put(t->fake, before, node);
        fake_put(t->fake, node + 8, before);
        before = node;
    }
}

#endif
