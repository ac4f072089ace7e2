"""The inlining tree: what the compiler made of each call."""

from dataclasses import dataclass, field
from enum import StrEnum

from sonde.instruments.decisions.model.optimization import Value

NO_OFFSET = -1
"""`CallSite.at` of the root, and where the place of a call is not known."""


class CallKind(StrEnum):
    """What became of a call by the end of the compilation."""

    ROOT = "root"
    INLINED = "inlined"
    DIRECT = "direct"
    INDIRECT = "indirect"
    DEVIRTUALIZED = "devirtualized"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True)
class ReceiverType:
    """A type that a call was made on."""

    type_name: str
    probability: float
    """0 to 1."""
    method: str | None = None
    """What the call runs for this type; None: not known."""


@dataclass(frozen=True, slots=True)
class ReceiverProfile:
    """What the virtual machine saw at a call before it was compiled."""

    mature: bool
    types: tuple[ReceiverType, ...]


@dataclass(slots=True)
class CallSite:
    """A call, and the calls in the code that was inlined for it.

    `inlined`, `alive` and `indirect` are what the compiler said; `kind` is what follows.
    """

    method: str | None
    """What is called; None: not known."""
    at: int = NO_OFFSET
    """Where in the caller, as in `Place.at`."""
    column: int = 0
    inlined: bool = False
    alive: bool = False
    """The call is in the compiled code."""
    indirect: bool = False
    """What is called is found when it runs."""
    is_root: bool = False
    reasons: tuple[str, ...] = ()
    """What the inliner said of it, in order."""
    receivers: ReceiverProfile | None = None
    children: list["CallSite"] = field(default_factory=list)
    more: tuple[tuple[str, Value], ...] = ()
    """What else the record says of it, under names that are not known to sonde."""

    @property
    def kind(self) -> CallKind:
        """What became of it.

        >>> CallSite("f", 3, alive=True, indirect=True).kind
        <CallKind.INDIRECT: 'indirect'>
        """
        if self.is_root:
            return CallKind.ROOT
        if self.inlined:
            return CallKind.INLINED
        if self.alive:
            return CallKind.INDIRECT if self.indirect else CallKind.DIRECT
        return CallKind.DEVIRTUALIZED if self.indirect and self.children else CallKind.DELETED
