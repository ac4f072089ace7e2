"""A workbench without LLVM, whose functions do to their process what bad programs do; and a shell that has it.

python tests/fake_workbench.py [SCRIPT] [--json]      as `sonde vm`, with the fake
"""

import ctypes
import os
import signal
import sys
import termios
import threading
import time
import tty
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sonde.base.errors import InputError, MissingCapability, UsageError
from sonde.cli import main
from sonde.events import CodeFrame, CodeLocation
from sonde.instruments.vm.verb.shell import open_shell
from sonde.ir import Function, parse_module
from sonde.registry import entries

_LIBC = ctypes.CDLL(None)


@dataclass(frozen=True)
class FakeModule:
    name: str
    path: str
    functions: int = 8
    globals: int = 0


@dataclass(frozen=True)
class FakeFunction:
    name: str
    versions: int
    active: str
    module: str = "fake"
    demangled: str = ""
    signature: str = "i32 (i32)"
    blocks: int = 1
    instructions: int = 2


@dataclass(frozen=True)
class FakeVersion:
    name: str
    recipe: str
    origin: str
    is_active: bool
    instructions: int = 2
    size_bytes: int | None = None
    address: int | None = None


@dataclass(frozen=True)
class FakeAddress:
    version: str
    start: int = 0x1000
    size: int = 16
    slot: int = 0x2000


@dataclass(frozen=True)
class FakeReport:
    lines: tuple[str, ...]


@dataclass(frozen=True)
class FakeResult:
    text: str
    type: str = "i32"
    seconds: float = 0.0


@dataclass(frozen=True)
class FakeTiming:
    times: int
    total_seconds: float = 1.0
    minimum_seconds: float = 1e-9
    lower_quartile_seconds: float = 2e-9
    median_seconds: float = 3e-9
    upper_quartile_seconds: float = 4e-9


def _segfault() -> str:
    """As programs do: without Python's lock, so that a thread of ours can look where it was."""
    _LIBC.strlen(None)
    raise AssertionError("nothing is mapped there")


def _segfault_in_python() -> str:
    """With the lock: whoever looks where it was is waited for in vain."""
    ctypes.string_at(0)
    raise AssertionError("nothing is mapped there")


def _spin() -> str:
    while True:
        time.sleep(0.01)


def _stubborn() -> str:
    """Handles SIGINT, as an interpreter with a prompt of its own does; and goes on."""
    signal.signal(signal.SIGINT, lambda _number, _frame: None)
    print("stubborn", flush=True)
    return _spin()


def _say() -> str:
    _LIBC.puts(b"said by the program")  # stays in the C library's buffer unless that is flushed
    return "0"


def _linger() -> str:
    """Leave a child that has all that was open, and die."""
    if os.fork() == 0:
        time.sleep(1)
        os._exit(0)
    os.abort()


def _raw() -> str:
    tty.setraw(0, termios.TCSANOW)
    os.abort()


_NOTHING: list[str] = []
_FUNCTIONS: dict[str, Callable[[], str]] = {
    "abort": lambda: str(_LIBC.abort()),
    "exit": lambda: str(_LIBC.exit(7)),
    "lowest_descriptor": lambda: str(os.dup(0)),
    "linger": _linger,
    "pid": lambda: str(os.getpid()),
    "raw": _raw,
    "read": lambda: sys.stdin.readline().strip() or "nothing",
    "say": _say,
    "segfault": _segfault,
    "segfault_in_python": _segfault_in_python,
    "spin": _spin,
    "stubborn": _stubborn,
    "bug": lambda: _NOTHING[1],
}


class FakeWorkbench:
    def __init__(self) -> None:
        # They are not loaded, which would take as long as all else that a session does.
        self.passes: dict[str, object] = dict.fromkeys(entries("pass"))
        self._modules: list[FakeModule] = []
        self._versions: dict[str, dict[str, FakeVersion]] = {}
        self._active: dict[str, str] = {}
        self._thread: threading.Thread | None = None

    def load(self, path: str, options: Sequence[str] = (), steps: object = None) -> FakeModule:
        if not Path(path).exists():
            raise InputError(f"cannot read '{path}': no such file", slug="no-such-file")
        if Path(path).read_text() == "crash":
            _segfault()
        module = FakeModule(Path(path).stem, " ".join([path, *options]))
        self._modules.append(module)
        for name in _FUNCTIONS:
            self._versions[name] = {"base": FakeVersion("base", "", "", True)}
            self._active[name] = "base"
        return module

    def load_library(self, path_or_name: str) -> str:
        return path_or_name

    def unload(self, module: str) -> None:
        self._modules = [each for each in self._modules if each.name != module]

    def modules(self) -> list[FakeModule]:
        return self._modules

    def functions(self, pattern: str | None = None) -> list[FakeFunction]:
        names = [name for name in self._versions if pattern is None or pattern in name]
        return [FakeFunction(name, len(self._versions[name]), self._active[name]) for name in names]

    def names(self, prefix: str) -> list[str]:
        return [name for name in self._versions if name.startswith(prefix)]

    def ir(self, name: str) -> str:
        self._known(name)
        return f"define i32 @{name}() {{\n  ret i32 0\n}}\n"

    def assembly(self, name: str) -> str:
        self._known(name)
        return "\txorl\t%eax, %eax\n\tretq\n"

    def addresses(self, name: str) -> list[FakeAddress]:
        self._known(name)
        return [FakeAddress(self._active[name])]

    def locate(self, address: int) -> CodeLocation | None:
        return CodeLocation("say", "base", 1, (CodeFrame("say", "f.c", 7, 3),)) if address == 1 else None

    def tell_perf(self, folder: Path) -> tuple[Path, Path]:
        return folder / "map", folder / "dump"

    def body(self, name: str) -> Function:
        self._known(name)
        return parse_module("define void @f() {\nentry:\n  br label %end\n\nend:\n  ret void\n}\n").functions["@f"]

    def optimize(self, name: str, recipe: str, version: str | None = None) -> FakeReport:
        if version is not None:
            self.clone(name, version)
        return FakeReport((f"ran {recipe}",))

    def clone(self, name: str, version: str) -> None:
        base = self._known(name)
        self._versions[base][version] = FakeVersion(version, "", name, False)

    def versions(self, name: str) -> list[FakeVersion]:
        return [
            FakeVersion(each.name, each.recipe, each.origin, each.name == self._active[name])
            for each in self._versions[self._known(name)].values()
        ]

    def switch(self, name: str, version: str) -> None:
        self._active[self._known(name)] = version

    def drop(self, name: str, version: str) -> None:
        del self._versions[self._known(name)][version]

    def call(self, name: str, arguments: Sequence[str]) -> FakeResult:
        function = _FUNCTIONS.get(self._known(name))
        return FakeResult(function() if function is not None else ",".join(arguments))

    def repeat(self, name: str, arguments: Sequence[str], times: int) -> FakeTiming:
        self._known(name)
        return FakeTiming(times)

    def run(self, arguments: Sequence[str], background: bool = False) -> int:
        how = arguments[0] if arguments else ""
        if how == "exits":
            os._exit(5)
        if how in ("aborts", "spins"):
            return _run_in_fork(os.abort if how == "aborts" else _spin_loudly)
        if background:
            work = {"later-abort": _nap_and_abort, "forever": _spin}.get(how, _nap)
            self._thread = threading.Thread(target=work, daemon=True)
            self._thread.start()
        return len(arguments)

    def wait(self) -> int:
        if self._thread is not None:
            self._thread.join()
        return 3

    def running(self) -> bool:
        return self._thread is not None and self._thread.is_alive()

    def _known(self, name: str) -> str:
        base = name.partition("@")[0]
        if base not in self._versions:
            raise UsageError(f"cannot find '{base}': no function has that name", slug="no-such-function")
        return base


def _run_in_fork(work: Callable[[], object]) -> int:
    """As the real one runs `main`."""
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        work()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def _spin_loudly() -> None:
    print(os.getpid(), flush=True)
    _spin()


def _nap() -> None:
    time.sleep(0.5)


def _nap_and_abort() -> None:
    _nap()
    os.abort()


class UnavailableWorkbench(FakeWorkbench):
    """As on a machine without LLVM."""

    def __init__(self) -> None:
        raise MissingCapability("cannot work: LLVM is not here", slug="no-llvm", hint="install it")


if __name__ == "__main__":
    name = os.environ.get("FAKE_WORKBENCH", "FakeWorkbench")
    defaults = open_shell.__kwdefaults__
    assert defaults is not None
    defaults["bench"] = f"fake_workbench:{name}"
    sys.exit(main(["vm", *sys.argv[1:]]))
