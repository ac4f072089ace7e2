// Forests of paths that measured processes have left in files.

#include "slab_file.h"

#include "buffer.h"

extern "C" {
#include "../core/paths/path_forest.h"
#include "../core/paths/slab_file.h"
}

namespace nb = nanobind;

namespace {

template <typename T> nb::bytes bytes_of(const T *column, size_t rows) {
    return nb::bytes(reinterpret_cast<const char *>(column), rows * sizeof(T));
}

// Ids that a forest had no room for, and what pruning has cost: how often a sequence may have been taken that is not
// counted, and how many activations were cut.
nb::tuple slab_file_lost(nb::handle file, uint32_t k) {
    Buffer bytes(file, 1, "file");
    sn_slab_forest forest;
    check(sn_slab_over(&forest, bytes.as<char>(), bytes.count(), k), "the file has no forest of paths");
    return nb::make_tuple(sn_slab_dropped(&forest), sn_slab_floor(&forest), sn_slab_cuts(&forest));
}

nb::object read_slab_file(nb::handle file, uint32_t k, uint64_t least, size_t most) {
    Buffer bytes(file, 1, "file");
    sn_slab_forest forest;
    sn_path_rows found{};
    sn_status status;
    {
        nb::gil_scoped_release released;
        status = sn_slab_over(&forest, bytes.as<char>(), bytes.count(), k);
        if (status == SN_OK) status = sn_path_rows_make(&forest, least, most, &found);
    }
    nb::object columns = nb::none();
    if (status == SN_OK)
        columns = nb::make_tuple(bytes_of(found.parent, found.rows), bytes_of(found.id, found.rows),
                                 bytes_of(found.count, found.rows));
    sn_path_rows_free(&found);
    if (status != SN_NO_SPACE) check(status, "the file has no forest of paths");
    return columns;
}

} // namespace

void bind_slab_file(nb::module_ &module) {
    module.def("slab_file_lost", &slab_file_lost, nb::arg("file"), nb::arg("k"));
    module.def("read_slab_file", &read_slab_file, nb::arg("file"), nb::arg("k"), nb::arg("least"), nb::arg("most"));
}
