#include "event_tables.h"

#include <string.h>

static void *copied(Py_buffer *from) {
    void *copy = PyMem_Malloc((size_t)from->len + 1);
    if (copy) memcpy(copy, from->buf, (size_t)from->len);
    return copy;
}

void sn_tables_free(void *object) {
    sn_routine_tables *tables = object;
    PyMem_Free((void *)tables->block_of);
    PyMem_Free((void *)tables->site_of);
    PyMem_Free((void *)tables->sites);
    PyMem_Free((void *)tables->chains);
    PyMem_Free((void *)tables->steps);
    PyMem_Free((void *)tables->raises);
    PyMem_Free(tables);
}

sn_routine_tables *sn_tables_new(PyObject *arguments) {
    unsigned number;
    long long start;
    int entry, outside;
    enum { ARRAYS = 6 };
    Py_buffer of[ARRAYS];
    if (!PyArg_ParseTuple(arguments, "ILiiy*y*y*y*y*y*", &number, &start, &entry, &outside, &of[0], &of[1], &of[2], &of[3], &of[4],
                          &of[5]))
        return NULL;
    sn_routine_tables *new = PyMem_Calloc(1, sizeof *new);
    if (new) {
        *new = (sn_routine_tables){.number = number, .start = start, .entry = entry, .outside = outside,
                                   .units = (uint32_t)((size_t)of[0].len / sizeof(int32_t)),
                                   .raise_count = (uint32_t)((size_t)of[5].len / sizeof(sn_raise)),
                                   .block_of = copied(&of[0]), .site_of = copied(&of[1]), .sites = copied(&of[2]),
                                   .chains = copied(&of[3]), .steps = copied(&of[4]), .raises = copied(&of[5])};
        if (!new->block_of || !new->site_of || !new->sites || !new->chains || !new->steps || !new->raises) {
            sn_tables_free(new);
            new = NULL;
        }
    }
    for (int i = 0; i < ARRAYS; i++) PyBuffer_Release(&of[i]);
    if (!new) PyErr_NoMemory();
    return new;
}
