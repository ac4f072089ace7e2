"""What passes did to which instruction."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

Action = Literal["replaced", "constant", "deleted", "inserted", "moved", "changed", "copied"]
"""What can be done to an instruction.

    replaced   its uses use another value; it is gone, or deleted later
    constant   its uses use a constant
    deleted    it is gone, and nothing stands for it
    inserted   it is new
    moved      it stands in another place
    changed    it stays, with other operands, flags or another opcode
    copied     there are several of it now
"""


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that a pass did.

    >>> print(Change("newgvn", "@f", "replaced", "%b", "%a"))
    newgvn: @f: %b replaced by %a
    >>> print(Change("adce", "@f", "deleted", "store i32 0, ptr %p"))
    adce: @f: store i32 0, ptr %p deleted
    """

    pass_name: str
    function: str
    action: Action
    subject: str
    """The value of the instruction, or its text when it has none."""
    detail: str = ""
    """What replaced it, where it is now, and so on; empty when there is nothing to say."""

    def __str__(self) -> str:
        said = _PHRASES[self.action] if self.detail else self.action
        return f"{self.pass_name}: {self.function}: {self.subject} {said}{self.detail}"


_PHRASES: dict[Action, str] = {
    "replaced": "replaced by ",
    "constant": "is always ",
    "deleted": "deleted: ",
    "inserted": "inserted: ",
    "moved": "moved ",
    "changed": "changed to ",
    "copied": "copied: ",
}


@dataclass(slots=True)
class ChangeLog:
    """What one pass did, in order. Passes are given one, and write to it."""

    pass_name: str
    changes: list[Change] = field(default_factory=list)

    def add(self, function: str, action: Action, subject: str, detail: str = "") -> None:
        """Note one change. Names are with sigil."""
        self.changes.append(Change(self.pass_name, function, action, subject, detail))

    def __iter__(self) -> Iterator[Change]:
        return iter(self.changes)

    def __len__(self) -> int:
        return len(self.changes)
