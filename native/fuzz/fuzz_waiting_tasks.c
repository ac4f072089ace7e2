/* Tasks of asyncio in a process whose memory is any bytes, and changes while it is read. */
#include "fuzz.h"

#include "../tests/fake_tasks.h"

#include "../core/stacks/task_sampler.h"

#include <unistd.h>

enum { DAMAGE = 2 * sizeof(uint64_t), MOST_DAMAGE = 256, LOOKS = 6 };

typedef struct {
    const uint8_t *bytes;
    size_t count, at; /* of places that are damaged; those that are by now */
    unsigned from;    /* the piece before which that begins */
} damages;

/* Before each piece that is read: damage one more place, as in fuzz_python_stack.c. */
static void damage(fake_python *fake, unsigned piece) {
    damages *d = fake->about;
    if (piece < d->from || d->at >= d->count) return;
    uint64_t words[2];
    memcpy(words, d->bytes + DAMAGE * d->at++, sizeof words);
    uint64_t address = words[0] % (fake->used - 8), value = words[1];
    if (words[0] >> 62 == 1) value = FAKE_BASE + value % FAKE_BYTES;
    if (words[0] >> 62 == 2) value = fake_get(fake, FAKE_BASE + address) + (value & 0xff) - 0x80;
    if (words[0] >> 62 == 3) value = FAKE_BASE + (value % fake->used & ~UINT64_C(15));
    fake_put(fake, FAKE_BASE + address, value);
}

static uint64_t awaits(fake_tasks *t, uint64_t code, const char *name, uint64_t other) {
    uint64_t coroutine = fake_coroutine(t, t->coroutine, code, 3, FAKE_SUSPENDED, fake_iterator(t, other));
    uint64_t task = fake_waiting(t, t->task, name, coroutine, other);
    fake_woken(t, other, task);
    return task;
}

/* Tasks of all sorts: direct awaits, a circle, gather, a group, one that runs, one that is ready. */
static void make(fake_tasks *t, fake_python *fake) {
    uint64_t code[3];
    const char *const names[] = {"main", "work", "leaf"};
    for (uint32_t i = 0; i < 3; i++) code[i] = fake_code(fake, names[i], "app.py", 10 * i + 1, 9);
    fake_tasks_begin(t, fake);
    uint64_t future = fake_future(t, t->future, 0), gathered = fake_future(t, t->gathering, 0), done = fake_future(t, t->future, 2);
    uint64_t inner = fake_coroutine(t, t->generator, code[2], 4, FAKE_SUSPENDED, fake_iterator(t, future));
    uint64_t first = fake_waiting(t, t->task, "first", fake_coroutine(t, t->coroutine, code[1], 2, FAKE_SUSPENDED, inner), future);
    uint64_t second = awaits(t, code[0], "Task-7", first), third = awaits(t, code[0], "third", second);
    fake_woken(t, third, first);
    fake_waiting(t, t->subclass, "ready", fake_coroutine(t, t->coroutine, code[1], 5, FAKE_SUSPENDED, 0), done);
    uint64_t runs = fake_coroutine(t, t->coroutine, code[2], 1, FAKE_RUNS, 0), frame = runs + fake->python.layout.generator_frame;
    fake_put(fake, frame + fake->python.layout.frame_previous, fake->root);
    fake_waiting(t, t->task, "runs", runs, 0);
    fake_set_threads(fake, fake_thread(fake, frame, (uint64_t)getpid(), 0));
    uint64_t parent = awaits(t, code[0], "parent", gathered);
    fake_closure(t, second, gathered);
    uint64_t method = fake_object(fake, t->method, 48);
    fake_put(fake, method + 24, fake_instance(t, t->group, (uint64_t[]){parent, gathered}, 2));
    fake_put(fake, fake_waiting(t, t->task, "member", fake_coroutine(t, t->coroutine, code[1], 0, FAKE_CREATED, 0), 0) + 24, method);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    if (size < DAMAGE) return 0;
    static fake_python fake;
    fake_begin(&fake, true);
    fake_tasks tasks;
    make(&tasks, &fake);
    if (bytes[0] & 1) { /* they are linked, and in sets no more */
        sn_python_layout *l = &fake.python.layout;
        uint64_t listed[FAKE_MOST_TASKS], table = fake_get(&fake, tasks.members + 40);
        for (uint32_t i = 0; i < tasks.count; i++) listed[i] = fake_get(&fake, fake_get(&fake, table + 16 * i) + 16);
        l->task_node = 160;
        l->state_tasks = 200;
        l->interpreter_tasks = 960;
        uint64_t interpreter = fake_get(&fake, fake.python.runtime + l->runtime_interpreters);
        fake_link(&tasks, interpreter + l->interpreter_tasks, listed, tasks.count / 2);
        fake_link(&tasks, fake_get(&fake, interpreter + l->interpreter_threads) + l->state_tasks, listed + tasks.count / 2,
                  tasks.count - tasks.count / 2);
    }
    damages all = {.bytes = bytes, .count = size / DAMAGE < MOST_DAMAGE ? size / DAMAGE : MOST_DAMAGE};
    all.from = bytes[0] % 128u; /* some two hundred are read at the first look */
    fake.about = &all;
    fake.before_piece = damage;
    sn_task_sampler *sampler = sn_task_sampler_create(1000000);
    PROMISE(sampler);
    const sn_memory_reader memory = fake_reader(&fake);
    PROMISE(sn_task_sampler_add_python(sampler, getpid(), &fake.python, &memory) == SN_OK);
    uint64_t most = 0;
    for (uint64_t i = 1; i <= LOOKS; i++) {
        sn_task_sampler_look(sampler, i * 1000000);
        uint32_t count;
        const sn_seen_task *seen = sn_task_sampler_seen(sampler, 0, &count);
        const sn_chain_frame *frames = sn_task_sampler_frames(sampler, 0);
        const sn_code_functions *functions = sn_task_sampler_functions(sampler);
        if (count > most) most = count;
        for (uint32_t k = 0; k < count; k++) { /* what is told is there */
            char name[SN_TASK_NAME];
            PROMISE(sn_task_sampler_name(sampler, 0, &seen[k], name) <= sizeof name);
            for (uint32_t f = 0; f < seen[k].count; f++) PROMISE(frames[seen[k].first + f].function < functions->count);
            PROMISE(seen[k].awaiter_count <= SN_MOST_AWAITERS && memchr(seen[k].awaited, 0, sizeof seen[k].awaited));
            for (uint32_t a = 0; a < seen[k].awaiter_count; a++) PROMISE(seen[k].awaiters[a] < count);
        }
    }
    const sn_stack_tree *tree = sn_task_sampler_tree(sampler);
    uint64_t nodes = tree->tree.nodes, sum = 0;
    int64_t *columns = calloc(4 * nodes + 4, sizeof *columns);
    double *squares = calloc(nodes + 1, sizeof *squares);
    PROMISE(columns && squares);
    const sn_stack_columns to = {columns, columns + nodes, columns + 2 * nodes, columns + 3 * nodes, squares};
    uint64_t rows = sn_stack_tree_columns(tree, &to);
    PROMISE(rows == nodes);
    for (uint64_t i = 0; i < rows; i++) {
        PROMISE(to.parent[i] < (int64_t)i && to.self_ns[i] >= 0 && squares[i] >= 0);
        sum += (uint64_t)to.self_ns[i];
    }
    PROMISE(sum <= most * (LOOKS - 1) * 1000000); /* no more time than tasks that were seen could have */
    free(columns);
    free(squares);
    sn_task_sampler_destroy(sampler);
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
