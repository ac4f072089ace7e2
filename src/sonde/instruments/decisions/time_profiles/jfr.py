"""Where a Java program spent its time, by JDK Flight Recorder's execution samples.

A sample is a stack. Its topmost frame that is no inlined one says whose compiled code ran: the root of a compilation.
Which compilation that was, if a method was compiled several times, is told by the time: see `link_samples`.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from sonde.base.errors import InputError
from sonde.instruments.decisions.java_names import java_method_name
from sonde.instruments.decisions.model import NO_OFFSET, Place, Position, ProfileEntry, TimeProfile
from sonde.instruments.decisions.time_profiles.java_versions import JavaVersion, Versions
from sonde.instruments.decisions.time_profiles.jfr_events import Event, duration_ns, jfr_events, nanoseconds

_COMPILED = "JIT compiled"
INTERPRETER = "Interpreter"
"""Name of the entry for all that was not compiled."""
_SAMPLE, _COMPILATION = "jdk.ExecutionSample", "jdk.Compilation"


class JfrSample(NamedTuple):
    """What a thread was doing at a moment."""

    at_ns: int
    """Since the epoch."""
    method: str
    """Whose own code ran."""
    how: str
    """`JIT compiled`, `Interpreted`, `Native`; or `unknown` for stacks that say nothing."""
    position: Position = ()
    """Where in that code, through what was inlined into it."""


@dataclass(slots=True)
class JfrRecording:
    """What of a recording says where the time went."""

    samples: list[JfrSample] = field(default_factory=list)
    compilations: list[JavaVersion] = field(default_factory=list)
    """As the recording itself tells; empty if it was not asked to."""


@dataclass(frozen=True, slots=True)
class LinkedTime:
    """Where the time went, with the compilation of each entry that was compiled code."""

    profile: TimeProfile
    linked: int
    """Of the compiled time: the part that has a compilation."""
    compiled: int
    """Time in compiled code, by the stacks."""

    @property
    def rate(self) -> float:
        """How much of the time in compiled code could be given to a compilation; 1 if there was none."""
        return self.linked / self.compiled if self.compiled else 1.0


def read_jfr(path: Path, *, java_home: Path | None = None) -> TimeProfile:
    """Read a recording, or what `jfr print --json` printed of one.

    Raises:
        InputError: `bad-jfr-recording`: it is damaged, or has no execution samples.
        MissingCapability: `no-jfr-tool`.
    """
    return link_samples(read_recording(path, java_home=java_home)).profile


def read_recording(path: Path, *, java_home: Path | None = None) -> JfrRecording:
    """Read the samples, and the compilations that the recording tells of.

    Raises:
        InputError, MissingCapability: as `read_jfr`.
    """
    recording = JfrRecording()
    for event in jfr_events(path, (_SAMPLE, _COMPILATION), java_home=java_home):
        try:
            _add(recording, event)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise InputError(
                f"cannot read time profile '{path}': a {event['type']} lacks what such events have: {error!r}",
                slug="bad-jfr-recording",
                hint="print it again with 'jfr print --json'",
            ) from error
    if not recording.samples:
        raise InputError(
            f"cannot read time profile '{path}': it has no execution samples",
            slug="bad-jfr-recording",
            hint="record with -XX:StartFlightRecording:settings=profile, and for longer than a second",
        )
    return recording


def link_samples(recording: JfrRecording, versions: Mapping[str, Versions] | None = None) -> LinkedTime:
    """Give each sample to the compilation that was in use for its method at its time.

    Args:
        versions: of each method, when they are known from elsewhere; None: as the recording itself tells, which is
            silent about what was compiled before it began.
    """
    if versions is None:
        versions = Versions.by_method(recording.compilations)
    counts: Counter[tuple[str, str | None, int | None]] = Counter()
    spreads: dict[tuple[str, str | None, int | None], Counter[Position]] = {}
    linked = compiled = 0
    for at_ns, method, how, position in recording.samples:
        if how != _COMPILED:
            counts[(INTERPRETER if how == "Interpreted" else f"{method} ({how.lower()})", None, None)] += 1
            continue
        compiled += 1
        version = versions[method].at(at_ns) if method in versions else None
        linked += version is not None
        key = (method, version.id, version.level) if version else (method, None, None)
        counts[key] += 1
        spreads.setdefault(key, Counter())[position] += 1
    entries = tuple(
        ProfileEntry(name, count, number, level, spread=tuple(spreads.get((name, number, level), {}).items()))
        for (name, number, level), count in sorted(counts.items(), key=lambda item: (-item[1], item[0][0]))
    )
    count = len(recording.samples)
    return LinkedTime(TimeProfile(count, "samples", entries, "JFR execution samples", count), linked, compiled)


def _add(recording: JfrRecording, event: Event) -> None:
    values = event["values"]
    if event["type"] == _SAMPLE:
        recording.samples.append(JfrSample(nanoseconds(values["startTime"]), *_what_ran(values.get("stackTrace"))))
    # Both spellings: the misspelt one is that of all JDKs up to 25 at least.
    elif values.get("succeded", values.get("succeeded", True)) and values.get("method"):
        took = values.get("duration")
        recording.compilations.append(
            JavaVersion(
                id=str(values["compileId"]),
                method=_name(values["method"]),
                level=int(values["compileLevel"]),
                is_osr=bool(values.get("isOsr")),
                from_ns=nanoseconds(values["startTime"]) + (duration_ns(took) if took else 0),
            )
        )


def _what_ran(stack: Mapping[str, Any] | None) -> tuple[str, str, Position]:
    """The method whose own code ran, how, and where in it."""
    frames = (stack or {}).get("frames") or ()
    places: list[Place] = []
    for frame in frames:
        if frame.get("method"):
            places.append(Place(_name(frame["method"]), frame.get("bytecodeIndex", NO_OFFSET)))
            if frame["type"] != "Inlined":
                return places[-1].method, frame["type"], tuple(places)
    # Only inlined frames: the stack was cut, by the recording's stackdepth or when it was printed.
    return (places[-1].method if places else "unknown", "root not in the stack", ())


def _name(method: Mapping[str, Any]) -> str:
    return java_method_name(method["type"]["name"], method["name"], method["descriptor"])
