"""The trees of a page: what there is room for, and what belongs to them: sources, and what words mean."""

from collections.abc import Iterator, Sequence
from typing import Any

from sonde.base.units import counted, format_count
from sonde.evidence import Doubt, Loss, Reservation
from sonde.instruments.decisions.analysis.source_texts import SourceTexts, source_texts
from sonde.instruments.decisions.analysis.tree_items import Node
from sonde.instruments.decisions.deltas import DeltaNode
from sonde.instruments.decisions.model import Decision, DecisionRun
from sonde.instruments.decisions.report.aligned_trees import ContentsOfLine, aligned_trees
from sonde.instruments.decisions.report.node_details import NodeDetails
from sonde.instruments.decisions.report.tree_rows import tree_table
from sonde.report import Block, Column, MoreOf, Notices, Row, SideBySide, Table

MAX_NODES = 100_000
"""Nodes of trees in a page: some 4 MB of it."""

_NAMED = 3
"""Files that are named."""


class PageTrees:
    """Trees as they are put into a page, those that matter first."""

    def __init__(self, runs: Sequence[DecisionRun]) -> None:
        self._runs = runs
        self._details = NodeDetails(runs)
        self._room = MAX_NODES
        self._pruned = self._left_out = 0
        self.lines: dict[ContentsOfLine, tuple[str, int]] = {}
        """Where a line of two trees is: the key of these, and its number."""

    def of_one(self, key: str, title: str, root: Node, method: str, more_of: MoreOf) -> Table | None:
        """A tree of one run; None: there is no room for it."""
        size = _size(root)
        if not self._takes(size):
            self._left_out += 1
            return None
        return tree_table(
            key, title, root, self._runs, method, rows=size, wide=False, details=self._details, more_of=more_of
        )

    def of_two(
        self,
        key: str,
        title: str,
        whole: DeltaNode[Any],
        pruned: DeltaNode[Any] | None,
        method: str,
        more_of: MoreOf,
    ) -> SideBySide | None:
        """Two trees, with what is the same if there is room for it; None: there is not even for what differs."""
        root: DeltaNode[Any] | None = whole
        if not self._takes(_size(whole)):
            root = pruned if pruned is not None and self._takes(_size(pruned)) else None
            self._pruned += pruned is None or root is not None
            self._left_out += pruned is not None and root is None
        if root is None:
            return None
        block, lines = aligned_trees(key, title, root, (self._runs[0], self._runs[1]), method, self._details, more_of)
        for contents, line in lines.items():
            self.lines.setdefault(contents, (key, line))
        return block

    def sources(self) -> SourceTexts:
        """The sources in which something was decided."""
        return source_texts(self._runs, self._details.last_lines)

    def remarks(self, sources: SourceTexts) -> Iterator[Notices]:
        """What is not in the page."""
        told: list[Reservation] = []
        if self._pruned:
            words = f"{counted(self._pruned, 'tree')} only with what differs: there was no room for what is the same"
            told.append(Doubt("", words))
        if self._left_out:
            words = f"{counted(self._left_out, 'tree')} left out of this page for want of room: --json has them all"
            told.append(Loss("", 0, words))
        if sources.missing:
            told.append(Doubt("", f"sources that could not be read: {_named(sources.missing)}"))
        if sources.changed:
            words = f"sources that changed since the run, whose lines may have moved: {_named(sources.changed)}"
            told.append(Loss("", 0, words))
        if told:
            yield Notices(tuple(told), "page")

    def words(self) -> Iterator[Block]:
        """What words of the compiler in these trees mean."""
        columns = (
            Column("word", "word", "name"),
            Column("says", "meaning"),
            Column("remedy", "what to do", priority=1),
            Column("subject", "of", priority=2),
        )
        known = sorted(self._details.words.items(), key=lambda item: (item[1], item[0].word))
        rows = [Row((meaning.word, meaning.says, meaning.remedy or None, subject)) for meaning, subject in known]
        unknown = ", ".join(self._details.unexplained)
        if rows or unknown:
            legend = f"Not in the glossary: {unknown}" if unknown else ""
            yield Table("words", "what words mean", columns, rows, noun="word", legend=legend)

    def _takes(self, nodes: int) -> bool:
        if nodes > self._room:
            return False
        self._room -= nodes
        return True


def _size(root: Node) -> int:
    count = 0
    pending: list[Any] = [root]
    while pending:
        node = pending.pop()
        count += 1
        if not isinstance(node, Decision):
            pending.extend(node.children)
    return count


def _named(files: Sequence[str]) -> str:
    more = f" and {format_count(len(files) - _NAMED)} more" if len(files) > _NAMED else ""
    return ", ".join(files[:_NAMED]) + more
