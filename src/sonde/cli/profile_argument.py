"""A profile as it is named on the command line: a finished file of some kind, or a run that was cut off."""

from collections.abc import Sequence
from pathlib import Path

from sonde.base.errors import InputError, UsageError
from sonde.instruments.kind import Kind
from sonde.registry import entries, find_own
from sonde.store.reading import check_whole, kind_of_file
from sonde.store.recovery import kind_of_run
from sonde.store.run_folder import live_folder


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
    name = kind_of_run(folder)
    kind = _kind_named(name)
    if kind is None:
        raise _unknown(f"cannot recover '{path}': the run in '{folder}' is of kind '{name}'")
    return kind.recover(folder, path)


def kind_of_profile(path: Path) -> Kind:
    """Of which kind a file is.

    Raises:
        InputError: it cannot be read, or is of a kind that nobody knows.
    """
    found = kind_of_file(path)
    kind = _kind_named(found.name)
    if kind is None:
        check_whole(path)
        raise _unknown(f"cannot read '{path}': it holds {found.words} (kind '{found.name}')")
    return kind


def kind_of_all(paths: Sequence[Path]) -> Kind:
    """Of which kind several files are.

    Raises:
        InputError: one cannot be read, or they are of different kinds.
    """
    kinds = [kind_of_profile(path) for path in paths]
    for kind, path in zip(kinds, paths, strict=True):
        if kind.name != kinds[0].name:
            raise InputError(
                f"cannot bring '{paths[0]}' and '{path}' together: one holds {kinds[0].stored.words},"
                f" the other {kind.stored.words}",
                slug="different-kinds",
                hint="name profiles of one kind",
            )
    return kinds[0]


def check_options(kind: Kind, path: Path, given: dict[str, bool]) -> None:
    """Refuse options that mean nothing to profiles of this kind.

    Args:
        given: options that only another kind has, and whether they were given.
    Raises:
        UsageError: `option-of-other-kind`.
    """
    for option, is_given in given.items():
        if is_given:
            raise UsageError(
                f"cannot use {option} on '{path}': it holds {kind.stored.words}",
                slug="option-of-other-kind",
                hint=f"leave out {option}",
            )


def _kind_named(name: str) -> Kind | None:
    own: Kind | None = find_own("kind", name)
    if own is not None:
        return own
    known = entries("kind")
    return known[name].load() if name in known else None


def _unknown(what: str) -> InputError:
    return InputError(
        f"{what}, known are {', '.join(entries('kind'))}",
        slug="unknown-kind",
        hint="install the package that adds this kind to sonde",
    )
