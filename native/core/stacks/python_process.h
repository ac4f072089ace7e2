/* The CPython in a process that runs: where its state is, and how it is laid out. Nothing there is changed. */
#ifndef SONDE_PYTHON_PROCESS_H
#define SONDE_PYTHON_PROCESS_H

#include "memory_reader.h"
#include "python_layout.h"

typedef enum {
    SN_PYTHON_FOUND = 0,
    SN_PYTHON_NO_PROCESS, /* there is none of this number, or it has ended */
    SN_PYTHON_FORBIDDEN,  /* the system does not let us read its memory */
    SN_PYTHON_NONE,       /* it has mapped neither an interpreter nor its library */
    SN_PYTHON_OTHER_MACHINE,
    SN_PYTHON_NO_SYMBOLS, /* it has one whose symbols were removed, and that tells nothing about itself */
    SN_PYTHON_UNKNOWN,    /* of a version, or a build, whose layout is not known */
    SN_PYTHON_NOT_READY,  /* it has not begun yet, or has ended */
    SN_PYTHON_NO_LOCK,    /* it has no global lock, and that is what was to be looked at */
    SN_PYTHON_LOCKLESS_3_13, /* nor has it one, but its layout is not told as it is from 3.14 on */
} sn_python_result;

typedef struct {
    sn_python_layout layout;
    uint64_t runtime;   /* address of _PyRuntime */
    uint64_t code_type; /* what a code object's type is: the address of PyCode_Type */
    uint32_t version;   /* as PY_VERSION_HEX; 0: older than 3.11 */
} sn_python;

/* Find the interpreter of a process. */
sn_python_result sn_python_find(pid_t pid, sn_python *python);

#endif
