"""One remark, taken out of the columns."""

from dataclasses import dataclass

REMARK_KINDS = ("Unknown", "Passed", "Missed", "Analysis", "AnalysisFPCommute", "AnalysisAliasing", "Failure")
"""By their numbers in the columns."""


@dataclass(frozen=True, slots=True)
class SourcePlace:
    """As debug information has it; line and column may be 0."""

    file: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class Argument:
    """A part of a remark's message that has a meaning, or (`key` is `String`) the words between such."""

    key: str
    value: str
    place: SourcePlace | None = None


@dataclass(frozen=True, slots=True)
class Remark:
    """What one pass said of one function.

    >>> Remark("Missed", "inline", "NoDefinition", "main", arguments=(
    ...     Argument("Callee", "puts"), Argument("String", " will not be inlined"))).text
    'puts will not be inlined'
    """

    kind: str
    """One of `REMARK_KINDS`."""
    pass_name: str
    name: str
    function: str
    """Mangled."""
    place: SourcePlace | None = None
    hotness: int | None = None
    """How often the place is run, by the profile that the compiler was given."""
    arguments: tuple[Argument, ...] = ()

    @property
    def text(self) -> str:
        """The message."""
        return "".join(argument.value for argument in self.arguments)
