#include "interpreter_symbols.h"

#include <string.h>

/* From the call of an object to the function that it is: Objects/call.c, and what types have in tp_vectorcall and tp_call, in CPython
 * 3.11 to 3.15. Slots of classes (`slot_...`) and descriptors are what Python code says with operators; they are left out, too. */
static const char *const glue[] = {
    "PyEval_EvalCode",
    "_PyEval_Vector",
    "_PyEval_EvalFrame",
    "PyEval_EvalFrame",
    "PyEval_EvalFrameEx",
    "_PyFunction_Vectorcall",
    "PyVectorcall_Call",
    "_PyVectorcall_Call",
    "PyObject_Vectorcall",
    "_PyObject_Vectorcall",
    "_PyObject_VectorcallTstate",
    "PyObject_VectorcallMethod",
    "PyObject_VectorcallDict",
    "_PyObject_FastCallDictTstate",
    "_PyObject_MakeTpCall",
    "PyObject_Call",
    "_PyObject_Call",
    "_PyObject_Call_Prepend",
    "PyObject_CallObject",
    "PyObject_CallNoArgs",
    "_PyObject_CallNoArgs",
    "_PyObject_CallNoArgsTstate",
    "PyObject_CallOneArg",
    "PyObject_CallFunction",
    "PyObject_CallFunctionObjArgs",
    "PyObject_CallMethod",
    "PyObject_CallMethodObjArgs",
    "PyObject_CallMethodNoArgs",
    "PyObject_CallMethodOneArg",
    "_PyObject_CallFunctionVa",
    "_PyObject_CallMethod",
    "_PyObject_CallMethodId",
    "_PyObject_CallMethodFormat",
    "object_vacall",
    "callmethod",
    "cfunction_call",
    "cfunction_vectorcall_NOARGS",
    "cfunction_vectorcall_O",
    "cfunction_vectorcall_FASTCALL",
    "cfunction_vectorcall_FASTCALL_KEYWORDS",
    "cfunction_vectorcall_FASTCALL_KEYWORDS_METHOD",
    "method_vectorcall",
    "method_vectorcall_NOARGS",
    "method_vectorcall_O",
    "method_vectorcall_VARARGS",
    "method_vectorcall_VARARGS_KEYWORDS",
    "method_vectorcall_FASTCALL",
    "method_vectorcall_FASTCALL_KEYWORDS",
    "method_vectorcall_FASTCALL_KEYWORDS_METHOD",
    "method_call",
    "classmethoddescr_call",
    "methoddescr_call",
    "function_call",
    "wrapperdescr_call",
    "wrapper_call",
    "do_call_core",
    "vectorcall_method",
    "vectorcall_maybe",
    "vectorcall_unbound",
    "call_unbound",
    "call_unbound_noarg",
    "_PyObject_CallMethodIdNoArgs",
    "_PyObject_CallMethodIdOneArg",
    "py_trampoline_evaluator",
    "PyImport_ImportModuleLevelObject", /* to Python's own import machinery, which is shown as imports */
    "PyImport_ImportModuleLevel",
    "import_find_and_load",
};

sn_frame_role sn_interpreter_role(const char *symbol) {
    size_t bytes = strcspn(symbol, "."); /* .cold, .constprop.0, .part.1, .lto_priv.0 */
    static const char loop[] = "_PyEval_EvalFrameDefault";
    static const char step[] = "_TAIL_CALL_"; /* an instruction of the loop, where each is a function (3.14) */
    if (bytes == sizeof loop - 1 && !memcmp(symbol, loop, bytes)) return SN_FRAME_LOOP;
    static const char call[] = "_StackRefSteal"; /* calls that the loop has taken out of itself (3.15) */
    if (!strncmp(symbol, step, sizeof step - 1)) return SN_FRAME_GLUE;
    if (bytes >= sizeof call - 1 && !memcmp(symbol + bytes - (sizeof call - 1), call, sizeof call - 1)) return SN_FRAME_GLUE;
    for (unsigned i = 0; i < sizeof glue / sizeof *glue; i++)
        if (strlen(glue[i]) == bytes && !memcmp(symbol, glue[i], bytes)) return SN_FRAME_GLUE;
    return SN_FRAME_FUNCTION;
}
