// The binding of traces: reading them into columns, and writing them for tests and tools.

#include "trace.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <vector>

extern "C" {
#include "../core/trace/trace_writer.h"
}

namespace nb = nanobind;

namespace {

// Room of one reading: so many events are decoded at most, whatever is asked for.
constexpr size_t kMostEvents = size_t{1} << 24;

nb::str text_of(const char *text, size_t length) {
    PyObject *decoded = PyUnicode_DecodeUTF8(text, static_cast<Py_ssize_t>(length), "surrogateescape");
    if (!decoded) throw nb::python_error();
    return nb::steal<nb::str>(decoded);
}

[[noreturn]] void raise_errno() {
    PyErr_SetFromErrno(PyExc_OSError);
    throw nb::python_error();
}

// What a call that may take a while and does not touch Python runs under.
template <typename Work> auto unlocked(std::mutex &lock, Work work) {
    nb::gil_scoped_release released;
    std::lock_guard locked(lock);
    return work();
}

class Column { // of a batch that comes in
  public:
    Column(nb::handle object, Py_ssize_t item_bytes, const char *what) {
        if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_C_CONTIGUOUS)) throw nb::python_error();
        if (view_.itemsize != item_bytes) {
            PyBuffer_Release(&view_);
            throw nb::value_error((std::string(what) + " has items of another size").c_str());
        }
    }
    ~Column() { PyBuffer_Release(&view_); }
    Column(const Column &) = delete;
    Column &operator=(const Column &) = delete;

    size_t count() const { return static_cast<size_t>(view_.len / view_.itemsize); }
    template <typename T> const T *as() const { return static_cast<const T *>(view_.buf); }

  private:
    Py_buffer view_;
};

// (result, kind, thread, function, call_line, time): the columns as bytes, the time in nanoseconds,
// or in ticks when `ns_per_tick` is 0.
nb::tuple read_batch(TraceReader &trace, size_t room, double ns_per_tick) {
    if (!room) throw nb::value_error("there has to be room for one event");
    if (room > kMostEvents) room = kMostEvents;
    std::unique_ptr<uint8_t[]> kind(new uint8_t[room]);
    std::unique_ptr<uint32_t[]> thread(new uint32_t[room]), function(new uint32_t[room]), line(new uint32_t[room]);
    std::unique_ptr<uint64_t[]> time(new uint64_t[room]);
    size_t count = 0;
    int error = 0;
    sn_trace_result result = unlocked(trace.lock(), [&] {
        sn_trace_columns columns{kind.get(), thread.get(), function.get(), line.get(), time.get()};
        trace.result = sn_trace_read(trace.reader(), &columns, room, &count);
        error = errno;
        if (ns_per_tick > 0) sn_trace_nanoseconds(&trace.reader()->header, ns_per_tick, time.get(), count);
        return trace.result;
    });
    if (result == SN_TRACE_NO_MEMORY) throw std::bad_alloc();
    if (result == SN_TRACE_UNREADABLE) {
        errno = error;
        raise_errno();
    }
    return nb::make_tuple(static_cast<int>(result), nb::bytes(kind.get(), count), nb::bytes(thread.get(), 4 * count),
                          nb::bytes(function.get(), 4 * count), nb::bytes(line.get(), 4 * count),
                          nb::bytes(time.get(), 8 * count));
}

// Definitions from number `first` on: qualified name, module, file, first line, flags.
nb::list functions_from(TraceReader &trace, uint32_t first) {
    std::lock_guard locked(trace.lock());
    const sn_trace_reader *reader = trace.reader();
    nb::list found;
    for (uint32_t i = first; i < reader->function_count; i++) {
        const sn_trace_definition &definition = reader->functions[i];
        const char *text = reader->text + definition.text;
        const uint32_t *length = definition.length;
        found.append(nb::make_tuple(text_of(text, length[0]), text_of(text + length[0], length[1]),
                                    text_of(text + length[0] + length[1], length[2]), definition.first_line,
                                    definition.flags));
    }
    return found;
}

// (block or None, offset, unreadable bytes, what), or None.
nb::object problem(const sn_trace_problem &of) {
    if (!of.what) return nb::none();
    nb::object block = of.block == SN_TRACE_NO_BLOCK ? nb::none() : nb::object(nb::int_(of.block));
    return nb::make_tuple(block, of.offset, of.unreadable, std::string(of.what));
}

class TraceWriter {
  public:
    TraceWriter(const nb::bytes &path, uint32_t clock, uint32_t unit_shift, uint64_t start_ticks, uint64_t start_ns,
                uint32_t pid, uint32_t parent_pid, const nb::bytes &command, const nb::bytes &python,
                const nb::bytes &mechanism) {
        sn_trace_about about{};
        about.clock = clock;
        about.unit_shift = unit_shift;
        about.pid = pid;
        about.parent_pid = parent_pid;
        about.start_ticks = start_ticks;
        about.start_ns = start_ns;
        const nb::bytes *texts[] = {&command, &python, &mechanism};
        for (int i = 0; i < 3; i++) {
            about.text[i] = texts[i]->c_str();
            if (texts[i]->size() > UINT32_MAX) throw nb::value_error("a text is too long");
            about.length[i] = static_cast<uint32_t>(texts[i]->size());
        }
        switch (sn_trace_create(&writer_, path.c_str(), &about)) {
        case SN_OK:
            break;
        case SN_NO_MEMORY:
            throw std::bad_alloc();
        case SN_NO_SPACE:
            errno = ENOSPC;
            raise_errno();
        case SN_BAD_INPUT:
            throw nb::value_error("no such clock or unit, or a text that is too long");
        case SN_SYSTEM:
            raise_errno();
        }
    }
    ~TraceWriter() { sn_trace_abandon(&writer_); }
    TraceWriter(const TraceWriter &) = delete;
    TraceWriter &operator=(const TraceWriter &) = delete;

    bool function(const nb::bytes &name, const nb::bytes &module, const nb::bytes &file, uint32_t first_line,
                  uint32_t flags) {
        const nb::bytes *texts[] = {&name, &module, &file};
        const char *text[3];
        uint32_t length[3];
        for (int i = 0; i < 3; i++) {
            if (texts[i]->size() > SN_TRACE_TEXT_BYTES) throw nb::value_error("a text is too long");
            text[i] = texts[i]->c_str();
            length[i] = static_cast<uint32_t>(texts[i]->size());
        }
        return sn_trace_function(&writer_, first_line, flags, text, length);
    }

    void feed(nb::handle kind, nb::handle thread, nb::handle function, nb::handle line, nb::handle ticks) {
        Column k(kind, 1, "kind"), t(thread, 4, "thread"), f(function, 4, "function"), l(line, 4, "line"),
            n(ticks, 8, "ticks");
        size_t count = k.count();
        if (t.count() != count || f.count() != count || l.count() != count || n.count() != count)
            throw nb::value_error("columns differ in length");
        for (size_t i = 0; i < count; i++) {
            uint8_t of = k.as<uint8_t>()[i];
            bool edged = of == SN_TRACE_ENTER || of == SN_TRACE_FOUND;
            if (of < SN_TRACE_ENTER || of > SN_TRACE_LOST || (edged && f.as<uint32_t>()[i] >= defined()))
                throw nb::value_error(
                    ("event " + std::to_string(i) + " has an unknown kind or a function that is not defined").c_str());
        }
        for (size_t i = 0; i < count; i++)
            sn_trace_event(&writer_, k.as<uint8_t>()[i], t.as<uint32_t>()[i], f.as<uint32_t>()[i],
                           l.as<uint32_t>()[i], n.as<uint64_t>()[i]);
    }

    void finish(uint64_t ticks, uint64_t ns) { sn_trace_finish(&writer_, ticks, ns); }
    void abandon() { sn_trace_abandon(&writer_); }
    uint64_t lost() const { return writer_.lost; }
    uint64_t events() const { return writer_.events; }
    uint32_t function_count() const { return writer_.functions; }

  private:
    // A writer that has stopped drops events; their functions are then not looked at.
    uint32_t defined() const { return writer_.used == SN_TRACE_STOPPED ? UINT32_MAX : writer_.functions; }

    sn_trace_writer writer_;
};

} // namespace

TraceReader::TraceReader(const nb::bytes &path) {
    opened = sn_trace_open(&reader_, path.c_str());
    result = opened;
    known_version = reader_.header.version;
    if (opened == SN_TRACE_NO_MEMORY) throw std::bad_alloc();
    if (opened == SN_TRACE_UNREADABLE) raise_errno();
}

void bind_trace(nb::module_ &module) {
    using T = TraceReader;
    nb::class_<T> reader(module, "TraceReader");
    reader.def(nb::init<const nb::bytes &>(), nb::arg("path"))
        .def_prop_ro("opened", [](T &t) { return static_cast<int>(t.opened); })
        .def_ro("version", &T::known_version)
        .def("read", read_batch, nb::arg("room"), nb::arg("ns_per_tick"))
        .def("functions", functions_from, nb::arg("first"))
        .def("forget", [](T &t) { return unlocked(t.lock(), [&] { return sn_trace_forget(t.reader()); }); })
        .def("last_pair",
             [](T &t) -> nb::object {
                 uint64_t ticks = 0, ns = 0;
                 bool found =
                     unlocked(t.lock(), [&] { return sn_trace_last_pair(t.reader(), &ticks, &ns); });
                 return found ? nb::object(nb::make_tuple(ticks, ns)) : nb::none();
             })
        .def_prop_ro("problem", [](T &t) { return problem(t.reader()->problem); })
        .def_prop_ro("events", [](T &t) { return t.reader()->events; })
        .def_prop_ro("function_count", [](T &t) { return t.reader()->function_count; });
    reader
        .def_prop_ro("command", [](T &t) { return text_of(t.reader()->about[0], t.reader()->header.length[0]); })
        .def_prop_ro("python", [](T &t) { return text_of(t.reader()->about[1], t.reader()->header.length[1]); })
        .def_prop_ro("mechanism", [](T &t) { return text_of(t.reader()->about[2], t.reader()->header.length[2]); })
        .def_prop_ro("clock", [](T &t) { return t.reader()->header.clock; })
        .def_prop_ro("unit_shift", [](T &t) { return t.reader()->header.unit_shift; })
        .def_prop_ro("pid", [](T &t) { return t.reader()->header.pid; })
        .def_prop_ro("parent_pid", [](T &t) { return t.reader()->header.parent_pid; })
        .def_prop_ro("start_ticks", [](T &t) { return t.reader()->header.start_ticks; })
        .def_prop_ro("start_ns", [](T &t) { return t.reader()->header.start_ns; })
        .def_prop_ro("finished", [](T &t) { return t.reader()->header.end_check != 0; })
        .def_prop_ro("end_ticks", [](T &t) { return t.reader()->header.end_ticks; })
        .def_prop_ro("end_ns", [](T &t) { return t.reader()->header.end_ns; })
        .def_prop_ro("total_events", [](T &t) { return t.reader()->header.events; })
        .def_prop_ro("lost_events", [](T &t) { return t.reader()->header.lost; });

    nb::class_<TraceWriter>(module, "TraceWriter")
        .def(nb::init<const nb::bytes &, uint32_t, uint32_t, uint64_t, uint64_t, uint32_t, uint32_t, const nb::bytes &,
                      const nb::bytes &, const nb::bytes &>(),
             nb::arg("path"), nb::arg("clock"), nb::arg("unit_shift"), nb::arg("start_ticks"), nb::arg("start_ns"),
             nb::arg("pid"), nb::arg("parent_pid"), nb::arg("command"), nb::arg("python"), nb::arg("mechanism"))
        .def("function", &TraceWriter::function, nb::arg("name"), nb::arg("module"), nb::arg("file"),
             nb::arg("first_line"), nb::arg("flags"))
        .def("feed", &TraceWriter::feed, nb::arg("kind"), nb::arg("thread"), nb::arg("function"), nb::arg("line"),
             nb::arg("ticks"))
        .def("finish", &TraceWriter::finish, nb::arg("ticks"), nb::arg("ns"))
        .def("abandon", &TraceWriter::abandon)
        .def_prop_ro("events", &TraceWriter::events)
        .def_prop_ro("function_count", &TraceWriter::function_count)
        .def_prop_ro("lost_events", &TraceWriter::lost);
}
