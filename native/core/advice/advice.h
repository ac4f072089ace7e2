/* Advice: what a tool written in the tool language does at each event, compiled to C.
 *
 * The file that the toolkit (sonde.instruments.memory.toolkit) generates defines `sn_advice`; the instrumentation calls
 * through it. A tool without advice is `advice_none.c`. Everything runs in one thread at a time. No function blocks or
 * calls back into the measured program; what goes wrong in advice (a division by zero, an endless loop) switches it off
 * and becomes a result line.
 *
 * What the platform does, in order, so that compiled advice and its twin (host.py of the toolkit) see the same:
 *   start()                before any event
 *   an access              any_access[t], then object_access[t] or nonobject_access[t]; t is SN_BEFORE, then SN_AFTER
 *   an object is created   its fields are set to 0, then object_create[SN_BEFORE] and [SN_AFTER]
 *   at the end of the run  object_delete for each object that was born and is alive (sizes and addresses as they are),
 *                          then finish()
 *   an object that was there before the window opened, or is born outside of one, has no create event; it has a delete
 *                          event only if it dies in a window
 * finish() says all results. It may be called before as well, for a record of what is known so far.
 */
#ifndef SONDE_ADVICE_H
#define SONDE_ADVICE_H

#include <stdint.h>

enum { SN_ADVICE_VERSION = 2 };
enum { SN_BEFORE, SN_AFTER };

/* An access, or the place of another event (then address and size are the object's, or 0). */
struct sn_location {
    uint64_t ip, address, size;
    uint32_t load, store; /* both: one instruction that changes what it reads */
    uint32_t thread;      /* numbered from 1 */
    uint32_t place;       /* of the code: Python's where a Python frame runs, else native; `P` lines of the record */
    uint32_t method;      /* number of its function, `F` lines */
    uint32_t line;        /* 0: unknown */
    uint64_t value;       /* of an access: what lies there before it, or after it; its first 8 bytes, else 0 above them */
    uint32_t was_there;   /* the object was there before the window opened: its birth was not told */
};

/* `type` is a number of a `T` line; `object` are the user's fields of the object, `object_fields` of them, 0 at birth.
 * In any_access of what is no object, `type` is that of the region and `object` is NULL. */
typedef void sn_access_advice(const struct sn_location *, uint32_t type, int64_t *object);
typedef void sn_place_advice(const struct sn_location *);
typedef void sn_object_advice(const struct sn_location *, uint32_t type, int64_t *object);
typedef void sn_relocate_advice(const struct sn_location *, uint32_t type, int64_t *object, uint64_t old_address);
typedef void sn_class_advice(uint32_t type);
typedef void sn_method_advice(const struct sn_location *, uint32_t method);
typedef void sn_thread_advice(uint32_t thread);
typedef void sn_collection_advice(uint32_t generation);

/* NULL where there is no advice; index SN_BEFORE or SN_AFTER. */
struct sn_advice {
    uint32_t version;       /* SN_ADVICE_VERSION */
    uint32_t object_fields; /* int64_t each */
    uint32_t uses_place;    /* whether place, method or line of a location is looked at */
    uint32_t uses_value;    /* whether its value is */
    void (*start)(void);    /* may be NULL, as finish */
    sn_access_advice *any_access[2];
    sn_access_advice *object_access[2];
    sn_place_advice *nonobject_access[2];
    sn_object_advice *object_create[2], *object_delete[2];
    sn_relocate_advice *object_relocate[2];
    sn_class_advice *class_load[2];
    sn_method_advice *method_compile[2], *method_recompile[2], *method_relocate[2], *method_enter[2], *method_leave[2];
    sn_thread_advice *thread_create[2], *thread_switch[2], *thread_terminate[2];
    sn_collection_advice *gc_start[2], *gc_stop[2];
    void (*finish)(void);
};
extern const struct sn_advice sn_advice;

/* Given by the platform that runs the advice. */
int sn_output_open(const char *name);                               /* a file that the user named; < 0: cannot */
long sn_output_write(int output, const void *bytes, unsigned long size); /* < 0: cannot, e.g. the disk is full */
/* Of an object, by its fields: its number in the run, which no other object has, and the place of its birth, 0: none. */
uint64_t sn_object_about(const int64_t *object, uint32_t *place);
/* The name of a type, as reports print it, ended by a 0; what does not fit is left out. Returns whether it is known by
 * now. While the program runs, a class may be known by the last part of its name only. */
int sn_type_name(uint32_t type, char *name, uint32_t room);
/* One line of results, `fields` separated by tabs: becomes an `A` line of the record. */
void sn_result_line(const char *fields);

#endif
