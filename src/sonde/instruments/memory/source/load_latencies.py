"""How long loads take on this machine: measured once by pointer chasing, and kept in the user's cache folder."""

import hashlib
import json
from contextlib import suppress
from pathlib import Path

import sonde._native
from sonde.base.cache_geometry import MachineCaches
from sonde.base.errors import SondeError
from sonde.base.whole_file import written_whole
from sonde.valgrind.build_cache import build_cache

_CPU_INFO = Path("/proc/cpuinfo")
_IDENTITY = ("vendor_id", "cpu family", "model", "model name", "stepping", "cache size")
"""What tells one processor from another."""
_FORM = 2
"""Of the file; another way to measure has another number."""
_REPEATS = 10
_LOADS = 40_000
_MEMORY_BYTES = 64 << 20
_MEMORY_STRIDE = 256
"""So far apart that no prefetcher brings a node with its neighbour."""
_GROWTH = 3
"""A chase through so many times the cache before misses that at every step."""
_FILE = "latencies.json"


def load_latencies(here: MachineCaches) -> tuple[int, ...] | None:
    """Cycles of a load that the first cache has, the second one, ..., memory: as measured on this machine, now or
    earlier. None: they cannot be measured here.

    Cost: 0.4 s once, then a millisecond.
    """
    try:
        with build_cache() as folder:
            path, key = folder / _FILE, _identity(here)
            known = _read(path)
            if key in known:
                return tuple(known[key])
            found = measured_latencies(here)
            if found is not None:
                with suppress(SondeError, OSError), written_whole(path) as stream:
                    stream.write(json.dumps({**known, key: found}).encode())
            return found
    except SondeError:  # there is no folder at all
        return measured_latencies(here)


def measured_latencies(here: MachineCaches) -> tuple[int, ...] | None:
    """As `load_latencies`, but measured now. Nothing is faster than what is nearer.

    Cost: 0.4 s.
    """
    found: list[int] = []
    before = 0
    for level in here.levels:
        size = level.size_bytes // 2 if not before else min(_GROWTH * before, (before + level.size_bytes) // 2)
        found.append(_cycles(size, level.line_bytes, is_flushed=False))
        before = level.size_bytes
    found.append(_cycles(_MEMORY_BYTES, _MEMORY_STRIDE, is_flushed=True))
    if not all(found):
        return None
    return tuple(max(found[: number + 1]) for number in range(len(found)))


def _cycles(size_bytes: int, stride: int, *, is_flushed: bool) -> int:
    return round(sonde._native.load_cycles(size_bytes, stride, _LOADS, _REPEATS, is_flushed))


def _identity(here: MachineCaches) -> str:
    about = dict.fromkeys(_IDENTITY, "")
    with suppress(OSError):
        for line in _CPU_INFO.read_text(encoding="utf-8", errors="replace").split("\n\n")[0].splitlines():
            name, _, value = line.partition(":")
            if name.strip() in about:
                about[name.strip()] = value.strip()
    text = json.dumps([_FORM, about, list(map(str, here.levels))])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _read(path: Path) -> dict[str, list[int]]:
    """What is known of machines; nothing where the file is none of ours."""
    try:
        found = json.loads(path.read_bytes())
        return {
            str(key): [int(each) for each in cycles]
            for key, cycles in found.items()
            if cycles and all(isinstance(each, int) and each > 0 for each in cycles) and cycles == sorted(cycles)
        }
    except (OSError, ValueError, TypeError, AttributeError):
        return {}
