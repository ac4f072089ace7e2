"""What readers say to files that are of their tool and still cannot be judged."""

from collections.abc import Sequence

from sonde.base.errors import InputError
from sonde.instruments.bench.readers.reader import InputFile

_SHOWN = 3
"""Of what could not be used, as many are named."""


def check_version(file: InputFile, tool: str, found: object, known: Sequence[object]) -> None:
    """Refuse a version of a format that is not known.

    Raises:
        InputError: `results-version`.
    """
    if found not in known or isinstance(found, bool):
        raise InputError(
            f"cannot read results '{file.path}': it is {tool}'s format {found}, known are {', '.join(map(str, known))}",
            slug="results-version",
            hint="upgrade sonde, or convert the file with the tool that wrote it",
        )


def nothing_measured(file: InputFile, tool: str, reasons: Sequence[str] = ()) -> InputError:
    """The error for a file without a single value."""
    more = f" and {len(reasons) - _SHOWN} more" if len(reasons) > _SHOWN else ""
    why = f" ({'; '.join(reasons[:_SHOWN])}{more})" if reasons else ""
    return InputError(
        f"cannot use results '{file.path}': this file of {tool} holds no measurement{why}", slug="nothing-measured"
    )


def summaries_only(file: InputFile, tool: str, instead: str) -> InputError:
    """The error for a file that has means and deviations, but not the values that they were made from.

    Args:
        instead: what to type to get the values too.
    """
    return InputError(
        f"cannot judge results '{file.path}': this file of {tool} has summaries only, not the values measured",
        slug="summaries-only",
        hint=instead,
    )
