/* A platform for compiled advice: events come from the standard input, results go to the standard output.
 *
 * An event is EVENT_WORDS integers of 64 bits, in the order of `enum word`. The order of advice is that of
 * native/core/advice/advice.h: any:access before the more special kind.
 */
#include <stdio.h>
#include <stdlib.h>

#include "advice/advice.h"

enum word { POINT, IP, ADDRESS, SIZE, LOAD, STORE, THREAD, PLACE, METHOD, LINE, WAS_THERE, OLD_VALUE, NEW_VALUE, TYPE, OBJECT, OTHER, EVENT_WORDS };
enum { OBJECTS = 64 };

/* Objects get their numbers when advice is first told of them; they were born where that was. */
static uint64_t numbers[OBJECTS], met;
static int64_t *all_objects;
static uint32_t place_now;

uint64_t sn_object_about(const int64_t *object, uint32_t *place) {
    uint64_t *number = &numbers[(uint64_t)(object - all_objects) / (sn_advice.object_fields + 1)];
    if (!*number) *number = ++met;
    *place = place_now;
    return *number;
}

static FILE *outputs[16];
static int opened;

int sn_output_open(const char *name) {
    outputs[opened] = fopen(name, "w");
    return outputs[opened] ? opened++ : -1;
}

long sn_output_write(int output, const void *bytes, unsigned long size) {
    size_t written = fwrite(bytes, 1, size > 777 ? 777 : size, outputs[output]); /* never all at once */
    return fflush(outputs[output]) == 0 && written ? (long)written : -1;
}

/* As TYPE_NAMES of compiled_advice.py. */
int sn_type_name(uint32_t type, char *name, uint32_t room) {
    static const char *const names[] = {"Node", "app.Node", "stack: main thread"};
    if (type >= sizeof names / sizeof *names) return 0;
    snprintf(name, room, "%s", names[type]);
    return 1;
}

void sn_result_line(const char *fields) { puts(fields); }

static int64_t *fields_of(int64_t *objects, int64_t number) {
    return objects + (uint64_t)number % OBJECTS * (sn_advice.object_fields + 1);
}

static void tell(const int64_t *event, int64_t *objects, int time) {
    struct sn_location loc = {.ip = (uint64_t)event[IP],
                              .address = (uint64_t)event[ADDRESS],
                              .size = (uint64_t)event[SIZE],
                              .load = (uint32_t)event[LOAD],
                              .store = (uint32_t)event[STORE],
                              .thread = (uint32_t)event[THREAD],
                              .place = (uint32_t)event[PLACE],
                              .method = (uint32_t)event[METHOD],
                              .line = (uint32_t)event[LINE],
                              .was_there = (uint32_t)event[WAS_THERE],
                              .value = (uint64_t)event[time == SN_BEFORE ? OLD_VALUE : NEW_VALUE]};
    uint32_t type = (uint32_t)event[TYPE], other = (uint32_t)event[OTHER];
    int64_t *object = fields_of(objects, event[OBJECT]);
    place_now = loc.place;
    const struct sn_advice *advice = &sn_advice;
#define TELL(number, member, ...)                                                                                     \
    case number:                                                                                                      \
        if (advice->member[time]) advice->member[time](__VA_ARGS__);                                                  \
        break
    if (event[POINT] <= 1 && advice->any_access[time]) advice->any_access[time](&loc, type, event[POINT] ? NULL : object);
    switch (event[POINT]) {
        TELL(0, object_access, &loc, type, object);
        TELL(1, nonobject_access, &loc);
        TELL(2, object_create, &loc, type, object);
        TELL(3, object_delete, &loc, type, object);
        TELL(4, object_relocate, &loc, type, object, (uint64_t)event[OTHER]);
        TELL(5, class_load, type);
        TELL(6, method_compile, &loc, other);
        TELL(7, method_recompile, &loc, other);
        TELL(8, method_relocate, &loc, other);
        TELL(9, method_enter, &loc, other);
        TELL(10, method_leave, &loc, other);
        TELL(11, thread_create, other);
        TELL(12, thread_switch, other);
        TELL(13, thread_terminate, other);
        TELL(14, gc_start, other);
        TELL(15, gc_stop, other);
    }
}

int main(void) {
    int64_t event[EVENT_WORDS];
    int64_t *objects = calloc(OBJECTS, (sn_advice.object_fields + 1) * sizeof *objects);
    if (!objects || sn_advice.version != SN_ADVICE_VERSION) return 2;
    all_objects = objects;
    if (sn_advice.start) sn_advice.start();
    while (fread(event, sizeof event, 1, stdin) == 1) {
        int64_t *object = fields_of(objects, event[OBJECT]);
        if (event[POINT] == 2) {
            numbers[(uint64_t)event[OBJECT] % OBJECTS] = 0;
            for (uint32_t i = 0; i < sn_advice.object_fields; i++) object[i] = 0;
        }
        tell(event, objects, SN_BEFORE);
        tell(event, objects, SN_AFTER);
    }
    if (sn_advice.finish) sn_advice.finish();
    return 0;
}
