/* CPython 3.11 to 3.13: what the program sees of rewritten code is the code that it had.
 *
 * Functions, frames, generators and tracebacks show code objects and offsets of instructions. Where these are of rewritten
 * code, the getters of those types give what belongs to the original.
 */
#ifndef SONDE_PATHS_SHOWN_CODE_H
#define SONDE_PATHS_SHOWN_CODE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <stdint.h>

/* What is kept with code objects. */
typedef struct {
    PyObject *original;    /* of rewritten code; NULL: this is an original */
    PyObject *origins;     /* bytes: (n_units,) int32, as show_as has them */
    PyObject *rewritten;   /* of an original; borrowed */
} sn_shown;

/* Of an instruction that stands for none. */
#define SN_NO_ORIGIN INT32_MIN

/* Replace the getters, until the process ends: rewritten functions go on being seen. -1 with an exception. */
int sn_shown_code_begin(void);

/* show_as(code, original, origins): (n_units,) int32 offsets in the original, in bytes. Of an instruction that is not in it:
 * `~offset` of what comes next there, or SN_NO_ORIGIN. */
PyObject *sn_show_as(PyObject *module, PyObject *arguments);

/* Of rewritten code; NULL for all else. */
const sn_shown *sn_shown_of(PyObject *code);
/* What an original was rewritten to; NULL where it was not. Borrowed. */
PyObject *sn_rewritten_of(PyObject *code);

/* What stands in `origins` for an offset in bytes; the offset itself where nothing does. */
int32_t sn_origin_of(const sn_shown *shown, long offset);

#endif
