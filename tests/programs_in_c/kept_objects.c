/* What an interpreter does with objects that it keeps when they die, as its agent would tell of it: each lives 1,000 times.
 *
 * Up to CPython 3.13 a count of references has eight bytes. From 3.14 on it has four, and where it was, a dead object has the
 * address of the next one that is kept; a new life begins by a store of eight bytes. */
#include "client_request.h"
#include "requests.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { LIVES = 1000, TYPE_BYTES = 512, BLOCK = 32 };

struct object {
    union {
        volatile uint64_t count; /* up to 3.13 */
        volatile uint32_t short_count;
        struct object *volatile next; /* of a dead one */
    };
    void *volatile type;
    volatile double value;
};

static struct sn_python_layout layout = {
    .version = SN_PYTHON_LAYOUT_VERSION,
    .type_name = 24,
    .type_basic_size = 32,
    .type_item_size = 40,
    .type_flags = 168,
    .type_base = 256,
    .type_members = 264,
    .sizeof_member = 40,
    .object_count = offsetof(struct object, count),
    .object_type = offsetof(struct object, type),
};
static _Alignas(16) char types[3][TYPE_BYTES];
static char *pool;

static void python_is(uint64_t version) {
    layout.python = version;
    sn_tell(SN_PYTHON, (uintptr_t)&layout, 0, 0, 0, 0);
}

static struct object *new_object(unsigned number, const char *name) {
    struct object *made = (struct object *)(pool + number * BLOCK);
    *(const char **)(types[number] + layout.type_name) = name;
    *(uint64_t *)(types[number] + layout.type_basic_size) = sizeof *made;
    sn_tell(SN_TYPE, (uintptr_t)types[number], (uintptr_t)name, SN_TYPE_FREE_LISTED, 0, 0);
    sn_tell(SN_ALLOCATE, (uintptr_t)made, sizeof *made, SN_DOMAIN_OBJECT, 0, 0);
    made->type = types[number];
    return made;
}

static __attribute__((noinline)) void live_with_long_counts(struct object *object) {
    for (int life = 0; life < LIVES; life++) {
        object->count = 1;
        object->count = 2;
        object->value = life;
        object->count = 1;
        object->count = 0;
    }
}

/* A program's own numbers may have four bytes. */
static __attribute__((noinline)) void count_to_nothing(struct object *object) {
    object->count = 1;
    for (int i = 0; i < LIVES; i++) object->short_count = 1, object->short_count = 0;
}

static __attribute__((noinline)) void live_with_short_counts(struct object *object, struct object *other) {
    for (int life = 0; life < LIVES; life++) {
        object->count = 1;
        object->short_count = 2;
        object->value = life;
        object->short_count = 1;
        object->short_count = 0;
        object->next = other;
    }
}

int main(void) {
    pool = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pool == MAP_FAILED) abort();
    python_is(0x030D00F0);
    struct object *other = new_object(0, "Long");
    live_with_long_counts(other);
    count_to_nothing(new_object(1, "Unmoved"));
    python_is(0x030E00F0);
    live_with_short_counts(new_object(2, "Short"), other);
    return 0;
}
