#include "function_sums.h"

#include <memory>

#include "buffer.h"

extern "C" {
#include "../core/contexts/function_sums.h"
}

namespace nb = nanobind;

static nb::tuple function_sums(nb::handle parent, nb::handle function, nb::handle calls, nb::handle total_calls,
                               nb::handle self_ns, nb::handle total_ns, size_t functions) {
    const char *names[] = {"parent", "function", "calls", "total_calls", "self_ns", "total_ns"};
    Buffer columns[] = {{parent, 8, names[0]},      {function, 8, names[1]}, {calls, 8, names[2]},
                        {total_calls, 8, names[3]}, {self_ns, 8, names[4]},  {total_ns, 8, names[5]}};
    for (const Buffer &column : columns)
        if (column.count() != columns[0].count()) throw nb::value_error("columns differ in length");
    const auto at = [&columns](int number) { return columns[number].as<int64_t>(); };
    std::unique_ptr<int64_t[]> sums[5];
    for (auto &column : sums) column.reset(new int64_t[functions + 1]);
    sn_status status;
    {
        nb::gil_scoped_release released;
        const sn_tree_columns tree = {at(0), at(1), at(2), at(3), at(4), at(5), columns[0].count(), functions};
        const sn_function_sums found = {sums[0].get(), sums[1].get(), sums[2].get(), sums[3].get(), sums[4].get()};
        status = sn_sum_by_function(&tree, &found);
    }
    check(status, "a parent does not stand before its child, a function has no number below the number of functions,"
                  " or a sum does not fit");
    const auto bytes_of = [functions](const std::unique_ptr<int64_t[]> &column) {
        return nb::bytes(reinterpret_cast<const char *>(column.get()), functions * sizeof(int64_t));
    };
    return nb::make_tuple(bytes_of(sums[0]), bytes_of(sums[1]), bytes_of(sums[2]), bytes_of(sums[3]),
                          bytes_of(sums[4]));
}

void bind_function_sums(nb::module_ &module) {
    module.def("function_sums", &function_sums, nb::arg("parent"), nb::arg("function"), nb::arg("calls"),
               nb::arg("total_calls"), nb::arg("self_ns"), nb::arg("total_ns"), nb::arg("functions"),
               "The columns of `sn_function_sums`, see native/core/contexts/function_sums.h.");
}
