"""Samples by address: of programs that are gone, damaged, or no programs nothing is said."""

from pathlib import Path

import pytest

from sonde.instruments.decisions.readers.llvm.sampled_code import SampledCode


@pytest.mark.parametrize("content", [None, b"", b"\x7fELF", b"\x7fELF\x02\x01" + bytes(60), b"text" * 100])
def test_of_what_is_no_program_nothing_is_said(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "program"
    if content is not None:
        file.write_bytes(content)
    code = SampledCode(recorded=1e12, first_line=lambda name: None)
    assert code.spread(str(file), "main", [(4, 10)]) == ()


@pytest.mark.parametrize("file", ["", "[kernel.kallsyms]", "/dev/zero", "/", "a\0b"])
def test_odd_names_of_programs_say_nothing(file: str) -> None:
    assert SampledCode(recorded=1e12, first_line=lambda name: None).spread(file, "main", [(4, 10)]) == ()
