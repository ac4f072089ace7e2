#define _GNU_SOURCE
#include "ring_sampler.h"

#include "code_pieces.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(sizeof(sn_ring_header) <= SN_RING_HEADER, "the header has room");

#define MOST_RING_BYTES (UINT64_C(1) << 30)

typedef struct {
    sn_ring_header *ring;
    uint64_t ring_bytes; /* as it was when it was mapped */
    uint64_t read;       /* up to here */
    sn_code_table codes;
    struct sn_word_map by_id; /* native id: number of the thread + 1 */
    uint32_t threads;
    uint64_t stacks;
    bool is_damaged, is_released; /* released: `ring` is a copy of the header */
} source;

/* A thread, and what it ran at its last sample. */
typedef struct {
    sn_ring_thread told;
    sn_context *base;
    sn_stack_trail trail;
    uint64_t ran_ns;
} followed;

struct sn_ring_sampler {
    bool apart;
    source *sources;
    uint32_t count, room;
    followed *threads;
    uint32_t thread_count, thread_room;
    sn_code_functions functions;
    sn_stack_tree tree;
    sn_ring_sums sums;
    sn_stack_frame frames[SN_MOST_FRAMES];
    uint8_t *copy; /* of a record: the process could write over it while it is looked at */
    uint64_t copy_room;
};

sn_ring_sampler *sn_ring_sampler_create(bool apart) {
    sn_ring_sampler *sampler = calloc(1, sizeof *sampler);
    if (!sampler) return NULL;
    sampler->apart = apart;
    if (sn_stack_tree_init(&sampler->tree) == SN_OK) return sampler;
    free(sampler);
    return NULL;
}

static void let_go(source *s) {
    munmap(s->ring, SN_RING_HEADER + s->ring_bytes);
    sn_code_table_free(&s->codes);
    if (s->by_id.entries) munmap(s->by_id.entries, (s->by_id.mask + 1) * sizeof *s->by_id.entries);
    s->by_id = (struct sn_word_map){0};
}

void sn_ring_sampler_destroy(sn_ring_sampler *sampler) {
    if (!sampler) return;
    for (uint32_t i = 0; i < sampler->count; i++) {
        source *s = &sampler->sources[i];
        if (s->is_released) free(s->ring);
        else let_go(s);
    }
    free(sampler->sources);
    free(sampler->threads);
    free(sampler->copy);
    sn_code_functions_free(&sampler->functions);
    sn_stack_tree_free(&sampler->tree);
    free(sampler);
}

/* Whether all that is read of code objects lies inside of what is read. */
static bool is_layout(const sn_python_layout *l) {
    const uint32_t inside[] = {l->object_type, l->code_flags, l->code_first_line, l->code_file,
                               l->code_name,   l->code_line_table, l->object_size, l->bytes_data};
    for (unsigned i = 0; i < sizeof inside / sizeof *inside; i++)
        if (inside[i] > SN_CODE_HEAD - sizeof(uint64_t)) return false;
    return l->text_length < SN_CODE_HEAD && l->text_length + 8 <= l->text_state && l->text_state + 4 <= l->text_ascii &&
           l->text_ascii <= l->text_compact && l->text_compact - l->text_length <= 64;
}

static sn_ring_result map_ring(const char *path, source *s) {
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return SN_RING_NONE;
    struct stat found;
    sn_ring_result result = SN_RING_NONE;
    if (!fstat(file, &found) && found.st_size < SN_RING_HEADER) result = SN_RING_NOT_READY;
    else if (found.st_size >= SN_RING_HEADER && (uint64_t)found.st_size <= SN_RING_HEADER + MOST_RING_BYTES) {
        s->ring = mmap(NULL, (size_t)found.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (s->ring != MAP_FAILED) {
            s->ring_bytes = (uint64_t)found.st_size - SN_RING_HEADER;
            uint64_t magic = __atomic_load_n(&s->ring->magic, __ATOMIC_ACQUIRE);
            bool is_power = s->ring_bytes && !(s->ring_bytes & (s->ring_bytes - 1));
            if (!magic) result = SN_RING_NOT_READY;
            else if (magic == SN_RING_MAGIC && s->ring->header_bytes == sizeof *s->ring && is_power &&
                     s->ring->ring_bytes == s->ring_bytes && is_layout(&s->ring->layout))
                result = SN_RING_ADDED;
            if (result != SN_RING_ADDED) munmap(s->ring, (size_t)found.st_size);
        }
    }
    close(file);
    return result;
}

sn_ring_result sn_ring_sampler_add(sn_ring_sampler *sampler, const char *path) {
    if (sampler->count == sampler->room) {
        uint32_t room = sampler->room ? 2 * sampler->room : 4;
        source *grown = realloc(sampler->sources, room * sizeof *grown);
        if (!grown) return SN_RING_NO_MEMORY;
        sampler->sources = grown;
        sampler->room = room;
    }
    source *s = &sampler->sources[sampler->count];
    *s = (source){0};
    sn_ring_result result = map_ring(path, s);
    if (result != SN_RING_ADDED) return result;
    const sn_python_layout layout = s->ring->layout;
    sn_code_table_init(&s->codes, &layout, s->ring->code_type);
    sampler->count++;
    return SN_RING_ADDED;
}

static followed *begin_thread(sn_ring_sampler *sampler, source *s, uint32_t native_id) {
    if (sampler->thread_count == sampler->thread_room) {
        uint32_t room = sampler->thread_room ? 2 * sampler->thread_room : 16;
        followed *grown = realloc(sampler->threads, room * sizeof *grown);
        if (!grown) return NULL;
        sampler->threads = grown;
        sampler->thread_room = room;
    }
    if (!sn_word_set(&s->by_id, native_id, sampler->thread_count + 1)) return NULL;
    followed *t = &sampler->threads[sampler->thread_count];
    bool is_main = native_id == s->ring->pid;
    uint64_t began_ns = is_main ? s->ring->began_ns : 0;
    *t = (followed){.told = {(uint32_t)(s - sampler->sources), native_id, began_ns, began_ns}, .ran_ns = began_ns};
    if (sampler->apart) t->base = sn_stack_tree_base(&sampler->tree, sampler->thread_count);
    sampler->thread_count++;
    s->threads++;
    return t;
}

/* The thread of a sample. One whose clock has gone back is another one, which has got the number of one that ended. */
static followed *thread_of(sn_ring_sampler *sampler, source *s, const sn_record_sample *sample) {
    uint32_t known = sn_word_get(&s->by_id, sample->thread);
    if (known && sampler->threads[known - 1].ran_ns <= sample->ran_ns) return &sampler->threads[known - 1];
    return begin_thread(sampler, s, sample->thread);
}

/* Fill `frames`, outermost first; false: a code object is not known. */
static bool find_code(sn_ring_sampler *sampler, source *s, const sn_record_sample *sample, uint32_t *count) {
    const sn_ring_frame *given = (const sn_ring_frame *)(sample + 1);
    *count = 0;
    for (uint32_t i = sample->frames; i-- > 0;) {
        uint32_t known = sn_word_get(&s->codes.by_address, given[i].code);
        if (!known || !s->codes.codes[known - 1].address) return false;
        if (sn_code_is_bridge(&s->codes, known - 1)) continue;
        sampler->frames[(*count)++] = (sn_stack_frame){.code = known - 1, .line = sn_code_line(&s->codes, known - 1, given[i].instruction)};
    }
    return true;
}

static void take_sample(sn_ring_sampler *sampler, source *s, const sn_record_sample *sample) {
    uint32_t count;
    sampler->sums.samples++;
    followed *t = thread_of(sampler, s, sample);
    if (!t || !find_code(sampler, s, sample, &count)) {
        sampler->sums.unknown++;
        return;
    }
    sn_context *context = NULL;
    if (count) {
        context = sn_stack_tree_place(&sampler->tree, t->base, &s->codes, NULL, sampler->frames, count, count, SN_LEAF_NONE);
        if (!context) return;
        const sn_stack_frame *top = &sampler->frames[count - 1];
        sn_stack_tree_line(&sampler->tree, s->codes.codes[top->code].function, top->line);
        sampler->sums.stacks++;
        s->stacks++;
    } else {
        sampler->sums.outside++;
    }
    uint64_t ran_ns = sample->ran_ns - t->ran_ns;
    sn_stack_tree_credit(&sampler->tree, &t->trail, context, ran_ns);
    sn_stack_trail_add(&t->trail, context, ran_ns);
    sampler->sums.covered_ns += ran_ns;
    t->ran_ns = t->told.last_ns = sample->ran_ns;
}

static void take_code(sn_ring_sampler *sampler, source *s, const sn_record_code *record) {
    const sn_memory_reader reader = sn_code_record_reader(record);
    uint32_t known = sn_word_get(&s->codes.by_address, record->address), index;
    if (known) sn_code_forget(&s->codes, known - 1);
    /* If that fails, samples in it are counted as unknown. */
    sn_code_table_find(&s->codes, &sampler->functions, &reader, record->address, &index);
}

/* The ring's own size could be written over. */
static uint8_t *place_of(const source *s) {
    return (uint8_t *)s->ring + SN_RING_HEADER + (s->read & (s->ring_bytes - 1));
}

/* Bytes of the next record that was committed; 0: there is none, or it is damage. */
static uint32_t next_record(source *s, uint64_t head, sn_record_head *record) {
    uint64_t word = __atomic_load_n((const uint64_t *)(const void *)place_of(s), __ATOMIC_ACQUIRE);
    memcpy(record, &word, sizeof *record);
    if (!word) return 0;
    uint64_t rest = s->ring_bytes - (s->read & (s->ring_bytes - 1));
    if (record->bytes >= sizeof *record && !(record->bytes % 8) && record->bytes <= rest && record->bytes <= head - s->read)
        return record->bytes;
    s->is_damaged = true;
    return 0;
}

static bool make_room(sn_ring_sampler *sampler, uint64_t bytes) {
    if (bytes <= sampler->copy_room) return true;
    uint8_t *grown = realloc(sampler->copy, 2 * bytes);
    if (!grown) return false;
    sampler->copy = grown;
    sampler->copy_room = 2 * bytes;
    return true;
}

static void take_record(sn_ring_sampler *sampler, source *s, const sn_record_head *head, const uint8_t *at) {
    if (head->kind == SN_RECORD_PAD) return;
    if (!make_room(sampler, head->bytes)) {
        sampler->sums.unknown++;
        return;
    }
    at = memcpy(sampler->copy, at, head->bytes);
    memcpy(sampler->copy, head, sizeof *head);
    const sn_record_sample *sample = (const sn_record_sample *)at;
    const sn_record_code *code = (const sn_record_code *)at;
    if (head->kind == SN_RECORD_SAMPLE && head->bytes >= sizeof *sample && sample->frames <= SN_MOST_FRAMES &&
        head->bytes == sizeof *sample + sample->frames * sizeof(sn_ring_frame))
        take_sample(sampler, s, sample);
    else if (head->kind == SN_RECORD_CODE && sn_code_record_is_whole(code)) take_code(sampler, s, code);
    else s->is_damaged = true;
}

static bool drain(sn_ring_sampler *sampler, source *s) {
    bool has_any = false;
    sn_record_head record;
    uint64_t head = __atomic_load_n(&s->ring->head, __ATOMIC_ACQUIRE);
    if (head - s->read > s->ring_bytes) s->is_damaged = true;
    while (!s->is_damaged && s->read != head && next_record(s, head, &record)) {
        uint8_t *at = place_of(s);
        take_record(sampler, s, &record, at);
        memset(at, 0, record.bytes);
        s->read += record.bytes;
        __atomic_store_n(&s->ring->tail, s->read, __ATOMIC_RELEASE);
        has_any = true;
    }
    return has_any;
}

bool sn_ring_sampler_drain(sn_ring_sampler *sampler) {
    bool has_any = false;
    for (uint32_t i = 0; i < sampler->count; i++)
        if (!sampler->sources[i].is_released) has_any |= drain(sampler, &sampler->sources[i]);
    return has_any;
}

void sn_ring_sampler_release(sn_ring_sampler *sampler, uint32_t process) {
    source *s = &sampler->sources[process];
    sn_ring_header *copy = s->is_released ? NULL : malloc(sizeof *copy);
    if (!copy) return;
    *copy = *s->ring;
    sampler->sums.replaced += s->codes.replaced;
    let_go(s);
    s->ring = copy;
    s->is_released = true;
}

void sn_ring_sampler_stop(sn_ring_sampler *sampler) {
    for (uint32_t i = 0; i < sampler->count; i++)
        __atomic_store_n(&sampler->sources[i].ring->stop, 1, __ATOMIC_RELEASE);
}

sn_ring_sums sn_ring_sampler_sums(const sn_ring_sampler *sampler) {
    sn_ring_sums sums = sampler->sums;
    sums.unknown += sampler->tree.without_room;
    for (uint32_t i = 0; i < sampler->count; i++) {
        const source *s = &sampler->sources[i];
        sums.replaced += s->codes.replaced;
        sums.damaged += s->is_damaged;
        for (unsigned what = 0; what < SN_RING_COUNTS; what++)
            sums.counts[what] += __atomic_load_n(&s->ring->counts[what], __ATOMIC_RELAXED);
    }
    return sums;
}

const sn_stack_tree *sn_ring_sampler_tree(const sn_ring_sampler *sampler) { return &sampler->tree; }
const sn_code_functions *sn_ring_sampler_functions(const sn_ring_sampler *sampler) { return &sampler->functions; }
uint32_t sn_ring_sampler_processes(const sn_ring_sampler *sampler) { return sampler->count; }

sn_ring_process sn_ring_sampler_process(const sn_ring_sampler *sampler, uint32_t number) {
    const source *s = &sampler->sources[number];
    uint32_t bytes = s->ring->command_bytes;
    return (sn_ring_process){.pid = s->ring->pid,
                             .version = s->ring->version,
                             .threads = s->threads,
                             .state = __atomic_load_n(&s->ring->state, __ATOMIC_ACQUIRE),
                             .stacks = s->stacks,
                             .command = s->ring->command,
                             .command_bytes = bytes < SN_RING_COMMAND ? bytes : SN_RING_COMMAND};
}

uint32_t sn_ring_sampler_threads(const sn_ring_sampler *sampler) { return sampler->thread_count; }

sn_ring_thread sn_ring_sampler_thread(const sn_ring_sampler *sampler, uint32_t number) {
    return sampler->threads[number].told;
}
