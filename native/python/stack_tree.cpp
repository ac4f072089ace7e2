#include "stack_tree.h"

#include <vector>

namespace nb = nanobind;

namespace {

template <typename T> nb::bytes bytes_of(const std::vector<T> &column, uint64_t rows) {
    return nb::bytes(reinterpret_cast<const char *>(column.data()), rows * sizeof(T));
}

} // namespace

nb::str text_of(const char *bytes, uint32_t size) {
    PyObject *text = PyUnicode_DecodeUTF8(bytes, static_cast<Py_ssize_t>(size), "replace");
    if (!text) throw nb::python_error();
    return nb::steal<nb::str>(text);
}

nb::tuple columns_of(const sn_stack_tree *tree) {
    size_t room = static_cast<size_t>(tree->tree.nodes);
    std::vector<int64_t> parent(room), function(room), line(room), self(room);
    std::vector<double> squares(room);
    const sn_stack_columns to{parent.data(), function.data(), line.data(), self.data(), squares.data()};
    uint64_t rows = sn_stack_tree_columns(tree, &to);
    return nb::make_tuple(bytes_of(parent, rows), bytes_of(function, rows), bytes_of(line, rows), bytes_of(self, rows),
                          bytes_of(squares, rows));
}

nb::list functions_of(const sn_code_functions *all, const sn_stack_tree *tree) {
    nb::list found;
    for (uint32_t i = 0; i < all->count; i++) {
        const sn_code_function &f = all->functions[i];
        double square = sn_stack_tree_squares(tree, i);
        found.append(nb::make_tuple(text_of(f.name, f.name_bytes), text_of(f.file, f.file_bytes), f.first_line, f.flags,
                                    square));
    }
    return found;
}

nb::list lines_of(const sn_stack_tree *tree) {
    const struct sn_word_map &map = tree->lines;
    nb::list found;
    for (uint64_t at = 0; map.entries && at <= map.mask; at++)
        if (map.entries[at].value)
            found.append(nb::make_tuple(map.entries[at].key >> 29, map.entries[at].key & SN_LINE_MASK,
                                        map.entries[at].value));
    return found;
}
