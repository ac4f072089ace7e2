"""Lines of instructions, for all code of many modules of the standard library, against CPython's own reading."""

import sysconfig
from array import array
from collections.abc import Iterator
from pathlib import Path
from types import CodeType

import sonde._native
from sonde.native.reference_python_lines import reference_python_lines

LEAST_INSTRUCTIONS = 500_000
"""Of 150 files, in every version that is tried; fewer: the test looks at the wrong thing."""


def codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes(constant)


def test_every_instruction_of_the_standard_library_has_its_line() -> None:
    instructions = 0
    files = sorted(Path(sysconfig.get_path("stdlib")).glob("*.py"))[:150]
    for file in files:
        for code in codes(compile(file.read_bytes(), str(file), "exec", dont_inherit=True)):
            expected = array("I", [position[0] or 0 for position in code.co_positions()])
            indices = array("I", range(len(expected)))
            found = sonde._native.python_lines(code.co_linetable, code.co_firstlineno, indices)
            assert found == expected.tobytes(), f"{file}: {code.co_qualname}"
            assert reference_python_lines(code.co_linetable, code.co_firstlineno, indices) == found
            instructions += len(expected)
    assert instructions >= LEAST_INSTRUCTIONS
