"""The text of the files whose lines access memory most, kept with a profile so that reports show what ran."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

from sonde.instruments.memory.profile.memory_profile import MemoryProfile

_FILES_KEPT = 64
_LARGEST_BYTES = 4 << 20
"""Generated files may be larger; their lines are shown by number."""


def with_source_texts(profile: MemoryProfile) -> MemoryProfile:
    """Add the text of the files with the most accesses; what cannot be read is left out."""
    weight: Counter[str] = Counter()
    for lines in (profile.python_lines, profile.native_lines):
        of_layer: Counter[str] = Counter()
        for line in lines:
            function, _ = profile.places[line.place].frames[0]
            of_layer[profile.functions[function].file] += line.loads + line.stores
        # Half of the room for each layer: nearly all native accesses of a Python program are the interpreter's.
        weight.update(dict(of_layer.most_common(_FILES_KEPT // 2)))
    texts = {file: text for file in sorted(weight) if (text := _text(file)) is not None}
    return replace(profile, sources={**profile.sources, **texts})


def _text(file: str) -> str | None:
    path = Path(file)
    try:
        if not path.is_absolute() or not path.is_file() or path.stat().st_size > _LARGEST_BYTES:
            return None
        return path.read_bytes().decode("utf-8", "surrogateescape")
    except (OSError, ValueError):
        return None
