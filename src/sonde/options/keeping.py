"""Options of verbs that make a profile: where it goes, and whether it is told."""

from argparse import Namespace
from pathlib import Path
from typing import Annotated, NamedTuple

from sonde.base.errors import UsageError
from sonde.base.same_file import real_path
from sonde.options.declared import Option
from sonde.options.incomplete_python import require_part
from sonde.options.output import check_output_path


class KeepOptions(NamedTuple):
    """Where a profile goes."""

    output: Annotated[
        Path | None, Option("keep the profile as FILE (usually run.sonde)", parse=Path, metavar="FILE", short="-o")
    ] = None
    quiet: Annotated[bool, Option("print no report")] = False

    def checked_output(self, *, force: bool) -> Path | None:
        """Where the profile goes, if it is kept.

        Raises:
            UsageError: `output-exists`.
            SondeError: `cannot-write`.
            MissingCapability: `incomplete-python`; profiles are SQLite files, before they are shown, too.
        """
        require_part("_sqlite3", "make a profile")
        return None if self.output is None else check_output_path(self.output, force=force, device_allowed=False)

    def check_is_told(self, arguments: Namespace, *, doing: str, also: bool = False) -> None:
        """Refuse to do something of which nothing would be left.

        Args:
            doing: completes `cannot ... with --quiet alone`.
            also: whether something else is left of it.
        Raises:
            UsageError: `nothing-to-do`.
        """
        if self.quiet and self.output is None and not (arguments.json or arguments.markdown or also):
            raise UsageError(
                f"cannot {doing} with --quiet alone: the profile would go nowhere",
                slug="nothing-to-do",
                hint="add -o run.sonde",
            )

    def checked_beside(self, other: Path | None, *, force: bool) -> Path | None:
        """Where a trace goes, if one is written: not where the profile does.

        Raises:
            UsageError: `two-outputs`, `output-exists`.
            SondeError: `cannot-write`.
        """
        if other is None:
            return None
        if self.output is not None and real_path(self.output) == real_path(other):
            raise UsageError(
                f"cannot write both the profile and the trace to '{other}'", slug="two-outputs", hint="name two files"
            )
        return check_output_path(other, force=force, device_allowed=False)
