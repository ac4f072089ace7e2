"""Which source texts travel in the page: the heaviest that fit."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sonde.render.html.script_json import script_json

MAX_SOURCE_BYTES = 1_500_000
"""Room for source text in a page, counted as it is embedded: about 40,000 lines."""


@dataclass(frozen=True, slots=True)
class EmbeddedSources:
    """Source texts chosen for a page, and what did not fit."""

    texts: Mapping[str, str]
    left_out_files: int
    left_out_bytes: int


def choose_sources(sources: Mapping[str, str], files: Iterable[str], budget_bytes: int) -> EmbeddedSources:
    """Take texts in the order of `files` while they fit; a text too large gives way to later, smaller ones.

    Args:
        sources: texts by path.
        files: paths that the page mentions, most important first, each once.
        budget_bytes: for all texts together, escapes included.
    Cost: O(total length of the texts considered).
    """
    chosen: dict[str, str] = {}
    left_files = left_bytes = 0
    room = budget_bytes
    for file in files:
        text = sources.get(file)
        if text is None:
            continue
        size = len(script_json(text))
        if size <= room:
            chosen[file] = text
            room -= size
        else:
            left_files += 1
            left_bytes += size
    return EmbeddedSources(chosen, left_files, left_bytes)
