"""What a reader should know before believing figures: what is missing, what is doubtful, how something was done."""

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from sonde.base.units import format_count

Weight = Literal["loss", "doubt", "remark"]
"""How much it matters: something is missing; figures are less sure than they look; it may be skipped."""


@dataclass(frozen=True, slots=True)
class Loss:
    """Something that was not measured, not kept or not looked at, said aloud."""

    weight: ClassVar[Weight] = "loss"
    kind: str
    """Kebab-case name, the same in each answer, e.g. `contexts-not-stored`; empty where the text says it all."""
    amount: int
    """How many events, contexts or processes are concerned; 0 where nobody counted."""
    detail: str
    """One sentence for a person."""
    examples: str = ""
    """What it is about, in a few names."""
    hint: str = ""
    """What to do about it."""


@dataclass(frozen=True, slots=True)
class Doubt:
    """Why figures are less sure than they look."""

    weight: ClassVar[Weight] = "doubt"
    kind: str
    detail: str
    amount: int = 0
    examples: str = ""
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Remark:
    """How something was done, which may be skipped."""

    weight: ClassVar[Weight] = "remark"
    kind: str
    detail: str
    amount: int = 0
    examples: str = ""
    hint: str = ""


Reservation: TypeAlias = Loss | Doubt | Remark


def cut_off(which: str = "") -> Loss:
    """Of a run whose end was not seen.

    >>> cut_off().detail, cut_off("base profile").detail[:33]
    ('the run was cut off: what came last may be missing', 'base profile: the run was cut off')
    """
    before = f"{which}: " if which else ""
    return Loss("", 0, f"{before}the run was cut off: what came last may be missing")


def in_words(said: Reservation) -> str:
    """A reservation with its name and amount.

    >>> in_words(Loss("lost", 3, "there was no room")), in_words(Remark("", "caches are simulated"))
    ('there was no room (lost: 3)', 'caches are simulated')
    """
    amount = f": {format_count(said.amount)}" if said.amount else ""
    return f"{said.detail} ({said.kind}{amount})" if said.kind else said.detail
