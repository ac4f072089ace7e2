#include "awaited.h"

#include "functions.h"

#ifndef FRAME_STATE_FINISHED /* before 3.12 */
#define FRAME_STATE_FINISHED(state) ((state) >= FRAME_COMPLETED)
#endif

#include <stdlib.h>
#include <string.h>

/* Chains of coroutines that await one another, and stacks of frames, are followed so far. */
#define DEEPEST 1000
/* Frames between what completes a future and the loop's own: few functions stand between them. */
#define NEAR_LOOP 8

static sn_frame *frame_in(PyObject *coroutine) {
    PyGenObject *generator = (PyGenObject *)coroutine;
#if PY_VERSION_HEX >= 0x030E0000
    return &generator->gi_iframe;
#else
    return (sn_frame *)generator->gi_iframe;
#endif
}

sn_frame *sn_coroutine_frame(PyObject *coroutine) {
    if (!coroutine || !(PyCoro_CheckExact(coroutine) || PyGen_CheckExact(coroutine))) return NULL;
    bool is_finished = FRAME_STATE_FINISHED(((PyGenObject *)coroutine)->gi_frame_state);
    return is_finished ? NULL : frame_in(coroutine);
}

static uint32_t function_of(sn_frame *frame) { return sn_function_of_code(sn_frame_executable(frame), frame); }

uint32_t sn_coroutine_function(PyObject *coroutine) {
    sn_frame *frame = sn_coroutine_frame(coroutine);
    return frame ? function_of(frame) : SN_NO_FUNCTION;
}

/* Where functions are from, by number: as `sonde.code.origin_of` says. 0: not yet known. */
static uint8_t *origins;
static uint32_t origin_room;
enum { OWN = 1, OF_LIBRARY = 2, OF_ASYNCIO = 3 };

static bool is_in_library(const char *file) {
    return strstr(file, "/site-packages/") || strstr(file, "/dist-packages/") || strstr(file, "/lib/python") ||
           strstr(file, "/lib64/python") || !strncmp(file, "<frozen ", 8);
}

static uint8_t origin_of(uint32_t function, const sn_frame *frame) {
    if (function >= origin_room) {
        uint32_t room = 2 * function + 256;
        uint8_t *grown = realloc(origins, room);
        if (!grown) return OF_LIBRARY;
        memset(grown + origin_room, 0, room - origin_room);
        origins = grown;
        origin_room = room;
    }
    if (!origins[function]) {
        const char *file = PyUnicode_AsUTF8(((PyCodeObject *)sn_frame_executable(frame))->co_filename);
        if (!file) PyErr_Clear();
        origins[function] = !file || !is_in_library(file) ? OWN : strstr(file, "/asyncio/") ? OF_ASYNCIO : OF_LIBRARY;
    }
    return origins[function];
}

static bool is_own(uint32_t function, const sn_frame *frame) { return origin_of(function, frame) == OWN; }

static sn_place place_in(uint32_t function, sn_frame *frame) {
    return (sn_place){function, sn_function_call_line(function, frame, sn_frame_executable(frame))};
}

/* What a coroutine or generator awaits; a new reference. Both attributes are C functions of exact types. */
static PyObject *awaited_by(PyObject *coroutine) {
    static PyObject *of_coroutine, *of_generator;
    if (!of_coroutine) of_coroutine = PyUnicode_InternFromString("cr_await");
    if (!of_generator) of_generator = PyUnicode_InternFromString("gi_yieldfrom");
    PyObject *name = PyCoro_CheckExact(coroutine) ? of_coroutine : of_generator;
    PyObject *next = name ? PyObject_GenericGetAttr(coroutine, name) : NULL;
    if (!next) PyErr_Clear();
    return next;
}

static bool is_public(const sn_frame *frame) {
    return PyUnicode_ReadChar(((PyCodeObject *)sn_frame_executable(frame))->co_name, 0) != '_';
}

sn_awaited sn_what_awaits(PyObject *coroutine) {
    sn_awaited found = {{SN_NO_FUNCTION, 0}, SN_NO_FUNCTION};
    bool has_public = false;
    Py_INCREF(coroutine);
    for (int depth = 0; depth < DEEPEST; depth++) {
        sn_frame *frame = sn_coroutine_frame(coroutine);
        uint32_t function = frame ? function_of(frame) : SN_NO_FUNCTION;
        if (function == SN_NO_FUNCTION) break;
        if (!depth || is_own(function, frame)) {
            found = (sn_awaited){place_in(function, frame), SN_NO_FUNCTION};
            has_public = false;
        } else if (found.in == SN_NO_FUNCTION || is_public(frame) || !has_public) {
            found.in = function; /* the innermost that a user can call: StreamReader.readuntil, not _wait_for_data */
            has_public |= is_public(frame);
        }
        PyObject *next = awaited_by(coroutine);
        Py_DECREF(coroutine);
        coroutine = next;
        if (!coroutine) return found;
    }
    Py_DECREF(coroutine);
    return found;
}

static bool is_named(const sn_frame *frame, const char *name) {
    return !PyUnicode_CompareWithASCIIString(((PyCodeObject *)sn_frame_executable(frame))->co_qualname, name);
}

static sn_frame *top(void) {
    PyThreadState *state = sn_thread_state();
    return state ? sn_frame_python(sn_frame_top(state)) : NULL;
}

/* The innermost of the program; else the innermost outside of asyncio, and not the outermost, which is the launcher. */
sn_place sn_place_of_making(void) {
    sn_place found = {SN_NO_FUNCTION, 0};
    bool is_outside = false;
    bool was_create_task = true; /* the main task is made by Runner.run itself */
    sn_frame *frame = top();
    for (int depth = 0; frame && depth < DEEPEST; depth++, frame = sn_frame_python(frame->previous)) {
        /* What the loop calls back is on behalf of nobody above: loops in C have no Handle._run. */
        if (is_named(frame, "Handle._run") || (is_named(frame, "Runner.run") && !was_create_task)) break;
        uint32_t function = function_of(frame);
        if (function == SN_NO_FUNCTION) break;
        uint8_t origin = origin_of(function, frame);
        if (origin == OWN || !is_outside) found = place_in(function, frame);
        if (origin == OWN) break;
        is_outside |= origin != OF_ASYNCIO;
        was_create_task = is_named(frame, "BaseEventLoop.create_task");
    }
    return found;
}

static PyObject *attribute(PyObject *object, const char *name) {
    PyObject *key = PyUnicode_InternFromString(name), *value = key ? PyObject_GenericGetAttr(object, key) : NULL;
    if (!value) PyErr_Clear();
    Py_XDECREF(key);
    return value;
}

/* Whether the loop's clock is CLOCK_MONOTONIC; programs under test have others. */
static bool has_usual_clock(PyObject *loop) {
    PyObject *method = attribute(loop, "time");
    bool is_usual = false;
    if (method && PyMethod_Check(method) && PyFunction_Check(PyMethod_GET_FUNCTION(method))) {
        const PyCodeObject *code = (PyCodeObject *)PyFunction_GET_CODE(PyMethod_GET_FUNCTION(method));
        is_usual = !PyUnicode_CompareWithASCIIString(code->co_qualname, "BaseEventLoop.time");
    }
    Py_XDECREF(method);
    return is_usual;
}

static uint64_t overdue_of(PyObject *handle) {
    uint64_t overdue = 0;
    PyObject *due = attribute(handle, "_when"), *loop = due ? attribute(handle, "_loop") : NULL;
    if (due && PyFloat_CheckExact(due) && loop && has_usual_clock(loop)) {
        double late = (double)sn_monotonic_ns() - 1e9 * PyFloat_AS_DOUBLE(due);
        if (late > 0 && late < 9e18) overdue = (uint64_t)late;
    }
    Py_XDECREF(loop);
    Py_XDECREF(due);
    return overdue;
}

uint64_t sn_overdue_ns(void) {
    sn_frame *frame = top();
    for (int depth = 0; frame && depth < NEAR_LOOP; depth++, frame = sn_frame_python(frame->previous)) {
        if (!is_named(frame, "Handle._run")) continue;
        PyObject *handle = sn_frame_first_local(frame);
        int collecting = PyGC_Disable(); /* a method that is bound may set off a collection */
        uint64_t overdue = handle ? overdue_of(handle) : 0;
        if (collecting) PyGC_Enable();
        return overdue;
    }
    return 0;
}
