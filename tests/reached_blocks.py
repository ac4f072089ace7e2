"""Which blocks of a program a run comes to."""

import ctypes
import mmap
from collections.abc import Mapping

from forked_work import in_a_fork
from sonde.ir import Instruction, parse_module, print_module
from sonde.ir.edits import insert_instruction, why_nothing_goes_there
from sonde.jit import Engine
from sonde.llvm import LlvmModule
from swept_runs import Runs, run_in_a_fork

_REACHED = "@swept.reached"


def reached_blocks(module: LlvmModule, runs: Runs) -> Mapping[str, set[str]]:
    """Function -> its blocks that a run comes to; those where no mark can be left are taken to be among them."""
    image, seen, always = in_a_fork(lambda: _with_marks(module))
    page = mmap.mmap(-1, max(1, len(seen)))
    engine = Engine()
    for library in runs.libraries:
        engine.libraries.add(library)
    code = engine.load("reached", [image], {_REACHED[1:]: ctypes.addressof(ctypes.c_char.from_buffer(page))})
    run_in_a_fork(code, runs)
    found: dict[str, set[str]] = {}
    for is_reached, (function, block) in zip(page[:], seen, strict=False):
        if is_reached:
            found.setdefault(function, set()).add(block)
    for function, block in always:
        found.setdefault(function, set()).add(block)
    engine.close()
    return found


def _with_marks(module: LlvmModule) -> tuple[bytes, list[tuple[str, str]], list[tuple[str, str]]]:
    """Machine code whose blocks leave a mark; function and block by number; those without a mark."""
    model = parse_module(module.text())
    model.add_global(_REACHED, "external global i8")
    seen: list[tuple[str, str]] = []
    always: list[tuple[str, str]] = []
    for f in model.defined_functions():
        is_inline_only = "available_externally" in f.signature.prefix  # otherwise a library's is called, without marks
        for block in f.blocks:
            at = block.first_insertion_point()
            if is_inline_only or why_nothing_goes_there(block, at) is not None:
                always.append((f.name, block.name))
                continue
            mark = f"store volatile i8 1, ptr getelementptr (i8, ptr {_REACHED}, i64 {len(seen)})"
            insert_instruction(f, block, at, Instruction.from_text(mark))
            seen.append((f.name, block.name))
    return LlvmModule.from_text(print_module(model), module.name).object(0), seen, always
