"""A log as profdiff reads it: every file of a folder, with the profile that is named, or with none."""

import re
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from sonde.decisions.model import DecisionRun, Unit
from sonde.decisions.readers.graal import index_file, link_times, read_unit, split_variant
from sonde.errors import InputError

_SKIPPED = "skipped-lines"
"""Slug of the doubt about lines that are no units."""


@dataclass(frozen=True, slots=True)
class GraalLog:
    """A run, and which lines of its log could not be used."""

    run: DecisionRun
    skipped: tuple[tuple[str, str], ...] = field(default=())
    """Where, and what is wrong with it."""

    @classmethod
    def of(cls, run: DecisionRun) -> "GraalLog":
        """A run that was read otherwise; lines that were left out are told together."""
        texts = (doubt.text for doubt in run.doubts if doubt.slug == _SKIPPED)
        return cls(run, tuple((run.name, text) for text in texts))


def read_log(folder: Path, profile: Path | None) -> GraalLog:
    """Read the log of a run.

    Differs from `read_run`: nothing but what is named is looked at, all files of the folder are taken for logs, and
    there may be no unit in them.

    Raises:
        InputError: `no-such-log`, `unreadable-decision-record`, and as reading the profile does.
    """
    try:
        paths = sorted(folder.iterdir(), key=_by_number)
    except OSError as error:
        raise InputError(
            f"cannot read the optimization log '{folder}': {error.strerror or error}",
            slug="no-such-log",
            hint="name the folder that Graal wrote its log into: -Djdk.graal.OptimizationLogPath=FOLDER",
        ) from error
    indexes = [index_file(path) for path in paths]
    lines = [(index.path, line) for index in indexes for line in index.lines]
    times = link_times(profile, [line for _, line in lines])
    units = []
    for number, ((path, line), period) in enumerate(zip(lines, times.periods, strict=True)):
        method, variant = split_variant(line.method)
        load = partial(read_unit, path, line.offset, line.length)
        units.append(Unit(number, method, line.id, load, variant, period=period))
    run = DecisionRun(
        name=str(folder),
        kind="graal",
        offsets="bytecode index",
        units=units,
        profile=times.profile,
        compilation=times.compilation,
        execution_id=times.execution_id,
        doubts=times.doubts,
    )
    skipped = ((f"{index.path}@ offset {line.offset}", line.fact) for index in indexes for line in index.skipped)
    return GraalLog(run, tuple(skipped))


def _by_number(path: Path) -> list[tuple[int, str]]:
    """Files are called after isolates and threads: `0_9` comes before `0_14`."""
    return [(int(digits or 0), rest) for digits, rest in re.findall(r"(\d*)(\D*)", path.name)]
