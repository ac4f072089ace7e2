"""A log as profdiff reads it: every file of a folder, with the profile that is named, or with none."""

from dataclasses import dataclass, field
from pathlib import Path

from sonde.base.errors import InputError
from sonde.instruments.decisions.model import DecisionRun
from sonde.instruments.decisions.readers.graal import index_file, indexed_run
from sonde.instruments.decisions.time_profiles import check_profile_file

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
        texts = (doubt.detail for doubt in run.doubts if doubt.kind == _SKIPPED)
        return cls(run, tuple((run.name, text) for text in texts))


def read_log(folder: Path, profile: Path | None) -> GraalLog:
    """Read the log of a run.

    Differs from `read_run`: nothing but what is named is looked at, all files of the folder are taken for logs, in the
    order in which the system lists them, as profdiff does, and there may be no unit in them.

    Raises:
        InputError: `no-such-log`, `unreadable-decision-record`, and as reading the profile does.
    """
    try:
        # A pipe or device might never end; folders are named by what reading them raises.
        paths = [path for path in folder.iterdir() if path.is_file() or path.is_dir()]
    except OSError as error:
        raise InputError(
            f"cannot read the optimization log '{folder}': {error.strerror or error}",
            slug="no-such-log",
            hint="name the folder that Graal wrote its log into: -Djdk.graal.OptimizationLogPath=FOLDER",
        ) from error
    if profile is not None:
        check_profile_file(profile)
    indexes = [index_file(path) for path in paths]
    skipped = ((f"{index.path}@ offset {line.offset}", line.fact) for index in indexes for line in index.skipped)
    return GraalLog(indexed_run(str(folder), indexes, profile), tuple(skipped))
