// Traces for Python, and for the rest of the binding: a tree can be fed from a trace without a detour.
#ifndef SONDE_PYTHON_TRACE_H
#define SONDE_PYTHON_TRACE_H

#include <nanobind/nanobind.h>

#include <mutex>
#include <string>

extern "C" {
#include "../core/trace/trace_reader.h"
}

// An open trace. Everything but its making holds `lock`, which is taken without the GIL.
class TraceReader {
  public:
    explicit TraceReader(const nanobind::bytes &path);
    ~TraceReader() { sn_trace_close(&reader_); }
    TraceReader(const TraceReader &) = delete;
    TraceReader &operator=(const TraceReader &) = delete;

    sn_trace_reader *reader() { return &reader_; }
    std::mutex &lock() { return lock_; }

    sn_trace_result opened;   // MORE, or why it is not open
    uint32_t known_version;   // of the file, when it is newer
    sn_trace_result result;   // of the last reading

  private:
    sn_trace_reader reader_;
    std::mutex lock_;
};

void bind_trace(nanobind::module_ &module);

#endif
