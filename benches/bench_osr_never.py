"""What points cost that never fire.

    python benches/bench_osr_never.py [programs] [entry] [--programs n_body,...] [--forms ssa,O1] [--seconds 6]

programs  eight programs with a point in their hottest loop, or at the entry of the function that recurs, against the
          same code without, and that code once more (`twin`): what differs by luck. CPU time of whole runs of a
          millisecond or less, in turns in one process, each code loaded three times, as it matters where it lies.
          To reach: 1.005 in the median, 1.015 at worst
entry     only the function of binary_trees that has a point at its entry and calls `malloc` (4 ns a call); with the
          point's cell where a machine has it, and at places in a page where glibc's allocator has what it uses most
"""

import argparse
import ctypes
import mmap
import re
from functools import partial
from statistics import median

from osr_programs import PROGRAMS, Program, hottest_place, main_of, silent, use_up_small_blocks
from ratios import Ratio
from short_slices import slice_times, undisturbed, undisturbed_ratio
from sonde.ir import parse_module, print_module
from sonde.jit import Engine, LoadedCode
from sonde.llvm import LlvmModule
from sonde.osr import Condition, Counter, Direct, Flag, PlannedPoint, continuation, insert_points, transition_at
from sonde.osr.cell import WORDS, Cell, Word
from sonde.osr.cell_memory import CellMemory
from sonde.osr.code_bytes import can_change_code
from sonde.osr.conditions import first_count
from sonde.osr.last_step import last_step

_SYMBOL = "sonde.osr.cell.0"
_NEVER = 1 << 40
_COPIES = 3
_DEPTH = 8
_WARM = 10
_CELLS: list[Cell] = []
"""They live as long as code that knows them."""


def with_point(module: LlvmModule, program: Program, when: Condition) -> LlvmModule:
    """The same program with a point that leads to a clone, as a machine has it."""
    model = parse_module(module.text())
    f = model.functions[program.function]
    place = hottest_place(f, program.at_entry)
    leaving = transition_at(model, f, place)
    made = continuation(model, f, place, f"{f.name}.to", leaving=leaving)
    insert_points(model, f, [PlannedPoint(place, leaving, when, Direct(made.function.name), f"@{_SYMBOL}")])
    return LlvmModule.from_text(print_module(last_step(model, has_switches=can_change_code())), module.name)


def loaded(name: str, module: LlvmModule, cell: Cell) -> LoadedCode:
    return Engine().load(name, [module.object(2)], {_SYMBOL: ctypes.addressof(cell)})


def cell_for(when: Condition, cell_at: int | None) -> Cell:
    """A point's cell, where a machine has it or at a place of a page."""
    if cell_at is None:
        cell = CellMemory().new()
    else:
        space = ctypes.create_string_buffer(2 * mmap.PAGESIZE)
        start = -ctypes.addressof(space) % mmap.PAGESIZE
        cell = (ctypes.c_int64 * WORDS).from_buffer(space, start + cell_at)
    cell[Word.PASSED] = first_count(when)
    _CELLS.append(cell)
    return cell


def measure(program: Program, form: str, seconds: float) -> dict[str, Ratio]:
    codes = variants(program, form, program.compiled(form), None)
    work = {key: main_of(code.addresses["main"], program.name, program.short) for key, code in codes.items()}
    with silent():
        times = slice_times(work, seconds)
    return told(f"{program.name:<19}{form:<4}", times)


def entry(form: str, seconds: float, cell_at: int | None) -> None:
    """Trees are built, and released outside of the clock."""
    program = PROGRAMS[0]
    text = re.sub(r"define internal (?=.*@(bottom_up|release)\()", "define dso_local ", program.compiled(form).text())
    codes = variants(program, form, LlvmModule.from_text(text, program.name), cell_at)
    build, free = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_int), ctypes.CFUNCTYPE(None, ctypes.c_void_p)
    release = free(codes["without", 0].addresses["release"])
    work = {key: partial(build(code.addresses["bottom_up"]), _DEPTH) for key, code in codes.items()}
    times = slice_times(work, seconds, release, warm=_WARM)
    told(f"{form:<4}cell {'as in a machine' if cell_at is None else f'at {cell_at:#x} in a page':<20}", times)


def variants(program: Program, form: str, module: LlvmModule, cell_at: int | None) -> dict[tuple[str, int], LoadedCode]:
    """Each code, loaded several times."""
    whens: dict[str, Condition] = {
        "counter": Counter(_NEVER, all_calls=program.at_entry),
        "flag": Flag(),
        "flag every 64": Flag(64),
    }
    known = [cell_for(when, cell_at) for when in whens.values()]
    modules = {"without": module, "twin": module}
    modules |= {name: with_point(module, program, when) for name, when in whens.items()}
    codes = {}
    for copy in range(_COPIES):
        for name, cell in zip(modules, [known[0], known[0], *known], strict=True):
            codes[name, copy] = loaded(f"{program.name}.{form}", modules[name], cell)
    return codes


def told(what: str, times: dict[tuple[str, int], list[float]]) -> dict[str, Ratio]:
    """Print ratios to the code without a point; returns them."""
    copies = {name: [times[name, copy] for copy in range(_COPIES)] for name, first in times if first == 0}
    base = copies.pop("without")
    found = {name: undisturbed_ratio(times, base) for name, times in copies.items()}
    words = "  ".join(f"{name} {each.median:.3f} [{each.low:.3f}, {each.high:.3f}]" for name, each in found.items())
    print(f"{what}{1e6 * undisturbed(base[0]):.2f} us, {len(base[0])} rounds  {words}", flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", default=["programs", "entry"])
    parser.add_argument("--programs", default=",".join(each.name for each in PROGRAMS))
    parser.add_argument("--forms", default="ssa,O1")
    parser.add_argument("--seconds", type=float, default=6, help="for each program and form")
    arguments = parser.parse_args()
    forms = arguments.forms.split(",")
    use_up_small_blocks()
    found: dict[str, list[float]] = {}
    for program in PROGRAMS:
        if "programs" in arguments.parts and program.name in arguments.programs.split(","):
            for form in forms:
                for name, each in measure(program, form, arguments.seconds).items():
                    found.setdefault(name, []).append(each.median)
    for name, ratios in found.items():
        print(f"{name:<15}median {median(ratios):.3f}, worst {max(ratios):.3f}")
    if "entry" in arguments.parts:
        for form in forms:
            for cell_at in (None, 0x0, 0x80):
                entry(form, arguments.seconds / 3, cell_at)


if __name__ == "__main__":
    main()
