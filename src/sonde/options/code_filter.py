"""Options by which a reader says what code to look at, the same for every kind of profile."""

from dataclasses import dataclass
from typing import Annotated

from sonde.code import CodeSelection
from sonde.options.declared import Option

_PATTERN = "a name, module, package, file, folder or library, or a pattern with * and ?; may be given several times"


@dataclass(frozen=True, slots=True)
class CodeFilter:
    """What of a program to look at; options of kinds of profile inherit from it."""

    mine: Annotated[bool, Option("only code of this project: no libraries, no interpreter")] = False
    include: Annotated[tuple[str, ...], Option(f"only this: {_PATTERN}", metavar="PATTERN", is_repeated=True)] = ()
    exclude: Annotated[
        tuple[str, ...], Option("not this: as --include has it", metavar="PATTERN", is_repeated=True)
    ] = ()
    from_: Annotated[
        str | None, Option("only what ran in functions of this name, with all that they called", metavar="FUNCTION")
    ] = None

    @property
    def selection(self) -> CodeSelection:
        """The functions to look at."""
        return CodeSelection(self.mine, self.include, self.exclude)
