"""Path profiles, for the verbs that serve all kinds."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from sonde.base.units import counted
from sonde.instruments.kind import About, Kind
from sonde.instruments.paths.options import PathDiffOptions, PathViewOptions
from sonde.instruments.paths.stored_kind import STORED
from sonde.report import Report

if TYPE_CHECKING:
    from sonde.groups import GroupFigures
    from sonde.instruments.paths.profile import PathProfile


def _read(path: Path) -> "PathProfile":
    from sonde.instruments.paths.profile import read_path_profile

    return read_path_profile(path)


def _write(path: Path, profile: "PathProfile") -> None:
    from sonde.instruments.paths.profile import write_path_profile

    write_path_profile(path, profile)


def _about(profile: "PathProfile") -> About:
    return About(counted(profile.taken, "path"), profile.command, profile.losses)


def _merged(profiles: "Sequence[PathProfile]", _names: Sequence[str]) -> "PathProfile":
    from sonde.instruments.paths.profile import merge_path_profiles

    return merge_path_profiles(profiles)


def _report(path: Path, options: PathViewOptions, with_data: bool) -> Report:
    from sonde.instruments.paths.report import path_report

    return path_report(_read(path), options, with_data=with_data)


def _compare(before: Path, after: Path, options: PathDiffOptions, names: tuple[str, str], _with_data: bool) -> Report:
    from sonde.instruments.paths.profile import compare_paths
    from sonde.instruments.paths.report import difference_report

    return difference_report(compare_paths(_read(before), _read(after)), options, names)


def _figures(paths: Sequence[Path], _options: PathDiffOptions) -> "GroupFigures":
    from sonde.groups import GroupFigures, Measure, RunFigures  # needs the extra sonde[bench], as comparing does

    runs = []
    for path in paths:
        profile = _read(path)
        functions = tuple(routine.function for routine in profile.routines)
        taken = tuple(float(routine.taken) for routine in profile.routines)
        runs.append(RunFigures(functions, taken, float(profile.taken), losses=profile.losses))
    return GroupFigures(Measure("paths", "count"), tuple(runs))


PATHS: "Kind[PathProfile]" = Kind(
    name=STORED.name,
    words=STORED.words,
    stored=STORED,
    read=_read,
    write=_write,
    about=_about,
    merged=_merged,
    report=_report,
    view_options=PathViewOptions,
    compare=_compare,
    diff_options=PathDiffOptions,
    figures=_figures,
)
