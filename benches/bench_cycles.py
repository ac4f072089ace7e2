"""Real C and C++ programs with probes that measure cycles, against the same code without.

    python benches/bench_cycles.py [--rounds 9] [--only ALTERNATIVE ...] [--level 2] [NAME ...]

The programs, and how they are run, are those of bench_probes.py: CPU time from the first constructor to the end, runs
interleaved, the median ratio over the rounds with a 95 % interval, outputs compared.

    count     entries of all functions (`sonde contexts --cycles --stamps none`)
    chosen    intervals measured as often as costs little (`--stamps chosen`)
    all       all of them (`--stamps all`)
    sampled   no probes, 1,000 samples in a second (`--time sampled`)
    dense     no probes, 10,000 of them (`--every 100us`)
    both      as chosen, and so many samples (`--time both`)

Beside them: the object file's size against that without probes, how many functions there are, and how often they ran by
themselves and were measured. To reach, of chosen: median 1.08, worst 1.60. `fib` and `helpers` are not in the medians.
"""

import argparse
import statistics
import sys
from pathlib import Path

_HERE = Path(__file__).parent
sys.path.insert(0, str(_HERE.parent / "tests"))  # the programs are those of the tests

from bench_jit import Work  # noqa: E402 - see above
from bench_probes import Run, Runner, compare, in_fork, works  # noqa: E402 - see above
from sonde.instruments.contexts.sources.compiled import CycledProgram, Stamps, UnitTime  # noqa: E402 - see above
from sonde.instruments.contexts.sources.sampling import SAMPLE_NS  # noqa: E402 - see above
from sonde.jit import Engine, Libraries, link_with_lines, run_main  # noqa: E402 - see above
from sonde.native import Spool, unit_cycles_of  # noqa: E402 - see above
from sonde.options.compiled_program import CompiledProgram  # noqa: E402 - see above

ALTERNATIVES: dict[str, tuple[Stamps, UnitTime]] = {
    "count": ("none", "measured"),
    "chosen": ("chosen", "measured"),
    "all": ("all", "measured"),
    "sampled": ("none", "sampled"),
    "dense": ("none", "sampled"),
    "both": ("chosen", "both"),
}
DENSE_NS = 100_000
_BAD_CASES = ("fib", "helpers")


def runners(work: Work, level: int, names: tuple[str, ...], told: dict[str, str]) -> dict[str, Runner]:
    """Name of an alternative -> what runs it; what its last run measured is left in `told`."""
    program = work.program
    files, options = list(map(str, program.files)), [*program.options, "-w"]
    asked = CompiledProgram(files, options, list(program.libraries), [], level, False, list(work.arguments))
    libraries = Libraries(program.libraries)
    linked = link_with_lines(files, options, level)
    image = linked.module.object(level)
    arguments = [files[0], *work.arguments]

    def plain(folder: Path) -> Run:
        return in_fork(
            work,
            folder,
            lambda: run_main(Engine(libraries).load(arguments[0], [image], {}, linked.users), arguments),
        )

    def probed(name: str) -> Runner:
        made = CycledProgram.compile(asked, *ALTERNATIVES[name])

        def run(folder: Path) -> Run:
            spool = folder / "spool"
            spool.mkdir()
            sampling = made.sampling(spool, follow=False, every_ns=DENSE_NS if name == "dense" else SAMPLE_NS)
            begin = (lambda: None) if sampling is None else sampling.begin
            ran = in_fork(work, folder, lambda: made.become(spool, follow=False, sampling=sampling), begin)
            if sampling is not None:
                sampling.end()
            told[name] = f"{len(made.image) / len(image):.2f} of the size; {measured(spool, len(made.known.units))}"
            return ran

        return run

    return {"plain": plain, **{name: probed(name) for name in ALTERNATIVES if name in names}}


def measured(folder: Path, units: int) -> str:
    """What a run left in its folder."""
    found = [each for path in folder.glob("*.cells") for each in unit_cycles_of(Spool(bytes(path)))]
    if not found:
        return f"{units:,} functions"
    entries, intervals, looked = (
        sum(getattr(each, name) for each in found) for name in ("entries", "intervals", "measured")
    )
    said = f"{units:,} functions, {entries / 1e6:.1f} million entries, {intervals / 1e6:.1f} million intervals"
    return f"{said}, {looked:,} measured"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", nargs="+", choices=tuple(ALTERNATIVES), default=tuple(ALTERNATIVES))
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
    print("over the programs, without those that are made to be bad cases: median, worst")
    for each, medians in found.items():
        values = [median for name, median in medians.items() if name not in _BAD_CASES]
        if values:
            print(f"  {each:12} {statistics.median(values):.2f}  {max(values):.2f}", flush=True)


if __name__ == "__main__":
    main()
