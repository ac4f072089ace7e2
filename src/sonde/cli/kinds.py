"""Which kind of profile a path is of, and the options of all kinds."""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from sonde.base.errors import InputError, UsageError
from sonde.instruments.kind import Kind
from sonde.options.declared import check_declared, options_from
from sonde.registry import entries
from sonde.store.reading import check_whole, kind_of_file
from sonde.store.recovery import kind_of_run
from sonde.store.run_folder import live_folder

_DATABASE = b"SQLite format 3\0"
"""A `.sonde` file begins so."""


def known_kinds() -> list[Kind[Any]]:
    """All kinds, ours first."""
    return [entry.load() for entry in entries("kind").values()]


def kind_of(path: Path, *, recognised: bool = False) -> Kind[Any]:
    """The kind of a profile.

    Args:
        recognised: whether what other tools leave will do, too.
    Raises:
        InputError: it cannot be read, or `unknown-kind`: nothing here knows what it is.
    """
    kinds = known_kinds()
    if recognised and (path.is_file() or path.is_dir()) and not _is_database(path):
        for kind in kinds:
            if kind.recognises is not None and kind.recognises(path):
                return kind
    found = kind_of_file(path)
    for kind in kinds:
        if kind.name == found.name:
            return kind
    check_whole(path)
    raise _unknown(f"cannot read '{path}': it holds {found.words} (kind '{found.name}')", kinds)


def kind_of_all(paths: Sequence[Path]) -> Kind[Any]:
    """What profiles are of.

    Raises:
        InputError: one cannot be read, or `different-kinds`.
    """
    kinds = [kind_of(path) for path in paths]
    for kind, path in zip(kinds, paths, strict=True):
        if kind.name != kinds[0].name:
            raise InputError(
                f"cannot bring '{paths[0]}' and '{path}' together: one holds {kinds[0].words}, the other {kind.words}",
                slug="different-kinds",
                hint="name profiles of one kind",
            )
    return kinds[0]


def resolve_profile(path: Path) -> Path:
    """The file to read for a profile argument.

    When the run that was to write `path` was cut off, what it left is recovered into `path`
    first. When it still goes on, the answer is a snapshot of it, and the run is left alone.

    Raises:
        InputError: what the run left cannot be read, there is nothing, or it is of a kind that nobody knows.
        SondeError: the recovered profile cannot be written.
    """
    if path.is_dir():  # no profile, and nothing that a run leaves behind is called after it: it may be '.'
        return path
    folder = live_folder(path)
    if not folder.is_dir():
        return path
    name, kinds = kind_of_run(folder), known_kinds()
    for kind in kinds:
        if kind.name == name and kind.recover is not None:
            return kind.recover(folder, path)
    raise _unknown(f"cannot recover '{path}': the run in '{folder}' is of kind '{name}'", kinds)


def options_of_kind(
    arguments: argparse.Namespace, kind: Kind[Any], path: Path, which: Callable[[Kind[Any]], type[Any]]
) -> Any:
    """The options of one kind, from a command line that has those of all.

    Args:
        which: `view_options` or `diff_options`.
    Raises:
        UsageError: `option-of-other-kind`, or as the options do.
    """
    check_options(arguments, kind, path, which)
    return options_from(which(kind), arguments)


def check_options(
    arguments: argparse.Namespace, kind: Kind[Any], path: Path, which: Callable[[Kind[Any]], type[Any]]
) -> None:
    """Refuse options that only other kinds have.

    Raises:
        UsageError: `option-of-other-kind`.
    """
    others = [which(other) for other in known_kinds()]
    check_declared(arguments, which(kind), others, of_what=f"'{path}': it holds {kind.words}")


def not_offered(verb: str, kind: Kind[Any], path: Path) -> UsageError:
    """The error for what a kind does not have."""
    return UsageError(
        f"cannot {verb} '{path}': it holds {kind.words}, which has no such answer",
        slug="not-of-this-kind",
        hint=f"sonde view {path}",
    )


def _is_database(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(len(_DATABASE)) == _DATABASE
    except OSError:
        return False  # said when it is read


def _unknown(what: str, kinds: Sequence[Kind[Any]]) -> InputError:
    return InputError(
        f"{what}, known are {', '.join(kind.name for kind in kinds)}",
        slug="unknown-kind",
        hint="install the package that adds this kind to sonde",
    )
