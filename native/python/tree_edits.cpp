#include "tree_edits.h"

#include <memory>

#include "buffer.h"

extern "C" {
#include "../core/trees/tree_edits.h"
}

namespace nb = nanobind;

static nb::bytes bytes_of(const std::unique_ptr<int32_t[]> &items, size_t count) {
    return nb::bytes(reinterpret_cast<const char *>(items.get()), count * sizeof(int32_t));
}

static sn_tree tree_of(const Buffer &sizes, const Buffer &labels, const Buffer &groups) {
    if (labels.count() != sizes.count() || groups.count() != sizes.count())
        throw nb::value_error("the columns of a tree differ in length");
    return {sizes.as<int32_t>(), labels.as<int32_t>(), groups.as<int32_t>(), sizes.count()};
}

static nb::tuple tree_edits(nb::handle left_sizes, nb::handle left_labels, nb::handle left_groups,
                            nb::handle right_sizes, nb::handle right_labels, nb::handle right_groups) {
    Buffer sizes(left_sizes, sizeof(int32_t), "left_sizes"), labels(left_labels, sizeof(int32_t), "left_labels"),
        groups(left_groups, sizeof(int32_t), "left_groups");
    Buffer other_sizes(right_sizes, sizeof(int32_t), "right_sizes"),
        other_labels(right_labels, sizeof(int32_t), "right_labels"),
        other_groups(right_groups, sizeof(int32_t), "right_groups");
    const sn_tree left = tree_of(sizes, labels, groups), right = tree_of(other_sizes, other_labels, other_groups);
    size_t room = left.count + right.count;
    std::unique_ptr<int32_t[]> of_left(new int32_t[room]), of_right(new int32_t[room]);
    sn_edits edits = {of_left.get(), of_right.get(), 0, 0};
    sn_status status;
    {
        nb::gil_scoped_release released;
        status = sn_tree_edits(&left, &right, &edits);
    }
    check(status, "the sizes are those of no tree, a label or group is out of range, equal labels are of several "
                  "groups, or there are too many pairs of nodes");
    return nb::make_tuple(edits.cost, bytes_of(of_left, edits.count), bytes_of(of_right, edits.count));
}

void bind_tree_edits(nb::module_ &module) {
    module.def("tree_edits", &tree_edits, nb::arg("left_sizes"), nb::arg("left_labels"), nb::arg("left_groups"),
               nb::arg("right_sizes"), nb::arg("right_labels"), nb::arg("right_groups"),
               "Cost, and the columns of `sn_edits`, see native/core/trees/tree_edits.h.");
}
