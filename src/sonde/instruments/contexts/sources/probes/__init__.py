"""What the numbers in the spools of programs with probes mean. Read after every run: it loads no compiler."""

from sonde.instruments.contexts.sources.probes.compiled_units import (
    PROBE,
    CompiledUnit,
    CompiledUnits,
    read_units,
    units_document,
    units_of_document,
    write_units,
)
from sonde.instruments.contexts.sources.probes.linked_code import place_in_program, read_linked_code
from sonde.instruments.contexts.sources.probes.probed_code import (
    ProbedCode,
    read_loaded_code,
    read_probed_code,
    write_code,
    write_image,
    write_loaded,
)

__all__ = [
    "PROBE",
    "CompiledUnit",
    "CompiledUnits",
    "ProbedCode",
    "place_in_program",
    "read_linked_code",
    "read_loaded_code",
    "read_probed_code",
    "read_units",
    "units_document",
    "units_of_document",
    "write_code",
    "write_image",
    "write_loaded",
    "write_units",
]
