/* Which tasks of asyncio there are in another process: `_asyncio` keeps weak references to all, and those that begin eagerly; from
 * 3.14 on they are linked, in a list of the thread that made them, or, when that has ended, of the interpreter.
 *
 * Sets change while they are read. So what is listed may be a task, or none any more: that is for who reads it to see.
 */
#ifndef SONDE_TASK_LIST_H
#define SONDE_TASK_LIST_H

#include "many_pieces.h"
#include "object_types.h"
#include "python_process.h"
#include "task_layout.h"
#include "thread_list.h"

enum { SN_MOST_TASKS = 1 << 17 };

/* All zero: empty, and nothing is known. */
typedef struct {
    uint64_t *addresses;  /* of tasks; 0: one that is gone */
    uint64_t *references; /* the weak references by which they were found; 0: by none */
    uint32_t count, room;
    uint64_t too_many; /* members beyond, or more than can be listed at all; of all times */
    uint64_t broken;   /* linked lists that changed each time that they were followed */
    uint8_t *table;    /* of a set */
    size_t table_room;
    uint64_t of_interpreter, scheduled, eager; /* where the sets of an interpreter are */
} sn_task_list;

typedef struct {
    const sn_memory_reader *memory;
    const sn_python *python;
    const sn_task_layout *tasks;
    sn_object_types *types;
} sn_task_list_means;

void sn_task_list_free(sn_task_list *list);

/* Add the tasks of an interpreter. `*is_found` becomes true if asyncio is there, with tasks or without. False when nothing can be
 * read any more, and `*why` says why; or when memory is short. */
bool sn_task_list_add(sn_task_list *list, const sn_task_list_means *means, uint64_t interpreter, bool *is_found,
                      sn_read_result *why);

#endif
