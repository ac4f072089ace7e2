"""Where the time went, by what `perf script` prints: its default fields, with or without call chains."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from sonde.base.errors import InputError
from sonde.instruments.decisions.model import NO_OFFSET, Place, ProfileEntry, Spread, TimeProfile
from sonde.instruments.decisions.time_profiles.opening import unreadable

_SAMPLE = re.compile(
    r"^\s*(?P<comm>\S.*?)\s+"
    r"(?:(?P<pid>-?\d+)(?:/-?\d+)?)\s+"
    r"(?:\[\d+\]\s+)?"
    r"(?:\S{4,8}\s+)?"  # flags of a branch or of the irq
    r"(?P<time>\d+\.\d+):\s+"
    r"(?:(?P<period>\d{1,19})\s+)?"
    r"(?P<event>[A-Za-z_][\w./,=~-]*(?::[\w./,=~-]+)*):\s*"
    r"(?P<rest>.*)$"
)
"""The first line of a sample. The time is what tells it from a line of a stack for sure, so it is wanted."""
_FRAME = re.compile(r"^\s*(?P<address>[0-9a-f]+)(?:\s+(?P<symbol>.*))?$")
_OFFSET = re.compile(r"\+0x([0-9a-f]{1,15})$")
_DELETED = " (deleted)"
_INLINED = "(inlined)"
UNKNOWN = "[unknown]"
"""What perf calls code that no symbol tells of."""
_CLOCKS = ("cpu-clock", "task-clock")
_LOOKED_AT = 64
"""Lines in which a first sample must be: what stands before are comments, each with a `#`."""


@dataclass(frozen=True, slots=True)
class PerfSample:
    """The innermost code of a sample."""

    event: str
    period: int | None
    symbol: str
    """Without the offset in it; of code that was inlined: of the function that it was inlined into."""
    code: str
    """The program, library or `[kernel.kallsyms]` that has it."""
    offset: int | None = None
    """Byte in the code of the symbol; None: not known."""
    inlined: tuple[str, ...] = ()
    """Functions that were inlined there, innermost first; perf tells them where it recorded call chains."""


def is_perf_script(head: bytes) -> bool:
    """Whether a file that begins so was printed by `perf script`.

    >>> is_perf_script(b"spin 31713 15091.065033:     250000 cpu-clock: ")
    True
    """
    lines = head.decode("utf-8", "replace").splitlines()
    said = [line for line in lines[:_LOOKED_AT] if line.strip() and not line.startswith("#")]
    return bool(said) and _SAMPLE.match(said[0]) is not None


def read_perf_script(path: Path) -> TimeProfile:
    """Sum up the samples of one event by the function whose code ran.

    With several events the times are of the one that counts time: the clock, else cycles, else the most frequent.

    Raises:
        InputError: `bad-perf-script`, `unreadable-time-profile`.
    """
    try:
        with path.open(encoding="utf-8", errors="replace") as lines:
            events = _sums(perf_samples(lines))
    except OSError as error:
        raise unreadable(path, error) from error
    if not events:
        raise InputError(
            f"cannot use the profile '{path}': it has no samples",
            slug="bad-perf-script",
            hint="perf record -e cpu-clock PROGRAM; perf script > FILE",
        )
    event = max(events, key=lambda name: (_rank(name), sum(events[name].counts.values()), name))
    found = events[event]
    samples, has_periods = sum(found.counts.values()), sum(found.times.values()) > 0
    chosen = found.times if has_periods else found.counts
    unit = _unit(event) if has_periods else "samples"
    return TimeProfile(sum(chosen.values()), unit, found.entries(chosen), f"perf script, {event}", samples)


def perf_samples(lines: Iterable[str]) -> Iterator[PerfSample]:
    """The samples in what was printed; lines that are not understood are passed over."""
    event: str | None = None
    period: int | None = None
    inlined: list[str] = []
    for line in lines:
        if not line.strip() or line.startswith("#"):
            if event is not None and not line.strip():
                yield PerfSample(event, period, UNKNOWN, UNKNOWN)
                event = None
            continue
        sample = _SAMPLE.match(line)
        if sample is not None:
            if event is not None:
                yield PerfSample(event, period, UNKNOWN, UNKNOWN)
            event, inlined = sample["event"], []
            period = int(sample["period"]) if sample["period"] else None
            if not sample["rest"].strip():
                continue
            line = sample["rest"]
        elif event is None:
            continue  # an outer frame, or a line of the source
        frame = _frame(line)
        if frame is not None and frame[1] == _INLINED:
            inlined.append(frame[0])
        elif frame is not None:
            yield PerfSample(event, period, *frame, inlined=tuple(inlined))
            event = None
    if event is not None:
        yield PerfSample(event, period, UNKNOWN, UNKNOWN)


def _frame(line: str) -> tuple[str, str, int | None] | None:
    """Symbol, what has the code, and where in it; `(inlined)`, if the frame that has it comes later. None: no frame."""
    found = _FRAME.match(line)
    if found is None:
        return None
    text = (found["symbol"] or "").rstrip()
    if text.endswith(_INLINED):
        return text.removesuffix(_INLINED).rstrip(), _INLINED, None
    code = UNKNOWN
    if text.endswith(")"):
        bare = text.removesuffix(")").removesuffix(_DELETED)
        begin = bare.rfind(" (")
        if begin >= 0 or bare.startswith("("):
            code = bare[begin + 2 :] if begin >= 0 else bare[1:]
            text = bare[:begin] if begin >= 0 else ""
    offset = _OFFSET.search(text)
    return _OFFSET.sub("", text) or UNKNOWN, code, int(offset[1], 16) if offset else None


@dataclass(slots=True)
class _Event:
    """The samples of one event, by what they are of."""

    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Function and what has its code -> samples."""
    times: Counter[tuple[str, str]] = field(default_factory=Counter)
    """The same -> periods."""
    stacks: dict[tuple[str, str], Counter[tuple[str, ...]]] = field(default_factory=dict)
    """The same -> what was inlined there -> periods, or samples if there are none."""
    offsets: dict[tuple[str, str], Counter[int]] = field(default_factory=dict)
    """The same -> byte of the code -> periods, or samples."""

    def add(self, sample: PerfSample) -> None:
        key = (sample.symbol, sample.code)
        self.counts[key] += 1
        self.times[key] += sample.period or 0
        period = 1 if sample.period is None else sample.period
        self.stacks.setdefault(key, Counter())[sample.inlined] += period
        if sample.offset is not None:
            self.offsets.setdefault(key, Counter())[sample.offset] += period

    def entries(self, chosen: Counter[tuple[str, str]]) -> tuple[ProfileEntry, ...]:
        """By time; with what was inlined, where anything is known to be in that program or library."""
        tells = {code for (_, code), stacks in self.stacks.items() if any(stacks)}
        return tuple(
            ProfileEntry(
                key[0],
                period,
                file=key[1],
                spread=_spread(key[0], self.stacks[key]) if key[1] in tells else (),
                offsets=tuple(self.offsets.get(key, {}).items()) if key[1] not in tells else (),
            )
            for key, period in sorted(chosen.items(), key=lambda item: (-item[1], item[0]))
        )


def _spread(symbol: str, stacks: Counter[tuple[str, ...]]) -> Spread:
    """Perf does not say where in a function another was inlined."""
    return tuple(
        (tuple(Place(name, NO_OFFSET) for name in (*inlined, symbol)), period) for inlined, period in stacks.items()
    )


def _sums(samples: Iterable[PerfSample]) -> dict[str, _Event]:
    """What there is of each event."""
    events: dict[str, _Event] = {}
    for sample in samples:
        events.setdefault(sample.event, _Event()).add(sample)
    return events


def _rank(event: str) -> int:
    return 2 if event.split(":")[0] in _CLOCKS else 1 if "cycles" in event else 0


def _unit(event: str) -> Literal["nanoseconds", "cycles", "samples"]:
    return "nanoseconds" if _rank(event) == 2 else "cycles" if _rank(event) == 1 else "samples"
