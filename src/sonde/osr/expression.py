"""A point's condition by values of the program: comparisons, joined by `and` and `or`."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from sonde.base.errors import UsageError
from sonde.ir import value_types
from sonde.ir.analyses import ControlFlow, Place, ReachingDefinitions, dominators
from sonde.osr.conditions import Check

_TERM = re.compile(r'(%(?:[-\w.$]+|"[^"]*"))\s*(u?<=|u?>=|u?<|u?>|==|!=)\s*(\S+)')
_SIGNED = {"<": "slt", "<=": "sle", ">": "sgt", ">=": "sge", "==": "eq", "!=": "ne",
           "u<": "ult", "u<=": "ule", "u>": "ugt", "u>=": "uge"}  # fmt: skip
_ORDERED = {"<": "olt", "<=": "ole", ">": "ogt", ">=": "oge", "==": "oeq", "!=": "une"}


@dataclass(frozen=True, slots=True)
class Expression:
    """Fires where a comparison of the program's values holds: `%x > 10`, `%i u< %n and %p != null`.

    Integers are compared as signed numbers, with `u` before the operator as unsigned ones. `and` binds closer than
    `or`.
    """

    text: str

    def emit(self, check: Check) -> str:
        types = value_types(check.function, check.module.types)
        reaching = ReachingDefinitions.of(check.function, dominators(ControlFlow.of(check.function)))
        end = Place(check.block.name, len(check.block.instructions) - 1)

        def reaches(value: str) -> bool:
            return value in types and reaching.reaches(value, end)

        alternatives = [
            _joined(check, "and", [self._term(check, term, types, reaches) for term in re.split(r"\s+and\s+", part)])
            for part in re.split(r"\s+or\s+", self.text.strip())
        ]
        return _joined(check, "or", alternatives)

    def __str__(self) -> str:
        return self.text

    def _term(self, check: Check, term: str, types: dict[str, str], reaches: Callable[[str], bool]) -> str:
        match = _TERM.fullmatch(term.strip())
        if match is None:
            raise self._refused(f"'{term.strip()}' is not read", 'a value, a comparison, a value: "%x > 10"')
        left, operator, right = match.groups()
        for value in (left, right):
            if value.startswith("%") and not reaches(value):
                known = "there is no such value" if value not in types else "it is not made on all ways there"
                raise self._refused(f"{value} is not known at {check.place.block}+{check.place.at}: {known}", "ir f")
        type_ = types[left]
        if right.startswith("%") and types[right] != type_:
            raise self._refused(f"{left} is of type {type_}, {right} of type {types[right]}", None)
        if type_.startswith("i") or type_ == "ptr":
            if type_ == "ptr" and not (right == "null" or right.startswith("%")):
                raise self._refused(f"{left} is a pointer, '{right}' is none", "null, or another pointer")
            if type_ != "ptr" and not (right.startswith("%") or re.fullmatch(r"-?[0-9]+", right)):
                raise self._refused(f"{left} is an integer, '{right}' is none", None)
            return check.add(f"icmp {_SIGNED[operator]} {type_} {left}, {right}", "%osr.fires")
        if type_ in ("float", "double") and operator in _ORDERED:
            return check.add(f"fcmp {_ORDERED[operator]} {type_} {left}, {self._number(left, right)}", "%osr.fires")
        raise self._refused(f"{left} is of type {type_}, which '{operator}' does not compare", None)

    def _number(self, left: str, right: str) -> str:
        if right.startswith("%"):
            return right
        try:
            return f"{float(right):e}"
        except ValueError:
            raise self._refused(f"{left} is a floating-point number, '{right}' is none", None) from None

    def _refused(self, fact: str, hint: str | None) -> UsageError:
        return UsageError(f"cannot check the condition '{self.text}': {fact}", slug="osr-condition", hint=hint)


def _joined(check: Check, operation: str, values: list[str]) -> str:
    found = values[0]
    for value in values[1:]:
        found = check.add(f"{operation} i1 {found}, {value}", "%osr.fires")
    return found
