#include "code_sampler.h"

#include "buffer.h"

extern "C" {
#include "../core/samples/code_sampler.h"
}

namespace nb = nanobind;

namespace {

class CodeSampler {
  public:
    CodeSampler(const nb::bytes &path, int process, uint64_t start, uint64_t bytes, double ns_per_sample, bool follow,
                const nb::bytes &command, const nb::bytes &mechanism) {
        const sn_code_sampler_plan plan = {process, follow, start, bytes, ns_per_sample, command.c_str(), mechanism.c_str()};
        sampler_ = sn_code_sampler_create(&plan, path.c_str());
        if (!sampler_) check(SN_SYSTEM, "");
    }
    ~CodeSampler() { end(); }
    CodeSampler(const CodeSampler &) = delete;
    CodeSampler &operator=(const CodeSampler &) = delete;

    void read() {
        nb::gil_scoped_release released;
        if (sampler_) sn_code_sampler_read(sampler_);
    }

    void end() {
        sn_code_sampler_destroy(sampler_);
        sampler_ = nullptr;
    }

  private:
    sn_code_sampler *sampler_ = nullptr;
};

} // namespace

void bind_code_sampler(nb::module_ &module) {
    nb::class_<CodeSampler>(module, "CodeSampler")
        .def(nb::init<const nb::bytes &, int, uint64_t, uint64_t, double, bool, const nb::bytes &, const nb::bytes &>(),
             nb::arg("path"), nb::arg("process"), nb::arg("start"), nb::arg("size"), nb::arg("ns_per_sample"),
             nb::arg("follow"), nb::arg("command"), nb::arg("mechanism"))
        .def("read", &CodeSampler::read)
        .def("end", &CodeSampler::end);
    module.def("sampling_refused", &sn_code_sampler_refused,
               "What errno says why no process of ours can be sampled here; 0: it can.");
}
