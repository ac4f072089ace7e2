/* What sonde has to do in the middle of the program's Python, and the program's calls do not show. */
#ifndef SONDE_UNSEEN_H
#define SONDE_UNSEEN_H

#include "threads.h"

/* Whether a callable waits for a function that has been met, and is to be called before anything else. */
extern bool sn_first_call_due;

/* A function is met for the first time. */
void sn_first_call_look(const PyCodeObject *code);
void sn_first_call_make(void);

PyObject *sn_when_first_called(PyObject *module, PyObject *arguments);
PyObject *sn_around(PyObject *module, PyObject *arguments);

#endif
