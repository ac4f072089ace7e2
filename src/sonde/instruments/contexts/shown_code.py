"""Options of answers about contexts that say what code they tell of."""

from dataclasses import dataclass
from typing import Annotated

from sonde.base.errors import UsageError
from sonde.base.units import format_percent
from sonde.options.code_filter import CodeFilter
from sonde.options.declared import Option
from sonde.options.numbers import share

IMPORTS_TOO = Option("show what ran while modules were imported; else it is one line for each caller")
_MIN_SHARE = Option(
    "list contexts with at least this share of the whole", parse=share, metavar="SHARE", show=format_percent
)


@dataclass(frozen=True, slots=True)
class ShownCode(CodeFilter):
    """What code of a program is told of."""

    imports: Annotated[bool, IMPORTS_TOO] = False
    min_share: Annotated[float, _MIN_SHARE] = 0.01


def check_whole_threads(code: ShownCode) -> None:
    """Refuse to tell of some code of each thread.

    Raises:
        UsageError: `threads-of-some-code`.
    """
    if code.from_ is None and code.selection.is_everything:
        return
    asked = "--from" if code.from_ is not None else "a choice of code"
    raise UsageError(
        f"cannot tell of some code of each thread: {asked} and --threads exclude each other",
        slug="threads-of-some-code",
        hint="leave out --threads, or the filter",
    )
