// What every binding needs: columns that come in as buffers, statuses that go out as exceptions.
#ifndef SONDE_PYTHON_BUFFER_H
#define SONDE_PYTHON_BUFFER_H

#include <nanobind/nanobind.h>

#include <new>
#include <string>

extern "C" {
#include "../core/base/cells.h"
}

class Buffer {
  public:
    Buffer(nanobind::handle object, Py_ssize_t item_bytes, const char *what) {
        if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_C_CONTIGUOUS)) throw nanobind::python_error();
        if (view_.itemsize != item_bytes) {
            std::string message = std::string(what) + " has items of " + std::to_string(view_.itemsize) +
                                  " bytes, expected " + std::to_string(item_bytes);
            PyBuffer_Release(&view_);
            throw nanobind::value_error(message.c_str());
        }
    }
    ~Buffer() { PyBuffer_Release(&view_); }
    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;

    size_t count() const { return static_cast<size_t>(view_.len / view_.itemsize); }
    template <typename T> const T *as() const { return static_cast<const T *>(view_.buf); }

  private:
    Py_buffer view_;
};

inline void check(sn_status status, const char *what) {
    switch (status) {
    case SN_OK:
        return;
    case SN_NO_MEMORY:
    case SN_NO_SPACE:
        throw std::bad_alloc();
    case SN_BAD_INPUT:
        throw nanobind::value_error(what);
    case SN_SYSTEM:
        PyErr_SetFromErrno(PyExc_OSError);
        throw nanobind::python_error();
    }
}

#endif
