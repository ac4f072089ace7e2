"""A Valgrind, a C compiler and sources that are none: small scripts and empty files. Anything can be missing."""

from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import pytest

from sonde.valgrind import tool_build
from sonde.valgrind.tool_sources import ToolSources

ARCHIVES = ("libcoregrind-amd64-linux.a", "libvex-amd64-linux.a")

_COMPILER = """#!/bin/sh
case "$*" in *--version) echo "{about}"; exit;; esac
printf '%s ' "$@" >> "{calls}"; echo >> "{calls}"
{does}
while [ "$1" != -o ]; do shift; done
echo "made by {about}" > "$2"
"""


@dataclass(frozen=True)
class FakeMachine:
    """Folders with what `sonde memory` wants, first on PATH."""

    folder: Path

    @property
    def prefix(self) -> Path:
        """Where Valgrind is installed."""
        return self.folder / "prefix"

    @property
    def cache(self) -> Path:
        """What `XDG_CACHE_HOME` is."""
        return self.folder / "cache"

    @property
    def sources(self) -> ToolSources:
        """A tool of three files."""
        return ToolSources(self.folder / "sources")

    @property
    def built(self) -> list[Path]:
        """What is in the cache."""
        return sorted((self.cache / "sonde").iterdir()) if self.cache.exists() else []

    def calls(self) -> list[str]:
        """How the compiler was called, apart from its version."""
        file = self.folder / "calls"
        return file.read_text(encoding="utf-8").splitlines() if file.exists() else []

    def says_version(self, text: str) -> None:
        """Let `valgrind --version` print this."""
        _script(self.prefix / "bin" / "valgrind", f"#!/bin/sh\necho '{text}'\n")

    def compiles(self, does: str = "", about: str = "cc 1.0", name: str = "cc") -> None:
        """Put a compiler there that runs the shell command `does` before it writes its output."""
        text = _COMPILER.format(about=about, calls=self.folder / "calls", does=does)
        _script(self.prefix / "bin" / name, text)


def fake_machine(folder: Path, monkeypatch: pytest.MonkeyPatch) -> FakeMachine:
    """Make one where nothing is missing."""
    machine = FakeMachine(folder)
    machine.says_version("valgrind-3.19.0")
    machine.compiles()
    for name in (
        "include/valgrind/pub_tool_tooliface.h",
        *(f"lib/valgrind/{archive}" for archive in ARCHIVES),
        "libexec/valgrind/vgpreload_core-amd64-linux.so",
        "libexec/valgrind/default.supp",
    ):
        _file(machine.prefix / name)
    for name in ("valgrind/main.c", "core/base/cells.c", "core/advice/advice_none.c", "core/base/cells.h"):
        _file(machine.sources.folder / name)
    monkeypatch.setenv("PATH", f"{machine.prefix / 'bin'}:/usr/bin:/bin")
    monkeypatch.setenv("XDG_CACHE_HOME", str(machine.cache))
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr(tool_build, "installed_sources", lambda: nullcontext(machine.sources))
    return machine


def _file(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("", encoding="utf-8")


def _script(path: Path, text: str) -> None:
    _file(path)
    path.write_text(text, encoding="utf-8")
    path.chmod(0o755)
