"""What is measured, and how long: benchmarks, their alternatives, and when enough is known."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from sonde.base.errors import UsageError
from sonde.instruments.bench.printed_metric import PrintedMetric


@dataclass(frozen=True, slots=True)
class CommandWork:
    """A command to be run from start to end: start-up performance."""

    command: str
    """As typed; split into words as a shell does, but without one."""
    shell: bool = False
    """Whether a shell runs it."""
    folder: str = ""
    """Where it runs; empty: where sonde was started."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables that are set or changed."""
    stdin: str = ""
    """A file that it reads; empty: nothing."""
    output: str = "discard"
    """What becomes of what it prints: `discard`, `drain` (read, and forgotten), `show`, or a file."""


@dataclass(frozen=True, slots=True)
class FunctionWork:
    """A function to be called again and again in one process: steady-state performance."""

    target: str
    """`module:function`."""
    interpreter: str = ""
    """The command that starts it, such as `python3.12 -O`; empty: the Python that runs sonde."""
    folder: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    iterations: tuple[int, int] = (20, 200)
    """At least and at most so many values from each process: the least shows whether there is a warm-up at all."""
    window: int = 10
    """A process ends when the coefficient of variation of so many values in a row falls below `threshold`."""
    threshold: float = 0.01
    min_time_s: float | None = None
    """The function is called so often that a value takes this long; None: as the worker chooses."""
    loops: int | None = None
    """Calls that make one value; None: as `min_time_s` asks for."""
    arguments: str = ""
    """What its module finds in `sys.argv`, split into words as a shell does."""
    collect_garbage: bool = True
    """Whether Python's garbage collector runs as usual."""
    output: str = "discard"


Work = CommandWork | FunctionWork


@dataclass(frozen=True, slots=True)
class Alternative:
    """One way to do the work of a benchmark."""

    name: str
    work: Work
    levels: Mapping[str, str] = field(default_factory=dict)
    """Factor -> level, where alternatives are combinations."""
    prepare: str = ""
    """A shell command before each invocation, not measured."""
    setup: str = ""
    """A shell command before the first invocation, not measured."""
    cleanup: str = ""
    """A shell command after the last one."""


@dataclass(frozen=True, slots=True)
class Conditions:
    """How each invocation of a benchmark runs."""

    warm_up_rounds: int = 1
    """Rounds whose values do not count: the first process of a kind brings files into memory, for all that follow."""
    timeout_s: float | None = None
    pin: int | None = None
    """The only processor that it may use."""
    aslr: bool = True
    """Whether addresses differ from one process to the next, as they do in life."""
    hash_seed: int | None = None
    """Of Python's hashes; None: a new one in each process."""
    vary_environment: bool = False
    """Whether the size of the environment differs from one process to the next: it moves the stack, which can make a
    program several per cent faster or slower for no reason of its own (Mytkowicz, Diwan, Hauswirth, Sweeney, ASPLOS
    2009)."""
    ignore_failure: bool = False
    """Whether a process that exits with another code than 0 did its work all the same."""


ROUNDS_TO_KEEP = 20
"""The least rounds, unless told otherwise, of what will be compared with another run, where nothing takes turns: of
suites, and of one alternative alone. Fewer values do not tell how much they depend on their order: it is
`FEWEST_APART` of `sonde.stats.ratio_evidence`, which cannot be read without NumPy."""


@dataclass(frozen=True, slots=True)
class Extent:
    """How many rounds: a fixed number, or until the intervals are narrow enough.

    >>> Extent(rounds=30).most
    30
    """

    rounds: int | None = None
    """So many exactly; None: as many as precision takes."""
    minimum: int = 15
    """Of fewer, the interval of a mean is wide; see also `ROUNDS_TO_KEEP`."""
    maximum: int = 1000
    precision: float = 0.01
    """Half-width of the interval of each comparison, as a share of the value, at which a benchmark is done."""
    level: float = 0.95

    def __post_init__(self) -> None:
        if self.rounds is None and self.minimum > self.maximum:
            raise UsageError(
                f"cannot run at least {self.minimum} and at most {self.maximum} rounds: that is none",
                slug="bad-plan",
                hint="--max-rounds 1000",
            )

    @property
    def least(self) -> int:
        """Rounds there are at least, if there is time."""
        return self.minimum if self.rounds is None else self.rounds

    @property
    def most(self) -> int:
        """Rounds there are at most."""
        return self.maximum if self.rounds is None else self.rounds


def rounds_between(least: int | None, most: int | None, usual_least: int, usual_most: int) -> tuple[int, int]:
    """The least and the most rounds, of which either may be asked for; what is usual gives way.

    >>> rounds_between(None, 9, 15, 100), rounds_between(200, None, 15, 100)
    ((9, 9), (200, 200))
    """
    if least is None:
        least = usual_least if most is None else min(usual_least, most)
    return least, max(usual_most, least) if most is None else most


@dataclass(frozen=True, slots=True)
class Benchmark:
    """Work, and alternative ways to do it."""

    name: str
    alternatives: tuple[Alternative, ...]
    conditions: Conditions = Conditions()
    extent: Extent = Extent()
    metric: PrintedMetric | None = None
    """What commands print and is measured; None: the time they take."""

    def __post_init__(self) -> None:
        for work in (alternative.work for alternative in self.alternatives if self.metric is not None):
            if isinstance(work, FunctionWork):
                fact, hint = "functions are timed, and not looked for in what they print", "measure a command"
            elif work.output in ("show", "drain"):
                fact = f"what is looked for in the output cannot be found where that goes to '{work.output}'"
                hint = "let output be discarded, or name a file"
            else:
                continue
            raise UsageError(f"cannot measure '{self.name}': {fact}", slug="bad-plan", hint=hint)

    @property
    def mode(self) -> str:
        """`startup` or `steady`."""
        return "steady" if isinstance(self.alternatives[0].work, FunctionWork) else "startup"


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that is to be measured.

    >>> ways = (Alternative("quick", CommandWork("./quick")), Alternative("merge", CommandWork("./merge")))
    >>> len(list(Plan((Benchmark("sort", ways),), seed=7).cells()))
    2
    """

    benchmarks: tuple[Benchmark, ...]
    seed: int
    """Of the order in which alternatives run."""
    budget_s: float | None = None
    """Time after which no round is begun; None: no limit."""
    budget_is_firm: bool = True
    """Whether it ends a run that has not had its minimum of rounds yet."""

    def __post_init__(self) -> None:
        _check_unique("benchmarks", [benchmark.name for benchmark in self.benchmarks])
        for benchmark in self.benchmarks:
            names = [alternative.name for alternative in benchmark.alternatives]
            _check_unique(f"alternatives of '{benchmark.name}'", names)
            kinds = {type(alternative.work) for alternative in benchmark.alternatives}
            if len(kinds) != 1:
                fact = "it has no alternative" if not kinds else "commands and functions are different measurements"
                raise UsageError(f"cannot measure '{benchmark.name}': {fact}", slug="bad-plan")

    def cells(self) -> Iterator[tuple[Benchmark, Alternative]]:
        """Each alternative with its benchmark."""
        for benchmark in self.benchmarks:
            for alternative in benchmark.alternatives:
                yield benchmark, alternative

    def as_data(self) -> dict[str, Any]:
        """All of it, as JSON has it."""
        data: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return data

    def fingerprint(self) -> str:
        """Agrees for plans that measure the same in the same order, however long."""
        return hashlib.sha256(json.dumps(identity(self.as_data()), sort_keys=True).encode()).hexdigest()[:16]


def identity(data: Mapping[str, Any]) -> dict[str, Any]:
    """What of a plan's data cannot be changed when a run is resumed: all but how long it takes.

    Returns:
        where in the plan -> value, flat, so that differences can be named.
    """
    flat: dict[str, Any] = {"seed": data["seed"]}
    for benchmark in data["benchmarks"]:
        name = f"benchmark '{benchmark['name']}'"
        flat |= {f"{name}, {key}": value for key, value in benchmark["conditions"].items() if key != "timeout_s"}
        flat |= {f"{name}, metric {key}": value for key, value in (benchmark.get("metric") or {}).items()}
        for alternative in benchmark["alternatives"]:
            place = f"{name}, alternative '{alternative['name']}'"
            parts = {key: value for key, value in alternative.items() if key not in ("name", "work")}
            flat |= {f"{place}, {key}": value for key, value in (parts | alternative["work"]).items()}
    return flat


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """In words, in what two plans' data differ that matters to what is measured."""
    old, new = identity(before), identity(after)
    told = []
    for place in dict.fromkeys((*old, *new)):
        if place not in new:
            told.append(f"{place} was {old[place]!r}, is gone")
        elif place not in old:
            told.append(f"{place} is new: {new[place]!r}")
        elif old[place] != new[place]:
            told.append(f"{place} was {old[place]!r}, is {new[place]!r}")
    return told


def _check_unique(what: str, names: list[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if not name and len(names) > 1:
            raise UsageError(f"cannot measure: one of the {what} has no name", slug="bad-plan", hint="give it a name")
        if name in seen:
            raise UsageError(
                f"cannot measure: two {what} are called '{name}'",
                slug="bad-plan",
                hint="give one of them another name",
            )
        seen.add(name)
