"""The table of captures, and capturing: which of them a command is for is told by its first words."""

import shutil
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Protocol, Self, cast

from sonde.base.errors import SondeError, UsageError
from sonde.instruments.decisions.capture.captured import Captured, CaptureOptions
from sonde.instruments.decisions.model import CompilerKind
from sonde.instruments.decisions.readers import Manifest, write_manifest


class CaptureModule(Protocol):
    """What a module of the table offers."""

    KINDS: tuple[CompilerKind, ...]
    """What it can record."""

    def recognises(self, command: Sequence[str], /) -> bool:
        """Whether it knows how to run this command. Looks at the words only, and runs nothing."""
        ...

    def run(self, command: Sequence[str], folder: Path, options: CaptureOptions, /) -> Captured:
        """Run the command to its end, so that its compiler writes into the folder, which is there.

        The program has sonde's standard streams, folder, environment and process group; that it was killed or failed
        is no error: what was recorded is kept.
        """
        ...


CAPTURES: dict[str, str] = {
    "java": "sonde.instruments.decisions.capture.java",
    "compilers": "sonde.instruments.decisions.capture.compilers",
    "python": "sonde.instruments.decisions.capture.python",
    "numba": "sonde.instruments.decisions.capture.numba",  # only when an LLVM record is asked for
}
"""Name -> module; loaded when asked. In the order in which they are asked."""


def capture(
    command: Sequence[str],
    folder: Path,
    options: CaptureOptions | None = None,
    say: Callable[[str], None] = lambda line: print(line, file=sys.stderr),
) -> int:
    """Run a command so that what its compiler decides is left in a folder, with a manifest.

    Args:
        command: as one types it.
        folder: is made; must be empty if it is there. Captures get its absolute path. It is as before where the
            capture is refused, or the program failed and left nothing.
        say: is called with what people should know, a line each, once the program has ended.
    Returns:
        the exit code of the program; 128 and the number of the signal that killed it.
    Raises:
        UsageError: `capture-folder`, `unknown-capture`; a capture may refuse options of the command.
        MissingCapability: something that is needed is not installed.
    """
    options = options or CaptureOptions()
    module = _module_for(command, options)
    before = _Before.of(folder)
    folder = folder_for(folder, force=options.force)
    started, directory = datetime.now(UTC), str(Path.cwd())
    try:
        captured = module.run(command, folder, options)
    except SondeError:
        before.restore(folder)
        raise
    if captured.exit_code and not before.has_more_files(folder):
        before.restore(folder)
    else:
        manifest = Manifest(
            kind=captured.kind,
            record=captured.record,
            profile=captured.profile,
            command=tuple(command),
            compiler=captured.compiler or "",
            captured=started.isoformat(timespec="seconds"),
            exit_code=captured.exit_code,
            directory=directory,
        )
        try:
            write_manifest(folder, manifest)
        except OSError as error:  # the program has run, and its exit code counts
            say(f"cannot write down in '{folder}' what lies there: {error.strerror}")
    for line in captured.remarks:
        say(line)
    return captured.exit_code


def folder_for(folder: Path, *, force: bool) -> Path:
    """Make a folder, or see that it is empty.

    Returns:
        its absolute path.
    Raises:
        UsageError: `capture-folder`.
    """
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"cannot capture into '{folder}': it is a file", slug="capture-folder", hint="-o FOLDER")
    if folder.is_dir() and not force and any(folder.iterdir()):
        raise UsageError(
            f"cannot capture into '{folder}': something is in it",
            slug="capture-folder",
            hint="name another folder, or add --force to write beside what is there",
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"cannot make folder '{folder}': {error.strerror}", slug="capture-folder", hint="name another with -o"
        ) from error
    return folder.resolve()


@dataclass(frozen=True, slots=True)
class _Before:
    """What there was of the folder before a capture."""

    missing: tuple[Path, ...]
    """The folder and those it is in, as far as they were not there; innermost first."""
    names: frozenset[str]
    """What was in it."""

    @classmethod
    def of(cls, folder: Path) -> Self:
        missing = tuple(path for path in (folder.absolute(), *folder.absolute().parents) if not path.exists())
        return cls(missing, frozenset(path.name for path in folder.iterdir()) if folder.is_dir() else frozenset())

    def has_more_files(self, folder: Path) -> bool:
        """Whether anything was left."""
        added = [path for path in folder.iterdir() if path.name not in self.names]
        return any(path.is_file() for each in added for path in (each, *each.rglob("*")))

    def restore(self, folder: Path) -> None:
        """Take away what a capture made that failed."""
        for path in folder.iterdir():
            if path.name in self.names:
                continue
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
        with suppress(OSError):  # somebody else wrote into one of them
            for path in self.missing:
                path.rmdir()


def _module_for(command: Sequence[str], options: CaptureOptions) -> CaptureModule:
    if not command:
        raise UsageError(
            "cannot capture nothing: a command is needed",
            slug="unknown-capture",
            hint="sonde decisions capture -o RUN -- java -jar program.jar",
        )
    for module in map(_load, CAPTURES.values()):
        if (options.kind is None or options.kind in module.KINDS) and module.recognises(command):
            return module
    what = "its decisions cannot be recorded" if options.kind is None else f"no {options.kind} record can be made of it"
    raise UsageError(
        f"cannot capture '{command[0]}': {what}",
        slug="unknown-capture",
        hint=f"known are {_KNOWN}; begin the command with one of them, not with a script that runs it",
    )


_KNOWN = "java; clang, zig, rustc; python"


def _load(place: str) -> CaptureModule:
    return cast("CaptureModule", import_module(place))
