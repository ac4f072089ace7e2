"""The source lines in which something was decided, read when the page is made."""

from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from sonde.instruments.decisions.analysis.tree_items import Node
from sonde.instruments.decisions.deltas import DeltaNode
from sonde.instruments.decisions.model import CallKind, CallSite, ContextNode, Decision, DecisionRun, SourceRange
from sonde.instruments.decisions.readers import MANIFEST
from sonde.instruments.decisions.report.html.tables import shorten
from sonde.render.html.document import script_json
from sonde.render.html.embedded_sources import MAX_SOURCE_BYTES

CONTEXT_LINES = 4
"""Lines before and after one with decisions that are in the page."""

_LONGEST_LINE = 300
"""Letters; longer lines are data or were generated."""

_MAX_FILE_BYTES = 64 << 20


class SourceLines:
    """Which lines are needed, and their texts.

    A method that two runs know is where the first has it: comparisons tell the second in the places of the first.
    """

    def __init__(self, runs: Sequence[DecisionRun]) -> None:
        self._runs = runs
        self._wanted: dict[str, dict[int, None]] = {}
        self._places: set[tuple[str | None, int]] = set()

    def source_of(self, method: str | None) -> SourceRange | None:
        """Where a method is."""
        found = (run.sources.get(method) for run in self._runs) if method is not None else ()
        return next(filter(None, found), None)

    def want(self, root: Node) -> None:
        """Note the lines of a tree: those of its calls, and of its decisions where they are not in inlined code.

        Cost: O(n) for n nodes. No recursion.
        """
        if self._runs[0].offsets != "line":
            return
        pending: list[tuple[Any, str | None]] = [(root, None)]
        while pending:
            node, caller = pending.pop()
            for side in (node.left, node.right) if isinstance(node, DeltaNode) else (node,):
                content = side.content if isinstance(side, ContextNode) else side
                if isinstance(content, CallSite):
                    self._want_place(caller, content.at)
                elif isinstance(content, Decision) and content.position:
                    self._want_place(content.position[0].method, content.position[0].at)
            if isinstance(node, Decision):
                continue
            below = _method_of(node, caller)
            pending.extend((child, below) for child in reversed(node.children))

    def as_data(self, files: dict[str, int]) -> dict[str, Any]:
        """Texts by the numbers of `files`, to which is added.

        Returns:
            `listings`: of a file `[[first line, [texts]], ...]`; and names of files that could not be read
            (`sources_missing`), had no room for all that is wanted (`sources_left_out`), or are newer than the run
            (`sources_changed`).
        """
        listings: dict[int, list[list[Any]]] = {}
        missing, left_out, changed = [], [], []
        room = MAX_SOURCE_BYTES
        for file, wanted in self._wanted.items():
            found = self._read(file)
            if found is None:
                missing.append(shorten(file))
                continue
            path, lines = found
            parts, size = _parts(wanted, lines)
            count = len(wanted)
            while size > room and count:  # lines of the heaviest units were wanted first
                count //= 2
                parts, size = _parts(islice(wanted, count), lines)
            if count < len(wanted):
                left_out.append(shorten(file))
            room -= size
            if max(wanted) > len(lines) or self._is_newer(path):
                changed.append(shorten(file))
            listings[files.setdefault(shorten(file), len(files))] = parts
        return {
            "listings": listings,
            "sources_missing": missing,
            "sources_left_out": left_out,
            "sources_changed": changed,
        }

    def _want_place(self, method: str | None, at: int) -> None:
        if at < 0 or (method, at) in self._places:
            return
        self._places.add((method, at))
        source = self.source_of(method)
        if source is None:
            return
        wanted = self._wanted.setdefault(source.file, {})
        wanted[source.first_line] = None
        wanted[self._runs[0].line_in_file(source, at)] = None

    def _read(self, file: str) -> tuple[Path, list[str]] | None:
        """The file: from where the command was run that named it, from here, or from where the run lies."""
        run = Path(self._runs[0].name)
        for folder in (Path(self._runs[0].directory), Path(), run, run.parent):
            place = folder / file
            try:
                if not place.is_file() or place.stat().st_size > _MAX_FILE_BYTES:
                    continue
                text = place.read_text(encoding="utf-8", errors="replace")
            except (OSError, ValueError):  # a name with a NUL in it is no name
                continue
            return place, [line.rstrip("\r")[:_LONGEST_LINE] for line in text.removesuffix("\n").split("\n")]
        return None

    def _is_newer(self, source: Path) -> bool:
        """Whether a source was written after the run was captured."""
        for run in self._runs:
            place = Path(run.name)
            record = place / MANIFEST if place.is_dir() else place
            try:
                if source.stat().st_mtime > record.stat().st_mtime:
                    return True
            except OSError:  # nothing is known of when it was captured
                continue
        return False


def _method_of(node: Any, caller: str | None) -> str | None:
    """Whose code is below a node: of calls whose target is found as it runs, the caller's."""
    side = (node.left if node.left is not None else node.right) if isinstance(node, DeltaNode) else node
    content = side.content if isinstance(side, ContextNode) else side
    if isinstance(content, CallSite) and content.kind not in (CallKind.INDIRECT, CallKind.DEVIRTUALIZED):
        return content.method
    return caller


def _parts(wanted: Iterable[int], lines: Sequence[str]) -> tuple[list[list[Any]], int]:
    """What a page has of a file, and how many bytes that takes in it."""
    parts = [[first, lines[first - 1 : last]] for first, last in _spans(wanted, len(lines))]
    return parts, len(script_json(parts))


def _spans(wanted: Iterable[int], count: int) -> list[tuple[int, int]]:
    """First and last lines of what is to be seen, with lines around it.

    >>> _spans([10, 12, 40], 42)
    [(6, 16), (36, 42)]
    """
    spans: list[tuple[int, int]] = []
    for line in sorted(wanted):
        first, last = max(1, line - CONTEXT_LINES), min(count, line + CONTEXT_LINES)
        if spans and first <= spans[-1][1] + 1:
            spans[-1] = (spans[-1][0], max(last, spans[-1][1]))
        elif first <= last:
            spans.append((first, last))
    return spans
