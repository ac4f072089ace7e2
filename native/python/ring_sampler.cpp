#include "ring_sampler.h"

#include "stack_tree.h"

extern "C" {
#include "../core/samples/message_trigger.h"
#include "../core/stacks/ring_sampler.h"
}

namespace nb = nanobind;

namespace {

class RingSampler {
  public:
    explicit RingSampler(bool apart) {
        sampler_ = sn_ring_sampler_create(apart);
        if (!sampler_) throw std::bad_alloc();
    }
    ~RingSampler() { sn_ring_sampler_destroy(sampler_); }
    RingSampler(const RingSampler &) = delete;
    RingSampler &operator=(const RingSampler &) = delete;

    // How it went, as sn_ring_result.
    int add(const nb::bytes &path) {
        sn_ring_result result = sn_ring_sampler_add(sampler_, path.c_str());
        if (result == SN_RING_NO_MEMORY) throw std::bad_alloc();
        return result;
    }

    bool drain() {
        nb::gil_scoped_release released;
        return sn_ring_sampler_drain(sampler_);
    }

    void release(uint32_t process) {
        if (process >= sn_ring_sampler_processes(sampler_)) throw nb::index_error("there is no such process");
        sn_ring_sampler_release(sampler_, process);
    }

    void stop() { sn_ring_sampler_stop(sampler_); }
    nb::tuple columns() const { return columns_of(sn_ring_sampler_tree(sampler_)); }
    nb::list functions() const { return functions_of(sn_ring_sampler_functions(sampler_), sn_ring_sampler_tree(sampler_)); }
    nb::list lines() const { return lines_of(sn_ring_sampler_tree(sampler_)); }

    // Process id, version, threads, state (as sn_ring_state), stacks, command.
    nb::list processes() const {
        nb::list found;
        for (uint32_t i = 0; i < sn_ring_sampler_processes(sampler_); i++) {
            sn_ring_process p = sn_ring_sampler_process(sampler_, i);
            found.append(nb::make_tuple(p.pid, p.version, p.threads, static_cast<int>(p.state), p.stacks,
                                        text_of(p.command, p.command_bytes)));
        }
        return found;
    }

    // Process, in order of their addition; number of the system; processor time at the first sample and the last.
    nb::list threads() const {
        nb::list found;
        for (uint32_t i = 0; i < sn_ring_sampler_threads(sampler_); i++) {
            sn_ring_thread t = sn_ring_sampler_thread(sampler_, i);
            found.append(nb::make_tuple(t.process, t.native_id, t.first_ns, t.last_ns));
        }
        return found;
    }

    nb::dict sums() const {
        static const char *const names[] = {"lost", "busy", "torn", "too_deep", "late", "elsewhere", "unarmed", "only_user", "signals"};
        static_assert(sizeof names / sizeof *names == SN_RING_COUNTS, "each count has a name");
        sn_ring_sums sums = sn_ring_sampler_sums(sampler_);
        nb::dict d;
        d["samples"] = sums.samples;
        d["stacks"] = sums.stacks;
        d["outside"] = sums.outside;
        d["unknown"] = sums.unknown;
        d["replaced"] = sums.replaced;
        d["damaged"] = sums.damaged;
        d["covered_ns"] = sums.covered_ns;
        for (unsigned what = 0; what < SN_RING_COUNTS; what++) d[names[what]] = sums.counts[what];
        return d;
    }

  private:
    sn_ring_sampler *sampler_;
};

class MessageTrigger {
  public:
    explicit MessageTrigger(uint64_t period_ns) {
        if (!period_ns) throw nb::value_error("there has to be time between two signals");
        trigger_ = sn_message_trigger_create(period_ns);
        if (!trigger_) throw std::bad_alloc();
    }
    ~MessageTrigger() { sn_message_trigger_destroy(trigger_); }
    MessageTrigger(const MessageTrigger &) = delete;
    MessageTrigger &operator=(const MessageTrigger &) = delete;

    bool add(const nb::bytes &path) { return sn_message_trigger_add(trigger_, path.c_str()); }

    void run(uint64_t ns) {
        nb::gil_scoped_release released;
        sn_message_trigger_run(trigger_, ns);
    }

    void stop() { sn_message_trigger_stop(trigger_); }
    uint64_t sent() const { return sn_message_trigger_sent(trigger_); }

  private:
    sn_message_trigger *trigger_;
};

} // namespace

void bind_ring_sampler(nb::module_ &module) {
    nb::class_<RingSampler>(module, "RingSampler")
        .def(nb::init<bool>(), nb::arg("apart"))
        .def("add", &RingSampler::add, nb::arg("path"))
        .def("drain", &RingSampler::drain)
        .def("release", &RingSampler::release, nb::arg("process"))
        .def("stop", &RingSampler::stop)
        .def("columns", &RingSampler::columns)
        .def("functions", &RingSampler::functions)
        .def("lines", &RingSampler::lines)
        .def("processes", &RingSampler::processes)
        .def("threads", &RingSampler::threads)
        .def("sums", &RingSampler::sums);
    nb::class_<MessageTrigger>(module, "MessageTrigger")
        .def(nb::init<uint64_t>(), nb::arg("period_ns"))
        .def("add", &MessageTrigger::add, nb::arg("path"))
        .def("run", &MessageTrigger::run, nb::arg("ns"))
        .def("stop", &MessageTrigger::stop)
        .def_prop_ro("sent", &MessageTrigger::sent);
}
