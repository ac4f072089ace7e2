/* What objects of another process are, by the names of their types.
 *
 * A type is read once in each round, and known by its address until the next one. A name alone is not believed: types of the
 * interpreter itself are not on the heap, those of its C modules cannot be changed.
 */
#ifndef SONDE_OBJECT_TYPES_H
#define SONDE_OBJECT_TYPES_H

#include "memory_reader.h"

typedef enum {
    SN_OBJECT_OTHER = 0,
    SN_OBJECT_NONE,
    SN_OBJECT_COROUTINE,
    SN_OBJECT_GENERATOR, /* asynchronous ones, too */
    SN_OBJECT_PASSES_ON, /* awaiting it is awaiting what it holds: coroutine.__await__(), steps of asynchronous generators */
    SN_OBJECT_FUTURE_ITERATOR,
    SN_OBJECT_FUTURE, /* of the C part of asyncio, or of a class derived from that */
    SN_OBJECT_TASK,   /* the same */
    SN_OBJECT_WEAK_REFERENCE,
    SN_OBJECT_SET,
    SN_OBJECT_LIST,
    SN_OBJECT_TUPLE,
    SN_OBJECT_CELL,
    SN_OBJECT_BUILTIN,
    SN_OBJECT_FUNCTION,
    SN_OBJECT_METHOD,
    SN_OBJECT_PARTIAL,
    SN_OBJECT_INTEGER,
    SN_OBJECT_GROUP, /* an instance of a class TaskGroup */
} sn_object_kind;

enum { SN_TYPE_NAME = 48, SN_MOST_TYPES = 1024 };

typedef struct {
    uint64_t address; /* 0: the place is empty */
    sn_object_kind kind;
    uint32_t size;         /* of an instance, in bytes */
    bool has_values;       /* whether attributes are kept as sn_instance_values reads them */
    char name[SN_TYPE_NAME]; /* ASCII, terminated, cut; what is not is a ? */
} sn_object_type;

/* All zero: none are known. */
typedef struct {
    sn_object_type types[SN_MOST_TYPES];
    uint32_t count;
} sn_object_types;

/* The type at `address`; NULL: there is none, or no room for more. Valid until they are forgotten. */
const sn_object_type *sn_object_type_at(sn_object_types *types, const sn_memory_reader *memory, uint64_t address);

void sn_object_types_forget(sn_object_types *types);

/* What a type is; OTHER: there is none. */
static inline sn_object_kind sn_object_kind_at(sn_object_types *types, const sn_memory_reader *memory, uint64_t address) {
    const sn_object_type *type = sn_object_type_at(types, memory, address);
    return type ? type->kind : SN_OBJECT_OTHER;
}

#endif
