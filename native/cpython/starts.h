/* Calls only: contexts from the beginnings of calls alone; Python 3.12 and later. */
#ifndef SONDE_STARTS_H
#define SONDE_STARTS_H

#include "agent.h"

void sn_starts_enter(sn_thread *thread, PyObject *code, sn_frame *frame);

#endif
