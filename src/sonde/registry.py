"""Everything that can be plugged in, by name: analyses, sources, formats, passes, readers, drivers, kinds of files.

Another package adds to it by entry points in the group `sonde.plugins`, named after what they are:

    [project.entry-points."sonde.plugins"]
    "format.toy-lines" = "sonde_toy.lines:LINES"

It is imported when it is asked for by name. `tests/contract` holds all of it to `sonde.testing`.
"""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib import import_module
from importlib.machinery import PathFinder
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from sonde.base.errors import InputError, UsageError
from sonde.base.near_names import near_hint

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Family = Literal[
    "analysis", "source", "format", "pass", "measurement-reader", "decision-reader", "profiler-driver", "kind"
]
FAMILIES: tuple[Family, ...] = get_args(Family)
GROUP = "sonde.plugins"

ANALYSES = {
    "exact-contexts": "sonde.instruments.contexts.analyses:ExactContexts",
    "hot-contexts": "sonde.instruments.contexts.analyses:HotContexts",
}
SOURCES = {
    "cpython-eval-hook": "sonde.instruments.contexts.sources.cpython.mechanism:EVAL_HOOK",
    "cpython-monitoring": "sonde.instruments.contexts.sources.cpython.mechanism:MONITORING",
    "cpython-set-profile": "sonde.instruments.contexts.sources.cpython.mechanism:SET_PROFILE",
}
PASSES = {
    "eliminate-common-subexpressions": "sonde.passes:EliminateCommonSubexpressions",
    "eliminate-dead-code": "sonde.passes:EliminateDeadCode",
    "hoist-loop-invariants": "sonde.passes:HoistLoopInvariants",
    "mark-for-inlining": "sonde.passes:MarkForInlining",
}
MEASUREMENT_READERS = {
    "sonde": "sonde.instruments.bench.readers.results:SONDE",
    "pyperf": "sonde.instruments.bench.readers.pyperf:PYPERF",
    "hyperfine": "sonde.instruments.bench.readers.hyperfine:HYPERFINE",
    "jmh": "sonde.instruments.bench.readers.jmh:JMH",
    "asv": "sonde.instruments.bench.readers.asv:ASV",
    "pytest-benchmark": "sonde.instruments.bench.readers.pytest_benchmark:PYTEST_BENCHMARK",
    "google-benchmark": "sonde.instruments.bench.readers.google_benchmark:GOOGLE_BENCHMARK",
    "go": "sonde.instruments.bench.readers.go:GO",
    "criterion": "sonde.instruments.bench.readers.criterion:CRITERION",
    "benchmark-dotnet": "sonde.instruments.bench.readers.benchmark_dotnet:BENCHMARK_DOTNET",
    "perf-stat": "sonde.instruments.bench.readers.perf_stat:PERF_STAT",
    "krun": "sonde.instruments.bench.readers.krun:KRUN",
    "rebench": "sonde.instruments.bench.readers.rebench:REBENCH",
    "table": "sonde.instruments.bench.readers.plain_table:PLAIN_TABLE",
}
DECISION_READERS = {
    "graal": "sonde.instruments.decisions.readers.graal:GRAAL",
    "llvm": "sonde.instruments.decisions.readers.llvm:LLVM",
    "hotspot": "sonde.instruments.decisions.readers.hotspot:HOTSPOT",
    "cpython": "sonde.instruments.decisions.readers.cpython:CPYTHON",
}
PROFILER_DRIVERS = {
    "cProfile": "sonde.instruments.audit.sources.drivers:CPROFILE",
    "profile": "sonde.instruments.audit.sources.drivers:PROFILE",
    "yappi": "sonde.instruments.audit.sources.drivers:YAPPI",
    "pyinstrument": "sonde.instruments.audit.sources.drivers:PYINSTRUMENT",
    "py-spy": "sonde.instruments.audit.sources.drivers:PY_SPY",
    "scalene": "sonde.instruments.audit.sources.drivers:SCALENE",
    "viztracer": "sonde.instruments.audit.sources.drivers:VIZTRACER",
    "sonde": "sonde.instruments.audit.sources.drivers:SONDE",
    "sonde-sample": "sonde.instruments.audit.sources.drivers:SONDE_SAMPLE",
}
KINDS = {
    "contexts": "sonde.instruments.contexts.kind:CONTEXTS",
    "memory": "sonde.instruments.memory.kind:MEMORY",
    "results": "sonde.instruments.bench.kind:RESULTS",
    "decisions": "sonde.instruments.decisions.kind:DECISIONS",
    "paths": "sonde.instruments.paths.kind:PATHS",
    "phases": "sonde.instruments.phases.kind:PHASES",
    "audit": "sonde.instruments.audit.kind:AUDIT",
}
_TABLES = {
    "analysis": ANALYSES,
    "source": SOURCES,
    "pass": PASSES,
    "measurement-reader": MEASUREMENT_READERS,
    "decision-reader": DECISION_READERS,
    "profiler-driver": PROFILER_DRIVERS,
    "kind": KINDS,
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that can be plugged in."""

    family: Family
    name: str
    publisher: str
    """`sonde`, or the distribution that publishes it."""
    import_it: Callable[[], Any]

    def load(self) -> Any:
        """Import it: the factory of an analysis, a source, a `Format`, the class of a pass, a
        `MeasurementReader`, a `DecisionReader` or a `Kind`.

        Raises:
            InputError: `broken-plug-in`, it cannot be imported.
        """
        try:
            return self.import_it()
        except Exception as error:
            raise InputError(
                f"cannot load {self.family} '{self.name}' of {self.publisher}: {type(error).__name__}: {error}",
                slug="broken-plug-in",
                hint="upgrade that package, or uninstall it",
            ) from error


def entries(family: Family) -> dict[str, Entry]:
    """Everything of a family, by name; ours first.

    Raises:
        UsageError: `duplicate-plug-in` or `unknown-plug-in-family`.
    """
    found: dict[str, Entry] = {}
    for entry in chain(_own(family), _plugged_in(family)):
        if entry.name in found:
            raise UsageError(
                f"cannot tell which {family} '{entry.name}' is meant:"
                f" both {found[entry.name].publisher} and {entry.publisher} publish one",
                slug="duplicate-plug-in",
                hint=f"pip uninstall {entry.publisher}",
            )
        found[entry.name] = entry
    return found


def find(family: Family, name: str) -> Any:
    """Load what is listed under a name.

    Raises:
        UsageError: `unknown-plug-in`, and as `entries` does.
    """
    known = entries(family)
    if name not in known:
        raise UsageError(
            f"cannot find {family} '{name}': known are {', '.join(known)}",
            slug="unknown-plug-in",
            hint=near_hint(name, known, None),
        )
    return known[name].load()


def find_own(family: Family, name: str) -> Any:
    """Load what sonde itself lists under a name, without looking for plug-ins; None if it lists nothing."""
    return next((entry.load() for entry in _own(family) if entry.name == name), None)


def _own(family: Family) -> Iterator[Entry]:
    if family == "format":
        formats = import_module("sonde.formats")  # their own table; by name, as all that is registered
        for each in formats.FORMATS:
            name = formats.registered_name(each)
            yield Entry(family, name, "sonde", partial(formats.format_named, name))
        return
    for name, target in _TABLES[family].items():
        yield Entry(family, name, "sonde", partial(_imported, target))


def _imported(target: str) -> Any:
    module, _, name = target.partition(":")
    return getattr(import_module(module), name)


def _plugged_in(family: Family) -> Iterator[Entry]:
    for point in _published(tuple((folder, _changed_ns(folder)) for folder in sys.path)):
        its_family, _, name = point.name.partition(".")
        if its_family not in FAMILIES or not name:
            raise UsageError(
                f"cannot plug in '{point.name}' of {_publisher(point)}: it is not named FAMILY.NAME,"
                f" where FAMILY is one of {', '.join(FAMILIES)}",
                slug="unknown-plug-in-family",
                hint=f"upgrade sonde, or pip uninstall {_publisher(point)}",
            )
        if its_family == family:
            yield Entry(family, name, _publisher(point), point.load)


@lru_cache(maxsize=1)
def _published(folders: tuple[tuple[str, int], ...]) -> "tuple[EntryPoint, ...]":
    """Everything that is plugged in; looked up anew when packages have come or gone, since that takes long."""
    if not _may_publish(folder for folder, _ in folders):
        return ()
    from importlib.metadata import entry_points  # takes 30 ms, which commands do without where nothing is plugged in

    return tuple(sorted(entry_points(group=GROUP), key=lambda point: (point.name, _publisher(point))))


def _may_publish(folders: Iterable[str]) -> bool:
    """Whether a package names the group, or may: only `importlib.metadata` looks into archives, and asks finders."""
    if any(hasattr(finder, "find_distributions") and finder is not PathFinder for finder in sys.meta_path):
        return True
    group = GROUP.encode()
    for folder in map(Path, folders):
        if folder.suffix == ".egg" or folder.is_file():
            return True
        with suppress(OSError):  # it is not there
            about = [each for each in folder.iterdir() if each.suffix.lower() in (".dist-info", ".egg-info")]
            if any(group in _read(each / "entry_points.txt") for each in about):
                return True
    return False


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _changed_ns(folder: str) -> int:
    """When something was last put into a folder of packages, or taken out; 0: it is not there."""
    try:
        return Path(folder).stat().st_mtime_ns
    except OSError:
        return 0


def _publisher(point: "EntryPoint") -> str:
    return point.dist.name if point.dist else "an unknown package"
