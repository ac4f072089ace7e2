#include "change_points.h"

#include <memory>

#include "buffer.h"

extern "C" {
#include "../core/series/change_points.h"
}

namespace nb = nanobind;

template <typename T> static nb::bytes bytes_of(const std::unique_ptr<T[]> &items, size_t count) {
    return nb::bytes(reinterpret_cast<const char *>(items.get()), count * sizeof(T));
}

static nb::tuple change_points(nb::handle values, nb::handle offsets, double penalty) {
    Buffer numbers(values, sizeof(double), "values"), bounds(offsets, sizeof(int64_t), "offsets");
    const int64_t *at = bounds.as<int64_t>();
    if (!bounds.count() || at[bounds.count() - 1] < 0 ||
        static_cast<size_t>(at[bounds.count() - 1]) != numbers.count())
        throw nb::value_error("offsets do not ascend from 0 to the number of values");
    size_t series = bounds.count() - 1, count = numbers.count();
    // Not filled: of the largest only what is found is ever touched.
    std::unique_ptr<int64_t[]> points(new int64_t[count + 1]), starts(new int64_t[series + 1]),
        drifts(new int64_t[series + 1]);
    std::unique_ptr<double[]> levels(new double[count + series + 1]), spreads(new double[count + series + 1]),
        alike(new double[series + 1]);
    sn_status status;
    {
        nb::gil_scoped_release released;
        const sn_changes found = {points.get(), starts.get(), levels.get(), spreads.get(), drifts.get(),
                                  alike.get()};
        status = sn_change_points(numbers.as<double>(), at, series, penalty, &found);
    }
    check(status, "offsets do not ascend, a value is not finite, or the penalty is negative or not finite");
    size_t changes = static_cast<size_t>(starts[series]);
    return nb::make_tuple(bytes_of(points, changes), bytes_of(starts, series + 1), bytes_of(levels, changes + series),
                          bytes_of(spreads, changes + series), bytes_of(drifts, series), bytes_of(alike, series));
}

void bind_change_points(nb::module_ &module) {
    module.def("change_points", &change_points, nb::arg("values"), nb::arg("offsets"), nb::arg("penalty") = 0.0,
               "The columns of `sn_changes`, see native/core/series/change_points.h.");
}
