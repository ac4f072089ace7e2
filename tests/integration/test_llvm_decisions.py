"""What real compilers decide: against DWARF's inlined calls, and on pairs of which the changed decision is known."""

import os
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from machine_code import (
    code_addresses,
    function_sizes,
    inline_stacks,
    instruction_addresses,
    needs_binutils,
    shared_library,
)
from real_programs import real_program
from sonde.base.errors import MissingCapability
from sonde.instruments.decisions.deltas import DeltaNode, Edit
from sonde.instruments.decisions.experiments import (
    CompareOptions,
    Differences,
    Experiment,
    HeatPolicy,
    differences,
    enclosing_path,
    method_pairs,
    path_to,
)
from sonde.instruments.decisions.experiments.fragment import inlined_calls
from sonde.instruments.decisions.model import CallSite, Decision, DecisionRun, Place, Position
from sonde.instruments.decisions.readers import RunPlace
from sonde.instruments.decisions.readers.llvm import LLVM, rust_name
from sonde.instruments.decisions.readers.llvm.object_record import ObjectRecord
from sonde.jit.compilers import find_compiler

Path_ = tuple[tuple[str, int, int], ...]
"""Symbol, line and column of each call, outermost first."""

PROGRAM = """\
#ifndef LEAF
#define LEAF
#endif
static LEAF int leaf(int x) {
  return x % 7 + (x ^ 5) * (x >> 3) - x / 9 + (x & 77) * (x | 3);
}
static int middle(int x) { return leaf(x) + leaf(x * 3); }
int work(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum ^= middle(i ^ sum);
  return sum;
}
int sums(const int *a, const int *b, int n) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}
"""


def clang() -> list[str]:
    try:
        return list(find_compiler().command)
    except MissingCapability as missing:
        pytest.skip(str(missing))


def compiled(folder: Path, source: Path, options: Sequence[str]) -> Path:
    """An object file, with remarks beside it."""
    folder.mkdir(exist_ok=True)
    made = folder / f"{source.stem}.o"
    command = [*clang(), "-c", "-O2", "-g", "-w", *options, str(source), "-o", str(made), "-fsave-optimization-record",
               f"-foptimization-record-file={folder / source.stem}.opt.yaml"]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True)
    return made


def inlined_by_dwarf(path: Path) -> dict[str, set[Path_]]:
    """Function -> the inlined calls that its debug information has."""
    from elftools.elf.elffile import ELFFile

    found: dict[str, set[Path_]] = {}

    def walk(die: Any, chain: Path_, root: str) -> None:
        for child in die.iter_children():
            if child.tag == "DW_TAG_subprogram":
                if "DW_AT_low_pc" in child.attributes or "DW_AT_ranges" in child.attributes:
                    name = dwarf_name(child)
                    found.setdefault(name, set())
                    walk(child, (), name)
            elif child.tag == "DW_TAG_inlined_subroutine" and root:
                line, column = (
                    child.attributes[key].value if key in child.attributes else 0
                    for key in ("DW_AT_call_line", "DW_AT_call_column")
                )
                inner = (*chain, (dwarf_name(child), line, column))
                found[root].add(inner)
                walk(child, inner, root)
            else:
                walk(child, chain, root)

    with path.open("rb") as file:
        for unit in ELFFile(file).get_dwarf_info().iter_CUs():
            walk(unit.get_top_DIE(), (), "")
    return found


def dwarf_name(die: Any) -> str:
    for key in ("DW_AT_linkage_name", "DW_AT_name"):
        at = die
        while at is not None:
            if key in at.attributes:
                return str(at.attributes[key].value.decode())
            reference = next((r for r in ("DW_AT_abstract_origin", "DW_AT_specification") if r in at.attributes), None)
            at = at.get_DIE_from_attribute(reference) if reference else None
    return ""


def inlined_by_remarks(run: DecisionRun) -> dict[str, set[Path_]]:
    found: dict[str, set[Path_]] = {}
    for unit in run.units:
        # Behind the trees, for lines of the file instead of functions.
        record: ObjectRecord = getattr(unit.load, "record")  # noqa: B009 - a Callable has none, says mypy
        paths = found.setdefault(unit.id, set())
        for call in record.tree(unit.id).root.below():
            if call.inlined:
                paths.add(tuple((each.symbol, each.line, each.column) for each in reversed(call.path()[:-1])))
    return found


def read(folder: Path, profile: Path | None = None) -> DecisionRun:
    return LLVM.read(RunPlace(folder), profile)


@pytest.mark.parametrize(("program", "name"), [("lua", "lparser"), ("lua", "lvm"), ("zlib-minigzip", "deflate"),
                                               ("jsoncpp", "json_value")])  # fmt: skip
def test_every_inlined_call_of_the_debug_information_is_in_the_trees(tmp_path: Path, program: str, name: str) -> None:
    source = next(file for file in real_program(program).files if file.stem == name)
    made = compiled(tmp_path / "run", source, real_program(program).options)

    ours = inlined_by_remarks(read(tmp_path / "run"))
    theirs = inlined_by_dwarf(made)

    # Where LLVM merged two pieces of code, a call has line 0.
    known = {
        function: {path for path in paths if all(line and column for _, line, column in path)}
        for function, paths in theirs.items()
    }
    missing = {function: paths - ours.get(function, set()) for function, paths in known.items()}
    assert sum(map(len, known.values())) > 20
    assert {function: paths for function, paths in missing.items() if paths} == {}


def test_functions_of_a_rust_program_have_their_trees(tmp_path: Path) -> None:
    rustc = shutil.which("rustc")
    if rustc is None:
        pytest.skip("there is no rustc")
    (tmp_path / "m.rs").write_text(
        "#[inline(never)]\nfn weigh(v: &[u64]) -> u64 {\n    v.iter().map(|x| step(*x)).sum()\n}\n"
        "fn step(x: u64) -> u64 { x.wrapping_mul(31) ^ (x >> 3) }\n"
        'fn main() { println!("{}", weigh(&(0..1000).collect::<Vec<u64>>())); }\n',
        encoding="utf-8",
    )
    command = [rustc, "-O", "-g", "-Ccodegen-units=1", "-Cremark=all", f"-Zremark-dir={tmp_path / 'run'}", "m.rs"]
    subprocess.run(command, check=True, cwd=tmp_path, env={"RUSTC_BOOTSTRAP": "1", "PATH": "/usr/bin:/bin"},
                   capture_output=True)  # fmt: skip

    run = read(tmp_path / "run")

    units = {unit.method: unit for unit in run.units}
    tree = units["m::weigh"].load().inlining
    names = [site.method for site in sites(tree)]
    assert "m::weigh::{closure#0}" in names or any(name and "sum" in name for name in names)
    assert all(rust_name(unit.id) for unit in run.units if unit.id.startswith("_R"))
    assert run.sources["m::weigh"].first_line == 2


def sites(tree: CallSite) -> Iterator[CallSite]:
    yield tree
    for child in tree.children:
        yield from sites(child)


def pair(tmp_path: Path, first: Sequence[str], second: Sequence[str]) -> dict[str, Differences]:
    """Hot method -> what is different in it."""
    source = tmp_path / "prog.c"
    source.write_text(PROGRAM, encoding="utf-8")
    profile = tmp_path / "perf.txt"
    times = (("work", 60), ("sums", 40))
    lines = [f"a 1 5.000001: {period} cpu-clock: 4011 {name}+0x1 (/a)\n" for name, period in times]
    profile.write_text("".join(lines), encoding="utf-8")
    experiments = []
    for number, options in enumerate((first, second), 1):
        compiled(tmp_path / str(number), source, options)
        experiment = Experiment(read(tmp_path / str(number), profile), number)
        experiment.mark_hot(HeatPolicy(percentile=1.0))
        experiments.append(experiment)
    found = {}
    for method in method_pairs(*experiments):
        for units in method.unit_pairs():
            found[method.method] = differences(units, CompareOptions())
    return found


def edits(node: DeltaNode[Any] | None) -> list[tuple[Edit, Any]]:
    if node is None:
        return []
    own = [] if node.edit is Edit.SAME else [(node.edit, node.right or node.left)]
    return own + [each for child in node.children for each in edits(child)]


def test_a_call_that_is_no_longer_inlined_is_named(tmp_path: Path) -> None:
    found = pair(tmp_path, [], ["-DLEAF=__attribute__((noinline))"])

    changed = edits(found["work"].inlining)  # type: ignore[arg-type]
    leaves = [(edit, site.kind.value, site.reasons) for edit, site in changed if site.method == "leaf"]
    assert (Edit.CHANGED, "direct", ("never inline: noinline function attribute",)) in leaves
    assert edits(found["sums"].inlining) == []  # type: ignore[arg-type]


def test_a_loop_that_is_no_longer_vectorized_is_named(tmp_path: Path) -> None:
    found = pair(tmp_path, [], ["-fno-vectorize"])

    lost = [
        node.event
        for edit, node in edits(found["sums"].optimizations)  # type: ignore[arg-type]
        if edit is Edit.DELETED and isinstance(node, Decision) and node.name == "loop-vectorize"
    ]
    assert lost == ["Vectorized"]
    assert edits(found["sums"].inlining) == []  # type: ignore[arg-type]


def test_the_cost_that_was_too_much_is_named(tmp_path: Path) -> None:
    found = pair(tmp_path, [], ["-mllvm", "-inline-threshold=1"])

    changed = [(edit, site) for edit, site in edits(found["work"].inlining) if isinstance(site, CallSite)]  # type: ignore[arg-type]
    reasons = [reason for edit, site in changed if edit is not Edit.DELETED for reason in site.reasons]
    assert any(reason.startswith("too costly: cost=") for reason in reasons)


def test_names_of_rust_are_those_of_binutils(tmp_path: Path) -> None:
    if not all(shutil.which(tool) for tool in ("rustc", "nm", "c++filt")):
        pytest.skip("there is no rustc, nm or c++filt")
    (tmp_path / "m.rs").write_text('fn main() { println!("{:?}", std::env::args().map(|x| x + "1").max()); }\n')
    subprocess.run(["rustc", "-Csymbol-mangling-version=v0", "m.rs"], check=True, cwd=tmp_path, capture_output=True)
    words = subprocess.run(["nm", "m"], check=True, cwd=tmp_path, capture_output=True, text=True).stdout.split()
    symbols = sorted({word for word in words if re.match(r"_R[A-Z]|_ZN.*17h[0-9a-f]{16}E$", word)})
    theirs = subprocess.run(["c++filt"], input="\n".join(symbols), check=True, capture_output=True, text=True).stdout
    different = []
    for symbol, name in zip(symbols, theirs.splitlines(), strict=True):
        bare = re.sub(r"(?<=\w)\[[0-9a-f]+\]|::h[0-9a-f]{16}$", "", name)
        bare = re.sub(r"(?<=[\w']): (?:[ui](?:size|\d+)|bool|char)\b", "", bare)
        # Lifetimes are left out of ours.
        if "'" not in bare and rust_name(symbol) != bare:
            different.append((symbol, rust_name(symbol), bare))
    assert len(symbols) > 500
    assert different == []


@needs_binutils
def test_samples_are_in_the_inlined_calls_that_other_tools_find(tmp_path: Path) -> None:
    source = tmp_path / "prog.c"
    source.write_text(PROGRAM)
    image = compiled(tmp_path / "made", source, ["-fPIC", "-gdwarf-4"])
    linked = shared_library(image)
    begin, size = code_addresses(linked)["work"], function_sizes(image)["work"]
    offsets = [each - begin for each in instruction_addresses(linked) if begin <= each < begin + size]
    lines = (f"p 1 5.{at:06}: 10 cpu-clock: 4011 work+{at:#x} ({linked})\n" for at in offsets)
    (profile := tmp_path / "perf.txt").write_text("".join(lines))

    (work,) = (each for each in LLVM.read(RunPlace(image.parent), profile).units if each.method == "work")

    stacks = inline_stacks("addr2line", linked, [begin + offset for offset in offsets])
    # Lines count from the one on which a function begins: leaf 4, middle 7, work 8.
    first = {"leaf": 4, "middle": 7, "work": 8}
    expected = Counter(
        tuple(Place(name, line - first[name] if line else -1) for name, _, line in stack) for stack in stacks.values()
    )
    seen = Counter[Position]()
    for position, period in work.spread:
        seen[position] += period // 10
    assert seen == expected
    assert max(map(len, seen)) == 3

    inlined = {path_to(way) for _, way in inlined_calls(work.load().inlining, {"leaf", "middle"}).ways}
    assert {enclosing_path(position) for position in seen if len(position) > 1} <= inlined


@needs_binutils
def test_what_was_built_after_the_profile_says_nothing_of_its_samples(tmp_path: Path) -> None:
    source = tmp_path / "prog.c"
    source.write_text(PROGRAM)
    linked = shared_library(compiled(tmp_path / "made", source, ["-fPIC"]))
    (profile := tmp_path / "perf.txt").write_text(f"p 1 5.1: 10 cpu-clock: 4011 work+0x9 ({linked})\n")
    profiled = profile.stat().st_mtime
    for built, is_known in ((profiled - 60, True), (profiled + 60, False)):
        os.utime(linked, (built, built))
        units = LLVM.read(RunPlace(linked.parent), profile).units
        assert [bool(each.spread) for each in units if each.method == "work"] == [is_known]
