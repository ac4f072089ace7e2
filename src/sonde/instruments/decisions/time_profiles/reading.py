"""Reading where the time went, whatever measured it."""

from pathlib import Path

from sonde.base.errors import InputError
from sonde.instruments.decisions.model import TimeProfile
from sonde.instruments.decisions.time_profiles.call_times import is_sonde_profile, read_call_times
from sonde.instruments.decisions.time_profiles.jfr import read_jfr
from sonde.instruments.decisions.time_profiles.jfr_events import is_jfr, is_printed_jfr
from sonde.instruments.decisions.time_profiles.opening import profile_head
from sonde.instruments.decisions.time_profiles.perf_script import is_perf_script, read_perf_script
from sonde.instruments.decisions.time_profiles.pprof import is_pprof, read_pprof
from sonde.instruments.decisions.time_profiles.proftool import is_proftool, read_proftool

_PERF_DATA = (b"PERFILE2", b"2ELIFREP")


def read_time_profile(path: Path) -> TimeProfile:
    """Read a profile; what wrote it is told by what is in it.

    Known are mx's proftool (JSON), what `perf script` prints, pprof, profiles of sonde, and recordings of JDK Flight
    Recorder, as they are or printed by `jfr print --json`.

    Raises:
        InputError: `unknown-time-profile`, `unreadable-time-profile`, and what the readers of the formats raise.
        MissingCapability: `no-jfr-tool`.
    """
    check_profile_file(path)
    head = profile_head(path)
    if is_jfr(head) or is_printed_jfr(head):
        return read_jfr(path)
    if is_proftool(head):
        return read_proftool(path).times
    if is_sonde_profile(head):
        return read_call_times(path)
    if is_perf_script(head):
        return read_perf_script(path)
    if head.startswith(_PERF_DATA):
        raise _unknown(path, "it is perf's own file", f"perf script -i '{path}' > FILE, and name that")
    if is_pprof(head):
        return read_pprof(path)
    fact = "it is empty" if not head else "it is none of: perf script, pprof, JFR, proftool, sonde"
    raise _unknown(path, fact, "perf record -e cpu-clock PROGRAM; perf script > FILE")


def check_profile_file(path: Path) -> None:
    """Refuse what is no regular file.

    A profile is told by how it begins and then read anew: a pipe would have lost its beginning, or never end.

    Raises:
        InputError: `unreadable-time-profile`.
    """
    if path.is_file():
        return
    fact = "it is a folder" if path.is_dir() else "it is no regular file" if path.exists() else "no such file"
    raise InputError(
        f"cannot read the profile '{path}': {fact}",
        slug="unreadable-time-profile",
        hint="check the path; what a pipe brings must be in a file first",
    )


def is_time_profile(head: bytes) -> bool:
    """Whether a file that begins so may be a profile that `read_time_profile` reads."""
    return (
        is_jfr(head)
        or is_printed_jfr(head)
        or is_proftool(head)
        or is_sonde_profile(head)
        or is_perf_script(head)
        or is_pprof(head)
    )


def _unknown(path: Path, fact: str, hint: str) -> InputError:
    return InputError(f"cannot use the profile '{path}': {fact}", slug="unknown-time-profile", hint=hint)
