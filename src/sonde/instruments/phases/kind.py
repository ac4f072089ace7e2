"""Profiles of phases, for the verbs that serve all kinds."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sonde.base.units import counted
from sonde.instruments.kind import About, Kind
from sonde.instruments.phases.options import PhaseDiffOptions, PhaseViewOptions
from sonde.instruments.phases.stored_kind import STORED
from sonde.report import Report
from sonde.store.recovery import recover

if TYPE_CHECKING:
    from sonde.groups import GroupFigures
    from sonde.instruments.phases.profile import PhaseProfile


def _read(path: Path) -> "PhaseProfile":
    from sonde.instruments.phases.profile import read_phase_profile

    return read_phase_profile(path)


def _write(path: Path, profile: "PhaseProfile") -> None:
    from sonde.instruments.phases.profile import write_phase_profile

    write_phase_profile(path, profile)


def _recover(folder: Path, path: Path) -> Path:
    from sonde.instruments.phases.verb.unfinished_run import UnfinishedPhases

    return recover(UnfinishedPhases(folder), folder, path)


def _about(profile: "PhaseProfile") -> About:
    summary = counted(profile.all_calls, "call of a phase", "calls of phases")
    return About(summary, profile.command, profile.losses, profile.is_complete)


def _merged(profiles: "Sequence[PhaseProfile]", _names: Sequence[str]) -> "PhaseProfile":
    from sonde.instruments.phases.profile import merge_phase_profiles

    return merge_phase_profiles(profiles)


def _report(path: Path, options: PhaseViewOptions, _with_data: bool) -> Report:
    from sonde.instruments.phases.report import phase_report

    return phase_report(_read(path), options)


def _compare(before: Path, after: Path, options: PhaseDiffOptions, names: tuple[str, str], _with_data: bool) -> Report:
    from sonde.instruments.phases.report import difference_report

    return difference_report(_read(before), _read(after), options, names)


def _figures(paths: Sequence[Path], _options: PhaseDiffOptions) -> "GroupFigures":
    from sonde.groups import GroupFigures, Measure, RunFigures  # needs the extra sonde[bench], as comparing does
    from sonde.instruments.phases.analysis import figures_of, phase_sums

    runs = []
    for path in paths:
        profile = _read(path)
        sums = phase_sums(figures_of(profile))
        functions = tuple(profile.phases[each.phase].function for each in sums)
        own = tuple(float(each.own_ns) for each in sums)
        runs.append(RunFigures(functions, own, float(profile.whole_ns), losses=profile.losses))
    return GroupFigures(Measure("time", "duration"), tuple(runs))


PHASES: "Kind[PhaseProfile]" = Kind(
    name=STORED.name,
    words=STORED.words,
    stored=STORED,
    read=_read,
    write=_write,
    about=_about,
    recover=_recover,
    merged=_merged,
    report=_report,
    view_options=PhaseViewOptions,
    compare=_compare,
    diff_options=PhaseDiffOptions,
    figures=_figures,
)
