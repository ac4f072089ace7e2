#include "task_layout.h"

#include <stddef.h>

/* RESUME, and what it becomes when it has run for a while, or is watched. */
static const sn_task_layout layouts[] = {
    {.future_state = 88, .created = -2, .suspended = -1, .awaits = -1, .resumes = {151, 150}, .values = SN_VALUES_POINTED_TO},
    {.future_state = 88, .created = -2, .suspended = -1, .awaits = -1, .resumes = {151, 240}, .values = SN_VALUES_MARKED},
    {.future_state = 96, .created = -3, .suspended = -2, .awaits = -1, .values = SN_VALUES_INSIDE},
};
enum { FIRST = 0x030B };

bool sn_task_layout_of(uint32_t version, sn_task_layout *layout) {
    uint32_t number = (version >> 16) - FIRST;
    if (number >= sizeof layouts / sizeof *layouts) return false;
    *layout = layouts[number];
    return true;
}
