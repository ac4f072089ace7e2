"""Eight programs in C with their hottest functions, and how they are run again and again in this process."""

import ctypes
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sonde.ir import Function
from sonde.ir.analyses import ControlFlow, LoopForest, Place, dominators
from sonde.jit import link_program
from sonde.llvm import LlvmModule

PROGRAMS_IN_C = Path(__file__).parents[1] / "tests" / "programs_in_c" / "shootout"


@dataclass(frozen=True)
class Program:
    """A program, its hottest function, and arguments for some tenths of a second, and for a millisecond or two."""

    name: str
    function: str
    arguments: tuple[str, ...]
    short: tuple[str, ...]
    at_entry: bool = False

    def compiled(self, form: str) -> LlvmModule:
        """Its module: `ssa`, or a level."""
        module = link_program([PROGRAMS_IN_C / f"{self.name}.c"], ["-w"]).module
        if form == "ssa":
            module.run_passes(["sroa"])
        else:
            module.optimize(int(form[1:]))
        return module


PROGRAMS = (
    Program("binary_trees", "@bottom_up", ("18",), ("10",), at_entry=True),
    Program("fannkuch", "@flips_of", ("10",), ("7",)),
    Program("fasta", "@chosen", ("3000000",), ("2000",)),
    Program("fasta_redux", "@lines", ("12000000",), ("20000",)),
    Program("mandelbrot", "@eight_points", ("2400",), ("96",)),
    Program("n_body", "@advance", ("10000000",), ("20000",)),
    Program("reverse_complement", "@reverse_complement", ("300000", "4000"), ("20000", "60")),
    Program("spectral_norm", "@times", ("2000",), ("70",)),
)


def hottest_place(f: Function, at_entry: bool) -> Place:
    """The beginning of the innermost loop, or of the function behind its stack slots."""
    if at_entry:
        at = next(at for at, each in enumerate(f.entry.instructions) if each.opcode != "alloca")
        return Place(f.entry.name, at)
    forest = LoopForest.of(dominators(ControlFlow.of(f)))
    header = max(forest.loops, key=lambda loop: forest.depth(loop.header)).header
    return Place(header, f.block(header).first_insertion_point())


def main_of(address: int, name: str, arguments: tuple[str, ...]) -> Callable[[], int]:
    """A program's `main`, to be called again and again: it must return, and may not mind what it left behind."""
    words = [name.encode(), *(each.encode() for each in arguments)]
    strings = (ctypes.c_char_p * (len(words) + 1))(*words, None)
    run = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.POINTER(ctypes.c_char_p))(address)
    return lambda: run(len(words), strings)


@contextmanager
def silent() -> Iterator[None]:
    """What programs in this process print is lost."""
    sys.stdout.flush()
    kept, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    try:
        yield
    finally:
        ctypes.CDLL(None).fflush(None)
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)


def use_up_small_blocks() -> None:
    """Let what programs allocate lie side by side, as in a process of their own: Python has left gaps everywhere."""
    allocate = ctypes.CDLL(None).malloc
    for size in (16, 32, 48):
        for _ in range(100_000):
            allocate(size)
