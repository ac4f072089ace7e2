#include "spool.h"

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace {

nb::str text_of(const sn_spool_record &record, int i) {
    PyObject *text = PyUnicode_DecodeUTF8(record.text[i], record.length[i], "surrogateescape");
    if (!text) throw nb::python_error();
    return nb::steal<nb::str>(text);
}

} // namespace

Spool::Spool(const nb::bytes &path) {
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
        case SN_RECORD_TASKS:
        case SN_RECORD_AWAIT:
        case SN_RECORD_LOOPS:
        case SN_RECORD_THREAD:
        case SN_RECORD_PATHS:
        case SN_RECORD_PATHS_TABLE:
        case SN_RECORD_CYCLES:
        case SN_RECORD_SAMPLES:
            sums.append(nb::make_tuple((uint32_t)record.kind,
                                       nb::make_tuple(record.number[0], record.number[1], record.number[2], record.number[3]),
                                       nb::bytes(record.text[0], record.length[0]), text_of(record, 1)));
            break;
        case SN_RECORD_LAYOUT:
            break;
        }
    }
    sn_spool_cursor cursor;
    for (uint64_t cell = SN_HEADER_CELLS; sn_spool_file_next_cursor(&file_, &cell, &cursor);)
        if (cursor.now > last_ticks) last_ticks = cursor.now;
}

void bind_spool(nb::module_ &module) {
    nb::class_<Spool>(module, "Spool")
        .def(nb::init<const nb::bytes &>(), nb::arg("path"))
        .def_ro("functions", &Spool::functions)
        .def_ro("notes", &Spool::notes)
        .def_ro("sums", &Spool::sums)
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
        .def_prop_ro("replaced_ticks", [](const Spool &s) { return s.header().replaced_ticks; })
        .def_prop_ro("lost_events", [](const Spool &s) { return s.header().lost_events; })
        .def_prop_ro("unseen_ticks", [](const Spool &s) { return s.header().unseen_ticks; })
        .def_prop_ro("taken_ticks", [](const Spool &s) { return s.header().taken; })
        .def_prop_ro("cost_ticks", [](const Spool &s) {
            const uint32_t *costs = s.header().costs;
            return nb::make_tuple(costs[0], costs[1], costs[2], costs[3]);
        })
        .def_prop_ro("dropped_calls", [](const Spool &s) { return s.header().dropped_calls; })
        .def_prop_ro("resyncs", [](const Spool &s) { return s.header().resyncs; })
        .def_prop_ro("metric", [](const Spool &s) { return s.header().metric; })
        .def_prop_ro("counters", [](const Spool &s) { return s.header().counters; })
        .def_prop_ro("floor", [](const Spool &s) { return s.header().floor; })
        .def_prop_ro("bursts", [](const Spool &s) { return s.header().bursts; })
        .def_prop_ro("looked_ticks", [](const Spool &s) { return s.header().looked_ticks; })
        .def_prop_ro("burst_start", [](const Spool &s) { return s.header().burst_start; })
        .def_prop_ro("first_burst", [](const Spool &s) { return s.header().first_burst; })
        .def_prop_ro("truncated", [](const Spool &s) { return s.file().truncated; });
}
