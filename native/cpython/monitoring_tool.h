/* Python 3.12 and later: a tool of sys.monitoring (PEP 669) whose callbacks are in C.
 *
 * A callback is an object whose vectorcall slot is our function: the interpreter reaches it with nothing in between. Each agent
 * is one tool, so there is one for each extension that this is in.
 */
#ifndef SONDE_MONITORING_TOOL_H
#define SONDE_MONITORING_TOOL_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

typedef struct {
    PyObject_HEAD
    vectorcallfunc call;
} sn_callback;

/* sys.monitoring, borrowed; NULL with an exception. */
PyObject *sn_monitoring_module(void);

/* Take a number for tools that nobody else has; -1 with an exception. */
int sn_monitoring_take(PyObject *module);
void sn_monitoring_free(int tool);

/* The bit of an event; -1 with an exception where this version has none of that name. */
long sn_monitoring_bit(PyObject *module, const char *event);

/* Have this function called at an event; -1 with an exception. The callback stays where it is. */
int sn_monitoring_call(PyObject *module, int tool, long event, sn_callback *callback, vectorcallfunc call);

/* Ask for events of all code; -1 with an exception. */
int sn_monitoring_ask(PyObject *module, int tool, long events);

#endif
