"""Compensation: how the values that a landing needs are made of those that there are where a function is left."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from sonde.ir import Instruction
from sonde.ir.names import split_at_locals

_DEFINITION = re.compile(r'(%(?:[-\w.$]+|"[^"]*")) = (.+)', re.DOTALL)


@dataclass(frozen=True, slots=True)
class StateMap:
    """What each value of the target is, in terms of the function that is left.

    Values that are not mentioned are those of the same name.

    >>> state = StateMap.from_text("%sum = add i64 %total, 1; %n = i64 8")
    >>> sorted(state.values), [str(each) for each in state.code]
    (['%n', '%sum'], ['%sum = add i64 %total, 1'])
    """

    values: Mapping[str, str] = field(default_factory=dict)
    """Value of the target -> a value of the function that is left, a result of `code`, or a constant."""
    code: tuple[Instruction, ...] = ()
    """Compensation code, straight-line: it is run before landing, and may use values of the function that is left and
    its own results."""

    @classmethod
    def from_text(cls, text: str) -> "StateMap":
        """Read compensation code: instructions separated by `;` or line ends.

        A result has the name of the target's value that it supplies, or one of its own. `%x = %y` and `%x = i64 7`
        supply a value as it is. Types of the program's structs cannot be named.

        Raises:
            ValueError: an instruction is no instruction.
        """
        values: dict[str, str] = {}
        code = []
        for part in re.split(r"[;\n]", text):
            if not (stripped := part.strip()):
                continue
            match = _DEFINITION.fullmatch(stripped)
            result, body = (match[1], match[2]) if match else (None, stripped)
            if result is None:
                code.append(Instruction.from_text(body))
            elif body.startswith("%") and " " not in body:
                values[result] = body
            elif constant := re.fullmatch(r"(?:i[0-9]+|ptr|float|double) (\S+)", body):
                values[result] = constant[1]
            else:
                code.append(Instruction.from_text(body, result))
                values[result] = result
        if ends := [each for each in code if each.is_terminator or each.opcode == "phi"]:
            raise ValueError(f"'{ends[0]}' cannot be compensation code, which runs straight on")
        return cls(values, tuple(code))

    def needed(self, live: Mapping[str, str]) -> set[str]:
        """The values of the function that is left which this takes, to supply those of `live`."""
        found = set[str]()
        made = {each.result for each in self.code}
        for each in self.code:
            found.update(used for used in each.uses() if used not in made)
        for value in live:
            source = self.values.get(value, value)
            if source not in made:
                found.update(split_at_locals(source)[1::2])
        return found
