// What was looked at, for Python: processes, their threads, groups of tasks.
#ifndef SONDE_PYTHON_WATCHED_H
#define SONDE_PYTHON_WATCHED_H

#include "stack_tree.h"

extern "C" {
#include "../core/stacks/stack_sampler.h"
}

// Process id, version, threads, state (0: looked at, 1: ended, 2: lost), stacks, whether it has no global lock.
inline nanobind::tuple told(const sn_target &t) {
    return nanobind::make_tuple(t.pid, t.version, t.threads, static_cast<int>(t.state), t.stacks, t.is_free_threaded);
}

// Process, in order of their addition; number of the system; first and last moment.
inline nanobind::tuple told(const sn_target_thread &t) {
    return nanobind::make_tuple(t.process, t.native_id, t.first_ns, t.last_ns);
}

// Number of the thread that they count as; whether the name is theirs, or that of their coroutine; the name.
inline nanobind::tuple told(const sn_task_group &group) {
    return nanobind::make_tuple(group.thread, group.is_named, text_of(group.name, group.bytes));
}

// What `each` gives for the numbers below `count`.
template <typename Each> nanobind::list told_all(uint32_t count, Each each) {
    nanobind::list found;
    for (uint32_t i = 0; i < count; i++) found.append(told(each(i)));
    return found;
}

#endif
