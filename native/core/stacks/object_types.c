#include "object_types.h"

#include "../base/word_map.h"
#include "task_layout.h"

#include <string.h>

/* Py_TPFLAGS_*: attributes in a dictionary that the interpreter manages; cannot be changed; on the heap; ready. */
enum { MANAGED_DICT = 1 << 4, IMMUTABLE = 1 << 8, ON_HEAP = 1 << 9, READY = 1 << 12 };
enum { MOST_BASES = 16, MOST_INSTANCE = 1 << 20, SHORT_NAME = 16 };

static const struct {
    const char *name;
    sn_object_kind kind;
} known[] = {
    {"NoneType", SN_OBJECT_NONE},
    {"coroutine", SN_OBJECT_COROUTINE},
    {"generator", SN_OBJECT_GENERATOR},
    {"async_generator", SN_OBJECT_GENERATOR},
    {"async_generator_asend", SN_OBJECT_PASSES_ON},
    {"async_generator_athrow", SN_OBJECT_PASSES_ON},
    {"anext_awaitable", SN_OBJECT_PASSES_ON},
    {"coroutine_wrapper", SN_OBJECT_PASSES_ON},
    {"_asyncio.FutureIter", SN_OBJECT_FUTURE_ITERATOR},
    {"_asyncio.Future", SN_OBJECT_FUTURE},
    {"_asyncio.Task", SN_OBJECT_TASK},
    {"weakref.ReferenceType", SN_OBJECT_WEAK_REFERENCE},
    {"set", SN_OBJECT_SET},
    {"list", SN_OBJECT_LIST},
    {"tuple", SN_OBJECT_TUPLE},
    {"cell", SN_OBJECT_CELL},
    {"builtin_function_or_method", SN_OBJECT_BUILTIN},
    {"function", SN_OBJECT_FUNCTION},
    {"method", SN_OBJECT_METHOD},
    {"functools.partial", SN_OBJECT_PARTIAL},
    {"int", SN_OBJECT_INTEGER},
};

typedef struct {
    uint64_t name, flags, base, size;
} head;

static bool read_head(const sn_memory_reader *memory, uint64_t address, head *h) {
    uint8_t bytes[SN_TYPE_HEAD];
    if (!address || !sn_read_one(memory, address, bytes, sizeof bytes)) return false;
    memcpy(&h->name, bytes + SN_TYPE_NAME_AT, sizeof h->name);
    memcpy(&h->flags, bytes + SN_TYPE_FLAGS_AT, sizeof h->flags);
    memcpy(&h->base, bytes + SN_TYPE_BASE_AT, sizeof h->base);
    memcpy(&h->size, bytes + SN_TYPE_SIZE_AT, sizeof h->size);
    return h->name && h->flags & READY && h->size < MOST_INSTANCE;
}

/* The name of a type, which may be short and at the end of what is mapped. */
static bool read_name(const sn_memory_reader *memory, uint64_t address, char name[SN_TYPE_NAME]) {
    memset(name, 0, SN_TYPE_NAME);
    if (!sn_read_one(memory, address, name, SN_TYPE_NAME - 1)) {
        memset(name, 0, SN_TYPE_NAME);
        uint32_t got = 0;
        while (got < SHORT_NAME && sn_read_one(memory, address + got, name + got, 1) && name[got]) got++;
        if (!got || got == SHORT_NAME) return false;
    }
    for (char *at = name; *at; at++)
        if (*at < ' ' || *at > '~') *at = '?';
    return *name;
}

static sn_object_kind kind_named(const char *name, uint64_t flags) {
    bool is_heap = flags & ON_HEAP;
    if (is_heap && flags & MANAGED_DICT && !strcmp(name, "TaskGroup")) return SN_OBJECT_GROUP;
    if (is_heap && !(flags & IMMUTABLE)) return SN_OBJECT_OTHER;
    for (uint32_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(name, known[i].name)) return known[i].kind;
    return SN_OBJECT_OTHER;
}

/* What a class is derived from: a future, or a task. */
static sn_object_kind kind_of_bases(const sn_memory_reader *memory, uint64_t base) {
    char name[SN_TYPE_NAME];
    head h;
    for (uint32_t i = 0; i < MOST_BASES && read_head(memory, base, &h) && read_name(memory, h.name, name); i++) {
        sn_object_kind kind = kind_named(name, h.flags);
        if (kind == SN_OBJECT_FUTURE || kind == SN_OBJECT_TASK) return kind;
        base = h.base;
    }
    return SN_OBJECT_OTHER;
}

const sn_object_type *sn_object_type_at(sn_object_types *types, const sn_memory_reader *memory, uint64_t address) {
    uint64_t at = sn_word_home(address, SN_MOST_TYPES - 1);
    if (!address) return NULL;
    for (; types->types[at].address; at = (at + 1) % SN_MOST_TYPES)
        if (types->types[at].address == address) return &types->types[at];
    head h;
    if (types->count == SN_MOST_TYPES / 2 || !read_head(memory, address, &h)) return NULL;
    sn_object_type *type = &types->types[at];
    if (!read_name(memory, h.name, type->name)) return NULL;
    type->kind = kind_named(type->name, h.flags);
    if (type->kind == SN_OBJECT_OTHER && h.flags & ON_HEAP) type->kind = kind_of_bases(memory, h.base);
    type->has_values = h.flags & ON_HEAP && h.flags & MANAGED_DICT;
    type->size = (uint32_t)h.size;
    type->address = address;
    types->count++;
    return type;
}

void sn_object_types_forget(sn_object_types *types) {
    if (types->count) memset(types, 0, sizeof *types);
}
