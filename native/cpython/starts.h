/* Calls only: contexts from the beginnings of calls alone; Python 3.12 and later. */
#ifndef SONDE_STARTS_H
#define SONDE_STARTS_H

#include "agent.h"

/* Whether beginnings of calls are all that is to be seen. A line is sampled as that of the current context only. */
static inline bool sn_starts_suffice(void) { return sn_chosen_how() == SN_PLAIN && !agent.builtins && !agent.by_line; }

/* What was called since `caller` began has ended; false when the caller is not known. */
bool sn_starts_unwind(sn_thread *thread, const sn_frame *caller);
void sn_starts_enter(sn_thread *thread, PyObject *code, sn_frame *frame);

#endif
