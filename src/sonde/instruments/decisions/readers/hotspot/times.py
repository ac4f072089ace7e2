"""Where the time of a run of HotSpot went, by compilation."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from statistics import median

from sonde.evidence import Doubt
from sonde.instruments.decisions.model import ProfileEntry, Spread, TimeProfile
from sonde.instruments.decisions.readers.hotspot.elements import integer
from sonde.instruments.decisions.readers.hotspot.log_index import LogIndex
from sonde.instruments.decisions.readers.hotspot.method_names import whole_name
from sonde.instruments.decisions.time_profiles import (
    JavaVersion,
    JfrRecording,
    Versions,
    is_jfr,
    is_printed_jfr,
    link_samples,
    profile_head,
    read_recording,
    read_time_profile,
)


def read_times(index: LogIndex, path: Path, doubts: list[Doubt]) -> TimeProfile:
    """Read a profile; samples of a recording are given to the compilations of the log.

    Raises:
        InputError: `unreadable-time-profile`, and what the readers of profiles raise.
    """
    head = profile_head(path)
    if not (is_jfr(head) or is_printed_jfr(head)):
        return read_time_profile(path)
    recording = read_recording(path)
    linked = link_samples(recording, java_versions(index, recording))
    lost = linked.compiled - linked.linked
    if lost:
        text = f"{lost} of {linked.compiled} samples in compiled code are of methods that the log has no compilation of"
        doubts.append(Doubt("unlinked-time", text, lost))
    return linked.profile


def unit_times(
    index: LogIndex, profile: TimeProfile | None, doubts: list[Doubt]
) -> tuple[Mapping[str, int], Mapping[str, Spread]]:
    """The time of each compilation, and how it is spread. What has no id goes to the method's last compilation of the
    highest level."""
    if profile is None:
        doubts.append(
            Doubt("no-time-profile", "no profile says where the time went: nothing is hot, nothing is weighed")
        )
        return {}, {}
    known = {task.attributes["compile_id"] for task in index.tasks if task.succeeded}
    best = _best_by_method(index)
    periods: Counter[str] = Counter()
    spreads: defaultdict[str, Spread] = defaultdict(tuple)
    lost: list[ProfileEntry] = []
    by_method = 0
    for entry in profile.entries:
        if entry.id is not None and entry.id not in known:
            lost.append(entry)
        elif (number := entry.id or best.get(entry.name)) is not None:
            periods[number] += entry.period
            spreads[number] += entry.spread
            by_method += 0 if entry.id else entry.period
    if by_method:
        text = f"{by_method} of {profile.total} {profile.unit} name a method only: its last best compilation gets them"
        doubts.append(Doubt("times-by-method", text))
    if not periods and profile.entries:
        text = "nothing in the profile is about a compilation of this log: is it of another run?"
        doubts.append(Doubt("profile-of-another-run", text))
    elif lost:
        text = f"profiled compilations that are not in the log, the first is {lost[0].id} ({lost[0].name[:80]})"
        doubts.append(Doubt("compilations-not-in-log", text, len(lost)))
    return periods, spreads


def java_versions(index: LogIndex, recording: JfrRecording | None = None) -> dict[str, Versions]:
    """The compilations of each method with the times between which calls went there.

    Args:
        recording: of the same run, to set the clocks by: the log counts from about when the machine started.
    """
    start_ns = _start_ns(index, recording)
    versions = [
        JavaVersion(
            id=number,
            method=whole_name(about.get("method", "?")),
            level=level_of(about),
            is_osr=about.get("compile_kind") == "osr",
            from_ns=start_ns + _stamp_ns(about),
            until_ns=start_ns + _stamp_ns(index.ends[number]) if number in index.ends else None,
        )
        for number, about in index.nmethods.items()
        if about.get("compile_kind") != "c2n"
    ]
    if recording is not None:
        # The end of a log of a machine that was killed may not have reached the disk.
        versions += [version for version in recording.compilations if version.id not in index.nmethods]
    return Versions.by_method(versions)


def _start_ns(index: LogIndex, recording: JfrRecording | None) -> int:
    if recording is not None:
        known = {version.id: version.from_ns for version in recording.compilations}
        apart = [
            known[number] - _stamp_ns(about)
            for number, about in index.nmethods.items()
            if number in known and "stamp" in about
        ]
        if apart:
            return round(median(apart))
    return (index.time_ms or 0) * 1_000_000


def _stamp_ns(about: Mapping[str, str]) -> int:
    try:
        return round(float(about.get("stamp", "0")) * 1e9)
    except (ValueError, OverflowError):
        return 0


def level_of(task: Mapping[str, str], code: Mapping[str, str] | None = None) -> int:
    """The level of a compilation.

    Args:
        code: what was installed. Tasks leave out the highest level that there is, which is 4 unless
            `-XX:TieredStopAtLevel` says otherwise.
    """
    said = (integer(about.get("level", "")) for about in (code or {}, task))
    return next((level for level in said if level is not None), 4)


def _best_by_method(index: LogIndex) -> dict[str, str]:
    best: dict[str, tuple[int, str]] = {}
    for task in index.tasks:
        if task.succeeded:
            number = task.attributes["compile_id"]
            name, level = whole_name(task.attributes["method"]), level_of(task.attributes, index.nmethods.get(number))
            if name not in best or best[name][0] <= level:
                best[name] = (level, number)
    return {name: number for name, (_, number) in best.items()}
