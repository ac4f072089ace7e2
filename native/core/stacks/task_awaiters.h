/* Which task awaits a future or a task, in another process: by the callbacks that are to be called when it is done.
 *
 * A task that awaits something is woken by such a callback. `gather`, `wait`, `shield` and, up to 3.11, `wait_for` have functions
 * of their own there, which hold the future that the task awaits in their closures; groups of tasks have a method, and such a
 * future among their attributes. Whether a task that is found so awaits that future is for the caller to see.
 */
#ifndef SONDE_TASK_AWAITERS_H
#define SONDE_TASK_AWAITERS_H

#include "../base/word_map.h"
#include "many_pieces.h"
#include "object_types.h"
#include "python_layout.h"
#include "task_layout.h"

enum { SN_MOST_AWAITERS = 4 };

typedef struct {
    uint64_t task;
    uint64_t waits_for; /* what it is to be woken by */
} sn_awaiter;

typedef struct {
    uint32_t count;
    sn_awaiter found[SN_MOST_AWAITERS];
} sn_awaiters;

/* What was found of one batch of tasks. All zero: nothing yet. */
typedef struct {
    struct sn_word_map by_object; /* index + 1 */
    sn_awaiters *known;
    uint32_t count, room;
} sn_awaiter_search;

typedef struct {
    const sn_memory_reader *memory;
    const sn_python_layout *layout;
    const sn_task_layout *tasks;
    sn_object_types *types;
    sn_awaiter_search *search;
} sn_awaiter_means;

void sn_awaiters_forget(sn_awaiter_search *search);
void sn_awaiters_free(sn_awaiter_search *search);

/* The callbacks of a future, or of a task; 0: there is none. */
typedef struct {
    uint64_t future;
    uint64_t first, others; /* the others are in a list */
    uint64_t type, bound_to, bound_type; /* of the first: what it is, which object it is bound to if it is, and what that is */
} sn_callbacks;

/* Read `type` and what follows of many: (SN_CALLBACKS_AT_ONCE,) at most. False as of sn_read_many. */
enum { SN_CALLBACKS_AT_ONCE = 256 };
bool sn_callbacks_read(const sn_awaiter_means *means, sn_callbacks *all, uint32_t count, sn_read_result *why);

/* Who may await something with these callbacks. Cost: nothing more to read where a task is woken, or a group was told of before;
 * some ten reads for each closure, and each list. */
void sn_awaiters_of(const sn_awaiter_means *means, const sn_callbacks *callbacks, sn_awaiters *found);

#endif
