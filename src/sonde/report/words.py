"""What an answer says in words: facts, notices, findings and notes."""

from dataclasses import dataclass

from sonde.evidence import Reservation
from sonde.report.cells import Cell, Unit


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing about what was measured: an amount with its noun, or a text."""

    key: str
    value: Cell
    unit: Unit = "text"
    words: str = "{}"
    """Around the value, as `{} elapsed`."""
    one: str = ""
    """The same when the value is 1, if it is another: `{} call`."""


@dataclass(frozen=True, slots=True)
class Facts:
    """Facts that belong together, told one after the other."""

    facts: tuple[Fact, ...]
    key: str = "facts"
    is_secondary: bool = False
    """Paper has no room for them: only JSON and pages have them."""
    is_detail: bool = False
    """Paper has them for who asks for more (`-v`)."""


@dataclass(frozen=True, slots=True)
class Notices:
    """What a reader should know before believing the figures, the most important first."""

    notices: tuple[Reservation, ...]
    key: str = "notices"


@dataclass(frozen=True, slots=True)
class Findings:
    """What stands out, in sentences; the most useful one first."""

    sentences: tuple[str, ...]
    key: str = "findings"
    title: str = ""


@dataclass(frozen=True, slots=True)
class Note:
    """How to read what stands around it."""

    text: str
    key: str = "note"
    title: str = ""
    """Of what is quoted in other places, which pages let one copy: `method`."""
    is_detail: bool = False
    """Paper has it for who asks for more (`-v`)."""

    @property
    def words(self) -> str:
        """The text, after its title."""
        return f"{self.title}: {self.text}" if self.title else self.text
