"""What perf makes of our perf maps and jitdumps, for code compiled in a process of its own."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

PROGRAM = Path(__file__).parents[1] / "programs_in_c" / "spin.c"
RUNNER = """
import ctypes, sys
from pathlib import Path
from sonde.jit.front_end import compile_file
from sonde.jit.jit_dump import JitDump
from sonde.jit.object_code import ObjectCode
from sonde.jit.perf_map import PerfMap
from sonde.llvm import LinkingJit

form, folder, program = sys.argv[1:]
image = compile_file(program, debug=True, level=2).object(2)
library = LinkingJit().link("spin", [image], ["spin"], {})
with PerfMap() if form == "map" else JitDump(Path(folder)) as names:
    names.add(ObjectCode(image).place(library.addresses, "O2 a b").ranges)
    print(names.path)
    ctypes.CFUNCTYPE(ctypes.c_uint64, ctypes.c_uint64)(library.addresses["spin"])(150_000_000)
"""
ENOUGH = 50
"""Samples that the loop must have: it runs 0.2 s or more, perf takes some 4,000 a second."""


def perf(folder: Path, *words: str) -> str:
    home = {**os.environ, "HOME": str(folder)}  # perf keeps copies of what it saw in ~/.debug
    return subprocess.run(["perf", *words], check=True, capture_output=True, text=True, cwd=folder, env=home).stdout


def can_record(folder: Path) -> bool:
    try:
        perf(folder, "record", "-q", "-e", "cpu-clock", "-o", "try.data", "true")
    except (OSError, subprocess.CalledProcessError):
        return False
    return True


@pytest.fixture
def recorded(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A recording of the loop, with the map or dump that the parameter names."""
    if shutil.which("perf") is None or not can_record(tmp_path):
        pytest.skip("needs perf, and the right to record with it")
    words = [sys.executable, "-c", RUNNER, request.param, str(tmp_path), str(PROGRAM)]
    written = perf(tmp_path, "record", "-q", "-k", "mono", "-e", "cpu-clock", "-o", "perf.data", *words).strip()
    yield tmp_path
    Path(written).unlink()


@pytest.mark.parametrize("recorded", ["map"], indirect=True)
def test_perf_names_functions_by_the_map(recorded: Path) -> None:
    found = perf(recorded, "script", "-i", "perf.data", "-F", "ip,sym", "--symbols", "turn[O2 a b]").splitlines()

    assert len([line for line in found if line.endswith(" turn[O2 a b]")]) > ENOUGH


@pytest.mark.parametrize("recorded", ["dump"], indirect=True)
def test_perf_names_functions_and_lines_by_the_dump(recorded: Path) -> None:
    perf(recorded, "inject", "--jit", "-i", "perf.data", "-o", "jitted.data")

    found = perf(
        recorded, "script", "-i", "jitted.data", "-F", "ip,sym,srcline", "--symbols", "turn[O2 a b]"
    ).splitlines()

    assert len([line for line in found if line.endswith(" turn[O2 a b]")]) > ENOUGH
    source = PROGRAM.read_text().splitlines()
    inlined = {f"{PROGRAM.name}:{number}" for number, text in enumerate(source, 1) if "x <<" in text or "x >>" in text}
    assert len([line for line in found if line.strip() in inlined]) > ENOUGH
