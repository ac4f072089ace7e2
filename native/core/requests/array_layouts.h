/* Where things are in arrays of which the interpreter's headers do not tell: byte offsets, and the least bytes of one. */
#ifndef SONDE_ARRAY_LAYOUTS_H
#define SONDE_ARRAY_LAYOUTS_H

/* `struct arrayobject`: CPython 3.11 to 3.13, Modules/arraymodule.c. */
enum { SN_ARRAY_ITEMS = 24, SN_ARRAY_ALLOCATED = 32, SN_ARRAY_DESCRIPTION = 40, SN_ARRAY_EXPORTS = 56, SN_ARRAY_BYTES = 64 };

/* `PyArrayObject_fields` and `PyArray_Descr`: NumPy 1 and 2, numpy/ndarraytypes.h. */
enum {
    SN_NDARRAY_DATA = 16,
    SN_NDARRAY_DIMENSION_COUNT = 24,
    SN_NDARRAY_DIMENSIONS = 32,
    SN_NDARRAY_BASE = 48,
    SN_NDARRAY_DESCRIPTION = 56,
    SN_NDARRAY_FLAGS = 64,
    SN_NDARRAY_BYTES = 80,
    SN_NDARRAY_OWNS_DATA = 4, /* of its flags */
    SN_DESCRIPTION_NUMBER = 28,
    SN_DESCRIPTION_BYTES = 32,
};

#endif
