"""Profiles of calling contexts, for the verbs that serve all kinds."""

from argparse import ArgumentTypeError, Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from sonde.base.errors import UsageError
from sonde.base.units import format_percent
from sonde.instruments.contexts.options import HotOptions
from sonde.instruments.contexts.shown_code import IMPORTS_TOO, ShownCode, check_whole_threads
from sonde.instruments.contexts.stored_kind import STORED
from sonde.instruments.kind import About, Kind, Replay
from sonde.options.code_filter import CodeFilter
from sonde.options.declared import Option
from sonde.options.keeping import KeepOptions
from sonde.options.numbers import natural, positive, share
from sonde.report import Report
from sonde.store.recovery import recover

if TYPE_CHECKING:
    from sonde.groups import GroupFigures
    from sonde.instruments.contexts.profile import ContextProfile
    from sonde.render.stages import Stages

HEAVIEST = 10_000
"""Contexts read for the terminal: a tree of a few dozen lines comes from a few thousand, and folded
recursion gathers some more. Reading so many out of a million takes a fifth of a second."""
HEAVIEST_BOUNDED = 300_000
"""A profile in bounded memory is read whole: 300,000 contexts at most with the usual phi. Else what was not
kept could not be told from what was not read."""

RUN_NOISE = 0.03
"""Standard deviation of a function's time from run to run that is allowed for where one run of each is compared, as a
share of it: as much as hot functions of one program differed by on a machine with other, steady work on it
(`docs/benchmarks.md`)."""

_NORMALISATIONS = ("none", "total", "calls")
_METRICS = ("time", "calls")
_TRACE = b"SONDETRC"
"""A trace of calls begins so."""
_STAGES = {"reading": 7.0, "aligning": 17.0, "telling what changed": 76.0}
"""Of a comparison, and about what part of its time each takes: as measured on profiles of 600,000 contexts."""


def _phis(text: str) -> tuple[float, ...]:
    values = tuple(share(part) for part in text.split(","))
    if not all(values):
        raise ArgumentTypeError(f"'{text}' is not a list of shares above 0: write 1e-4 or 1%,0.1%")
    return values


_ROWS = Option("lines of the tree, about", parse=positive, metavar="N")
_VIEW_ROWS = Option("lines of the tree, about (default: 8, of JSON 20)", parse=positive, metavar="N")
_FUNCTIONS = Option("lines of the function table", parse=natural, metavar="N")
_NORMALISE = Option(
    "compare values as measured, as shares of each run's total, or per call", choices=_NORMALISATIONS, parse=str
)
_METRIC = Option("what to compare (default: time when both have it)", choices=_METRICS, parse=str)
_MIN_CHANGE = Option(
    "smallest change that counts, as a share of the heavier run", parse=share, metavar="SHARE", show=format_percent
)
_MIN_SHARE = Option(
    "only what has at least this share of the heavier run: contexts with what they call, functions by themselves",
    parse=share,
    metavar="SHARE",
    show=format_percent,
)
_RUN_NOISE = Option(
    "of two samples: by how much times differ from run to run though nothing changed (standard deviation; a tenth of"
    " it of the whole run besides)",
    parse=share,
    metavar="SHARE",
    show=format_percent,
)
_ACCURACY = Option(
    "judge the second profile, an approximate or sampled one, by the first, an exact or dense one; or several"
)
_PHI = Option(
    "with --accuracy: share of the whole from which a context is hot (default: that of the profile)",
    parse=_phis,
    metavar="SHARE[,SHARE...]",
)


_LINES = Option(
    "what each line of source costs, in place of the tree (self time by line: of a run recorded with --lines)"
)
_TASKS = Option("what tasks of asyncio awaited, and how long they had to wait for their loop")
_THREADS = Option("what each thread spent, each a root of the tree (of a run recorded with --threads)")


@dataclass(frozen=True, slots=True)
class ContextViewOptions(ShownCode):
    """What of a profile is told, and how much.

    Raises:
        UsageError: `threads-of-some-code`.
    """

    rows: Annotated[int | None, _VIEW_ROWS] = None
    functions: Annotated[int, _FUNCTIONS] = 6
    threads: Annotated[bool, _THREADS] = False
    tasks: Annotated[bool, _TASKS] = False
    lines: Annotated[bool, _LINES] = False

    def __post_init__(self) -> None:
        if self.threads:
            check_whole_threads(self)


@dataclass(frozen=True, slots=True)
class ContextDiffOptions(CodeFilter):
    """How profiles are compared.

    Raises:
        UsageError: `accuracy-options`, those of one comparison with the other.
    """

    imports: Annotated[bool, IMPORTS_TOO] = False
    normalise: Annotated[Literal["none", "total", "calls"], _NORMALISE] = "none"
    metric: Annotated[Literal["time", "calls"] | None, _METRIC] = None
    min_change: Annotated[float, _MIN_CHANGE] = 0.005
    min_share: Annotated[float, _MIN_SHARE] = 0.0
    run_noise: Annotated[float, _RUN_NOISE] = RUN_NOISE
    accuracy: Annotated[bool, _ACCURACY] = False
    phi: Annotated[tuple[float, ...] | None, _PHI] = None
    rows: Annotated[int, _ROWS] = 40
    functions: Annotated[int, _FUNCTIONS] = 15

    def __post_init__(self) -> None:
        if self.accuracy:
            for option, is_given in (
                ("--metric", self.metric is not None),
                ("--normalise", self.normalise != "none"),
                ("--mine", self.mine),
                ("--include", bool(self.include)),
                ("--exclude", bool(self.exclude)),
                ("--from", self.from_ is not None),
                ("--min-share", bool(self.min_share)),
                ("--imports", self.imports),
                ("--run-noise", self.run_noise != RUN_NOISE),
            ):
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
) -> "ContextProfile":
    """The heaviest contexts; all of them where others than these may be asked for."""
    from sonde.instruments.contexts.profile import read_profile

    if options.from_ is not None or not options.selection.is_everything:
        return read_profile(path, with_sources=with_sources)
    profile = read_profile(path, heaviest=heaviest, with_sources=with_sources)
    if (
        heaviest is not None and profile.run.time_kind == "tasks"
    ):  # groups of tasks come first, and are read with all only
        return read_profile(path, with_sources=with_sources)
    if profile.pruned_contexts and profile.approximation is not None:
        return read_profile(path, heaviest=HEAVIEST_BOUNDED, with_sources=with_sources)
    return profile


def _report(path: Path, options: ContextViewOptions, with_data: bool) -> Report:
    from sonde.instruments.contexts.profile import read_function_totals
    from sonde.instruments.contexts.report import ContextLimits, contexts_report

    heaviest = None if options.threads or options.lines else max(HEAVIEST, 2 * (options.rows or 0))
    profile = _read_part(path, options, heaviest, with_sources=with_data or options.lines)
    totals_of = partial(read_function_totals, path) if profile.pruned_contexts else None
    return contexts_report(
        profile,
        ContextLimits(options.min_share, options.rows, options.functions),
        options,
        totals_of=totals_of,
        with_data=with_data,
        by_threads=options.threads,
        by_tasks=options.tasks,
        by_lines=options.lines,
    )


def _page_report(path: Path, options: ContextViewOptions) -> Report:
    from sonde.instruments.contexts.profile import read_profile
    from sonde.instruments.contexts.report import ContextLimits, contexts_page

    limits = ContextLimits(options.min_share, options.rows, options.functions)
    return contexts_page(read_profile(path), limits, options, by_threads=options.threads, by_tasks=options.tasks)


def _compare(
    before: Path,
    after: Path,
    options: ContextDiffOptions,
    names: tuple[str, str],
    with_data: bool,
) -> Report:
    from sonde.render.stages import Stages

    with Stages("sonde: comparing", _STAGES) as stages:
        return _compared(before, after, options, names, with_data, stages)


def _compared(
    before: Path,
    after: Path,
    options: ContextDiffOptions,
    names: tuple[str, str],
    with_data: bool,
    stages: "Stages",
) -> Report:
    from sonde.instruments.contexts.analysis.judged_changes import ChangeJudge, is_sampled
    from sonde.instruments.contexts.analysis.judging import judged
    from sonde.instruments.contexts.profile import focus_on, fold_imports, read_profile, without_idle_functions
    from sonde.instruments.contexts.profile.comparison import diff_contexts, likeness, select_changes
    from sonde.instruments.contexts.report.comparison import (
        DiffLimits,
        accuracy_report,
        difference_report,
        likeness_report,
    )

    profiles = [read_profile(path, with_sources=False) for path in (before, after)]
    wholes = profiles[0].total_ns, profiles[1].total_ns
    if options.from_ is not None:
        profiles = [focus_on(profile, options.from_) for profile in profiles]
    if options.accuracy:
        if options.phi is None and _are_looks(profiles):
            return likeness_report(likeness(profiles[0], profiles[1:], names), profiles, names)
        found, curve = judged(profiles[0], profiles[1], options.phi)
        alike = likeness(profiles[0], profiles[1:], names)
        return accuracy_report(found, curve, approximate=profiles[1], names=names, alike=alike)
    if not options.imports:
        profiles = [without_idle_functions(fold_imports(profile)) for profile in profiles]
    stages.begin("aligning")
    diff = diff_contexts(
        profiles[0],
        profiles[1],
        normalise=options.normalise,
        metric=options.metric,
        min_change=options.min_change,
    )
    stages.begin("telling what changed")
    limits = DiffLimits(options.rows, options.functions)
    chosen = select_changes(diff, options.selection, options.min_share)
    judge = ChangeJudge(chosen, run_noise=options.run_noise, wholes=wholes) if is_sampled(chosen) else None
    return difference_report(
        chosen, limits, names=names, with_data=with_data, of_what=options.selection.words(), judge=judge
    )


def _are_looks(profiles: "Sequence[ContextProfile]") -> bool:
    """Whether a dense sample is to judge others: what it did not see itself, others have not missed."""
    return all(profile.sampling is not None and profile.sampling.is_of_times_only for profile in profiles)


def _judge_several(paths: Sequence[Path], options: ContextDiffOptions, names: Sequence[str]) -> Report:
    from sonde.instruments.contexts.profile import read_profile
    from sonde.instruments.contexts.profile.comparison import likeness
    from sonde.instruments.contexts.report.comparison import likeness_report

    if options.phi is not None:
        raise UsageError(
            "cannot use --phi with several profiles: what each of them found and missed is told of one",
            slug="accuracy-options",
            hint="leave out --phi, or name one profile after the first",
        )
    profiles = [read_profile(path, with_sources=False) for path in paths]
    return likeness_report(likeness(profiles[0], profiles[1:], names), profiles, names)


def _figures(paths: Sequence[Path], options: ContextDiffOptions) -> "GroupFigures":
    from sonde.instruments.contexts.profile.comparison.group_figures import read_figures

    if options.accuracy:
        raise UsageError(
            "cannot use --accuracy with --against: one exact profile judges one approximate one",
            slug="not-of-groups",
            hint="leave out --against",
        )
    return read_figures(
        paths,
        metric=options.metric,
        normalise=options.normalise,
        min_change=options.min_change,
        min_share=options.min_share,
        selection=options.selection,
        from_=options.from_,
        imports=options.imports,
    )


def _is_trace(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(_TRACE)) == _TRACE
    except OSError:
        return False  # said when it is read


def _replay(_traces: Sequence[Path], arguments: Namespace) -> int:
    from sonde.instruments.contexts.verb.replay import run

    return run(arguments)


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
    judge_several=_judge_several,
    diff_options=ContextDiffOptions,
    figures=_figures,
    replay=Replay("a trace of calls", _is_trace, (HotOptions, KeepOptions, ShownCode), _replay),
)
