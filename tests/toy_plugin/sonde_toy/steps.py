"""A kind of profile: how many steps each function of a toy program took. See docs/adding-a-kind.md."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO

from sonde.base.units import counted
from sonde.code import Function
from sonde.evidence import Loss
from sonde.formats import Format
from sonde.instruments.kind import About, Kind
from sonde.options.declared import Option
from sonde.options.numbers import positive
from sonde.report import Column, Fact, Facts, Notices, Report, Row, Table
from sonde.store.kind import StoredKind
from sonde.store.reading import read_losses, read_meta, read_rows, reading
from sonde.store.recovery import nothing_to_recover, recover
from sonde.store.run_folder import remove_folder
from sonde.store.writing import DatabaseWriter

if TYPE_CHECKING:
    from sonde.groups import GroupFigures

STORED = StoredKind("toy-steps", "a profile of steps", 1, Path(__file__).with_name("steps.sql"))


@dataclass(frozen=True, slots=True)
class StepProfile:
    """How often each function stepped."""

    command: tuple[str, ...]
    steps: dict[Function, int]
    losses: tuple[Loss, ...] = ()


@dataclass(frozen=True, slots=True)
class StepOptions:
    """How much is told."""

    rows: Annotated[int, Option("rows of the table", parse=positive, metavar="N")] = 20


def write_steps(path: Path, profile: StepProfile) -> None:
    """Write a profile."""
    with DatabaseWriter(path, STORED) as writer:
        writer.write_meta({"command": list(profile.command)})
        rows = ((each.name, each.file, each.first_line, count) for each, count in profile.steps.items())
        writer.insert_numbered("step", rows)
        writer.write_losses(profile.losses)


def read_steps(path: Path) -> StepProfile:
    """Read a profile.

    Raises:
        InputError: it cannot be read.
    """
    with reading(path, STORED) as db:
        rows = read_rows(db, "step", "name, file, line, count")
        steps = {Function(name, "", file, line): count for name, file, line, count in rows}
        return StepProfile(tuple(read_meta(db)["command"]), steps, read_losses(db))


def steps_report(profile: StepProfile, options: StepOptions) -> Report:
    """All functions, those with the most steps first."""
    whole = sum(profile.steps.values())
    ordered = sorted(profile.steps.items(), key=lambda item: (-item[1], item[0].name))
    columns = (
        Column("steps", "steps", "count", whole=whole, shown="both", is_hot=True),
        Column("function", "function", "name"),
    )
    rows = [Row((count, function)) for function, count in ordered]
    return Report(
        "toy-steps",
        " ".join(profile.command),
        (
            Facts((Fact("steps", whole, "count", "{} steps", "{} step"),)),
            Notices(tuple(Loss(loss.kind, loss.amount, loss.detail) for loss in profile.losses)),
            Table("functions", "functions", columns, rows, ("by steps",), "function", options.rows),
        ),
    )


def compare_steps(before: StepProfile, after: StepProfile, options: StepOptions, names: tuple[str, str]) -> Report:
    """What steps more, and what steps less."""
    functions = sorted({*before.steps, *after.steps}, key=lambda function: function.name)
    changes = [(after.steps.get(each, 0) - before.steps.get(each, 0), each) for each in functions]
    rows = [
        Row((change, each), tone="bad" if change > 0 else "good")
        for change, each in sorted(changes, key=lambda item: -abs(item[0]))
        if change
    ]
    columns = (Column("change", "change", "count", is_signed=True), Column("function", "function", "name"))
    table = Table("functions", "functions", columns, rows, (), "function", options.rows)
    return Report("toy-steps-diff", " → ".join(names), (table,), changed=bool(rows))


def merge_steps(profiles: Sequence[StepProfile], _names: Sequence[str]) -> StepProfile:
    """The steps of all, added up."""
    steps: dict[Function, int] = {}
    for profile in profiles:
        for function, count in profile.steps.items():
            steps[function] = steps.get(function, 0) + count
    return StepProfile(profiles[0].command, steps, tuple(loss for each in profiles for loss in each.losses))


def write_lines(profile: StepProfile, stream: BinaryIO) -> None:
    """One line for each function."""
    for function, count in profile.steps.items():
        stream.write(f"{function.name} {count}\n".encode())


class UnfinishedSteps:
    """A run that has left its steps so far, a line each."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def has_ended(self) -> bool:
        return True

    def write(self, path: Path, *, goes_on: bool) -> None:
        steps = self._folder / "steps"
        if not steps.exists():
            raise nothing_to_recover(self._folder, "has taken no step", wait="for a step" if goes_on else "")
        names = steps.read_text(encoding="utf-8").split()
        write_steps(path, StepProfile(("toy",), {Function(name, "", "toy.py", 1): names.count(name) for name in names}))

    def remove(self) -> None:
        remove_folder(self._folder)


def _about(profile: StepProfile) -> About:
    return About(counted(sum(profile.steps.values()), "step"), profile.command, profile.losses)


def step_figures(paths: Sequence[Path], _options: StepOptions) -> "GroupFigures":
    """The steps of each run, for comparisons of groups of them."""
    from sonde.groups import GroupFigures, Measure, RunFigures  # needs the extra sonde[bench], as comparing does

    read = [read_steps(path).steps for path in paths]
    runs = tuple(RunFigures(tuple(steps), tuple(steps.values()), sum(steps.values())) for steps in read)
    return GroupFigures(Measure("steps", "count"), runs)


STEPS: Kind[StepProfile] = Kind(
    name=STORED.name,
    words=STORED.words,
    stored=STORED,
    recover=lambda folder, path: recover(UnfinishedSteps(folder), folder, path),
    read=read_steps,
    write=write_steps,
    about=_about,
    merged=merge_steps,
    report=lambda path, options, _with_data: steps_report(read_steps(path), options),
    view_options=StepOptions,
    compare=lambda before, after, options, names, _with_data: compare_steps(
        read_steps(before), read_steps(after), options, names
    ),
    diff_options=StepOptions,
    figures=step_figures,
)

STEP_LINES = Format(
    name="toy-step-lines",
    write=write_lines,
    suffix=".steps.txt",
    binary=False,
    holds_losses=False,
    open_with="less {path}",
    kind=STORED.name,
    has_metrics=False,
)
