#include "stack_sampler.h"

#include "buffer.h"
#include "watched.h"

extern "C" {
#include "../core/stacks/debug_offsets.h"
#include "../core/stacks/stack_sampler.h"
}

namespace nb = nanobind;

namespace {

class StackSampler {
  public:
    StackSampler(uint64_t period_ns, int kind, bool apart, bool by_tasks, bool native) {
        if (!period_ns) throw nb::value_error("there has to be time between two looks");
        if (kind < SN_SAMPLE_PROCESSOR || kind > SN_SAMPLE_LOCK) throw nb::value_error("there is no such kind of time");
        sampler_ = sn_stack_sampler_create(period_ns, static_cast<sn_sampled_kind>(kind),
                                            by_tasks ? SN_APART_TASKS : apart ? SN_APART_THREADS : SN_APART_NOTHING);
        if (!sampler_) throw std::bad_alloc();
        if (!native) return;
        sn_status status;
        sn_libdw_result result = sn_stack_sampler_look_natively(sampler_, &status);
        if (result == SN_LIBDW_FOUND && status == SN_OK) return;
        sn_stack_sampler_destroy(sampler_);
        if (status != SN_OK) throw std::bad_alloc();
        throw nb::value_error("there is no libdw that can unwind stacks");
    }
    ~StackSampler() { sn_stack_sampler_destroy(sampler_); }
    StackSampler(const StackSampler &) = delete;
    StackSampler &operator=(const StackSampler &) = delete;

    // How it went, as sn_python_result.
    int add(int pid) {
        sn_status status;
        sn_python_result result = sn_stack_sampler_add(sampler_, pid, &status);
        check(status, "");
        return result;
    }

    void run(uint64_t ns) {
        nb::gil_scoped_release released;
        sn_stack_sampler_run(sampler_, ns);
    }

    void stop() { sn_stack_sampler_stop(sampler_); }
    sn_stack_sums sums() const { return sn_stack_sampler_sums(sampler_); }

    nb::tuple columns() const { return columns_of(sn_stack_sampler_tree(sampler_)); }
    nb::list functions() const { return functions_of(sn_stack_sampler_functions(sampler_), sn_stack_sampler_tree(sampler_)); }
    nb::list lines() const { return lines_of(sn_stack_sampler_tree(sampler_)); }

    nb::list targets() const {
        return told_all(sn_stack_sampler_targets(sampler_), [this](uint32_t i) { return sn_stack_sampler_target(sampler_, i); });
    }

    nb::list threads() const {
        return told_all(sn_stack_sampler_threads(sampler_), [this](uint32_t i) { return sn_stack_sampler_thread(sampler_, i); });
    }

    nb::list tasks() const {
        return told_all(sn_stack_sampler_task_groups(sampler_), [this](uint32_t i) { return *sn_stack_sampler_task_group(sampler_, i); });
    }

    // Paths of executables and libraries, as flags of functions number them.
    nb::list libraries() const {
        nb::list found;
        const sn_native_stacks *native = sn_stack_sampler_native(sampler_);
        const sn_native_libraries *libraries = native ? sn_native_stacks_libraries(native) : nullptr;
        for (uint32_t i = 0; libraries && i < libraries->count; i++)
            found.append(text_of(libraries->paths[i], static_cast<uint32_t>(strlen(libraries->paths[i]))));
        return found;
    }

    // What became of C stacks; empty if only Python functions were looked at.
    nb::dict native_sums() const {
        nb::dict d;
        const sn_native_stacks *native = sn_stack_sampler_native(sampler_);
        if (!native) return d;
        sn_native_sums sums = sn_native_stacks_sums(native);
        d["pauses"] = sums.pauses;
        d["paused_ns"] = sums.paused_ns;
        d["longest_ns"] = sums.longest_ns;
        d["refused"] = sums.refused;
        d["late"] = sums.late;
        d["unwound"] = sums.unwound;
        d["guessed"] = sums.guessed;
        d["not_copied"] = sums.cut[SN_UNWOUND_COPY];
        d["cut_at_jit"] = sums.cut[SN_UNWOUND_JIT];
        d["broken"] = sums.cut[SN_UNWOUND_BROKEN];
        d["too_deep"] = sums.cut[SN_UNWOUND_TOO_DEEP];
        return d;
    }

  private:
    sn_stack_sampler *sampler_;
};

nb::object layout_of(uint32_t version, const nb::bytes &offsets) {
    sn_python_layout l;
    bool is_known = offsets.size() >= SN_OFFSETS_BYTES
                        ? sn_python_layout_told(static_cast<const uint8_t *>(offsets.data()), &l)
                        : sn_python_layout_of(version, &l);
    if (!is_known) return nb::none();
    nb::dict d;
    d["runtime_interpreters"] = l.runtime_interpreters;
    d["interpreter_next"] = l.interpreter_next;
    d["interpreter_threads"] = l.interpreter_threads;
    d["interpreter_modules"] = l.interpreter_modules;
    d["generator_frame"] = l.generator_frame;
    d["task_coroutine"] = l.task_coroutine;
    d["state_task"] = l.state_task;
    d["dict_keys"] = l.dict_keys;
    d["keys_entries"] = l.keys_entries;
    d["interpreter_collecting"] = l.interpreter_collecting;
    d["runtime_lock"] = l.runtime_lock;
    d["interpreter_lock"] = l.interpreter_lock;
    d["lock_holder"] = l.lock_holder;
    d["lock_locked"] = l.lock_locked;
    d["lock_conditions"] = l.lock_conditions;
    d["lock_bytes"] = l.lock_bytes;
    d["state_next"] = l.state_next;
    d["state_native_id"] = l.state_native_id;
    d["state_interpreter"] = l.state_interpreter;
    d["state_frame"] = l.state_frame;
    d["held_frame"] = l.held_frame;
    d["frame_code"] = l.frame_code;
    d["frame_instruction"] = l.frame_instruction;
    d["frame_previous"] = l.frame_previous;
    d["frame_owner"] = l.frame_owner;
    d["frame_bytes"] = l.frame_bytes;
    d["frame_tags"] = l.frame_tags;
    d["frame_copy"] = l.frame_copy;
    d["owner_c"] = l.owner_c;
    d["frame_entry"] = l.frame_entry;
    d["code_flags"] = l.code_flags;
    d["code_first_line"] = l.code_first_line;
    d["code_file"] = l.code_file;
    d["code_name"] = l.code_name;
    d["code_line_table"] = l.code_line_table;
    d["code_instructions"] = l.code_instructions;
    d["code_copies"] = l.code_copies;
    d["object_type"] = l.object_type;
    d["object_size"] = l.object_size;
    d["bytes_data"] = l.bytes_data;
    d["type_name"] = l.type_name;
    d["text_length"] = l.text_length;
    d["text_state"] = l.text_state;
    d["text_ascii"] = l.text_ascii;
    d["text_compact"] = l.text_compact;
    d["text_shift"] = l.text_shift;
    d["is_free_threaded"] = l.is_free_threaded;
    return d;
}

} // namespace

void bind_stack_sampler(nb::module_ &module) {
    nb::class_<StackSampler>(module, "StackSampler")
        .def(nb::init<uint64_t, int, bool, bool, bool>(), nb::arg("period_ns"), nb::arg("kind"), nb::arg("apart"),
             nb::arg("by_tasks") = false, nb::arg("native") = false)
        .def("add", &StackSampler::add, nb::arg("pid"))
        .def("run", &StackSampler::run, nb::arg("ns"))
        .def("stop", &StackSampler::stop)
        .def("columns", &StackSampler::columns)
        .def("functions", &StackSampler::functions)
        .def("lines", &StackSampler::lines)
        .def("targets", &StackSampler::targets)
        .def("threads", &StackSampler::threads)
        .def("tasks", &StackSampler::tasks)
        .def("libraries", &StackSampler::libraries)
        .def("native_sums", &StackSampler::native_sums)
        .def("sums", [](const StackSampler &s) {
            sn_stack_sums sums = s.sums();
            nb::dict d;
            d["rounds"] = sums.rounds;
            d["late"] = sums.late;
            d["looks"] = sums.looks;
            d["waiting"] = sums.waiting;
            d["stacks"] = sums.stacks;
            d["cut"] = sums.cut;
            d["outside"] = sums.outside;
            d["torn"] = sums.torn;
            d["still"] = sums.still;
            d["too_deep"] = sums.too_deep;
            d["without_room"] = sums.without_room;
            d["replaced"] = sums.replaced;
            d["forbidden"] = sums.forbidden;
            d["first_ns"] = sums.first_ns;
            d["last_ns"] = sums.last_ns;
            return d;
        });
    module.def(
        "find_unwinder",
        [] {
            sn_libdw library;
            return SN_HAS_REGISTERS ? static_cast<int>(sn_libdw_load(&library)) : 3;
        },
        "Whether libdw is there: 0, 1: there is none, 2: it is too old; 3: registers of this machine are not known.");
    module.def("is_traced", &sn_pause_is_traced, nb::arg("pid"), "Whether another process traces this one.");
    module.def("python_layout", &layout_of, nb::arg("version"), nb::arg("offsets"),
               "Where a CPython keeps its frames: offsets in bytes by name, or None where they are not known.");
}
