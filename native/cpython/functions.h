/* Functions: from code objects, which come and go, to numbers and names, which stay. */
#ifndef SONDE_FUNCTIONS_H
#define SONDE_FUNCTIONS_H

#include "agent.h"

#define SN_NO_FUNCTION UINT32_MAX
int sn_functions_init(void);
void sn_functions_forget(void); /* all of them, before another init */
/* Number of the function that `code` belongs to, new ones are described in the spool.
 * SN_NO_FUNCTION when there is no room. `frame` may be NULL. */
uint32_t sn_function_of_code(PyObject *code, const sn_frame *frame);
uint32_t sn_function_of_builtin(PyObject *callable, uint64_t *key);
/* A number under which a thread is described, as if it were a function; no other thread gets it. */
uint32_t sn_function_of_thread(PyObject *name, uint32_t thread);
bool sn_function_is_builtin(uint32_t function);
uint32_t sn_function_call_line(uint32_t function, const sn_frame *caller, PyObject *code);
/* Remember that `context` runs `function`, so that it can be found when the code is freed. */
void sn_function_adopt(uint32_t function, sn_context *context);
void sn_functions_record(void); /* describe all that are known in a new trace */
void sn_function_abandon(sn_context *context); /* it is about to be removed */

#endif
