"""A contract that nothing breaks is none: each check refuses what it is there to refuse."""

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, Self

import pytest

from decision_samples import decision_sample
from measurement_samples import MEASUREMENTS
from sonde.base.errors import InputError
from sonde.events import EventBatch, FunctionTable
from sonde.formats import Format, Metric, format_named
from sonde.instruments.bench.measurements import Measurements, Provenance
from sonde.instruments.bench.readers import InputFile, MeasurementReader
from sonde.instruments.contexts.analyses import ExactContexts, HotContexts
from sonde.instruments.contexts.profile import Approximation, ContextProfile, Run
from sonde.instruments.contexts.sources.source import SpoolSource
from sonde.instruments.decisions.model import CallSite, DecisionRun, Phase, Trees
from sonde.instruments.decisions.readers import DecisionReader, RunPlace
from sonde.ir import Block, Function, Instruction, Module
from sonde.launch import Outcome
from sonde.passes import ChangeLog, EliminateDeadCode
from sonde.registry import find
from sonde.testing import ANALYSIS_CHECKS, FORMAT_CHECKS, PASS_CHECKS, SOURCE_CHECKS, AnalysisFactory
from sonde.testing.decision_readers import DECISION_READER_CHECKS
from sonde.testing.measurement_readers import MEASUREMENT_READER_CHECKS


class LosesEveryHundredth(ExactContexts):
    def update(self, batch: EventBatch) -> None:
        """Guarantee: none."""
        for number, part in enumerate(batch.split(100)):
            if number % 2 == 0:
                super().update(part)


class KeepsUnmatchedEndsToItself(ExactContexts):
    def snapshot(self) -> ContextProfile:
        return replace(super().snapshot(), losses=())


class ForgetsAtSnapshots(ExactContexts):
    def snapshot(self) -> ContextProfile:
        profile = super().snapshot()
        self.__init__(self._functions)  # type: ignore[misc] # that is what is wrong with it
        return profile


class NumbersItsSnapshots(ExactContexts):
    seen = 0

    def snapshot(self) -> ContextProfile:
        type(self).seen += 1
        return replace(super().snapshot(), run=Run(clock="recorded", machine=str(self.seen)))


class MergesByNumber(ExactContexts):
    def merge(self, other: Self) -> None:
        other._functions = self._functions
        super().merge(other)


class MergesBothWays(ExactContexts):
    def merge(self, other: Self) -> None:
        super().merge(other)
        ExactContexts.merge(other, self)


class ClosesEveryBatch(ExactContexts):
    def update(self, batch: EventBatch) -> None:
        super().update(batch)
        for thread in set(batch.thread):
            closing = EventBatch()
            closing.leave(thread=thread, time_ns=0)
            super().update(closing)


class KeepsEverything(ExactContexts):
    def snapshot(self) -> ContextProfile:
        bounds = Approximation(metric="calls", phi=0.1, epsilon=0.02, floor=0, counters=50)
        return replace(super().snapshot(), approximation=bounds)


class IsTooSure(HotContexts):
    def __init__(self, functions: FunctionTable) -> None:
        super().__init__(functions, "calls", phi=0.1, epsilon=0.05, nodes=40)

    def snapshot(self) -> ContextProfile:
        profile = super().snapshot()
        assert profile.approximation is not None
        return replace(profile, approximation=replace(profile.approximation, floor=0))


@pytest.mark.parametrize(
    ("check", "broken"),
    [
        ("weight-conserved-or-loss-reported", LosesEveryHundredth),
        ("weight-conserved-or-loss-reported", KeepsUnmatchedEndsToItself),
        ("snapshot-does-not-mutate", ForgetsAtSnapshots),
        ("determinism", NumbersItsSnapshots),
        ("chunking", ClosesEveryBatch),
        ("merge-laws", MergesByNumber),
        ("merge-laws", MergesBothWays),
        ("merge-laws", IsTooSure),
        ("memory-within-bound", KeepsEverything),
        ("docstring-sections", LosesEveryHundredth),
    ],
)
def test_a_broken_analysis_is_refused(check: str, broken: AnalysisFactory) -> None:
    ANALYSIS_CHECKS[check](find("analysis", "exact-contexts"))
    with pytest.raises((AssertionError, IndexError)):
        ANALYSIS_CHECKS[check](broken)


SERIAL_NUMBERS = count()


def write_other_bytes_each_time(profile: ContextProfile, stream: BinaryIO, *, metric: Metric | None = None) -> None:
    format_named("collapsed").write(profile, stream, metric=metric)
    stream.write(b"%d" % next(SERIAL_NUMBERS))


def write_calls_only(profile: ContextProfile, stream: BinaryIO, *, metric: Metric | None = None) -> None:
    format_named("collapsed").write(profile, stream, metric="calls")


def write_and_close(profile: ContextProfile, stream: BinaryIO, *, metric: Metric | None = None) -> None:
    format_named("collapsed").write(profile, stream, metric=metric)
    stream.close()


def write_recursively(profile: ContextProfile, stream: BinaryIO, *, metric: Metric | None = None) -> None:
    below = profile.contexts.children()

    def write(row: int) -> None:
        stream.write(b".")
        for child in below[row]:
            write(child)

    for root in below[-1]:
        write(root)


@pytest.mark.parametrize(
    ("check", "changes"),
    [
        ("description", {"suffix": "txt"}),
        ("description", {"open_with": ""}),
        ("determinism", {"write": write_other_bytes_each_time}),
        ("chooses-the-metric", {"write": write_calls_only}),
        ("different-profiles-differ", {"write": write_calls_only}),
        ("says-what-is-missing", {"holds_losses": True}),
        ("writes-every-profile", {"write": write_and_close}),
        ("writes-every-profile", {"write": write_recursively}),
        ("writes-every-profile", {"write": format_named("pprof").write}),
    ],
)
def test_a_broken_format_is_refused(check: str, changes: dict[str, object]) -> None:
    broken: Format = replace(format_named("collapsed"), **changes)  # type: ignore[arg-type]
    FORMAT_CHECKS[check](format_named("collapsed"))
    with pytest.raises((AssertionError, RecursionError)):
        FORMAT_CHECKS[check](broken)


HYPERFINE: MeasurementReader = find("measurement-reader", "hyperfine")
SAMPLE = MEASUREMENTS / "hyperfine" / "version_2.json"


def read_by_name(file: InputFile) -> bool:
    return file.path.suffix == ".json"


def read_with_other_errors(file: InputFile) -> Measurements:
    json.loads(file.text)
    return HYPERFINE.read(file)


def read_in_one_process(file: InputFile) -> Measurements:
    found = HYPERFINE.read(file)
    return replace(found, series=tuple(replace(series, separate=False) for series in found.series))


def read_nothing_where_nothing_is(file: InputFile) -> Measurements:
    try:
        return HYPERFINE.read(file)
    except InputError:
        return Measurements((), Provenance("hyperfine", str(file.path)))


def read_with_a_number(file: InputFile) -> Measurements:
    return replace(HYPERFINE.read(file), skipped=(f"reading {next(SERIAL_NUMBERS)}",))


def read_with_a_trace(file: InputFile) -> Measurements:
    file.path.with_name(f"trace-{next(SERIAL_NUMBERS)}").write_text("was here")
    return HYPERFINE.read(file)


@pytest.mark.parametrize(
    ("check", "changes"),
    [
        ("description", {"name": "Hyper Fine"}),
        ("description", {"about": ""}),
        ("recognises-its-files", {"recognises": read_by_name}),
        ("leaves-others-alone", {"recognises": lambda file: True}),
        ("reads-valid-measurements", {"read": read_in_one_process}),
        ("reads-valid-measurements", {"read": lambda file: Measurements((), Provenance("hyperfine", str(file.path)))}),
        ("determinism", {"read": read_with_a_number}),
        ("refuses-damage", {"read": read_with_other_errors}),
        ("refuses-damage", {"read": read_nothing_where_nothing_is}),
        ("writes-nothing", {"read": read_with_a_trace}),
    ],
)
def test_a_broken_reader_is_refused(check: str, changes: dict[str, object], tmp_path: Path) -> None:
    sample = tmp_path / "files" / "sample.json"
    sample.parent.mkdir()
    sample.write_bytes(SAMPLE.read_bytes())
    broken: MeasurementReader = replace(HYPERFINE, **changes)  # type: ignore[arg-type]
    MEASUREMENT_READER_CHECKS[check](HYPERFINE, sample, tmp_path)
    with pytest.raises(AssertionError):
        MEASUREMENT_READER_CHECKS[check](broken, sample, tmp_path)


GRAAL: DecisionReader = find("decision-reader", "graal")


def run_with(**changes: object) -> Callable[[RunPlace, Path | None], DecisionRun]:
    """Read as Graal's reader does, and spoil the first unit."""

    def read(place: RunPlace, profile: Path | None) -> DecisionRun:
        run = GRAAL.read(place, profile)
        run.units[0] = replace(run.units[0], **changes)  # type: ignore[arg-type] # that is what is wrong with it
        return run

    return read


ONE_TREE = Trees(CallSite("f", is_root=True, inlined=True), Phase("RootPhase"))


def read_decisions_with_other_errors(place: RunPlace, profile: Path | None) -> DecisionRun:
    json.loads(place.head(place.files[0]).split(b"\n")[0])
    return GRAAL.read(place, profile)


def read_decisions_without_a_profile(place: RunPlace, profile: Path | None) -> DecisionRun:
    return GRAAL.read(place, None)


def read_decisions_with_a_number(place: RunPlace, profile: Path | None) -> DecisionRun:
    run = GRAAL.read(place, profile)
    run.execution_id = str(next(SERIAL_NUMBERS))
    return run


def read_decisions_with_a_trace(place: RunPlace, profile: Path | None) -> DecisionRun:
    (place.path / f"trace-{next(SERIAL_NUMBERS)}").write_text("was here")
    return GRAAL.read(place, profile)


def recognise_by_name(place: RunPlace) -> bool:
    return place.path.name.startswith("sample-")


@pytest.mark.parametrize(
    ("check", "changes"),
    [
        ("description", {"name": "The Graal"}),
        ("description", {"title": ""}),
        ("recognises-its-runs", {"recognises": recognise_by_name}),
        ("leaves-others-alone", {"recognises": lambda place: True}),
        ("reads-valid-runs", {"read": run_with(number=7)}),
        ("reads-valid-runs", {"read": run_with(load=lambda: Trees(CallSite("f"), Phase("RootPhase")))}),
        ("loads-anew", {"read": run_with(load=lambda: ONE_TREE)}),
        ("determinism", {"read": read_decisions_with_a_number}),
        ("refuses-damage", {"read": read_decisions_with_other_errors}),
        ("refuses-missing-profiles", {"read": read_decisions_without_a_profile}),
        ("changes-nothing", {"read": read_decisions_with_a_trace}),
    ],
)
def test_a_broken_reader_of_decisions_is_refused(check: str, changes: dict[str, object], tmp_path: Path) -> None:
    sample = decision_sample("graal", tmp_path)
    folders = [tmp_path / name for name in ("ours", "broken")]
    for folder in folders:
        folder.mkdir()
    broken: DecisionReader = replace(GRAAL, **changes)  # type: ignore[arg-type]
    DECISION_READER_CHECKS[check](GRAAL, sample, folders[0])
    with pytest.raises(AssertionError):
        DECISION_READER_CHECKS[check](broken, sample, folders[1])


class BrokenPass:
    """Guarantee: none.
    Cost: O(1).
    Source: none.
    """

    name: ClassVar[str] = "broken"
    about: ClassVar[str] = "break a promise"

    def run(self, module: Module, function: Function, log: ChangeLog) -> None:
        for block in function.blocks:
            for at, each in enumerate(block.instructions.copy()):
                self.transform(function, block, at, each, log)

    def transform(self, function: Function, block: Block, at: int, each: Instruction, log: ChangeLog) -> None:
        """To be broken."""


@dataclass(frozen=True)
class AddsWhatIsToBeSubtracted(BrokenPass):
    def transform(self, function: Function, block: Block, at: int, each: Instruction, log: ChangeLog) -> None:
        if each.opcode == "sub":
            block.instructions[at] = Instruction.from_text(each.text.replace("sub", "add"), each.result)


@dataclass(frozen=True)
class ForgetsPhis(BrokenPass):
    def transform(self, function: Function, block: Block, at: int, each: Instruction, log: ChangeLog) -> None:
        if each.opcode == "phi":
            block.instructions[at] = Instruction.from_text("add i64 %nothing, 0", each.result)


@dataclass(frozen=True)
class NeverFinished(BrokenPass):
    def transform(self, function: Function, block: Block, at: int, each: Instruction, log: ChangeLog) -> None:
        if each.opcode == "ret" and at == len(block.instructions) - 1:
            name = function.fresh_name("%new")
            block.instructions.insert(at, Instruction.from_text("add i64 1, 1", name))
            log.add(function.name, "inserted", name)


@dataclass(frozen=True)
class KeepsItToItself(BrokenPass):
    def run(self, module: Module, function: Function, log: ChangeLog) -> None:
        EliminateDeadCode().run(module, function, ChangeLog("unheard"))


@dataclass(frozen=True)
class TellsStories(BrokenPass):
    def run(self, module: Module, function: Function, log: ChangeLog) -> None:
        for each in function.instructions():
            if each.result:
                log.add(function.name, "deleted", each.result)


@dataclass(frozen=True)
class DoesNothing(BrokenPass):
    pass


@dataclass
class CanBeChanged(BrokenPass):
    pass


@dataclass(frozen=True)
class SaysNothingOfItsOption(BrokenPass):
    depth: int = 3


@dataclass(frozen=True)
class CountsItsRuns(BrokenPass):
    runs: ClassVar[Any] = count()

    def run(self, module: Module, function: Function, log: ChangeLog) -> None:
        log.add(function.name, "changed", f"%{next(self.runs)}")


@pytest.mark.parametrize(
    ("check", "broken"),
    [
        ("description", DoesNothing),
        ("options", CanBeChanged),
        ("options", SaysNothingOfItsOption),
        ("verifies", ForgetsPhis),
        ("same-behaviour", AddsWhatIsToBeSubtracted),
        ("determinism", CountsItsRuns),
        ("does-something", DoesNothing),
        ("is-finished", NeverFinished),
        ("complete-log", KeepsItToItself),
        ("complete-log", TellsStories),
    ],
)
def test_a_broken_pass_is_refused(check: str, broken: type[BrokenPass]) -> None:
    PASS_CHECKS[check](EliminateDeadCode)
    with pytest.raises(AssertionError):
        PASS_CHECKS[check](broken)  # type: ignore[arg-type] # some are not even passes


@dataclass(frozen=True)
class Changed:
    """A source that runs another command than it was asked to."""

    command: Callable[[tuple[str, ...]], tuple[str, ...]]

    def unavailable(self) -> str | None:
        return None

    def run_into_spool(self, argv: tuple[str, ...], spool: Path) -> Outcome:
        source: SpoolSource = find("source", "cpython-set-profile")
        return source.run_into_spool(self.command(argv), spool)


@pytest.mark.parametrize(
    ("check", "command"),
    [
        ("leaves-the-program-undisturbed", lambda argv: (argv[0], "-X", "importtime", *argv[1:])),
        ("leaves-the-program-undisturbed", lambda argv: (*argv, "more")),
        ("counts-every-call", lambda argv: (argv[0], "-S", *argv[1:])),
        ("reports-the-outcome", lambda _: (sys.executable, "-c", "raise SystemExit(15)")),
    ],
)
def test_a_broken_source_is_refused(
    check: str, command: Callable[[tuple[str, ...]], tuple[str, ...]], tmp_path: Path
) -> None:
    with pytest.raises(AssertionError):
        SOURCE_CHECKS[check](Changed(command), tmp_path)
