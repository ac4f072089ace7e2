// Spools for Python: what agents left behind.
#ifndef SONDE_PYTHON_SPOOL_H
#define SONDE_PYTHON_SPOOL_H

#include "buffer.h"

extern "C" {
#include "../core/contexts/spool_file.h"
}

// An open spool file, decoded once for its records.
class Spool {
  public:
    explicit Spool(const nanobind::bytes &path); // as the file system spells it
    ~Spool() { sn_spool_file_close(&file_); }
    Spool(const Spool &) = delete;
    Spool &operator=(const Spool &) = delete;

    const sn_spool_file &file() const { return file_; }
    const sn_header &header() const { return file_.header; }

    nanobind::list functions, notes, sums;
    nanobind::str command{""}, python{""}, mechanism{""};
    uint64_t last_ticks = 0;

  private:
    sn_spool_file file_;
};

void bind_spool(nanobind::module_ &module);

#endif
