// The cache model for Python: references come in as buffers, counts go out.

#include "cache_model.h"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
#include <vector>

#include "buffer.h"

extern "C" {
#include "../core/caches/cache_model.h"
}

namespace nb = nanobind;

namespace {

using Geometry = std::tuple<uint64_t, uint32_t, uint32_t>;

sn_cache_geometry geometry_of(const Geometry &from) {
    return {std::get<0>(from), std::get<1>(from), std::get<2>(from)};
}

void *take(void *, size_t bytes) { return std::malloc(bytes); }
void give_back(void *, void *memory, size_t) { std::free(memory); }
const sn_cache_memory heap = {take, give_back, nullptr};

class CacheModel {
  public:
    CacheModel(const Geometry &instruction, const std::vector<Geometry> &levels, uint32_t policy, uint32_t inclusion,
               bool write_allocate, bool classify, uint64_t seed) {
        sn_cache_settings settings{};
        settings.instruction = geometry_of(instruction);
        settings.levels = static_cast<uint32_t>(levels.size());
        for (size_t k = 0; k < levels.size() && k < SN_CACHE_LEVELS; k++) settings.level[k] = geometry_of(levels[k]);
        settings.policy = policy;
        settings.inclusion = inclusion;
        settings.write_allocate = write_allocate;
        settings.classify = classify;
        settings.seed = seed;
        size_t bytes = sn_cache_bytes(&settings);
        if (!bytes) throw nb::value_error("there are no such caches");
        memory_.reset(new char[bytes]);
        cache_ = sn_cache_place(memory_.get(), &settings);
        sn_cache_grow_with(cache_, &heap);
    }
    ~CacheModel() { sn_cache_release(cache_); }
    CacheModel(const CacheModel &) = delete;
    CacheModel &operator=(const CacheModel &) = delete;

    void access(nb::handle addresses, nb::handle sizes, nb::handle operations) {
        run(addresses, sizes, operations, nullptr);
    }

    nb::bytes depths(nb::handle addresses, nb::handle sizes, nb::handle operations) {
        std::unique_ptr<uint8_t[]> found;
        size_t count = run(addresses, sizes, operations, &found);
        return nb::bytes(reinterpret_cast<const char *>(found.get()), count);
    }

    nb::tuple counts() {
        std::vector<uint64_t> numbers;
        {
            nb::gil_scoped_release released;
            std::lock_guard locked(lock_);
            numbers.assign(cache_->references, cache_->references + SN_CACHE_OPERATIONS);
            for (const sn_miss_kinds *kinds : {&cache_->data_kinds, &cache_->fetch_kinds})
                numbers.insert(numbers.end(), kinds->counts, kinds->counts + SN_MISS_KINDS);
            add_level(&numbers, cache_->instruction);
            for (uint32_t k = 0; k < cache_->levels; k++) add_level(&numbers, cache_->level[k]);
        }
        nb::list items;
        for (uint64_t number : numbers) items.append(number);
        return nb::tuple(items);
    }

    nb::bytes lines(unsigned level) {
        if (level != SN_CACHE_LEVELS && level >= cache_->levels) throw nb::value_error("there is no such level");
        const sn_cache_level &it = level == SN_CACHE_LEVELS ? cache_->instruction : cache_->level[level];
        std::unique_ptr<uint64_t[]> into(new uint64_t[(it.set_mask + 1) * it.ways]);
        size_t count;
        {
            nb::gil_scoped_release released;
            std::lock_guard locked(lock_);
            count = sn_cache_lines(cache_, level, into.get());
        }
        return nb::bytes(reinterpret_cast<const char *>(into.get()), count * sizeof(uint64_t));
    }

  private:
    size_t run(nb::handle addresses, nb::handle sizes, nb::handle operations, std::unique_ptr<uint8_t[]> *depths) {
        Buffer where(addresses, sizeof(uint64_t), "addresses");
        std::optional<Buffer> how_much, what;
        if (!sizes.is_none()) how_much.emplace(sizes, 1, "sizes");
        if (!operations.is_none()) what.emplace(operations, 1, "operations");
        size_t count = where.count();
        if ((how_much && how_much->count() != count) || (what && what->count() != count))
            throw nb::value_error("the columns differ in length");
        if (depths) depths->reset(new uint8_t[count]);
        nb::gil_scoped_release released;
        std::lock_guard locked(lock_);
        sn_cache_run(cache_, where.as<uint64_t>(), how_much ? how_much->as<uint8_t>() : nullptr,
                     what ? what->as<uint8_t>() : nullptr, depths ? depths->get() : nullptr, count);
        return count;
    }

    static void add_level(std::vector<uint64_t> *numbers, const sn_cache_level &level) {
        numbers->insert(numbers->end(), level.misses, level.misses + SN_CACHE_OPERATIONS);
        numbers->push_back(level.write_backs);
    }

    std::unique_ptr<char[]> memory_;
    sn_cache *cache_ = nullptr;
    std::mutex lock_;
};

} // namespace

void bind_cache_model(nb::module_ &module) {
    nb::class_<CacheModel>(module, "CacheModel", "See native/core/caches/cache_model.h, and `sonde.native.CacheCore`.")
        .def(nb::init<const Geometry &, const std::vector<Geometry> &, uint32_t, uint32_t, bool, bool, uint64_t>(),
             nb::arg("instruction"), nb::arg("levels"), nb::arg("policy"), nb::arg("inclusion"),
             nb::arg("write_allocate"), nb::arg("classify"), nb::arg("seed"))
        .def("access", &CacheModel::access, nb::arg("addresses"), nb::arg("sizes").none() = nb::none(),
             nb::arg("operations").none() = nb::none())
        .def("depths", &CacheModel::depths, nb::arg("addresses"), nb::arg("sizes").none() = nb::none(),
             nb::arg("operations").none() = nb::none())
        .def("counts", &CacheModel::counts)
        .def("lines", &CacheModel::lines, nb::arg("level"));
}
