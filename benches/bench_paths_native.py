"""Real C and C++ programs with probes that count their acyclic paths, against the same code without.

    python benches/bench_paths_native.py [--rounds 9] [--only ALTERNATIVE ...] [--level 2] [NAME ...]

The programs, and how they are run, are those of bench_probes.py: CPU time from the first constructor to the end, runs
interleaved, the median ratio over the rounds with a 95 % interval, outputs compared. No function is left out.

    paths    after the optimiser; where more than 4,096 paths begin, their counts are in a table, by key
    cut      the same, but functions of more are cut until an array is enough
    cut 16   the same, but functions of more than 65,536 paths are cut until they have no more
    early    as `paths`, before the optimiser
    k = 1, 2, 4, 16    every sequence of up to so many paths, in order (`sonde paths -k`)
    cut 16, k = 4      the same, where functions of more than 65,536 paths are cut
    early, k = 4       the same, before the optimiser (`--probes early`)
    off, bursts        as k = 4, by code that looks whether a burst goes on: none ever does, or 2 ms in every 20 ms

Beside them: how often paths were taken, how many different ones, and how many functions have keys for some of theirs,
or cuts. To reach: median 1.08, worst 1.40. `fib` is not among them: it does nothing but call itself.
"""

import argparse
import ctypes
import os
import statistics
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NoReturn

_HERE = Path(__file__).parent
sys.path.insert(0, str(_HERE.parent / "tests"))  # the programs are those of the tests

import sonde  # noqa: E402 - see above
from bench_jit import Work  # noqa: E402 - see above
from bench_probes import Run, Runner, compare, in_fork, works  # noqa: E402 - see above
from path_server import Plan, address_in  # noqa: E402 - see above
from sonde.instruments.paths.sources.compiled import path_library  # noqa: E402 - see above
from sonde.ir import parse_module, print_module  # noqa: E402 - see above
from sonde.jit import Engine, Libraries, link_program, run_main  # noqa: E402 - see above
from sonde.launch.burst_clock import BURSTS, BurstClock  # noqa: E402 - see above
from sonde.llvm import LlvmModule  # noqa: E402 - see above
from sonde.native import PathCounts, Spool  # noqa: E402 - see above
from sonde.options.bursts import Bursts  # noqa: E402 - see above
from sonde.passes import PathProbes, ProbedPaths  # noqa: E402 - see above
from sonde.passes.path_counters import COUNT, THREAD  # noqa: E402 - see above
from sonde.passes.path_probes import MOST_COUNTERS, MOST_PATHS  # noqa: E402 - see above

ORDERED = {
    "k = 1": 1,
    "k = 2": 2,
    "k = 4": 4,
    "k = 16": 16,
    "early, k = 4": 4,
    "cut 16, k = 4": 4,
    "off": 4,
    "bursts": 4,
}
_BURSTS = Bursts(20_000_000, 2_000_000)
ALTERNATIVES = ("paths", "cut", "cut 16", "early", *ORDERED)
_MOST_SEQUENCES = 1 << 24
_MANY = 1 << 16


def runners(work: Work, level: int, names: tuple[str, ...], told: dict[str, str]) -> dict[str, Runner]:
    """Name of an alternative -> what runs it; what its last run counted is left in `told`."""
    program = work.program
    files, options = list(map(str, program.files)), [*program.options, "-w"]
    library = ctypes.CDLL(str(Path(sonde.__file__).parent / "_path_probes.so"))
    library.sn_paths_offset.restype = ctypes.c_ssize_t
    libraries = Libraries(program.libraries)
    linked = link_program(files, options, level=level)
    arguments = [files[0], *work.arguments]
    imports = {name: address_in(library, name) for name in (COUNT, THREAD)}

    image = linked.module.object(level)

    def become(image: bytes, imports: Mapping[str, int]) -> NoReturn:
        run_main(Engine(libraries).load(arguments[0], [image], imports, linked.users), arguments)

    def plain(folder: Path) -> Run:
        return in_fork(work, folder, lambda: become(image, {}))

    def probed(name: str) -> Runner:
        text = (link_program(files, options, level=None) if name == "early" else linked).module.text()
        module = parse_module(text)
        probes = PathProbes(library.sn_paths_offset(), "early" if name == "early" else "late")
        if name == "cut":
            probes = PathProbes(library.sn_paths_offset(), most_paths=MOST_COUNTERS)
        if name == "cut 16":
            probes = PathProbes(library.sn_paths_offset(), most_paths=_MANY)
        paths = probes.insert(module)
        made = LlvmModule.from_text(print_module(module), program.name)
        if name == "early":
            made.optimize(level)
        image = made.object(level)

        def begin(folder: Path) -> NoReturn:
            plan = Plan(os.fsencode(folder), b"program", b"paths", paths.counters, False)
            assert library.sn_paths_begin(ctypes.byref(plan)) == 0
            become(image, imports)

        def run(folder: Path) -> Run:
            ran = in_fork(work, folder, lambda: begin(folder))
            told[name] = told.get(name) or counted(folder, paths)
            return ran

        return run

    def with_order(when: Literal["late", "early"], switch: int | None, most: int) -> tuple[bytes, ProbedPaths]:
        text = (link_program(files, options, level=None) if when == "early" else linked).module.text()
        module = parse_module(text)
        probes = PathProbes(path_library.thread_offset(), when, most_paths=most, with_order=True, switch=switch)
        paths = probes.insert(module)
        made = LlvmModule.from_text(print_module(module), program.name)
        if when == "early":
            made.optimize(level)
        else:
            made.run_passes(["sroa"])
        return made.object(level), paths

    def ordered(name: str) -> Runner:
        kind = name if name in ("off", "bursts", "early, k = 4", "cut 16, k = 4") else "always"
        if kind not in made:
            switch = path_library.switch_address() if kind in ("off", "bursts") else None
            made[kind] = with_order(
                "early" if kind.startswith("early") else "late", switch, _MANY if "cut" in kind else MOST_PATHS
            )
        image, paths = made[kind]

        def begin(folder: Path) -> NoReturn:
            path_library.begin(
                os.fsencode(folder), ORDERED[name], _MOST_SEQUENCES, [each.row for each in paths.functions]
            )
            if kind == "bursts":
                path_library.begin_bursts(folder / BURSTS)
            become(image, path_library.addresses())

        def run(folder: Path) -> Run:
            with BurstClock(folder, _BURSTS if kind == "bursts" else None):
                ran = in_fork(work, folder, lambda: begin(folder))
            told[name] = told.get(name) or listed(folder, ORDERED[name], paths)
            return ran

        return run

    made: dict[str, tuple[bytes, ProbedPaths]] = {}

    return {
        "plain": plain,
        **{name: probed(name) for name in ALTERNATIVES if name in names and name not in ORDERED},
        **{name: ordered(name) for name in ORDERED if name in names},
    }


def listed(folder: Path, k: int, paths: ProbedPaths) -> str:
    """What a run left in its folder, of sequences."""
    nodes = sum(path.stat().st_size for path in folder.glob("*.paths")) / 24
    return f"up to {nodes:,.0f} nodes for k = {k}; {len(paths.functions):,} functions"


def counted(folder: Path, paths: ProbedPaths) -> str:
    """What a run left in its folder."""
    found = PathCounts.of(Spool(bytes(path)) for path in folder.glob("*.cells"))
    own = [each.counts(found.counters, found.by_key) for each in paths.functions]
    taken = sum(sum(each.values()) for each in own)
    by_key = sum(each.has_keys for each in paths.functions)
    cut = sum(bool(each.cut_blocks) for each in paths.functions)
    return (
        f"{taken / 1e6:.1f} million paths, {sum(map(len, own)):,} different; "
        f"{len(own):,} functions, {by_key} with keys, {cut} cut, {len(paths.left_out)} left out"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", nargs="+", choices=ALTERNATIVES, default=ALTERNATIVES)
    parser.add_argument("--level", type=int, default=2)
    parser.add_argument("names", nargs="*", metavar="NAME")
    arguments = parser.parse_args()
    print(f"CPU time against the same code without, at -O{arguments.level}; median [95 %], {arguments.rounds} rounds")
    found: dict[str, dict[str, float]] = {}
    for name, work in works().items():
        if arguments.names and name not in arguments.names:
            continue
        told: dict[str, str] = {}
        prints_times = work.program.name == "sqlite-speedtest"
        made = runners(work, arguments.level, tuple(arguments.only), told)
        for each, median in compare(name, made, "plain", arguments.rounds, prints_times).items():
            found.setdefault(each, {})[name] = median
            print(f"  {name:14} {each:12} {told[each]}", flush=True)
    print("over the programs, without fib: median, worst")
    for each, medians in found.items():
        values = [median for name, median in medians.items() if name != "fib"]
        if values:
            print(f"  {each:12} {statistics.median(values):.2f}  {max(values):.2f}", flush=True)


if __name__ == "__main__":
    main()
