/* The values of an instance's attributes, in another process; not their names. */
#ifndef SONDE_INSTANCE_VALUES_H
#define SONDE_INSTANCE_VALUES_H

#include "memory_reader.h"
#include "object_types.h"
#include "python_layout.h"
#include "task_layout.h"

enum { SN_MOST_VALUES = 32 };

/* In the order in which the class has got them first; returns how many. `type` is that of the instance. */
uint32_t sn_instance_values(const sn_memory_reader *memory, const sn_python_layout *layout, const sn_task_layout *tasks,
                            uint64_t instance, const sn_object_type *type, uint64_t values[SN_MOST_VALUES]);

#endif
