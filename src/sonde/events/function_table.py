"""Functions by number: one number per distinct function, in order of appearance."""

from collections.abc import Iterable, Iterator

from sonde.code import Function


class FunctionTable:
    """An append-only table that gives equal functions equal numbers.

    >>> table = FunctionTable()
    >>> [table.number(Function(name, "m", "m.py", 1)) for name in ("f", "g", "f")]
    [0, 1, 0]
    """

    def __init__(self, functions: Iterable[Function] = ()) -> None:
        self._numbers: dict[Function, int] = {}
        for function in functions:
            self.number(function)

    def number(self, function: Function) -> int:
        """The number of `function`, a new one when it was not seen before."""
        return self._numbers.setdefault(function, len(self._numbers))

    def __iter__(self) -> Iterator[Function]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)
