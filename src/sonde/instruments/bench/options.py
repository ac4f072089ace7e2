"""Options of `sonde bench`: what is run, how long, what is read, what is drawn. How it is judged is in `policy`."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeVar

from sonde.instruments.bench.policy import Policy
from sonde.instruments.bench.runs.quantities import (
    MOST_HASH_SEED,
    MOST_SEED,
    count_of,
    range_of,
    seconds_of,
    share_of,
)
from sonde.options.declared import Option
from sonde.options.numbers import positive, share, two_or_more
from sonde.report import PlotKind

_T = TypeVar("_T")


def _checked_by(read: Callable[[str], _T]) -> Callable[[str], _T]:
    """What reads a value for argparse, from what raises ValueError with a sentence."""

    def checked(text: str) -> _T:
        try:
            return read(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return checked


_count = _checked_by(count_of)
_seconds = _checked_by(seconds_of)


@_checked_by
def _from_0(text: str) -> int:
    return count_of(text, 0)


@_checked_by
def _seed(text: str) -> int:
    return count_of(text, 0, MOST_SEED)


@_checked_by
def _hash_seed(text: str) -> int:
    return count_of(text, 0, MOST_HASH_SEED)


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """How files are read."""

    reader: Annotated[str | None, Option("how to read the files (default: by what is in them)", metavar="NAME")] = None


@dataclass(frozen=True, slots=True)
class PageOptions:
    """A page besides what is printed."""

    html: Annotated[Path | None, Option("also write a page that opens from disk", parse=Path, metavar="FILE")] = None


@dataclass(frozen=True, slots=True)
class ReportOptions(PageOptions):
    """What an answer shows besides its text."""

    plot: Annotated[
        tuple[PlotKind, ...],
        Option("also draw; may be repeated", choices=("sequence", "distribution", "intervals"), is_repeated=True),
    ] = ()
    rows: Annotated[int, Option("lines of tables, about", parse=positive, metavar="N")] = 40


@dataclass(frozen=True, slots=True)
class BaselineOptions:
    """What alternatives are compared with."""

    baseline: Annotated[
        str,
        Option(
            "compare with this alternative, by its name or number from 1 on (default: the first)",
            metavar="NAME_OR_NUMBER",
        ),
    ] = ""


@dataclass(frozen=True, slots=True)
class MeasuringOptions:
    """How long is measured, and into which file."""

    results: Annotated[Path | None, Option("keep the results (.sonde)", parse=Path, metavar="FILE", short="-o")] = None
    resume: Annotated[bool, Option("go on with the run in FILE, where there is one")] = False
    rounds: Annotated[int | None, Option("invocations of each alternative", parse=_count, metavar="N")] = None
    precision: Annotated[
        float | None,
        Option(
            "repeat until the half-width of each interval is below this share (default: 1%%)",
            parse=_checked_by(share_of),
            metavar="SHARE",
        ),
    ] = None
    budget: Annotated[float | None, Option("at most so long: 60s, 10min", parse=_seconds, metavar="TIME")] = None
    """In seconds."""
    min_rounds: Annotated[
        int | None,
        Option("with --precision (default: 15; 20 in a suite, or of one command)", parse=two_or_more, metavar="N"),
    ] = None
    max_rounds: Annotated[
        int | None, Option("with --precision (default: 1000, in a suite 100)", parse=two_or_more, metavar="N")
    ] = None
    warmup: Annotated[
        int | None, Option("rounds before, which do not count (default: 1)", parse=_from_0, metavar="N")
    ] = None
    timeout: Annotated[float | None, Option("of each invocation", parse=_seconds, metavar="TIME")] = None
    """In seconds."""
    seed: Annotated[int | None, Option("of the random order (default: a new one)", parse=_seed, metavar="N")] = None
    quiet: Annotated[bool, Option("no progress on standard error")] = False


@dataclass(frozen=True, slots=True)
class WorkOptions:
    """What the direct form runs."""

    name: Annotated[
        tuple[str, ...], Option("what to call it; once for each COMMAND", metavar="NAME", is_repeated=True)
    ] = ()
    parameter: Annotated[
        tuple[str, ...],
        Option(
            "fill {NAME} in commands and all else with each value: 1,10,100 or 1..10 or 0..100..20; with several,"
            " all combinations",
            metavar="NAME=VALUES",
            is_repeated=True,
        ),
    ] = ()
    steady: Annotated[bool, Option("call functions again and again in one process")] = False
    shell: Annotated[bool, Option("let sh run the commands: | > && * $x ; mean something then")] = False
    folder: Annotated[str, Option("where to run, and to look for modules", metavar="DIR")] = ""
    env: Annotated[tuple[str, ...], Option("set a variable; repeatable", metavar="NAME=VALUE", is_repeated=True)] = ()
    stdin: Annotated[str, Option("what commands read (default: nothing)", metavar="FILE")] = ""
    output: Annotated[
        str,
        Option("what becomes of what they print: discard, drain (through a pipe), show, or a file", metavar="WHERE"),
    ] = "discard"
    prepare: Annotated[str, Option("a shell command before each invocation, not measured", metavar="CMD")] = ""
    setup: Annotated[str, Option("a shell command before all, not measured", metavar="CMD")] = ""
    cleanup: Annotated[str, Option("a shell command after all, not measured", metavar="CMD")] = ""


@dataclass(frozen=True, slots=True)
class SteadyOptions:
    """How functions are called, with `--steady`."""

    python: Annotated[str, Option("the interpreter (default: this one)", metavar="CMD")] = ""
    iterations: Annotated[
        tuple[int, int] | None,
        Option(
            "values from each process: MIN at least, then until they are steady (default: 20:200)",
            parse=_checked_by(range_of),
            metavar="MIN:MAX",
        ),
    ] = None
    min_time: Annotated[
        float | None,
        Option("call so often that a value takes this long (default: 5ms)", parse=_seconds, metavar="TIME"),
    ] = None
    """In seconds."""
    loops: Annotated[int | None, Option("calls that make one value", parse=_count, metavar="N")] = None
    arguments: Annotated[str, Option("what the module finds in sys.argv", metavar="WORDS")] = ""
    no_gc: Annotated[bool, Option("switch Python's garbage collector off")] = False


@dataclass(frozen=True, slots=True)
class ConditionOptions:
    """What invocations of the direct form find around them."""

    pin: Annotated[int | None, Option("run on this processor only", parse=_from_0, metavar="CPU")] = None
    no_aslr: Annotated[bool, Option("lay out memory the same way each time")] = False
    hash_seed: Annotated[
        int | None, Option("PYTHONHASHSEED (default: new each time)", parse=_hash_seed, metavar="N")
    ] = None
    vary_environment: Annotated[bool, Option("change the environment's size each time")] = False
    ignore_failure: Annotated[bool, Option("exit codes other than 0 are no failures")] = False


@dataclass(frozen=True, slots=True)
class SuiteOptions:
    """What of a suite is run."""

    benchmark: Annotated[
        tuple[str, ...], Option("run only this one; may be repeated", metavar="NAME", is_repeated=True)
    ] = ()
    list: Annotated[bool, Option("print what would run, and do not run it")] = False


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """What becomes of the files of other tools."""

    output: Annotated[
        Path | None,
        Option("write a results file instead of judging (.sonde)", parse=Path, metavar="FILE", short="-o"),
    ] = None
    name: Annotated[
        tuple[str, ...],
        Option(
            "what to call a file; once for each, in their order (default: its file name)",
            metavar="NAME",
            is_repeated=True,
        ),
    ] = ()


@dataclass(frozen=True, slots=True)
class LintOptions:
    """Which practices are looked at."""

    ignore_below: Annotated[
        float,
        Option(
            "also tell what practices say that take smaller differences for none",
            parse=share,
            metavar="SHARE",
            show=lambda value: f"{100.0 * value:g}%",
        ),
    ] = 0.02


@dataclass(frozen=True, slots=True)
class RunPolicy(Policy):
    """How commands that are run are judged: also by what they print."""

    metric: Annotated[
        str,
        Option(
            "judge by wall, cpu (user and system), peak-memory or a counter (default: what each benchmark measures);"
            " NAME=PATTERN or NAME(UNIT)=PATTERN: by what commands print, the numbers that a regular expression's group"
            " matches, each an iteration",
            metavar="NAME",
        ),
    ] = ""
