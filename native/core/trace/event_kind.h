/* What a source can say of a thread; the same numbers as in sonde.events. */
#ifndef SONDE_EVENT_KIND_H
#define SONDE_EVENT_KIND_H

typedef enum {
    SN_EVENT_ENTER = 1,
    SN_EVENT_LEAVE = 2,
    SN_EVENT_UNWIND = 3,
    SN_EVENT_FOUND = 4, /* runs already: no call, but what is current from now on */
    SN_EVENT_LOST = 5,  /* nothing is known of the thread from now on */
} sn_event_kind;

#endif
