// The binding layer: the only code that knows both Python and the C core.
// Batches go in as buffers, columns come out as bytes; no call per event crosses the border.

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

extern "C" {
#include "../core/exact_tree.h"
#include "../core/ticks.h"
}

namespace nb = nanobind;

namespace {

class Buffer {
  public:
    Buffer(nb::handle object, Py_ssize_t item_bytes, const char *what) {
        if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_C_CONTIGUOUS)) throw nb::python_error();
        if (view_.itemsize != item_bytes) {
            std::string message = std::string(what) + " has items of " + std::to_string(view_.itemsize) +
                                  " bytes, expected " + std::to_string(item_bytes);
            PyBuffer_Release(&view_);
            throw nb::value_error(message.c_str());
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

void check(sn_status status, const char *what) {
    switch (status) {
    case SN_OK:
        return;
    case SN_NO_MEMORY:
    case SN_NO_SPACE:
        throw std::bad_alloc();
    case SN_BAD_INPUT:
        throw nb::value_error(what);
    case SN_SYSTEM:
        PyErr_SetFromErrno(PyExc_OSError);
        throw nb::python_error();
    }
}

nb::str text_of(const sn_spool_record &record, int i) {
    PyObject *text = PyUnicode_DecodeUTF8(record.text[i], record.length[i], "surrogateescape");
    if (!text) throw nb::python_error();
    return nb::steal<nb::str>(text);
}

// An open spool file, decoded once for its records.
class Spool {
  public:
    explicit Spool(const nb::bytes &path) { // as the file system spells it
        check(sn_spool_file_open(&file_, path.c_str()), "not a spool of this version");
        sn_spool_context context;
        sn_spool_record record;
        for (uint64_t cell = SN_HEADER_CELLS; cell < file_.cells;) {
            if (sn_spool_file_next(&file_, &cell, &context, &record) != SN_CELL_RECORD) continue;
            switch (record.kind) {
            case SN_RECORD_FUNCTION:
                functions.append(nb::make_tuple(text_of(record, 0), text_of(record, 1), text_of(record, 2),
                                                record.number[0], record.number[1]));
                break;
            case SN_RECORD_PROCESS:
                command = text_of(record, 0);
                python = text_of(record, 1);
                mechanism = text_of(record, 2);
                break;
            case SN_RECORD_NOTE:
                notes.append(nb::make_tuple(text_of(record, 0), record.number[0], text_of(record, 1)));
                break;
            }
        }
        // The last tick seen on any thread, kept in the thread's root.
        for (uint64_t cell = SN_HEADER_CELLS; cell < file_.cells;)
            if (sn_spool_file_next(&file_, &cell, &context, &record) == SN_CELL_CONTEXT && context.root &&
                context.entered > last_ticks)
                last_ticks = context.entered;
    }
    ~Spool() { sn_spool_file_close(&file_); }
    Spool(const Spool &) = delete;
    Spool &operator=(const Spool &) = delete;

    const sn_spool_file &file() const { return file_; }
    const sn_header &header() const { return file_.header; }

    nb::list functions, notes;
    nb::str command{""}, python{""}, mechanism{""};
    uint64_t last_ticks = 0;

  private:
    sn_spool_file file_;
};

// The GIL is released for the long operations, so the tree has a lock of its own; it is taken
// without the GIL, or two threads could wait for each other.
class ContextTree {
  public:
    ContextTree() { check(sn_exact_create(&tree_), ""); }
    ~ContextTree() { sn_exact_destroy(&tree_); }
    ContextTree(const ContextTree &) = delete;
    ContextTree &operator=(const ContextTree &) = delete;

    void feed(nb::handle kind, nb::handle thread, nb::handle function, nb::handle line, nb::handle time_ns) {
        Buffer k(kind, 1, "kind"), t(thread, 4, "thread"), f(function, 4, "function"), l(line, 4, "line"),
            n(time_ns, 8, "time_ns");
        if (t.count() != k.count() || f.count() != k.count() || l.count() != k.count() || n.count() != k.count())
            throw nb::value_error("columns differ in length");
        size_t consumed = 0;
        sn_status status;
        {
            nb::gil_scoped_release released;
            std::lock_guard locked(lock_);
            status = sn_exact_feed(&tree_, k.count(), k.as<uint8_t>(), t.as<uint32_t>(), f.as<uint32_t>(),
                                   l.as<uint32_t>(), n.as<uint64_t>(), &consumed);
        }
        std::string what = "event " + std::to_string(consumed) + " has an unknown kind, thread number or time";
        check(status, what.c_str());
    }

    // Returns the number of calls that the spool brought.
    uint64_t add_spool(const Spool &spool, nb::handle function_map, double ns_per_tick, uint64_t end_ticks) {
        Buffer map(function_map, 4, "function_map");
        sn_status status;
        uint64_t calls;
        {
            nb::gil_scoped_release released;
            std::lock_guard locked(lock_);
            calls = tree_.calls;
            status = sn_exact_add_spool(&tree_, &spool.file(), map.as<uint32_t>(), static_cast<uint32_t>(map.count()),
                                        ns_per_tick, end_ticks);
            calls = tree_.calls - calls;
        }
        check(status, "");
        return calls;
    }

    void merge(ContextTree &other, nb::handle function_map) {
        if (&other == this) throw nb::value_error("a tree cannot be merged into itself");
        Buffer map(function_map, 4, "function_map");
        sn_status status;
        {
            nb::gil_scoped_release released;
            std::scoped_lock locked(lock_, other.lock_);
            status = sn_exact_merge(&tree_, &other.tree_, map.as<uint32_t>(), static_cast<uint32_t>(map.count()));
        }
        check(status, "the other tree has functions beyond the map");
    }

    // Seven columns of int64 as bytes: parent, function, call_line, calls, total_calls, self_ns, total_ns.
    nb::tuple columns() {
        std::vector<std::unique_ptr<int64_t[]>> data;
        uint64_t rows;
        {
            nb::gil_scoped_release released;
            std::lock_guard locked(lock_);
            uint64_t room = sn_exact_rows(&tree_);
            for (int i = 0; i < 7; i++) data.emplace_back(new int64_t[room ? room : 1]);
            sn_columns columns{data[0].get(), data[1].get(), data[2].get(), data[3].get(),
                               data[4].get(), data[5].get(), data[6].get()};
            rows = sn_exact_columns(&tree_, &columns);
        }
        if (rows == SN_NO_ROW) throw std::bad_alloc();
        auto bytes = [&](int i) { return nb::bytes(data[i].get(), rows * sizeof(int64_t)); };
        return nb::make_tuple(bytes(0), bytes(1), bytes(2), bytes(3), bytes(4), bytes(5), bytes(6));
    }

    uint64_t unmatched() const { return tree_.unmatched; }
    uint64_t orphans() const { return tree_.orphans; }

  private:
    sn_exact_tree tree_;
    std::mutex lock_;
};

} // namespace

NB_MODULE(_native, module) {
    module.doc() = "The fast core; use sonde.native, which has its slow twin as well.";

    nb::class_<Spool>(module, "Spool")
        .def(nb::init<const nb::bytes &>(), nb::arg("path"))
        .def_ro("functions", &Spool::functions)
        .def_ro("notes", &Spool::notes)
        .def_ro("command", &Spool::command)
        .def_ro("python", &Spool::python)
        .def_ro("mechanism", &Spool::mechanism)
        .def_ro("last_ticks", &Spool::last_ticks)
        .def_prop_ro("pid", [](const Spool &s) { return s.header().pid; })
        .def_prop_ro("parent_pid", [](const Spool &s) { return s.header().parent_pid; })
        .def_prop_ro("clock", [](const Spool &s) { return s.header().clock; })
        .def_prop_ro("threads", [](const Spool &s) { return s.header().threads; })
        .def_prop_ro("start_ticks", [](const Spool &s) { return s.header().start_ticks; })
        .def_prop_ro("start_ns", [](const Spool &s) { return s.header().start_ns; })
        .def_prop_ro("end_ticks", [](const Spool &s) { return s.header().end_ticks; })
        .def_prop_ro("dropped_calls", [](const Spool &s) { return s.header().dropped_calls; })
        .def_prop_ro("resyncs", [](const Spool &s) { return s.header().resyncs; })
        .def_prop_ro("truncated", [](const Spool &s) { return s.file().truncated; });

    nb::class_<ContextTree>(module, "ContextTree")
        .def(nb::init<>())
        .def("feed", &ContextTree::feed, nb::arg("kind"), nb::arg("thread"), nb::arg("function"), nb::arg("line"),
             nb::arg("time_ns"))
        .def("add_spool", &ContextTree::add_spool, nb::arg("spool"), nb::arg("function_map"), nb::arg("ns_per_tick"),
             nb::arg("end_ticks"))
        .def("merge", &ContextTree::merge, nb::arg("other"), nb::arg("function_map"))
        .def("columns", &ContextTree::columns)
        .def_prop_ro("unmatched", &ContextTree::unmatched)
        .def_prop_ro("orphans", &ContextTree::orphans);

    module.def("ticks_now", [] { return nb::make_tuple(sn_ticks(), sn_monotonic_ns()); },
               "The time-stamp counter and CLOCK_MONOTONIC in nanoseconds, read together.");
}
