"""What remarks say, as the neutral model has it, straight from the columns: there may be hundreds of thousands."""

from sonde.code.symbols import source_name
from sonde.instruments.decisions.model import Outcome, Value
from sonde.instruments.decisions.remarks import REMARK_KINDS, Remarks

_OUTCOMES: dict[str, Outcome] = {"Passed": "applied", "Missed": "missed", "Failure": "missed"}
_BY_KIND: tuple[Outcome, ...] = tuple(_OUTCOMES.get(kind, "analysis") for kind in REMARK_KINDS)
_WORDS = "String"
"""Key of the words between what has a meaning."""
_Pair = tuple[str, Value]


class RemarkDecisions:
    """Outcomes and properties of remarks by their numbers; equal properties are made once."""

    def __init__(self, remarks: Remarks) -> None:
        self._remarks = remarks
        self._pairs: dict[tuple[int, int], _Pair | None] = {}

    def outcome(self, row: int) -> Outcome:
        """Whether it was done, wanted but not done, or only remarked."""
        return _BY_KIND[self._remarks.kinds[row]]

    def properties(self, row: int) -> tuple[_Pair, ...]:
        """What the remark says, without the words around it; the second of equal keys is numbered."""
        remarks, known = self._remarks, self._pairs
        begin, end = remarks.first_arguments[row], remarks.first_arguments[row + 1]
        found = []
        for numbers in zip(remarks.argument_keys[begin:end], remarks.argument_values[begin:end], strict=True):
            try:
                pair = known[numbers]
            except KeyError:
                pair = known[numbers] = self._pair(*numbers)
            if pair is not None:
                found.append(pair)
        if len(found) > 1 and len(dict(found)) < len(found):
            return _numbered(found)
        return tuple(found)

    def _pair(self, key: int, value: int) -> _Pair | None:
        name = self._remarks.text(key)
        return None if name == _WORDS else (name, _value(self._remarks.text(value)))


def _numbered(pairs: list[_Pair]) -> tuple[_Pair, ...]:
    properties: dict[str, Value] = {}
    for name, value in pairs:
        key, number = name, 2
        while key in properties:
            key, number = f"{name} {number}", number + 1
        properties[key] = value
    return tuple(properties.items())


def _value(text: str) -> Value:
    if len(text) <= _LONGEST_NUMBER and text.removeprefix("-").isdigit() and text.isascii():
        return int(text)
    return source_name(text) if text.startswith(("_Z", "_R")) else text


_LONGEST_NUMBER = 40
"""Digits; what is longer is a text, whatever it is made of."""
