#include "context_sampler.h"

#include "buffer.h"

extern "C" {
#include "../core/base/ticks.h"
#include "../core/samples/context_sampler.h"
}

namespace nb = nanobind;

namespace {

class ContextSampler {
  public:
    ContextSampler(const nb::bytes &folder, uint64_t period_ns, bool is_processor) {
        if (!period_ns) throw nb::value_error("there has to be time between two looks");
        sampler_ = sn_context_sampler_create(period_ns, is_processor);
        if (!sampler_) throw std::bad_alloc();
        if (sn_context_sampler_watch(sampler_, folder.c_str()) == SN_OK) return;
        sn_context_sampler_destroy(sampler_);
        throw std::bad_alloc();
    }
    ~ContextSampler() { sn_context_sampler_destroy(sampler_); }
    ContextSampler(const ContextSampler &) = delete;
    ContextSampler &operator=(const ContextSampler &) = delete;

    // Until it is stopped; without the interpreter's lock, which a thread may have that waits for a processor.
    void run() {
        nb::gil_scoped_release released;
        sn_context_sampler_run(sampler_, UINT64_MAX / 2);
    }

    void look() { sn_context_sampler_look(sampler_, sn_monotonic_ns()); }
    void stop() { sn_context_sampler_stop(sampler_); }

    nb::dict sums() const {
        sn_context_sums sums = sn_context_sampler_sums(sampler_);
        nb::dict named;
        named["looks"] = sums.looks;
        named["placed_ns"] = sums.placed_ns;
        named["unknown_ns"] = sums.unknown_ns;
        named["lost_ns"] = sums.lost_ns;
        named["rounds"] = sums.rounds;
        named["late"] = sums.late;
        named["first_ns"] = sums.first_ns;
        named["last_ns"] = sums.last_ns;
        named["forbidden"] = sums.forbidden;
        named["unmapped"] = sums.unmapped;
        return named;
    }

    // Of the spools that are looked at, in the order in which they came.
    nb::list paths() const {
        nb::list found;
        for (uint32_t i = 0; const char *path = sn_context_sampler_path(sampler_, i); i++) found.append(nb::bytes(path));
        return found;
    }

    // float64 by function: variances of the spool `number`, from 0.
    nb::bytes squares(uint32_t number) const {
        uint32_t count;
        const double *squares = sn_context_sampler_squares(sampler_, number, &count);
        return nb::bytes(reinterpret_cast<const char *>(squares), count * sizeof *squares);
    }

  private:
    sn_context_sampler *sampler_;
};

} // namespace

void bind_context_sampler(nb::module_ &module) {
    nb::class_<ContextSampler>(module, "ContextSampler")
        .def(nb::init<const nb::bytes &, uint64_t, bool>(), nb::arg("folder"), nb::arg("period_ns"), nb::arg("is_processor"))
        .def("run", &ContextSampler::run)
        .def("paths", &ContextSampler::paths)
        .def("look", &ContextSampler::look)
        .def("stop", &ContextSampler::stop)
        .def("sums", &ContextSampler::sums)
        .def("squares", &ContextSampler::squares, nb::arg("number"));
}
