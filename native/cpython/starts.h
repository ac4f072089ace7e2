/* Calls only: contexts from the beginnings of calls alone; Python 3.12 and later. */
#ifndef SONDE_STARTS_H
#define SONDE_STARTS_H

#include "agent.h"

/* What was called since `caller` began has ended; false when the caller is not known. */
bool sn_starts_unwind(sn_thread *thread, const sn_frame *caller);
void sn_starts_enter(sn_thread *thread, PyObject *code, sn_frame *frame);

#endif
