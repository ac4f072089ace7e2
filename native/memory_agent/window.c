/* The window: what happens in it is counted, and watched.
 *
 * That of the program opens when its first frame begins: the first whose globals are those of `__main__`. What the
 * interpreter did before, site and its hooks, the import machinery, and runpy for `-m`, ran in others. It is seen by a
 * frame evaluation function (PEP 523) that is there from the start-up file to that frame only.
 *
 * Types and objects are told when a window opens, as stores outside of windows are not watched.
 */
#include "agent.h"

#include "internal/pycore_frame.h"
#if PY_VERSION_HEX >= 0x030E0000
#include "internal/pycore_interpframe_structs.h"
#endif
#include "internal/pycore_interp.h"

static bool is_open;

void sn_tell_everything(void) {
    sn_tell_types();
    sn_tell_objects();
    sn_tell_free_lists();
}

void sn_open_window(bool active) {
    if (active && !is_open) {
        sn_pause();
        sn_tell_everything();
        sn_resume();
    }
    is_open = true;
    sn_tell(SN_WINDOW_OPEN, 0, 0, 0, 0, 0);
}

void sn_close_window(void) {
    is_open = false;
    sn_tell(SN_WINDOW_CLOSE, 0, 0, 0, 0, 0);
}

static PyObject *program_globals; /* borrowed: __main__ stays in sys.modules until the program begins */

static PyObject *wait_for_program(PyThreadState *thread, struct _PyInterpreterFrame *frame, int throwing) {
    if (frame->f_globals == program_globals) {
        sn_pause();
        _PyInterpreterState_SetEvalFrameFunc(PyThreadState_GetInterpreter(thread), _PyEval_EvalFrameDefault);
        sn_resume();
        sn_open_window(true);
    }
    return _PyEval_EvalFrameDefault(thread, frame, throwing);
}

int sn_wait_for_program(void) {
    PyObject *main = PyImport_AddModule("__main__");
    if (!main) return -1;
    program_globals = PyModule_GetDict(main);
    _PyInterpreterState_SetEvalFrameFunc(PyInterpreterState_Get(), wait_for_program);
    return 0;
}
