// Context trees for Python: exact or hot, fed with batches, recordings or spools.

#include "context_tree.h"

#include "spool.h"
#include "trace.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <cerrno>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

extern "C" {
#include "../core/contexts/call_tree.h"
}

namespace nb = nanobind;

namespace {

sn_metric metric_named(const std::string &name) {
    if (name == "calls") return SN_METRIC_CALLS;
    if (name == "time") return SN_METRIC_TIME;
    throw nb::value_error(("the metric is 'calls' or 'time', not '" + name + "'").c_str());
}

// A part of a recording: room for events that are read from a trace without a detour through Python.
class Recorded {
  public:
    explicit Recorded(size_t room)
        : kind(new uint8_t[room]), thread(new uint32_t[room]), function(new uint32_t[room]), line(new uint32_t[room]),
          time(new uint64_t[room]), room_(room) {
        if (!room) throw nb::value_error("there has to be room for one event");
    }

    // Read what comes next; times are ticks. Returns the reader's result, 0 when events were read.
    int read(TraceReader &trace) {
        sn_trace_columns columns{kind.get(), thread.get(), function.get(), line.get(), time.get()};
        int error;
        {
            nb::gil_scoped_release released;
            std::lock_guard locked(trace.lock());
            count = 0;
            trace.result = sn_trace_read(trace.reader(), &columns, room_, &count);
            error = errno;
        }
        if (trace.result == SN_TRACE_NO_MEMORY) throw std::bad_alloc();
        if (trace.result == SN_TRACE_UNREADABLE) {
            errno = error;
            check(SN_SYSTEM, "");
        }
        return trace.result;
    }

    // Whether an event has a function.
    bool names(size_t i) const { return kind[i] == SN_EVENT_ENTER || kind[i] == SN_EVENT_FOUND; }

    std::unique_ptr<uint8_t[]> kind;
    std::unique_ptr<uint32_t[]> thread, function, line;
    std::unique_ptr<uint64_t[]> time;
    size_t count = 0;

  private:
    size_t room_;
};

class BurstGate {
  public:
    BurstGate(uint64_t interval, uint64_t length) {
        if (!length || length >= interval) throw nb::value_error("a burst is shorter than its interval");
        sn_burst_gate_init(&gate, interval, length);
    }
    ~BurstGate() { sn_burst_gate_free(&gate); }
    BurstGate(const BurstGate &) = delete;
    BurstGate &operator=(const BurstGate &) = delete;

    sn_burst_gate gate;
};

// A tree, exact or hot. The GIL is released for the long operations, so it has a lock of its own; it is
// taken without the GIL, or two threads could wait for each other.
class ContextTree {
  public:
    explicit ContextTree(bool sided) {
        sn_hot_plan exact{};
        check(sn_call_tree_create(&tree_, &exact, sided), "");
    }
    explicit ContextTree(const sn_hot_plan &plan) {
        if (!plan.counters || !plan.nodes_limit)
            throw nb::value_error("a hot tree needs at least one counter and one node");
        if (plan.space_saving && plan.metric != SN_METRIC_CALLS)
            throw nb::value_error("Space-Saving is by calls only");
        check(sn_call_tree_create(&tree_, &plan, true), "");
    }
    ~ContextTree() { sn_call_tree_destroy(&tree_); }
    ContextTree(const ContextTree &) = delete;
    ContextTree &operator=(const ContextTree &) = delete;

    void feed(nb::handle kind, nb::handle thread, nb::handle function, nb::handle line, nb::handle time_ns) {
        Buffer k(kind, 1, "kind"), t(thread, 4, "thread"), f(function, 4, "function"), l(line, 4, "line"),
            n(time_ns, 8, "time_ns");
        if (t.count() != k.count() || f.count() != k.count() || l.count() != k.count() || n.count() != k.count())
            throw nb::value_error("columns differ in length");
        sn_events events{k.as<uint8_t>(), t.as<uint32_t>(), f.as<uint32_t>(), l.as<uint32_t>(), n.as<uint64_t>()};
        size_t consumed = 0;
        sn_status status;
        {
            nb::gil_scoped_release released;
            std::lock_guard locked(lock_);
            status = sn_call_tree_feed(&tree_, &events, 0, k.count(), &consumed);
        }
        std::string what = "event " + std::to_string(consumed) + " has an unknown kind, thread number or time";
        check(status, what.c_str());
    }

    // Feed a part of a recording, through a gate if there is one. `function_map` gives the number here of
    // each function of the recording.
    void feed_recorded(const Recorded &recorded, nb::handle function_map, BurstGate *gate) {
        Buffer map(function_map, 4, "function_map");
        sn_status status;
        {
            nb::gil_scoped_release released;
            std::lock_guard locked(lock_);
            status = gate ? feed_through(recorded, map.as<uint32_t>(), map.count(), *gate)
                          : feed_directly(recorded, map.as<uint32_t>(), map.count());
        }
        check(status, "a function of the recording is beyond the map");
    }

    // The recording has ended.
    void end_recorded(BurstGate &gate) {
        std::lock_guard locked(lock_);
        sn_burst_taker taker = taker_of();
        check(sn_burst_gate_end(&gate.gate, &taker), "");
    }

    // Returns the number of calls that the spool brought.
    uint64_t add_spool(const Spool &spool, nb::handle function_map, double ns_per_tick, uint64_t end_ticks, bool apart) {
        Buffer map(function_map, 4, "function_map");
        sn_status status;
        uint64_t calls;
        {
            nb::gil_scoped_release released;
            std::lock_guard locked(lock_);
            calls = tree_.calls;
            status = sn_call_tree_add_spool(&tree_, &spool.file(), map.as<uint32_t>(),
                                            static_cast<uint32_t>(map.count()), ns_per_tick, end_ticks, apart);
            calls = tree_.calls - calls;
        }
        check(status, "");
        return calls;
    }

    // The same of a spool, and of spools of what was called from its contexts, each with its map. Returns the
    // calls of all.
    uint64_t add_spools(const Spool &spool, nb::handle function_map, double ns_per_tick, uint64_t end_ticks,
                        const nb::list &inner) {
        Buffer map(function_map, 4, "function_map");
        std::deque<Buffer> maps; // they cannot be moved
        std::vector<sn_inner_spool> spools;
        for (nb::handle pair : inner) {
            maps.emplace_back(pair[1], 4, "function_map");
            spools.push_back({&nb::cast<const Spool &>(pair[0]).file(), maps.back().as<uint32_t>(),
                              static_cast<uint32_t>(maps.back().count())});
        }
        sn_status status;
        uint64_t calls;
        {
            nb::gil_scoped_release released;
            std::lock_guard locked(lock_);
            calls = tree_.calls;
            status = sn_call_tree_add_spools(&tree_, &spool.file(), map.as<uint32_t>(),
                                             static_cast<uint32_t>(map.count()), ns_per_tick, end_ticks, spools.data(),
                                             static_cast<uint32_t>(spools.size()));
            calls = tree_.calls - calls;
        }
        check(status, "a spool of compiled code is not exact");
        return calls;
    }

    void merge(ContextTree &other, nb::handle function_map) {
        if (&other == this) throw nb::value_error("a tree cannot be merged into itself");
        Buffer map(function_map, 4, "function_map");
        sn_status status;
        {
            nb::gil_scoped_release released;
            std::scoped_lock locked(lock_, other.lock_);
            status = sn_call_tree_merge(&tree_, &other.tree_, map.as<uint32_t>(), static_cast<uint32_t>(map.count()));
        }
        check(status, "the other tree has functions beyond the map, or another metric");
    }

    // Eight columns of int64 as bytes: parent, function, call_line, calls, total_calls, self_ns, total_ns, error.
    nb::tuple columns(double ns_per_tick) {
        Columns read = read_columns(ns_per_tick);
        auto bytes = [&](int i) { return nb::bytes(read.values[i].get(), read.rows * sizeof(int64_t)); };
        return nb::make_tuple(bytes(0), bytes(1), bytes(2), bytes(3), bytes(4), bytes(5), bytes(6), bytes(7));
    }

    // Two columns of float64 as bytes, parallel to the others: sums over the bursts of the squares of
    // calls and of ticks that each burst brought.
    nb::tuple burst_columns() {
        Columns read = read_columns(1.0);
        auto bytes = [&](int i) { return nb::bytes(read.squares[i].get(), read.rows * sizeof(double)); };
        return nb::make_tuple(bytes(0), bytes(1));
    }

    void end_burst() {
        std::lock_guard locked(lock_);
        if (!tree_.hot.tree.sided) throw nb::value_error("an exact tree knows no bursts");
        sn_hot_end_burst(&tree_.hot);
    }

    // What was counted at the top, in contexts that were pruned: calls and ticks.
    std::pair<uint64_t, uint64_t> unlisted() const {
        if (!tree_.hot.tree.sided) return {0, 0};
        const sn_side *side = sn_side_of(tree_.hot.root);
        return {side->pruned_calls, side->pruned_ticks};
    }

    uint64_t floor() const {
        return tree_.hot.metric == SN_METRIC_NONE ? tree_.floors : tree_.hot.header->floor;
    }
    uint64_t threads() const {
        uint64_t count = 0;
        for (const sn_cursor *cursor = tree_.hot.cursors; cursor; cursor = cursor->next) count++;
        return count;
    }
    uint64_t nodes() const { return tree_.hot.tree.nodes; }
    uint64_t monitored() const {
        return tree_.hot.space_saving ? tree_.hot.queue.count : tree_.hot.tree.nodes;
    }
    uint64_t dropped() const { return tree_.dropped; }
    uint64_t dropped_ns() const { return tree_.dropped_ns; }
    // All calls and ticks that were counted, listed or not.
    uint64_t total_calls() { return totals().first; }
    uint64_t total_ns() { return totals().second; }
    uint64_t unmatched() const { return tree_.unmatched; }
    uint64_t orphans() const { return tree_.orphans; }
    // Everything that the tree needs: cells, the index of wide parents, and the counters.
    uint64_t size_bytes() const {
        return tree_.cells.used * SN_CELL_BYTES + sn_child_index_bytes(&tree_.hot.tree.index) +
               tree_.hot.queue.room * (sizeof(void *) + sizeof(uint64_t));
    }

    sn_call_tree &tree() { return tree_; }
    std::mutex &lock() { return lock_; }

  private:
    sn_burst_taker taker_of() {
        return {&tree_, [](void *to, const sn_event *event) { return sn_call_tree_event(static_cast<sn_call_tree *>(to), event); },
                [](void *to) { if (static_cast<sn_call_tree *>(to)->hot.tree.sided) sn_hot_end_burst(&static_cast<sn_call_tree *>(to)->hot); }};
    }

    sn_status feed_directly(const Recorded &recorded, const uint32_t *map, size_t functions) {
        std::vector<uint32_t> numbers(recorded.count);
        for (size_t i = 0; i < recorded.count; i++) {
            uint32_t number = recorded.function[i];
            if (number >= functions && recorded.names(i)) return SN_BAD_INPUT;
            numbers[i] = number < functions ? map[number] : 0;
        }
        sn_events events{recorded.kind.get(), recorded.thread.get(), numbers.data(), recorded.line.get(),
                         recorded.time.get()};
        size_t consumed;
        return sn_call_tree_feed(&tree_, &events, 0, recorded.count, &consumed);
    }

    sn_status feed_through(const Recorded &recorded, const uint32_t *map, size_t functions, BurstGate &gate) {
        sn_burst_taker taker = taker_of();
        for (size_t i = 0; i < recorded.count; i++) {
            uint32_t number = recorded.function[i];
            if (recorded.names(i) && number >= functions) return SN_BAD_INPUT;
            sn_event event{recorded.kind[i], recorded.thread[i], number < functions ? map[number] : 0, recorded.line[i],
                           recorded.time[i]};
            if (event.thread >= SN_THREAD_LIMIT) return SN_BAD_INPUT;
            sn_status status = sn_burst_gate_event(&gate.gate, &event, &taker);
            if (status != SN_OK) return status;
        }
        return SN_OK;
    }

    struct Columns {
        uint64_t rows;
        std::unique_ptr<int64_t[]> values[8];
        std::unique_ptr<double[]> squares[2];
    };

    std::pair<uint64_t, uint64_t> totals() {
        Columns read = read_columns(1.0);
        auto [calls, ns] = unlisted();
        for (uint64_t row = 0; row < read.rows; row++) {
            if (read.values[0][row] >= 0) continue;
            calls += static_cast<uint64_t>(read.values[4][row]);
            ns += static_cast<uint64_t>(read.values[6][row]);
        }
        return {calls, ns};
    }

    Columns read_columns(double ns_per_tick) {
        Columns read{};
        {
            nb::gil_scoped_release released;
            std::lock_guard locked(lock_);
            uint64_t room = sn_call_tree_rows(&tree_) + 1;
            for (auto &column : read.values) column.reset(new int64_t[room]);
            for (auto &column : read.squares) column.reset(new double[room]);
            auto &v = read.values;
            sn_columns columns{v[0].get(), v[1].get(), v[2].get(), v[3].get(), v[4].get(),
                               v[5].get(), v[6].get(), v[7].get(), read.squares[0].get(), read.squares[1].get()};
            read.rows = sn_call_tree_columns(&tree_, ns_per_tick, &columns);
        }
        if (read.rows == SN_NO_ROW) throw std::bad_alloc();
        return read;
    }

    sn_call_tree tree_;
    std::mutex lock_;
};

class HotTree : public ContextTree {
  public:
    HotTree(const std::string &metric, std::optional<uint32_t> counters, std::optional<uint64_t> nodes,
            bool space_saving)
        : ContextTree(sn_hot_plan{metric_named(metric), space_saving, counters.value_or(UINT32_MAX),
                                  nodes.value_or(UINT64_MAX)}) {}
};

} // namespace

void bind_context_tree(nb::module_ &module) {
    nb::class_<Recorded>(module, "Recorded")
        .def(nb::init<size_t>(), nb::arg("room"))
        .def("read", &Recorded::read, nb::arg("trace"))
        .def("__len__", [](const Recorded &recorded) { return recorded.count; });

    nb::class_<BurstGate>(module, "BurstGate")
        .def(nb::init<uint64_t, uint64_t>(), nb::arg("interval"), nb::arg("length"))
        .def_prop_ro("bursts", [](const BurstGate &gate) { return sn_burst_gate_bursts(&gate.gate); })
        .def_prop_ro("open_time", [](const BurstGate &gate) { return sn_burst_gate_open_time(&gate.gate); })
        .def_prop_ro("elapsed", [](const BurstGate &gate) { return sn_burst_gate_elapsed(&gate.gate); });

    nb::class_<ContextTree>(module, "ContextTree")
        .def(nb::init<bool>(), nb::arg("sided") = false)
        .def("feed", &ContextTree::feed, nb::arg("kind"), nb::arg("thread"), nb::arg("function"), nb::arg("line"),
             nb::arg("time_ns"))
        .def("feed_recorded", &ContextTree::feed_recorded, nb::arg("recorded"), nb::arg("function_map"),
             nb::arg("gate").none())
        .def("end_recorded", &ContextTree::end_recorded, nb::arg("gate"))
        .def("add_spool", &ContextTree::add_spool, nb::arg("spool"), nb::arg("function_map"), nb::arg("ns_per_tick"),
             nb::arg("end_ticks"), nb::arg("apart") = false)
        .def("add_spools", &ContextTree::add_spools, nb::arg("spool"), nb::arg("function_map"),
             nb::arg("ns_per_tick"), nb::arg("end_ticks"), nb::arg("inner"))
        .def("merge", &ContextTree::merge, nb::arg("other"), nb::arg("function_map"))
        .def("columns", &ContextTree::columns, nb::arg("ns_per_tick") = 1.0)
        .def("burst_columns", &ContextTree::burst_columns)
        .def("end_burst", &ContextTree::end_burst)
        .def_prop_ro("unlisted", &ContextTree::unlisted)
        .def_prop_ro("floor", &ContextTree::floor)
        .def_prop_ro("threads", &ContextTree::threads)
        .def_prop_ro("nodes", &ContextTree::nodes)
        .def_prop_ro("monitored", &ContextTree::monitored)
        .def_prop_ro("size_bytes", &ContextTree::size_bytes)
        .def_prop_ro("dropped", &ContextTree::dropped)
        .def_prop_ro("dropped_ns", &ContextTree::dropped_ns)
        .def_prop_ro("total_calls", &ContextTree::total_calls)
        .def_prop_ro("total_ns", &ContextTree::total_ns)
        .def_prop_ro("unmatched", &ContextTree::unmatched)
        .def_prop_ro("orphans", &ContextTree::orphans);

    nb::class_<HotTree, ContextTree>(module, "HotTree")
        .def(nb::init<const std::string &, std::optional<uint32_t>, std::optional<uint64_t>, bool>(), nb::arg("metric"),
             nb::arg("counters").none(), nb::arg("nodes").none(), nb::arg("space_saving") = false);
}
