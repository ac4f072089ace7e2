"""The slow twin of native/core/paths: Algorithms 4, 5 and 6 as they stand, with dictionaries for children.

Source: D'Elia, thesis, 3.2.3.
"""

import re
from array import array
from collections.abc import Iterator, Sequence

from sonde.native.reference_path_pruning import SlabNode, floor_of, prune

_MOST_NODES = 2**30
_MOST_IDS = 8_192
_LINE = re.compile(rb"([0-9]{1,20})\r?\n")


def reference_path_ids(text: bytes, from_: int) -> tuple[bytes, int]:
    """As `sonde.native.path_ids`."""
    if from_ > len(text):
        raise ValueError("there is no such place in the text")
    ids = array("Q")
    while len(ids) < _MOST_IDS and (line := _LINE.match(text, from_)) is not None and int(line[1]) < 2**64:
        ids.append(int(line[1]))
        from_ = line.end()
    return ids.tobytes(), from_


class ReferenceSlabForest:
    """As `sonde.native.SlabForest`."""

    def __init__(self, k: int, most: int, prunes: bool) -> None:
        if k < 1:
            raise ValueError("k is 1 or more")
        self._k = k
        self._most = min(most, _MOST_NODES)
        self._prunes = prunes
        self._routines: dict[int, SlabNode] = {}
        self._routine: SlabNode | None = None
        self._top: SlabNode | None = None  # tau
        self._bottom: SlabNode | None = None  # beta
        self._processed = 0  # n, since the last mark
        self.nodes = 0
        self.dropped = 0

    @property
    def floor(self) -> int:
        """As of native/core/paths/slab_pruning.h."""
        return floor_of(self._routines, self._k)

    def stream(self, ids: Sequence[int], begins: Sequence[int], routines: Sequence[int]) -> None:
        """Take a part of a stream."""
        if len(begins) != len(routines):
            raise ValueError("begins and routines differ in length")
        ends = [*begins, len(ids)]
        if ends != sorted(ends):
            raise ValueError("activations begin in ascending order, within the ids")
        self._process(ids[: ends[0]])
        for begin, end, routine in zip(begins, ends[1:], routines, strict=True):
            self._enter(routine)
            self._process(ids[begin:end])

    def rows(self, least: int, most: int) -> tuple[bytes, bytes, bytes] | None:
        """How often each sequence was taken."""
        parent, ids, counts = array("q"), array("Q"), array("Q")
        for number, routine in sorted(self._routines.items()):
            row = len(parent)
            parent.append(-1)
            ids.append(number)
            counts.append(routine.count)
            for above, path_id, node in _listed(_path_forest(routine, self._k), row, max(1, least)):
                parent.append(above)
                ids.append(path_id)
                counts.append(node.count)
        return None if len(parent) > most else (parent.tobytes(), ids.tobytes(), counts.tobytes())

    def _enter(self, routine: int) -> None:
        self._forget()
        self._routine = self._routines.get(routine)
        if self._routine is None and (self._has_room(1) or self.nodes < self._most):
            self._routine = self._routines[routine] = self._new_node()
        if self._routine is not None:
            self._routine.count += 1

    def _process(self, ids: Sequence[int]) -> None:
        for each in ids:
            self._process_bl_path_id(each)

    def _process_bl_path_id(self, r: int) -> None:
        begins_chunk = self._k == 1 or self._processed % (self._k - 1) == 0
        above = self._routine if begins_chunk else self._top
        below = self._bottom
        if begins_chunk:
            below = self._top if self._k > 1 else None
        missing = self._missing(r, below, above)
        if above is not None and not self._has_room(len(missing)):
            missing = self._missing(r, below, above)
        if above is None or self.nodes + len(missing) > self._most:
            self.dropped += 1
            self._forget()
            return
        for node in missing:
            node.children[r] = self._new_node()
        self._top = above.children[r]
        self._bottom = None if below is None else below.children[r]
        (self._bottom or self._top).count += 1
        self._processed += 1

    def _missing(self, r: int, *nodes: SlabNode | None) -> list[SlabNode]:
        return [node for node in nodes if node is not None and r not in node.children]

    def _has_room(self, nodes: int) -> bool:
        """Whether there is, without pruning; if not, there may be afterwards."""
        if self.nodes + nodes <= self._most:
            return True
        if self._prunes:
            keep = [node for node in (self._top, self._bottom) if node is not None]
            self._prunes = self._k > 1 and prune(self._routines, self._k, keep)
            self.nodes = sum(_size(routine) for routine in self._routines.values())
        return False

    def _forget(self) -> None:
        self._top = self._bottom = None
        self._processed = 0

    def _new_node(self) -> SlabNode:
        self.nodes += 1
        return SlabNode()


def _size(node: SlabNode) -> int:
    return 1 + sum(map(_size, node.children.values()))


def _path_forest(routine: SlabNode, k: int) -> SlabNode:
    """Algorithms 5 and 6; the dummy root."""
    dummy = SlabNode()
    pending = list(routine.children.items())
    while pending:
        label, rho = pending.pop()
        pending.extend(rho.children.items())
        joining = [(label, rho, dummy, k)]
        while joining:
            label, rho, gamma, d = joining.pop()
            delta = gamma.children.setdefault(label, SlabNode())
            delta.count += rho.count
            if d > 1:
                joining.extend((below, sigma, delta, d - 1) for below, sigma in rho.children.items())
    return dummy


def _listed(dummy: SlabNode, row: int, least: int) -> Iterator[tuple[int, int, SlabNode]]:
    """Row of the parent, id and node, depth first."""
    pending = [(row, *item) for item in sorted(dummy.children.items(), reverse=True)]
    while pending:
        parent, path_id, node = pending.pop()
        if node.count < least:
            continue
        row += 1
        yield parent, path_id, node
        pending.extend((row, *item) for item in sorted(node.children.items(), reverse=True))
