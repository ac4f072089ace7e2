"""What the loops of a method look like to C2, as it makes more of them or fewer."""

from collections.abc import Mapping

from sonde.instruments.decisions.model import Value

_ROLES = {"pre_loop": "pre", "main_loop": "main", "post_loop": "post"}


class LoopShapes:
    """Follows the loop trees of a task.

    C2 writes the tree of its loops after each round of loop optimizations. A loop that is peeled, or split into one
    that comes before, a main one and one that comes after, shows as one more; one that is unrolled fully, as one less.
    The numbers that name loops differ from round to round, so only the shape can be compared.

    >>> shapes = LoopShapes()
    >>> for name in ("loop_tree", "loop", "loop"):
    ...     shapes.open(name, {"idx": "7"})
    >>> [shapes.close(name) for name in ("loop", "loop", "loop_tree")][-1]
    [('loops', 2), ('shape', 'loop(loop)')]
    """

    def __init__(self) -> None:
        self._open: list[tuple[str, list[str]]] = []
        """What each is called, with what is inside it; the first is the tree."""
        self._count = 0
        self._last: tuple[int, str] = (0, "")

    def open(self, name: str, attributes: Mapping[str, str]) -> None:
        """A `loop_tree` or `loop` begins."""
        if name == "loop_tree":
            self._open, self._count = [], 0
        else:
            self._count += 1
        self._open.append((next((role for key, role in _ROLES.items() if key in attributes), "loop"), []))

    def close(self, name: str) -> list[tuple[str, Value]] | None:
        """One ends; the properties of the whole if that is another shape than before."""
        if not self._open:
            return None
        role, inside = self._open.pop()
        text = ", ".join(inside)
        if name == "loop" and self._open:
            self._open[-1][1].append(f"{role}({text})" if text else role)
            return None
        if (self._count, text) == self._last:
            return None
        self._last = (self._count, text)
        return [("loops", self._count), ("shape", text or "none")]
