#include "remarks.h"

#include <memory>
#include <mutex>

#include "buffer.h"

extern "C" {
#include "../core/remarks/remark_bitstream.h"
#include "../core/remarks/remark_yaml.h"
}

namespace nb = nanobind;

namespace {

template <typename T> nb::bytes bytes_of(const T *items, size_t count) {
    return nb::bytes(count ? reinterpret_cast<const char *>(items) : "", count * sizeof(T));
}

nb::object optional_bytes(const char *bytes, size_t size) {
    return bytes ? nb::object(nb::bytes(bytes, size)) : nb::none();
}

// Strings from elsewhere, or nothing.
class Table {
  public:
    explicit Table(nb::handle object) {
        if (!object.is_none()) buffer_ = std::make_unique<Buffer>(object, 1, "table");
    }
    const char *bytes() const {
        const char *given = buffer_ ? buffer_->as<char>() : nullptr;
        return buffer_ && !given ? "" : given;
    }
    size_t size() const { return buffer_ ? buffer_->count() : 0; }

  private:
    std::unique_ptr<Buffer> buffer_;
};

class RemarkParser {
  public:
    RemarkParser() { check(sn_remarks_create(&remarks_), "no remarks"); }
    ~RemarkParser() { sn_remarks_destroy(&remarks_); }
    RemarkParser(const RemarkParser &) = delete;
    RemarkParser &operator=(const RemarkParser &) = delete;

    bool read_yaml(nb::handle text, nb::handle strings) {
        Buffer buffer(text, 1, "text");
        Table table(strings);
        bool unended = false;
        sn_status status;
        {
            nb::gil_scoped_release released;
            std::lock_guard locked(lock_);
            status = sn_remarks_read_yaml(&remarks_, buffer.as<char>(), buffer.count(), table.bytes(), table.size(),
                                          &unended);
        }
        check(status, "not remarks");
        return unended;
    }

    nb::tuple read_bitstream(nb::handle bytes, nb::handle strings) {
        Buffer buffer(bytes, 1, "bytes");
        Table table(strings);
        sn_remark_container about{};
        sn_status status;
        {
            nb::gil_scoped_release released;
            std::lock_guard locked(lock_);
            status = sn_remarks_read_bitstream(&remarks_, buffer.as<uint8_t>(), buffer.count(), table.bytes(),
                                               table.size(), &about);
        }
        if (status != SN_BAD_INPUT) check(status, "not remarks");
        nb::object what = about.what ? nb::object(nb::str(about.what)) : nb::none();
        nb::object version = about.has_version ? nb::object(nb::int_(about.version)) : nb::none();
        return nb::make_tuple(what, about.bit, about.needs_table, version, about.type, about.remark_version,
                              optional_bytes(about.table, about.table_size),
                              optional_bytes(about.external, about.external_size));
    }

    nb::tuple columns() {
        std::lock_guard locked(lock_);
        const sn_remarks &r = remarks_;
        const sn_remark_strings &s = r.strings;
        return nb::make_tuple(
            bytes_of(r.kinds, r.count), bytes_of(r.passes, r.count), bytes_of(r.names, r.count),
            bytes_of(r.functions, r.count), bytes_of(r.places, r.count), bytes_of(r.hotness, r.count),
            bytes_of(r.has_hotness, r.count), bytes_of(r.first_arguments, r.count + 1), bytes_of(r.keys, r.arguments),
            bytes_of(r.values, r.arguments), bytes_of(r.argument_places, r.arguments), bytes_of(r.files, r.located),
            bytes_of(r.lines, r.located), bytes_of(r.columns, r.located), bytes_of(s.offsets, s.count + 1),
            bytes_of(s.bytes, s.used));
    }

    nb::list problems() {
        std::lock_guard locked(lock_);
        nb::list found;
        for (size_t i = 0; i < remarks_.problem_count; i++)
            found.append(nb::make_tuple(remarks_.problems[i].where, nb::str(remarks_.problems[i].what)));
        return found;
    }

    nb::list unknown_keys() {
        std::lock_guard locked(lock_);
        nb::list found;
        const sn_remark_strings &keys = remarks_.unknown_keys;
        for (size_t i = 0; i < keys.count; i++)
            found.append(nb::make_tuple(
                nb::bytes(keys.bytes + keys.offsets[i], static_cast<size_t>(keys.offsets[i + 1] - keys.offsets[i])),
                remarks_.unknown_counts[i]));
        return found;
    }

    size_t count() {
        std::lock_guard locked(lock_);
        return remarks_.count;
    }
    uint64_t skipped() {
        std::lock_guard locked(lock_);
        return remarks_.skipped;
    }

  private:
    sn_remarks remarks_;
    std::mutex lock_;
};

nb::tuple remark_groups(nb::handle group_of, size_t groups) {
    Buffer ids(group_of, sizeof(uint32_t), "group_of");
    if (groups > SN_REMARK_NONE || ids.count() > SN_REMARK_NONE) throw nb::value_error("more groups or items than can be numbered");
    std::unique_ptr<uint32_t[]> starts(new uint32_t[groups + 1]), order(new uint32_t[ids.count() + 1]);
    check(sn_remark_groups(ids.as<uint32_t>(), ids.count(), groups, starts.get(), order.get()),
          "an item is in a group beyond the last");
    return nb::make_tuple(bytes_of(starts.get(), groups + 1), bytes_of(order.get(), ids.count()));
}

} // namespace

void bind_remarks(nb::module_ &module) {
    nb::class_<RemarkParser>(module, "RemarkParser")
        .def(nb::init<>())
        .def("read_yaml", &RemarkParser::read_yaml, nb::arg("text"), nb::arg("table").none())
        .def("read_bitstream", &RemarkParser::read_bitstream, nb::arg("data"), nb::arg("table").none())
        .def("columns", &RemarkParser::columns)
        .def("problems", &RemarkParser::problems)
        .def("unknown_keys", &RemarkParser::unknown_keys)
        .def_prop_ro("count", &RemarkParser::count)
        .def_prop_ro("skipped", &RemarkParser::skipped);
    module.def("remark_groups", &remark_groups, nb::arg("group_of"), nb::arg("groups"),
               "The columns of `sn_remark_groups`, see native/core/remarks/remark_columns.h.");
}
