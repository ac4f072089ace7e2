/* How an interpreter frame is laid out, for each CPython. */
#include "frames.h"

bool sn_frame_begins_program(const sn_frame *frame, sn_frame *caller) {
    if (sn_frame_python(caller)) return false;
    static const char *const machinery[] = {"<frozen importlib._bootstrap>", "<frozen importlib._bootstrap_external>",
                                            "<frozen zipimport>"};
    PyObject *file = ((PyCodeObject *)sn_frame_executable(frame))->co_filename;
    for (size_t i = 0; i < sizeof machinery / sizeof *machinery; i++)
        if (!PyUnicode_CompareWithASCIIString(file, machinery[i])) return false;
    return true;
}
