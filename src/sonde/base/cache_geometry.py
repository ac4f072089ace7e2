"""What caches are like: geometries, hierarchies of them, and those of this machine.

    size = sets x ways x line          32K,8,64: 32 KiB, 8 ways, lines of 64 bytes, and so 64 sets

The model (native/core/caches/cache_model.h) picks the set by bits of the address, so the number of sets is a power
of two. Last-level caches often have another one: the nearest smaller power of two is modelled then, with the same ways,
and `CacheGeometry.adjusted` says so.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

from sonde.base.errors import UsageError

POLICIES = ("lru", "plru", "random")
"""Which line of a full set goes: the one not used for longest, nearly that one (one bit at each fork of a tree), or
any."""
INCLUSIONS = ("neither", "inclusive", "exclusive")
"""Whether what is in a level is in the next one, too: maybe, always, never."""
MOST_WAYS = 64
LINE_SIZES = tuple(8 << bits for bits in range(10))
"""8 to 4,096 bytes."""
LARGEST_BYTES = 1 << 40
MOST_LEVELS = 3
MACHINE = Path("/sys/devices/system/cpu/cpu0/cache")

_SIZE = re.compile(r"([0-9]{1,15})([KMG]?)", re.IGNORECASE)
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


@dataclass(frozen=True, slots=True)
class CacheGeometry:
    """One cache.

    Raises:
        UsageError: `bad-cache`; there is no such cache, or its number of sets is no power of two.

    >>> CacheGeometry(32768, 8, 64).sets
    64
    """

    size_bytes: int
    ways: int
    line_bytes: int
    adjusted: str = field(default="", compare=False)
    """A sentence, if this is not what was asked for or what the machine has."""

    def __post_init__(self) -> None:
        _check_ways_and_line(str(self), self.ways, self.line_bytes)
        way_bytes = self.ways * self.line_bytes
        if self.size_bytes % way_bytes or (self.sets & (self.sets - 1)) or not 0 < self.size_bytes <= LARGEST_BYTES:
            raise _bad_cache(str(self), f"{self.size_bytes:,} bytes are not a power of two of sets, 1 TiB at most")

    @property
    def sets(self) -> int:
        """Groups of lines; a line of memory may be in one of them only."""
        return self.size_bytes // (self.ways * self.line_bytes)

    def __str__(self) -> str:
        return f"{_size_text(self.size_bytes)},{self.ways},{self.line_bytes}"


@dataclass(frozen=True, slots=True)
class CacheSettings:
    """A hierarchy: an instruction cache and a data cache, and up to two unified levels below both.

    Raises:
        UsageError: `bad-cache`; see the fields.
    """

    instruction: CacheGeometry
    levels: tuple[CacheGeometry, ...]
    """One to three. The first is for data. Lines do not become shorter on the way down."""
    policy: str = "lru"
    """One of `POLICIES`, for all levels."""
    inclusion: str = "neither"
    """One of `INCLUSIONS`; all lines are equally long unless `neither`."""
    write_allocate: bool = True
    """Whether a store that misses takes the line in."""
    classify: bool = False
    """Whether misses of the first level are told apart: cold, capacity, conflict."""
    seed: int = 1
    """Of the random policy; 0 to 2**64 - 1."""

    def __post_init__(self) -> None:
        if not 1 <= len(self.levels) <= MOST_LEVELS:
            raise _bad_cache(str(self), f"there are {len(self.levels)} levels, and 1 to {MOST_LEVELS} are modelled")
        for given, known, what in ((self.policy, POLICIES, "policy"), (self.inclusion, INCLUSIONS, "inclusion")):
            if given not in known:
                raise _bad_cache(str(self), f"the {what} is '{given}', and there are {', '.join(known)}")
        if not 0 <= self.seed < 1 << 64:
            raise _bad_cache(str(self), f"the seed is {self.seed}, and 0 to 2**64 - 1 are allowed")
        lines = [level.line_bytes for level in self.levels]
        if self.inclusion != "neither" and {*lines, self.instruction.line_bytes} != {lines[0]}:
            raise _bad_cache(str(self), f"with inclusion '{self.inclusion}' all lines are equally long")
        if lines != sorted(lines) or self.instruction.line_bytes > min(lines[1:], default=LARGEST_BYTES):
            raise _bad_cache(str(self), "lines become shorter from a level to the next")

    def __str__(self) -> str:
        return " ".join([f"I1={self.instruction}", *(f"L{i}={level}" for i, level in enumerate(self.levels, 1))])

    @property
    def adjusted(self) -> tuple[str, ...]:
        """Sentences on the caches that are not what was asked for."""
        return tuple(cache.adjusted for cache in (self.instruction, *self.levels) if cache.adjusted)


@dataclass(frozen=True, slots=True)
class MachineCaches:
    """The caches of a machine. Those of a level that several cores share are taken as one core's own."""

    instruction: CacheGeometry
    levels: tuple[CacheGeometry, ...]
    source: str
    """Where this is known from."""


def fitting_geometry(size_bytes: int, ways: int, line_bytes: int) -> CacheGeometry:
    """The largest cache of that many ways and bytes to a line that can be modelled and is not larger.

    Raises:
        UsageError: `bad-cache`; there is none.

    >>> fitting_geometry(107520 << 10, 15, 64).adjusted
    '105M,15,64 has 114,688 sets, no power of two: 65,536 sets, 60M, are modelled'
    """
    text = f"{_size_text(size_bytes)},{ways},{line_bytes}"
    _check_ways_and_line(text, ways, line_bytes)
    sets = size_bytes // (ways * line_bytes)
    if not sets:
        raise _bad_cache(text, f"{ways} ways of {line_bytes} bytes are more than {size_bytes} bytes")
    modelled = 1 << (sets.bit_length() - 1)
    size = modelled * ways * line_bytes
    if size == size_bytes:
        return CacheGeometry(size, ways, line_bytes)
    fact = "no power of two" if sets != modelled else "and a part of one"
    sentence = f"{text} has {sets:,} sets, {fact}: {modelled:,} sets, {_size_text(size)}, are modelled"
    return CacheGeometry(size, ways, line_bytes, sentence)


def parse_geometry(text: str) -> CacheGeometry:
    """Read `SIZE,WAYS,LINE`: bytes (K, M or G may follow), ways, bytes.

    Raises:
        UsageError: `bad-cache`.

    >>> parse_geometry("32K,8,64")
    CacheGeometry(size_bytes=32768, ways=8, line_bytes=64, adjusted='')
    """
    parts = [part.strip() for part in text.split(",")]
    size = _parse_size(parts[0])
    if len(parts) != 3 or size is None or not all(part.isascii() and part.isdigit() for part in parts[1:]):
        raise _bad_cache(text, "it is not SIZE,WAYS,LINE")
    if max(map(len, parts[1:])) > 9:
        raise _bad_cache(text, "no cache has so many ways or such lines")
    return fitting_geometry(size, int(parts[1]), int(parts[2]))


def machine_caches(folder: Path = MACHINE) -> MachineCaches:
    """The caches of the first core, from what the kernel says of them; `DEFAULT_CACHES` where it says too little.

    Args:
        folder: with a folder for each cache, `index0` and so on.
    """
    found: dict[tuple[int, str], CacheGeometry] = {}
    for index in sorted(folder.glob("index*")):
        level, kind = _text(index / "level"), _text(index / "type")
        size = _parse_size(_text(index / "size"))
        ways, line = _text(index / "ways_of_associativity"), _text(index / "coherency_line_size")
        if size is None or not (level.isdigit() and ways.isdigit() and line.isdigit()):
            continue
        try:
            geometry = fitting_geometry(size, int(ways), int(line))
        except UsageError:
            continue  # the kernel says 0 ways, for one, where firmware does not tell
        found.setdefault((int(level), kind), geometry)
    data = found.get((1, "Data")) or found.get((1, "Unified"))
    instruction = found.get((1, "Instruction")) or data
    if data is None or instruction is None:
        return DEFAULT_CACHES
    levels = [data]
    for level_number in range(2, MOST_LEVELS + 1):
        below = found.get((level_number, "Unified"))
        if below is None or below.line_bytes < max(levels[-1].line_bytes, instruction.line_bytes):
            break
        levels.append(below)
    return MachineCaches(instruction, tuple(levels), str(folder))


def _check_ways_and_line(text: str, ways: int, line_bytes: int) -> None:
    if not 1 <= ways <= MOST_WAYS:
        raise _bad_cache(text, f"it has {ways} ways, and 1 to {MOST_WAYS} are modelled")
    if line_bytes not in LINE_SIZES:
        raise _bad_cache(text, f"its lines have {line_bytes} bytes, and powers of two from 8 to 4,096 are modelled")


def _bad_cache(text: str, fact: str) -> UsageError:
    return UsageError(
        f"cannot model the cache '{text}': {fact}",
        slug="bad-cache",
        hint="SIZE,WAYS,LINE, as in 32K,8,64",
    )


def _parse_size(text: str) -> int | None:
    match = _SIZE.fullmatch(text)
    return int(match[1]) * _UNITS[match[2].upper()] if match else None


def _size_text(size_bytes: int) -> str:
    for unit in ("G", "M", "K"):
        if size_bytes and size_bytes % _UNITS[unit] == 0:
            return f"{size_bytes // _UNITS[unit]}{unit}"
    return str(size_bytes)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError):
        return ""


# At the end, as geometries are checked when they are made.
DEFAULT_CACHES = MachineCaches(
    CacheGeometry(32 << 10, 8, 64),
    (CacheGeometry(32 << 10, 8, 64), CacheGeometry(1 << 20, 16, 64), CacheGeometry(8 << 20, 16, 64)),
    "not known; common sizes",
)
"""What is modelled where the machine does not say: sizes of many server and desktop cores of the 2010s and 2020s."""
