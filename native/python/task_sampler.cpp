#include "task_sampler.h"

#include "buffer.h"
#include "watched.h"

extern "C" {
#include "../core/stacks/task_sampler.h"
}

namespace nb = nanobind;

namespace {

// It can be put in the place of a StackSampler.
class TaskSampler {
  public:
    explicit TaskSampler(uint64_t period_ns) {
        if (!period_ns) throw nb::value_error("there has to be time between two looks");
        sampler_ = sn_task_sampler_create(period_ns);
        if (!sampler_) throw std::bad_alloc();
    }
    ~TaskSampler() { sn_task_sampler_destroy(sampler_); }
    TaskSampler(const TaskSampler &) = delete;
    TaskSampler &operator=(const TaskSampler &) = delete;

    // How it went, as sn_python_result.
    int add(int pid) {
        sn_status status;
        sn_python_result result = sn_task_sampler_add(sampler_, pid, &status);
        check(status, "");
        return result;
    }

    void run(uint64_t ns) {
        nb::gil_scoped_release released;
        sn_task_sampler_run(sampler_, ns);
    }

    // Look once, at this moment of the monotonic clock.
    void look(uint64_t now) {
        nb::gil_scoped_release released;
        sn_task_sampler_look(sampler_, now);
    }

    void stop() { sn_task_sampler_stop(sampler_); }
    nb::tuple columns() const { return columns_of(sn_task_sampler_tree(sampler_)); }
    nb::list functions() const { return functions_of(sn_task_sampler_functions(sampler_), sn_task_sampler_tree(sampler_)); }
    nb::list lines() const { return lines_of(sn_task_sampler_tree(sampler_)); }

    nb::list targets() const {
        return told_all(sn_task_sampler_targets(sampler_), [this](uint32_t i) { return sn_task_sampler_target(sampler_, i); });
    }

    nb::list threads() const {
        return told_all(sn_task_sampler_groups(sampler_), [this](uint32_t i) { return sn_task_sampler_thread(sampler_, i); });
    }

    nb::list tasks() const {
        return told_all(sn_task_sampler_groups(sampler_), [this](uint32_t i) { return *sn_task_sampler_group(sampler_, i); });
    }

    // The tasks of a process at the last look: name, state, frames (function, line), types of what it waits for and, where
    // that is no coroutine of Python's, of what it is made of; tasks that await it, by index.
    nb::list seen(uint32_t target) {
        nb::list found;
        if (target >= sn_task_sampler_targets(sampler_)) throw nb::index_error("there is no such process");
        uint32_t count;
        const sn_seen_task *tasks = sn_task_sampler_seen(sampler_, target, &count);
        const sn_chain_frame *all = sn_task_sampler_frames(sampler_, target);
        for (uint32_t i = 0; i < count; i++) {
            const sn_seen_task *task = &tasks[i];
            char name[SN_TASK_NAME];
            uint32_t bytes = sn_task_sampler_name(sampler_, target, task, name);
            nb::list frames, awaiters;
            for (uint32_t f = 0; f < task->count; f++)
                frames.append(nb::make_tuple(all[task->first + f].function, all[task->first + f].line));
            for (uint32_t k = 0; k < task->awaiter_count; k++) awaiters.append(task->awaiters[k]);
            found.append(nb::make_tuple(text_of(name, bytes), static_cast<int>(task->state), frames, nb::str(task->awaited),
                                        nb::str(task->made_of), awaiters));
        }
        return found;
    }

    nb::dict sums() const {
        sn_task_sampler_sums s = sn_task_sampler_told(sampler_);
        nb::dict d;
        d["rounds"] = s.rounds;
        d["late"] = s.late;
        d["looks"] = s.looks;
        d["stacks"] = s.tasks.seen;
        d["cut"] = uint64_t{0};
        d["torn"] = s.tasks.changed;
        d["still"] = uint64_t{0};
        d["too_deep"] = s.tasks.cut;
        d["without_room"] = s.without_room + s.tasks.without_room;
        d["replaced"] = s.replaced;
        d["first_ns"] = s.first_ns;
        d["last_ns"] = s.last_ns;
        d["not_in_c"] = s.tasks.not_in_c;
        d["too_many"] = s.tasks.too_many;
        d["took_ns"] = s.took_ns;
        d["has_asyncio"] = uint64_t{s.has_asyncio};
        d["is_unknown"] = uint64_t{s.is_unknown};
        return d;
    }

  private:
    sn_task_sampler *sampler_;
};

} // namespace

void bind_task_sampler(nb::module_ &module) {
    nb::class_<TaskSampler>(module, "TaskSampler")
        .def(nb::init<uint64_t>(), nb::arg("period_ns"))
        .def("add", &TaskSampler::add, nb::arg("pid"))
        .def("run", &TaskSampler::run, nb::arg("ns"))
        .def("look", &TaskSampler::look, nb::arg("now"))
        .def("stop", &TaskSampler::stop)
        .def("columns", &TaskSampler::columns)
        .def("functions", &TaskSampler::functions)
        .def("lines", &TaskSampler::lines)
        .def("targets", &TaskSampler::targets)
        .def("threads", &TaskSampler::threads)
        .def("tasks", &TaskSampler::tasks)
        .def("seen", &TaskSampler::seen, nb::arg("target") = 0)
        .def("sums", &TaskSampler::sums);
}
