"""Profiles of calling contexts, for the verbs that serve all kinds."""

from argparse import ArgumentTypeError
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from sonde.base.errors import UsageError
from sonde.base.units import format_percent, format_share
from sonde.instruments.contexts.stored_kind import STORED
from sonde.instruments.kind import About, Kind
from sonde.options.declared import Option
from sonde.options.numbers import natural, positive, share
from sonde.report import Fact, Report
from sonde.store.recovery import recover

if TYPE_CHECKING:
    from sonde.instruments.contexts.profile import ContextProfile

HEAVIEST = 10_000
"""Contexts read for the terminal: a tree of a few dozen lines comes from a few thousand, and folded
recursion gathers some more. Reading so many out of a million takes a fifth of a second."""
HEAVIEST_BOUNDED = 300_000
"""A profile in bounded memory is read whole: 300,000 contexts at most with the usual phi. Else what was not
kept could not be told from what was not read."""

_NORMALISATIONS = ("none", "total", "calls")
_METRICS = ("time", "calls")


def _phis(text: str) -> tuple[float, ...]:
    values = tuple(share(part) for part in text.split(","))
    if not all(values):
        raise ArgumentTypeError(f"'{text}' is not a list of shares above 0: write 1e-4 or 1%,0.1%")
    return values


_MIN_SHARE = Option(
    "list contexts with at least this share of the whole", parse=share, metavar="SHARE", show=format_percent
)
_ROWS = Option("lines of the tree, about", parse=positive, metavar="N")
_FUNCTIONS = Option("lines of the function table", parse=natural, metavar="N")
_FOCUS = Option("show only what ran in functions of this name", parse=str, metavar="NAME")
_NORMALISE = Option(
    "compare values as measured, as shares of each run's total, or per call", choices=_NORMALISATIONS, parse=str
)
_METRIC = Option("what to compare (default: time when both have it)", choices=_METRICS, parse=str)
_MIN_CHANGE = Option(
    "smallest change that counts, as a share of the heavier run", parse=share, metavar="SHARE", show=format_percent
)
_ACCURACY = Option("judge the second profile, an approximate one, by the first, an exact one")
_PHI = Option(
    "with --accuracy: share of the whole from which a context is hot (default: that of the profile)",
    parse=_phis,
    metavar="SHARE[,SHARE...]",
)


_LINES = Option("what each line of source costs, in place of the tree")
_THREADS = Option("what each thread spent, each a root of the tree (of a run recorded with --threads)")


@dataclass(frozen=True, slots=True)
class ContextViewOptions:
    """How much of a profile is told.

    Raises:
        UsageError: `threads-focus`, a part of the profile, of each thread.
    """

    min_share: Annotated[float, _MIN_SHARE] = 0.01
    rows: Annotated[int, _ROWS] = 40
    functions: Annotated[int, _FUNCTIONS] = 15
    focus: Annotated[str | None, _FOCUS] = None
    threads: Annotated[bool, _THREADS] = False
    lines: Annotated[bool, _LINES] = False

    def __post_init__(self) -> None:
        if self.threads and self.focus is not None:
            raise UsageError(
                "cannot focus on a function of each thread: --focus makes a tree of that function",
                slug="threads-focus",
                hint="leave out --focus, or --threads",
            )


@dataclass(frozen=True, slots=True)
class ContextDiffOptions:
    """How profiles are compared.

    Raises:
        UsageError: `accuracy-options`, those of one comparison with the other.
    """

    normalise: Annotated[Literal["none", "total", "calls"], _NORMALISE] = "none"
    metric: Annotated[Literal["time", "calls"] | None, _METRIC] = None
    min_change: Annotated[float, _MIN_CHANGE] = 0.005
    accuracy: Annotated[bool, _ACCURACY] = False
    phi: Annotated[tuple[float, ...] | None, _PHI] = None
    rows: Annotated[int, _ROWS] = 40
    functions: Annotated[int, _FUNCTIONS] = 15

    def __post_init__(self) -> None:
        if self.accuracy:
            for option, is_given in (("--metric", self.metric is not None), ("--normalise", self.normalise != "none")):
                if is_given:
                    raise UsageError(
                        f"cannot use {option} with --accuracy: it judges what the profile approximates, as it is",
                        slug="accuracy-options",
                        hint=f"leave out {option}",
                    )
        elif self.phi is not None:
            raise UsageError(
                "cannot use --phi without --accuracy: other comparisons have no hot contexts",
                slug="accuracy-options",
                hint="add --accuracy",
            )


def _recover(folder: Path, path: Path) -> Path:
    from sonde.instruments.contexts.verb.unfinished_run import UnfinishedContexts

    return recover(UnfinishedContexts(folder), folder, path)


def _read(path: Path) -> "ContextProfile":
    from sonde.instruments.contexts.profile import read_profile

    return read_profile(path)


def _write(path: Path, profile: "ContextProfile") -> None:
    from sonde.instruments.contexts.profile import write_profile

    write_profile(path, profile)


def _about(profile: "ContextProfile") -> About:
    from sonde.instruments.contexts.report.run_blocks import summary

    return About(summary(profile), profile.run.command, profile.losses, profile.run.complete)


def _merged(profiles: "Sequence[ContextProfile]", names: Sequence[str]) -> "ContextProfile":
    from sonde.instruments.contexts.profile import merge_profiles

    return merge_profiles(profiles, names=names)


def _why_not_one_program(one: "ContextProfile", other: "ContextProfile") -> str:
    from sonde.instruments.contexts.profile import are_of_one_program

    return "" if are_of_one_program(one, other) else "no function ran in both"


def _read_part(
    path: Path, options: ContextViewOptions, heaviest: int | None, *, with_sources: bool
) -> "tuple[ContextProfile, Fact | None]":
    """The heaviest contexts, or the part of a profile that is in focus, and what that part is."""
    from sonde.instruments.contexts.profile import focus_on, read_profile

    if options.focus is None:
        profile = read_profile(path, heaviest=heaviest, with_sources=with_sources)
        if profile.pruned_contexts and profile.approximation is not None:
            profile = read_profile(path, heaviest=HEAVIEST_BOUNDED, with_sources=with_sources)
        return profile, None
    whole = read_profile(path, with_sources=with_sources)
    part = focus_on(whole, options.focus)
    share_of_run = format_share(part.whole, whole.whole)
    weight = "time in threads" if whole.has_time else "calls"
    words = f"focus on '{{}}': {share_of_run} of the run's {weight}; shares below are of that part"
    return part, Fact("focus", options.focus, words=words)


def _report(path: Path, options: ContextViewOptions, with_data: bool) -> Report:
    from sonde.instruments.contexts.profile import read_function_totals
    from sonde.instruments.contexts.report import ContextLimits, contexts_report

    heaviest = None if options.threads or options.lines else max(HEAVIEST, 2 * options.rows)
    profile, focus = _read_part(path, options, heaviest, with_sources=with_data or options.lines)
    functions = read_function_totals(path, profile) if profile.pruned_contexts else None
    return contexts_report(
        profile,
        ContextLimits(options.min_share, options.rows, options.functions),
        functions=functions,
        focus=focus,
        with_data=with_data,
        by_threads=options.threads,
        by_lines=options.lines,
    )


def _page_report(path: Path, options: ContextViewOptions) -> Report:
    from sonde.instruments.contexts.report import ContextLimits, contexts_page

    profile, focus = _read_part(path, options, None, with_sources=True)
    limits = ContextLimits(options.min_share, options.rows, options.functions)
    return contexts_page(profile, limits, focus, by_threads=options.threads)


def _compare(
    before: Path,
    after: Path,
    options: ContextDiffOptions,
    names: tuple[str, str],
    with_data: bool,
) -> Report:
    from sonde.instruments.contexts.analysis.judging import judged
    from sonde.instruments.contexts.profile import read_profile
    from sonde.instruments.contexts.profile.comparison import diff_contexts
    from sonde.instruments.contexts.report.comparison import DiffLimits, accuracy_report, difference_report

    profiles = [read_profile(path, with_sources=False) for path in (before, after)]
    if options.accuracy:
        found, curve = judged(profiles[0], profiles[1], options.phi)
        return accuracy_report(found, curve, approximate=profiles[1], names=names)
    diff = diff_contexts(
        profiles[0],
        profiles[1],
        normalise=options.normalise,
        metric=options.metric,
        min_change=options.min_change,
    )
    limits = DiffLimits(options.rows, options.functions)
    return difference_report(diff, limits, names=names, with_data=with_data)


CONTEXTS: "Kind[ContextProfile]" = Kind(
    name=STORED.name,
    words=STORED.words,
    stored=STORED,
    recover=_recover,
    read=_read,
    write=_write,
    about=_about,
    merged=_merged,
    why_not_one_program=_why_not_one_program,
    report=_report,
    view_options=ContextViewOptions,
    page_report=_page_report,
    compare=_compare,
    diff_options=ContextDiffOptions,
)
