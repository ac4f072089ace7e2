"""Units of the functions that a reader wants to see."""

from collections.abc import Iterable, Sequence

from sonde.base.errors import UsageError
from sonde.code import Function, Language, no_code_left
from sonde.instruments.decisions.analysis.shares import share_of_run, share_text
from sonde.instruments.decisions.model import CompilerKind, DecisionRun
from sonde.instruments.decisions.options import UnitFilter

_LANGUAGES: dict[CompilerKind, Language] = {
    "graal": "java",
    "hotspot": "java",
    "llvm": "native",
    "cpython": "python",
}


def function_of(run: DecisionRun, method: str) -> Function:
    """The function that a method is."""
    source = run.sources.get(method)
    file, line = ("", 0) if source is None else (source.file, source.first_line)
    return Function(method, "", file, line, language=_LANGUAGES[run.kind])


def is_chosen(filter_: UnitFilter, sides: Iterable[tuple[DecisionRun, int]], method: str) -> bool:
    """Whether a method is looked at: its function fits on either side, and its time is enough on either side.

    Args:
        sides: runs that have it, with its time there.
    """
    sides = [*sides]
    if not filter_.code.is_everything and not any(filter_.code.has(function_of(run, method)) for run, _ in sides):
        return False
    if not filter_.min_share:
        return True
    return any((share_of_run(run, period) or 0.0) >= filter_.min_share for run, period in sides)


def check_times(filter_: UnitFilter, runs: Sequence[DecisionRun]) -> None:
    """See to it that units can be told apart by their time.

    Raises:
        UsageError: `min-share-needs-times`.
    """
    if filter_.min_share and all(run.profile is None for run in runs):
        raise UsageError(
            f"cannot leave out units with less than {share_text(filter_.min_share)} of the time:"
            f" '{runs[0].name}' has no times",
            slug="min-share-needs-times",
            hint="leave out --min-share, or name a profile of times with --profile (of two runs: --profile-a)",
        )


def nothing_left(filter_: UnitFilter, runs: Sequence[DecisionRun]) -> UsageError:
    """What to say where a filter leaves no unit."""
    functions = {function_of(run, unit.method): None for run in runs for unit in run.units}
    return no_code_left(
        filter_.code,
        [*functions],
        what="compilation unit",
        and_words=f"with at least {share_text(filter_.min_share)} of the time" if filter_.min_share else "",
        hint="--all has units that are not hot, too",
    )
