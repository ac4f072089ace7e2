#include "extension_probes.h"

#include "outer_context.h"

#include "../probes/probes.h"

#include <dlfcn.h>

PyObject *sn_expect_probes(PyObject *module, PyObject *arguments) {
    (void)module;
    const char *library, *folder, *command;
    int follow;
    if (!PyArg_ParseTuple(arguments, "yyyp", &library, &folder, &command, &follow)) return NULL;
    void *opened = dlopen(library, RTLD_NOW | RTLD_LOCAL); /* for good */
    int (*expect)(const char *, const char *, bool, const sn_outer *) = NULL;
    if (opened) *(void **)&expect = dlsym(opened, "sn_probes_expect");
    if (!expect) return PyErr_Format(PyExc_OSError, "%s", dlerror());
    sn_outer_make_room();
    const sn_outer outer = {sn_outer_enter, sn_outer_leave};
    int error = expect(folder, command, follow, &outer);
    if (!error) Py_RETURN_NONE;
    errno = error;
    return PyErr_SetFromErrno(PyExc_OSError);
}

PyObject *sn_has_probes(PyObject *module, PyObject *library) {
    (void)module;
    const char *path = PyBytes_AsString(library);
    if (!path) return NULL;
    void *opened = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    if (opened) dlclose(opened);
    return PyBool_FromLong(opened != NULL);
}
