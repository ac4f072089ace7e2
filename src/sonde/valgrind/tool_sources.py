"""The sources of the Valgrind tool, as they were installed with sonde."""

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from sonde.base.errors import MissingCapability

_FOLDER = "valgrind_tool"


@dataclass(frozen=True, slots=True)
class ToolSources:
    """C files and headers, in two folders: `valgrind`, the tool itself, and `core`, what it shares with sonde.

    Which files of the core there are is said by CMakeLists.txt, which installs them.
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


def installed_sources() -> ToolSources:
    """The sources beside sonde's extensions.

    Raises:
        MissingCapability: `no-tool-sources`.
    """
    spec = find_spec("sonde._agent")  # built and installed with them; without loading it
    folder = Path(spec.origin).with_name(_FOLDER) if spec and spec.origin else None
    sources = ToolSources(folder) if folder else None
    if sources is None or not sources.compiled or not sources.no_advice.exists():
        raise MissingCapability(
            "cannot build the Valgrind tool: this installation of sonde does not hold its sources",
            slug="no-tool-sources",
            hint="python -m pip install --force-reinstall sonde",
        )
    return sources
