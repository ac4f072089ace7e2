// Forests of paths for Python: fed with streams of ids, read out as columns.

#include "slab_forest.h"

#include <mutex>

#include "buffer.h"

extern "C" {
#include "../core/paths/path_forest.h"
#include "../core/paths/path_text.h"
}

namespace nb = nanobind;

namespace {

// The GIL is released for the long operations, so it has a lock of its own; it is taken without the GIL, or two threads
// could wait for each other.
class SlabForest {
  public:
    SlabForest(uint32_t k, uint64_t most, bool prunes) {
        check(sn_slab_create(&forest_, -1, k, most), "k is 1 or more");
        forest_.prunes = prunes;
    }
    ~SlabForest() { sn_slab_destroy(&forest_); }
    SlabForest(const SlabForest &) = delete;
    SlabForest &operator=(const SlabForest &) = delete;

    void stream(nb::handle ids, nb::handle begins, nb::handle routines) {
        Buffer i(ids, 8, "ids"), b(begins, 8, "begins"), r(routines, 4, "routines");
        if (b.count() != r.count()) throw nb::value_error("begins and routines differ in length");
        const sn_path_stream stream = {i.as<uint64_t>(), i.count(), b.as<uint64_t>(), r.as<uint32_t>(), b.count()};
        sn_status status;
        {
            nb::gil_scoped_release released;
            std::lock_guard locked(lock_);
            status = sn_slab_stream(&forest_, &open_, &stream);
        }
        check(status, "activations begin in ascending order, within the ids");
    }

    nb::object rows(uint64_t least, size_t most) {
        sn_path_rows found;
        sn_status status;
        {
            nb::gil_scoped_release released;
            std::lock_guard locked(lock_);
            status = sn_path_rows_make(&forest_, least, most, &found);
        }
        nb::object columns = nb::none();
        if (status == SN_OK)
            columns = nb::make_tuple(bytes_of(found.parent, found.rows), bytes_of(found.id, found.rows),
                                     bytes_of(found.count, found.rows));
        sn_path_rows_free(&found);
        if (status != SN_NO_SPACE) check(status, "");
        return columns;
    }

    uint64_t nodes() const { return sn_slab_nodes(&forest_); }
    uint64_t dropped() const { return sn_slab_dropped(&forest_); }
    uint64_t floor() const { return sn_slab_floor(&forest_); }

  private:
    template <typename T> static nb::bytes bytes_of(const T *column, size_t rows) {
        return nb::bytes(reinterpret_cast<const char *>(column), rows * sizeof(T));
    }

    sn_slab_forest forest_;
    sn_slab_activation open_{};
    std::mutex lock_;
};

nb::tuple path_ids(nb::handle text, size_t from) {
    Buffer bytes(text, 1, "text");
    if (from > bytes.count()) throw nb::value_error("there is no such place in the text");
    uint64_t ids[1 << 13];
    size_t count = 0;
    size_t used = sn_path_text_ids(bytes.as<char>() + from, bytes.count() - from, ids, 1 << 13, &count);
    return nb::make_tuple(nb::bytes(reinterpret_cast<const char *>(ids), count * sizeof *ids), from + used);
}

} // namespace

void bind_slab_forest(nb::module_ &module) {
    nb::class_<SlabForest>(module, "SlabForest")
        .def(nb::init<uint32_t, uint64_t, bool>(), nb::arg("k"), nb::arg("most"), nb::arg("prunes"))
        .def("stream", &SlabForest::stream, nb::arg("ids"), nb::arg("begins"), nb::arg("routines"))
        .def("rows", &SlabForest::rows, nb::arg("least"), nb::arg("most"))
        .def_prop_ro("nodes", &SlabForest::nodes)
        .def_prop_ro("dropped", &SlabForest::dropped)
        .def_prop_ro("floor", &SlabForest::floor);
    module.def("path_ids", &path_ids, nb::arg("text"), nb::arg("from_"), "See native/core/paths/path_text.h.");
}
