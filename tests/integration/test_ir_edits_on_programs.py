"""Programs whose every function was cloned, cut, mended and kept on the stack still do what they did."""

import os
import random
from pathlib import Path

import pytest

from ir_surgery import Surgery, cut_everywhere, demote_some, mend_some, run_on_clones
from program_runs import Outcome, build_module, run_check
from real_programs import Check, RealProgram, linked_module, real_program
from sonde.ir import Function, Module, parse_module, print_module
from sonde.ir.edits import declaration_of, extract_functions, promote_internals
from sonde.jit import compile_file
from sonde.llvm import LlvmModule
from sweeps import rare

_PROGRAMS = Path(__file__).parents[1] / "programs_in_c"
_SEED = int(os.environ.get("SONDE_SEED", "20261121"))
"""The same each time, so that a failure is of what was changed; other seeds find other things."""

OWN = {
    name: RealProgram(name, (_PROGRAMS / name,), (), (), tuple(Check(size, (size,)) for size in ("3", "200")))
    for name in ("jumps_and_sums.c", "throws.cpp")
}
_CASES = [
    *((name, level) for name in (*OWN, "zlib-example", "lua") for level in (0, 2)),
    *((name, 2) for name in ("bzip2", "zlib-minigzip", "sqlite", "jsoncpp")),
]
"""As compiled, and as optimised; of the larger ones, the latter only, for its shapes are the richer."""

_LARGE = 800
"""Functions of a program, clones counted in."""


def _module(name: str) -> tuple[RealProgram, LlvmModule]:
    if name in OWN:
        return OWN[name], compile_file(OWN[name].files[0], debug=True)
    return real_program(name), linked_module(name, debug=True)


def _outcomes(module: LlvmModule, program: RealProgram, folder: Path, name: str) -> list[Outcome]:
    build_module(module, program, folder / name, level=0)
    return [run_check(folder / name, check, folder / "run") for check in program.checks]


def _edited(module: LlvmModule, surgery: Surgery, rng: random.Random) -> LlvmModule:
    model = parse_module(module.text())
    run_on_clones(model, surgery)
    # Every function is cut somewhere; large ones, for whose code LLVM takes minutes then, not everywhere.
    cut_everywhere(model, rng, surgery, share=0.5 if sum(1 for _ in model.defined_functions()) < _LARGE else 0.1)
    demote_some(model, rng, surgery, most=2)
    mend_some(model, rng, surgery)
    return LlvmModule.from_text(print_module(model), module.name)


@pytest.mark.parametrize(("name", "level"), rare(_CASES, [("throws.cpp", 2), ("zlib-example", 2)]))
def test_every_function_cloned_and_cut_does_the_same(name: str, level: int, tmp_path: Path) -> None:
    program, module = _module(name)
    module.optimize(level)  # at 0, too, what must be inlined is
    expected = _outcomes(module, program, tmp_path, "plain")
    surgery = Surgery()
    edited = _edited(module, surgery, random.Random(_SEED))
    print(f"seed {_SEED}: {name} at O{level}: {surgery}")  # pytest shows it when the test fails

    assert _outcomes(edited, program, tmp_path, "edited") == expected
    assert surgery.clones == surgery.functions
    assert surgery.splits >= surgery.functions and surgery.edges and surgery.merges


@pytest.mark.parametrize("name", rare(["jumps_and_sums.c", "bzip2", "zlib-example", "lua"], ["jumps_and_sums.c"]))
def test_every_function_in_a_module_of_its_own_does_the_same(name: str, tmp_path: Path) -> None:
    program, module = _module(name)
    expected = _outcomes(module, program, tmp_path, "plain")
    model = parse_module(module.text())
    promote_internals(model, ".one")
    rng = random.Random(_SEED)
    print(f"seed {_SEED}")
    names = [function.name for function in model.defined_functions()]
    parts = []
    for each in names:
        inlinable = rng.sample(names, len(names) // 2)
        part = LlvmModule.from_text(print_module(extract_functions(model, [each], inlinable=inlinable)), each)
        part.optimize(1)
        parts.append(part)

    whole = LlvmModule.from_text(print_module(_without_bodies(model)), name)
    for part in parts:
        whole.link_in(part)
    assert _outcomes(whole, program, tmp_path, "parts") == expected


def _without_bodies(model: Module) -> Module:
    """The module's variables, and declarations of all of its functions."""
    rest = Module(header=model.header, types=model.types, attribute_groups=model.attribute_groups)
    rest.functions = {name: Function(declaration_of(each.signature)) for name, each in model.functions.items()}
    rest.globals = {
        name: value
        for name, value in model.globals.items()
        if "blockaddress(" not in value.text and value.linkage != "appending"
    }
    rest.metadata, rest.named_metadata = model.metadata, model.named_metadata
    return rest
