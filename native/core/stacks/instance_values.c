#include "instance_values.h"

#include "python_dict.h"

#include <string.h>

/* Before an instance: pointers to its values and to its dictionary, or one to either of them. */
enum { VALUES_BEFORE = 32, DICT_BEFORE = 24 };
enum { IS_VALUES = 1 }; /* the mark of the latter */
enum { DICT_VALUES = 40 }; /* of a dictionary whose values are apart */
/* Values that are in the instance begin with sizes in bytes, and whether they count. */
enum { INSIDE_SIZE = 1, INSIDE_VALID = 3, INSIDE_HEAD = 8 };

/* Up to 3.12: how many there are stands two bytes before them. */
static uint32_t take(const sn_memory_reader *memory, sn_values_kept kept, uint64_t at, uint64_t values[SN_MOST_VALUES]) {
    uint8_t head[INSIDE_HEAD] = {0};
    bool is_inside = kept == SN_VALUES_INSIDE;
    if (!at || !sn_read_one(memory, is_inside ? at : at - 2, head, is_inside ? INSIDE_HEAD : 2)) return 0;
    if (is_inside && head[INSIDE_VALID] != 1) return 0;
    uint32_t count = head[is_inside ? INSIDE_SIZE : 0], found = 0;
    if (count > SN_MOST_VALUES) count = SN_MOST_VALUES;
    uint64_t all[SN_MOST_VALUES];
    if (count && !sn_read_one(memory, at + (is_inside ? INSIDE_HEAD : 0), all, count * sizeof *all)) return 0;
    for (uint32_t i = 0; i < count; i++)
        if (all[i]) values[found++] = all[i];
    return found;
}

uint32_t sn_instance_values(const sn_memory_reader *memory, const sn_python_layout *l, const sn_task_layout *tasks,
                            uint64_t instance, const sn_object_type *type, uint64_t values[SN_MOST_VALUES]) {
    if (!type->has_values || instance < VALUES_BEFORE) return 0;
    uint64_t dict = sn_read_word(memory, instance - DICT_BEFORE), at = 0;
    if (tasks->values == SN_VALUES_POINTED_TO) at = sn_read_word(memory, instance - VALUES_BEFORE);
    if (tasks->values == SN_VALUES_MARKED && dict & IS_VALUES) {
        at = dict + 1;
        dict = 0;
    }
    if (tasks->values == SN_VALUES_INSIDE && !dict) at = instance + type->size;
    if (!at && dict) at = sn_read_word(memory, dict + DICT_VALUES);
    if (at) return take(memory, tasks->values, at, values);
    sn_dict_entry entries[SN_MOST_VALUES];
    uint32_t count = sn_dict_entries(memory, l, dict, entries, SN_MOST_VALUES);
    for (uint32_t i = 0; i < count; i++) values[i] = entries[i].value;
    return count;
}
