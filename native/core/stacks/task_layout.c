#include "task_layout.h"

#include <stddef.h>

#define TUPLES .tuple_items = 24, .awaited_depth = 1

/* RESUME, and what it becomes when it has run for a while, or is watched. */
static const sn_task_layout layouts[] = {
    {.future_state = 88, .created = -2, .suspended = -1, .awaits = -1, .resumes = {151, 150}, .values = SN_VALUES_POINTED_TO, TUPLES},
    {.future_state = 88, .created = -2, .suspended = -1, .awaits = -1, .resumes = {151, 240}, .values = SN_VALUES_MARKED, TUPLES},
    {.future_state = 96, .created = -3, .suspended = -2, .awaits = -1, .values = SN_VALUES_INSIDE, TUPLES},
    {.future_state = 104, .created = -3, .suspended = -2, .awaits = -1, .values = SN_VALUES_INSIDE, .is_stack_pointed_to = true,
     .tuple_items = 32, .awaited_depth = 1},
    {.future_state = 104, .created = 0, .suspended = 1, .awaits = 2, .executes = 4, .values = SN_VALUES_INSIDE,
     .is_stack_pointed_to = true, .tuple_items = 32, .awaited_depth = 2},
};
enum { FIRST = 0x030B };

bool sn_task_layout_of(uint32_t version, sn_task_layout *layout) {
    uint32_t number = (version >> 16) - FIRST;
    if (number >= sizeof layouts / sizeof *layouts) return false;
    *layout = layouts[number];
    return true;
}
