"""Real programs, optimised so that they keep ways back, go back to their originals at every call that is left of them.

In a run, each function is left at one of its points whenever it comes there.
"""

import ctypes
import hashlib
import mmap
import os
from pathlib import Path

import pytest

from real_programs import linked
from sonde import osr
from sonde.base.errors import UsageError
from sonde.machine import Workbench
from sonde.osr import Code, Optimised, Point, Points
from swept_programs import swept_program

_CELLS = 8192
_CELL_BYTES = 64


class _SharedPoints(Points):
    """Points whose cells are seen by the process that a program runs in and by this one."""

    def __init__(self, bench: Workbench) -> None:
        super().__init__(bench.machine)
        self.page = mmap.mmap(-1, _CELLS * _CELL_BYTES)

    def new_cell(self, number: int, when: osr.Condition) -> "ctypes.Array[ctypes.c_int64]":
        private = super().new_cell(number, when)
        cell = type(private).from_buffer(self.page, number * _CELL_BYTES)
        for word, value in enumerate(private):
            cell[word] = value
        self.machine.imports[f"sonde.osr.cell.{number}"] = ctypes.addressof(cell)
        return cell


def _run(bench: Workbench, arguments: tuple[str, ...], stdin: Path | None, folder: Path) -> tuple[int | None, str]:
    """Exit status and digest of what is printed."""
    kept = [os.dup(each) for each in (0, 1)]
    there = Path.cwd()
    os.chdir(folder)
    try:
        os.dup2(os.open(stdin or os.devnull, os.O_RDONLY), 0)
        os.dup2(os.open("stdout", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), 1)
        status = bench.run(arguments)
    finally:
        for number, each in enumerate(kept):
            os.dup2(each, number)
            os.close(each)
        os.chdir(there)
    return status, hashlib.sha256((folder / "stdout").read_bytes()).hexdigest()


@pytest.mark.sweep
@pytest.mark.parametrize(("level", "inlined"), [("O1", False), ("O3", False), ("O3", True)])
@pytest.mark.parametrize("name", ["cjson", "zlib-example", "bzip2", "tinyxml2"])
def test_real_programs_go_back_at_every_call_that_is_left(name: str, level: str, inlined: bool, tmp_path: Path) -> None:
    program = swept_program(name)
    run = program.checks[0]
    module = linked(program)
    module.run_passes(["sroa", "simplifycfg"])
    path = tmp_path / f"{name}.ll"
    path.write_text(module.text())
    bench = Workbench()
    bench.load(str(path))
    points = _SharedPoints(bench)
    expected = _run(bench, run.arguments, run.stdin, tmp_path)
    waiting: list[tuple[Code, Optimised, list[osr.Place]]] = []
    for function in list(bench.machine.functions):
        base = points.code(function)
        places = osr.call_places(base.body)
        if places:
            optimised = osr.optimise(base, [level], "fast", back_at=places, inlined=inlined)
            bench.machine.switch(base.function, optimised.code.version)
            waiting.append((base, optimised, [*optimised.points(), *optimised.inlined_points()]))
            assert not optimised.lost_points()
    made: list[Point] = []
    refused: list[str] = []
    in_frames = 0
    while waiting := [each for each in waiting if each[2]]:
        first = len(made)
        for base, optimised, places in waiting:
            place = places.pop()
            try:
                to = optimised.landing(place)
                point = points.insert_landing(optimised.code, place, to, osr.Always())
            except (osr.Refused, UsageError) as error:
                refused.append(str(error))
                continue
            in_frames += place in optimised.inlined_points()
            bench.machine.switch(base.function, point.version)
            made.append(point)
        passed = [each.name for each in made[first:]]
        assert _run(bench, run.arguments, run.stdin, tmp_path) == expected, passed
    fired = sum(each.fired > 0 for each in made)
    print(
        f"{name} {level}: {fired} of {len(made)} points fired; {in_frames} were in inlined code; {len(refused)} refused"
    )
    assert fired
    assert all("(variable arguments)" in each for each in refused), refused
    bench.close()
