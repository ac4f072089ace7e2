"""Events of a JDK Flight Recorder recording, through the JDK's own `jfr` tool or from what it has printed."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from datetime import datetime
from pathlib import Path
from typing import IO, Any, cast

from sonde.base.errors import InputError, MissingCapability
from sonde.instruments.decisions.foreign_json import in_our_words
from sonde.instruments.decisions.time_profiles.opening import profile_head

_MAGIC = b"FLR\0"
"""First bytes of a recording."""
_PRINTED = b'"recording"'
"""First key of what the tool prints."""
STACK_DEPTH = 64
"""Frames that are asked for; recordings have no more unless their options said so."""

_CHUNK = 1 << 20
Event = dict[str, Any]
"""As `jfr print --json` prints it."""


def jfr_events(path: Path, names: Iterable[str], *, java_home: Path | None = None) -> Iterator[Event]:
    """Read the events of some types.

    Args:
        path: a recording, or what `jfr print --json` printed of one.
        java_home: where to look for the tool first.
    Raises:
        InputError: `bad-jfr-recording`, `unreadable-time-profile`.
        MissingCapability: `no-jfr-tool`.
    Cost: time of the tool; O(largest event) space.
    """
    wanted = frozenset(names)
    if not is_jfr(profile_head(path)):
        with path.open(encoding="utf-8", errors="replace") as text:
            yield from _decoded(text, path, wanted)
        return
    words = [str(jfr_tool(java_home)), "print", "--json", "--stack-depth", str(STACK_DEPTH)]
    with subprocess.Popen(
        [*words, "--events", ",".join(sorted(wanted)), str(path)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            yield from _decoded(process.stdout, path, wanted)
        except InputError as error:
            process.kill()
            said = process.stderr.read().strip().splitlines()
            raise _bad(path, said[0] if said else error.message) from error
        finally:
            process.stdout.close()  # the tool ends when nobody reads on


def jfr_tool(java_home: Path | None = None) -> Path:
    """Find the `jfr` program of a JDK.

    Raises:
        MissingCapability: `no-jfr-tool`.
    """
    for name in (str(java_home / "bin" / "jfr") if java_home else None, "jfr", _beside_java()):
        if name and (found := shutil.which(name)):
            return Path(found)
    raise MissingCapability(
        "cannot read a JDK Flight Recorder recording: the JDK's 'jfr' tool is not on the PATH, nor beside 'java'",
        slug="no-jfr-tool",
        hint="install a JDK (a JRE lacks it), or give what 'jfr print --json --stack-depth 64' printed elsewhere",
    )


def nanoseconds(time: str) -> int:
    """Since the epoch, of a time as the tool prints it.

    >>> nanoseconds("1970-01-01T01:00:01.000000002+01:00")
    1000000002
    """
    match = _TIME.fullmatch(time)
    if match is None:
        raise ValueError(time)
    seconds = round(datetime.fromisoformat(match["whole"] + (match["zone"] or "Z").replace("Z", "+00:00")).timestamp())
    return seconds * 1_000_000_000 + int((match["part"] or "").ljust(9, "0")[:9])


def duration_ns(text: str) -> int:
    """Of a duration as the tool prints it.

    >>> duration_ns("PT1M0.000496674S")
    60000496674
    """
    match = _DURATION.fullmatch(text)
    if match is None:
        raise ValueError(text)
    hours, minutes, seconds = (float(match[name] or 0) for name in ("h", "m", "s"))
    return round((hours * 3600 + minutes * 60) * 1e9) + round(seconds * 1e9)


_TIME = re.compile(r"(?P<whole>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(?P<part>\d+))?(?P<zone>Z|[+-]\d\d:?\d\d)?")
_DURATION = re.compile(r"PT(?:(?P<h>-?\d+)H)?(?:(?P<m>-?\d+)M)?(?:(?P<s>-?[\d.]+)S)?")
_EVENTS = re.compile(r'"events"\s*:\s*\[')
_BETWEEN = re.compile(r"[\s,]*")


def _decoded(text: IO[str], path: Path, wanted: frozenset[str]) -> Iterator[Event]:
    """One event after another, without the others in memory."""
    buffer = ""
    while (opening := _EVENTS.search(buffer)) is None:
        more = text.read(_CHUNK)
        if not more:
            raise _bad(path, "there is no list of events in it")
        buffer = buffer[-100:] + more
    at, decoder = opening.end(), json.JSONDecoder()
    while True:
        between = _BETWEEN.match(buffer, at)
        assert between is not None
        at = between.end()
        if buffer.startswith("]", at):
            return
        try:
            event, at = decoder.raw_decode(buffer, at)
        except ValueError as error:
            if (said := in_our_words(error)) is not error:
                raise _bad(path, str(said)) from error
            more = text.read(_CHUNK)
            if not more:
                raise _bad(path, "it ends in the middle of an event") from error
            buffer, at = buffer[at:] + more, 0
            continue
        if isinstance(event, dict) and event.get("type") in wanted and isinstance(event.get("values"), dict):
            yield cast("Event", event)


def _beside_java() -> str | None:
    java = shutil.which("java")
    return None if java is None else str(Path(java).resolve().parent / "jfr")


def _bad(path: Path, fact: str) -> InputError:
    return InputError(
        f"cannot read time profile '{path}': {fact}",
        slug="bad-jfr-recording",
        hint="record again, or try 'jfr summary FILE'",
    )


def is_jfr(head: bytes) -> bool:
    """Whether a file is a recording, by its first bytes.

    >>> is_jfr(b"FLR\\0\\0\\2")
    True
    """
    return head.startswith(_MAGIC)


def is_printed_jfr(head: bytes) -> bool:
    """Whether a file that begins so may be what `jfr print --json` printed.

    >>> is_printed_jfr(b'{\\n  "recording": {')
    True
    """
    return head.lstrip().startswith(b"{") and _PRINTED in head[:1000]
