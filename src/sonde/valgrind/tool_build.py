"""The Valgrind tool, compiled and linked when it is first needed, and kept.

What was built lies in a folder of the user's cache that is named after everything it was made of. Object files are kept
too: a tool with advice is linked from them.
"""

import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path

from sonde.base.errors import MissingCapability, SondeError
from sonde.valgrind.build_cache import (
    BUILT,
    build_cache,
    ensure_built,
    has_room,
    is_temporary,
    temporary_cache,
)
from sonde.valgrind.c_compiler import CCompiler, find_c_compiler
from sonde.valgrind.installation import (
    PLATFORM,
    PRELOADED,
    SUPPRESSIONS,
    ValgrindInstallation,
    find_valgrind,
)
from sonde.valgrind.tool_sources import ToolSources, installed_sources

TOOL = "sonde"
"""As in `valgrind --tool=sonde`."""
_COMPILE = (
    *("-std=gnu17", "-O2", "-m64", "-fno-strict-aliasing", "-fno-builtin", "-fomit-frame-pointer"),
    *("-fno-stack-protector", "-fno-pie", "-fcf-protection=none", "-U_FORTIFY_SOURCE", "-w"),
    *("-DVGA_amd64=1", "-DVGO_linux=1", "-DVGP_amd64_linux=1", "-DVGPV_amd64_linux_vanilla=1"),
)
"""The tool is linked at a fixed address, without a C library: nothing may be called that only one has."""
_LINK = (
    *("-m64", "-static", "-nodefaultlibs", "-nostartfiles", "-no-pie", "-u", "_start"),
    *("-Wl,--build-id=none", "-Wl,-Ttext-segment=0x58000000"),
)
"""The address that Valgrind's own tools have: far from where programs are."""
_PROGRAM = f"{TOOL}-{PLATFORM}"
_OBJECTS = "objects"
_ADVICE = "advice.c"
_ERROR_LINES = 3


@dataclass(frozen=True, slots=True)
class BuiltTool:
    """A tool that is ready to run."""

    folder: Path
    """What `VALGRIND_LIB` is to be."""
    valgrind: ValgrindInstallation

    @property
    def about(self) -> str:
        """What a profile says that it was measured with."""
        return f"{self.valgrind.about}, sonde's tool"

    @property
    def program(self) -> Path:
        """The tool: a program that brings the core of Valgrind along."""
        return self.folder / _PROGRAM


@contextmanager
def built_tool(advice: str | None = None, *, announce: Callable[[str], None] = lambda _: None) -> Iterator[BuiltTool]:
    """Build the tool, unless it has been built before.

    Args:
        advice: C text of a tool in the tool language; None: no advice.
        announce: told, in words, that something is being built.
    Raises:
        MissingCapability: `tool-does-not-compile`, and as `find_valgrind`, `find_c_compiler`, `installed_sources`.
        SondeError: `cannot-write`: neither the cache nor the temporary folder can be written.
    """
    machine = find_valgrind(), find_c_compiler()
    with ExitStack() as folders:
        found = *machine, folders.enter_context(installed_sources())
        make = _Maker(*found, announce)
        root = folders.enter_context(build_cache())
        try:
            folder = make.tool(root, advice)
        except SondeError:
            if has_room(root):
                raise  # it is not for want of that
            announce(
                f"there is no room in '{root}': the tool is built for this run only; make room, or set XDG_CACHE_HOME"
            )
            spare = folders.enter_context(temporary_cache())
            if not has_room(spare):
                raise SondeError(
                    f"cannot build the Valgrind tool: there is no room for it in '{root}', nor in '{spare.parent}'",
                    slug="cannot-write",
                    hint="make room, or set XDG_CACHE_HOME to a folder on another disk",
                ) from None
            folder = _Maker(*found, lambda _: None).tool(spare, advice)
        yield BuiltTool(folder, make.valgrind)


def check_tool() -> str:
    """Whether the tool can be built here: what it would be built with, in words.

    Raises:
        MissingCapability: what is missing, as `built_tool`.
    """
    valgrind, compiler = find_valgrind(), find_c_compiler()
    with installed_sources():
        return f"{valgrind.about} and {compiler.about}"


class _Maker:
    """Compiles and links, into folders that are given."""

    def __init__(
        self,
        valgrind: ValgrindInstallation,
        compiler: CCompiler,
        sources: ToolSources,
        announce: Callable[[str], None],
    ) -> None:
        self.valgrind = valgrind
        self._compiler = compiler
        self._sources = sources
        self._announce = announce
        include = [f"-I{folder}" for folder in (sources.include_folder, valgrind.headers)]
        self._compile = [*compiler.command, *_COMPILE, *include]
        self.digest = self._digest()

    def tool(self, root: Path, advice: str | None) -> Path:
        """The folder of the tool in a cache, where it is built if it is not there."""
        core = ensure_built(root / f"{BUILT}{self.digest}", self.core)
        if advice is None:
            return core
        own = sha256(os.fsencode(advice)).hexdigest()[:16]
        return ensure_built(root / f"{core.name}-{own}", lambda folder: self.with_advice(folder, core, advice))

    def core(self, folder: Path) -> None:
        """All object files, and the tool without advice."""
        fate = "it is kept for the next time"
        if is_temporary(folder.parent):
            fate = "for this run only, as the cache cannot be written: set XDG_CACHE_HOME"
        self._announce(f"building the tool for {self.valgrind.about}; {fate}")
        objects = folder / _OBJECTS
        objects.mkdir()
        jobs = [
            [*self._compile, "-c", str(source), "-o", str(objects / f"{source.parent.name}-{source.stem}.o")]
            for source in (*self._sources.compiled, self._sources.no_advice)
        ]
        self._run(folder, *jobs)
        self._link(folder, sorted(objects.iterdir()))

    def with_advice(self, folder: Path, core: Path, advice: str) -> None:
        """The tool with advice; the rest of it is taken as it is."""
        self._announce("compiling the advice")
        source, compiled = folder / _ADVICE, folder / "advice.o"
        source.write_text(advice, encoding="utf-8", errors="surrogateescape")
        self._run(folder, [*self._compile, "-c", str(source), "-o", str(compiled)])
        none = f"{self._sources.no_advice.parent.name}-{self._sources.no_advice.stem}.o"
        objects = sorted(path for path in (core / _OBJECTS).iterdir() if path.name != none)
        self._link(folder, [*objects, compiled])

    def _link(self, folder: Path, objects: list[Path]) -> None:
        files = map(str, (*objects, *self.valgrind.archives))
        self._run(folder, [*self._compiler.command, *_LINK, "-o", str(folder / _PROGRAM), *files, "-lgcc"])
        for name in (PRELOADED, SUPPRESSIONS):
            (folder / name).symlink_to(self.valgrind.support / name)

    def _run(self, folder: Path, *commands: list[str]) -> None:
        """Run them side by side, with their own temporary files in `folder`; the first that fails is told of."""
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(pool.map(partial(_output, folder), commands))
        for command, (code, said) in zip(commands, results, strict=True):
            if code:
                lines = [line for line in said.splitlines() if "error" in line or "undefined" in line]
                first = "; ".join(line.strip() for line in (lines or said.splitlines())[:_ERROR_LINES])
                raise MissingCapability(
                    f"cannot build the tool for {self.valgrind.about} with '{self._compiler.about}': "
                    + (first or f"it ended with {code}"),
                    slug="tool-does-not-compile",
                    hint=f"all of it is in {_log(command, said)}; another compiler can be named by CC",
                )

    def _digest(self) -> str:
        """Of everything that what is built depends on."""
        digest = sha256()
        for part in (*_COMPILE, *_LINK, *self._compiler.command, self._compiler.about, self.valgrind.about):
            digest.update(part.encode(errors="surrogateescape") + b"\0")
        for folder in (self.valgrind.headers, self.valgrind.support):
            digest.update(os.fsencode(folder) + b"\0")
        for archive in self.valgrind.archives:
            about = archive.stat()
            digest.update(os.fsencode(archive) + f"\0{about.st_size} {about.st_mtime_ns}\0".encode())
        for source in self._sources.files:
            data = source.read_bytes()
            digest.update(f"{source.parent.name}/{source.name}\0{len(data)}\0".encode() + data)
        return digest.hexdigest()[:16]


def _output(scratch: Path, command: list[str]) -> tuple[int, str]:
    """Exit code, and all that it said."""
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={**os.environ, "LC_ALL": "C", "TMPDIR": str(scratch)},
            check=False,
        )
    except OSError as error:
        raise MissingCapability(
            f"cannot compile with '{command[0]}': {error.strerror}", slug="no-c-compiler", hint="set CC to another"
        ) from error
    return done.returncode, done.stdout.decode(errors="replace")


def _log(command: list[str], said: str) -> str:
    """Keep what a compiler said where it can be read later."""
    import shlex

    with tempfile.NamedTemporaryFile(
        "w", prefix="sonde-build-", suffix=".log", encoding="utf-8", errors="replace", delete=False
    ) as stream:
        stream.write(f"{shlex.join(command)}\n{said}")
        return stream.name
