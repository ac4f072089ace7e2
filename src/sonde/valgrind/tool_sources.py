"""The sources of the Valgrind tool, as they were installed with sonde."""

import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from sonde.base.errors import MissingCapability, SondeError

_ARCHIVE = "valgrind_tool.tar.xz"
_XZ = b"\xfd7zXZ\0"


@dataclass(frozen=True, slots=True)
class ToolSources:
    """C files and headers, in two folders: `valgrind`, the tool itself, and `core`, what it shares with sonde.

    Which files of the core there are is said by CMakeLists.txt, which puts them into an archive.
    """

    folder: Path

    @property
    def compiled(self) -> tuple[Path, ...]:
        """What the tool consists of, but for the advice."""
        return tuple(file for file in self.files if file.suffix == ".c" and file != self.no_advice)

    @property
    def no_advice(self) -> Path:
        """Stands for the advice when there is none."""
        return self.folder / "core/advice/advice_none.c"

    @property
    def include_folder(self) -> Path:
        """Where `#include` looks, besides beside the file."""
        return self.folder / "core"

    @property
    def files(self) -> tuple[Path, ...]:
        """All of it, headers too."""
        return tuple(sorted(self.folder.rglob("*.[ch]")))


@contextmanager
def installed_sources() -> Iterator[ToolSources]:
    """The sources in the archive beside sonde's extensions, in a temporary folder until the block ends.

    Raises:
        MissingCapability: `no-tool-sources`.
        SondeError: `cannot-write`: there is no room for them.
    """
    spec = find_spec("sonde._agent")  # built and installed with them; without loading it
    archive = Path(spec.origin).with_name(_ARCHIVE) if spec and spec.origin else None
    if archive is None or not archive.exists():
        raise MissingCapability(
            "cannot build the Valgrind tool: this installation of sonde does not hold its sources",
            slug="no-tool-sources",
            hint="python -m pip install --force-reinstall sonde",
        )
    try:
        folder = tempfile.TemporaryDirectory(prefix="sonde-tool-sources-")
    except OSError as error:
        raise _cannot_unpack(error) from error
    with folder:
        try:
            with tarfile.open(archive, "r:xz" if _is_packed(archive) else "r:") as files:
                files.extraction_filter = getattr(tarfile, "data_filter", None)  # which 3.11.0 to 3.11.3 have not
                files.extractall(folder.name)
        except tarfile.CompressionError as error:
            raise MissingCapability(
                "cannot build the Valgrind tool: this Python cannot unpack its sources, as it was built without lzma",
                slug="no-tool-sources",
                hint="use another Python; or install liblzma-dev, and build this one anew",
            ) from error
        except (OSError, tarfile.TarError) as error:
            raise _cannot_unpack(error) from error
        yield ToolSources(Path(folder.name))


def _cannot_unpack(error: OSError | tarfile.TarError) -> SondeError:
    return SondeError(
        f"cannot unpack the sources of the Valgrind tool: {error}",
        slug="cannot-write",
        hint="make room, or set TMPDIR to a folder on another disk",
    )


def _is_packed(archive: Path) -> bool:
    """Whether the Python that it was built with has lzma."""
    with archive.open("rb") as file:
        return file.read(len(_XZ)) == _XZ
