"""The text of the files whose lines access memory most, kept with a profile so that reports show what ran."""

import os
from collections import Counter
from dataclasses import replace

from sonde.code import source_text
from sonde.instruments.memory.profile.memory_profile import MemoryProfile

_FILES_KEPT = 64


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
    files = filter(os.path.isabs, sorted(weight))  # where others would be looked for is not known
    texts = {file: text for file in files if (text := source_text(file)) is not None}
    return replace(profile, sources={**profile.sources, **texts})
