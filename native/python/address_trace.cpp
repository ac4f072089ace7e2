// The binding of address traces: reading them into columns or text, and writing them for tests and tools.

#include "address_trace.h"

#include "buffer.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

extern "C" {
#include "../core/addresses/address_text.h"
#include "../core/addresses/address_trace_writer.h"
}

namespace nb = nanobind;

namespace {

// Room of one reading: so many accesses are decoded at most, whatever is asked for.
constexpr size_t kMostAccesses = size_t{1} << 22;

[[noreturn]] void raise_errno(int error) {
    errno = error;
    PyErr_SetFromErrno(PyExc_OSError);
    throw nb::python_error();
}

class AddressTraceReader {
  public:
    explicit AddressTraceReader(const nb::bytes &path) : reader_(new sn_address_reader) {
        opened = sn_address_open(reader_.get(), path.c_str());
        if (opened == SN_ADDRESS_NO_MEMORY) throw std::bad_alloc();
        if (opened == SN_ADDRESS_UNREADABLE) raise_errno(errno);
    }
    ~AddressTraceReader() { sn_address_close(reader_.get()); }
    AddressTraceReader(const AddressTraceReader &) = delete;
    AddressTraceReader &operator=(const AddressTraceReader &) = delete;

    // (result, ip, address, size, kind, thread): the columns as bytes.
    nb::tuple read(size_t room) {
        std::unique_lock locked(lock_, std::defer_lock);
        size_t count = take(locked, room);
        nb::bytes ip(ip_.data(), 8 * count), address(address_.data(), 8 * count), size(size_.data(), 2 * count),
            kind(kind_.data(), count), thread(thread_.data(), 4 * count);
        int result = static_cast<int>(result_);
        locked.unlock();
        return nb::make_tuple(result, ip, address, size, kind, thread);
    }

    // (result, number of accesses, the accesses in another form).
    nb::tuple read_text(size_t room, unsigned form) {
        if (form >= SN_ADDRESS_FORMS) throw nb::value_error("there is no such form");
        std::unique_lock locked(lock_, std::defer_lock);
        size_t count = take(locked, room), used = 0;
        {
            nb::gil_scoped_release released;
            text_.resize(SN_ADDRESS_TEXT_BYTES * count);
            sn_address_columns columns = this->columns();
            used = sn_address_text(&columns, count, static_cast<sn_address_form>(form), text_.data());
        }
        nb::bytes text(text_.data(), used);
        int result = static_cast<int>(result_);
        locked.unlock();
        return nb::make_tuple(result, count, text);
    }

    sn_address_reader *reader() { return reader_.get(); }
    sn_address_result opened;

  private:
    sn_address_columns columns() {
        return {ip_.data(), address_.data(), size_.data(), kind_.data(), thread_.data()};
    }

    // Decode into the columns, without the GIL. The lock is taken without it, too, and kept until what is in the
    // columns was taken out: whoever holds it may wait for the GIL, but never the other way round.
    size_t take(std::unique_lock<std::mutex> &locked, size_t room) {
        if (!room) throw nb::value_error("there has to be room for one access");
        if (room > kMostAccesses) room = kMostAccesses;
        size_t count = 0;
        int error = 0;
        {
            nb::gil_scoped_release released;
            locked.lock();
            ip_.resize(room);
            address_.resize(room);
            size_.resize(room);
            kind_.resize(room);
            thread_.resize(room);
            sn_address_columns columns = this->columns();
            result_ = sn_address_read(reader_.get(), &columns, room, &count);
            error = errno;
        }
        if (result_ == SN_ADDRESS_NO_MEMORY) throw std::bad_alloc();
        if (result_ == SN_ADDRESS_UNREADABLE) raise_errno(error);
        return count;
    }

    std::unique_ptr<sn_address_reader> reader_;
    std::mutex lock_;
    sn_address_result result_ = SN_ADDRESS_MORE;
    std::vector<uint64_t> ip_, address_;
    std::vector<uint16_t> size_;
    std::vector<uint8_t> kind_;
    std::vector<uint32_t> thread_;
    std::vector<char> text_;
};

class AddressTraceWriter {
  public:
    AddressTraceWriter(const nb::bytes &path, size_t memory_bytes) {
        file_ = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file_ < 0) raise_errno(errno);
        memory_bytes_ = memory_bytes;
        void *memory = mmap(nullptr, memory_bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        memory_ = memory == MAP_FAILED ? nullptr : memory;
        trace_ = memory_ ? sn_address_trace_place(memory_, memory_bytes, append, this) : nullptr;
        if (!trace_) {
            release();
            unlink(path.c_str());
            throw nb::value_error("a trace cannot be written with so little memory");
        }
    }
    ~AddressTraceWriter() { release(); }
    AddressTraceWriter(const AddressTraceWriter &) = delete;
    AddressTraceWriter &operator=(const AddressTraceWriter &) = delete;

    uint32_t segment(nb::handle ip, nb::handle size, nb::handle kind) {
        Buffer i(ip, 8, "ip"), s(size, 2, "size"), k(kind, 1, "kind");
        size_t count = i.count();
        if (s.count() != count || k.count() != count) throw nb::value_error("columns differ in length");
        if (count > SN_ADDRESS_SLOTS) throw nb::value_error("a segment has too many slots");
        std::vector<sn_trace_slot> slots(count);
        uint32_t addresses = 0;
        for (size_t at = 0; at < count; at++) {
            slots[at].ip = i.as<uint64_t>()[at];
            slots[at].size = s.as<uint16_t>()[at];
            slots[at].kind = k.as<uint8_t>()[at];
            addresses += slots[at].kind != SN_ADDRESS_FETCH;
        }
        uint32_t number = sn_address_trace_segment(trace_, slots.data(), static_cast<uint32_t>(count));
        if (number == SN_ADDRESS_TRACE_NONE)
            throw nb::value_error("a segment has no slots or an unknown kind, or there is no memory for it");
        if (number == addresses_.size()) addresses_.push_back(addresses);
        return number;
    }

    void feed(nb::handle segments, nb::handle addresses) {
        Buffer s(segments, 4, "segments"), a(addresses, 8, "addresses");
        size_t wanted = 0;
        for (size_t i = 0; i < s.count(); i++) {
            if (s.as<uint32_t>()[i] >= addresses_.size()) throw nb::value_error("a segment is not defined");
            wanted += addresses_[s.as<uint32_t>()[i]];
        }
        if (wanted != a.count()) throw nb::value_error("there are not as many addresses as the segments have");
        const uint64_t *at = a.as<uint64_t>();
        for (size_t i = 0; i < s.count(); i++) {
            uint32_t number = s.as<uint32_t>()[i];
            sn_address_trace_run(trace_, number, at);
            at += addresses_[number];
        }
        check();
    }

    void thread(uint32_t number) { sn_address_trace_thread(trace_, number); }
    void flush() {
        sn_address_trace_flush(trace_);
        check();
    }
    void finish() {
        sn_address_trace_finish(trace_);
        check();
    }
    sn_address_trace_counts counts() const { return sn_address_trace_count(trace_); }

  private:
    static bool append(void *context, const void *bytes, size_t size) {
        auto *writer = static_cast<AddressTraceWriter *>(context);
        const auto *at = static_cast<const char *>(bytes);
        while (size) {
            ssize_t done = write(writer->file_, at, size);
            if (done < 0 && errno == EINTR) continue;
            if (done <= 0) {
                writer->error_ = done ? errno : ENOSPC;
                return false;
            }
            at += done;
            size -= static_cast<size_t>(done);
        }
        return true;
    }

    void check() const {
        if (error_) raise_errno(error_);
    }

    void release() {
        if (file_ >= 0) close(file_);
        if (memory_) munmap(memory_, memory_bytes_);
        file_ = -1;
        memory_ = nullptr;
    }

    int file_ = -1, error_ = 0;
    void *memory_ = nullptr;
    size_t memory_bytes_ = 0;
    sn_address_trace *trace_ = nullptr;
    std::vector<uint32_t> addresses_; // of each segment
};

} // namespace

void bind_address_trace(nb::module_ &module) {
    using R = AddressTraceReader;
    using W = AddressTraceWriter;
    nb::class_<R>(module, "AddressTraceReader")
        .def(nb::init<const nb::bytes &>(), nb::arg("path"))
        .def("read", &R::read, nb::arg("room"))
        .def("read_text", &R::read_text, nb::arg("room"), nb::arg("form"))
        .def_prop_ro("opened", [](R &r) { return static_cast<int>(r.opened); })
        .def_prop_ro("version", [](R &r) { return r.reader()->version; })
        .def_prop_ro("problem",
                     [](R &r) -> nb::object {
                         const char *what = r.reader()->problem;
                         return what ? nb::object(nb::str(what)) : nb::none();
                     })
        .def_prop_ro("at", [](R &r) { return r.reader()->at; })
        .def_prop_ro("left_over", [](R &r) { return r.reader()->left_over; })
        .def_prop_ro("accesses", [](R &r) { return r.reader()->accesses; })
        .def_prop_ro("segments", [](R &r) { return r.reader()->segment_count; });
    nb::class_<W>(module, "AddressTraceWriter")
        .def(nb::init<const nb::bytes &, size_t>(), nb::arg("path"), nb::arg("memory_bytes") = size_t{1} << 30)
        .def("segment", &W::segment, nb::arg("ip"), nb::arg("size"), nb::arg("kind"))
        .def("feed", &W::feed, nb::arg("segments"), nb::arg("addresses"))
        .def("thread", &W::thread, nb::arg("number"))
        .def("flush", &W::flush)
        .def("finish", &W::finish)
        .def_prop_ro("accesses", [](W &w) { return w.counts().accesses; })
        .def_prop_ro("dropped", [](W &w) { return w.counts().dropped; })
        .def_prop_ro("bytes_written", [](W &w) { return w.counts().bytes; });
}
