#include "python_lines.h"

#include <memory>

#include "buffer.h"

extern "C" {
#include "../core/lines/python_lines.h"
}

namespace nb = nanobind;

static nb::bytes python_lines(nb::handle table, uint32_t first_line, nb::handle instructions) {
    Buffer bytes(table, 1, "table"), wanted(instructions, sizeof(uint32_t), "instructions");
    std::unique_ptr<uint32_t[]> lines(new uint32_t[wanted.count() + 1]);
    {
        nb::gil_scoped_release released;
        for (size_t i = 0; i < wanted.count(); i++)
            lines[i] = sn_python_line(bytes.as<uint8_t>(), bytes.count(), first_line, wanted.as<uint32_t>()[i]);
    }
    return nb::bytes(reinterpret_cast<const char *>(lines.get()), wanted.count() * sizeof(uint32_t));
}

void bind_python_lines(nb::module_ &module) {
    module.def("python_lines", &python_lines, nb::arg("table"), nb::arg("first_line"), nb::arg("instructions"),
               "uint32 source lines of instructions (uint32 code units), see native/core/lines/python_lines.h.");
}
