"""Which compilation units are told, and how much of them: options of `sonde decisions` and of `sonde view`."""

from dataclasses import dataclass
from typing import Annotated

from sonde.options.code_filter import CodeFilter
from sonde.options.declared import Option
from sonde.options.numbers import positive, share


@dataclass(frozen=True, slots=True)
class UnitOptions(CodeFilter):
    """Units are those of functions that the filters leave."""

    from_: str | None = None
    """No option: records of compilers do not say who called a unit."""
    min_share: Annotated[
        float | None, Option("only units with this much of the time, e.g. 1%%", parse=share, metavar="SHARE")
    ] = None
    rows: Annotated[int, Option("lines of each list and tree, about", parse=positive, metavar="N")] = 12
    source: Annotated[bool, Option("also print lines of source, with what was decided there")] = False

    @property
    def is_everything(self) -> bool:
        """Whether no unit is left out."""
        return self.selection.is_everything and not self.min_share
