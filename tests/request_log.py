"""What sonde's agent in a Python tells the tool around it, written down by a tool that does nothing else."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import sonde.instruments.memory.source
from sonde.launch import StartHook, with_start_hook
from sonde.valgrind.c_compiler import find_c_compiler
from sonde.valgrind.installation import find_valgrind

REQUESTS = (
    *("window-open", "window-close", "pause", "resume", "own-code", "python", "thread-state", "type", "object"),
    *(
        "allocate",
        "reallocate",
        "free",
        "gc-start",
        "gc-stop",
        "code-load",
        "code-unload",
        "under-tool",
        "buffer",
        "counts",
    ),
)
"""In the order of `enum sn_request`."""
CORE = Path(__file__).parents[1] / "native/core"
_HOOK = Path(sonde.instruments.memory.source.__file__).with_name("inject") / "start_hook.py"


class Request(NamedTuple):
    what: str
    thread: int
    arguments: tuple[int, ...]
    name: str
    """Of a type."""


class RequestLog(NamedTuple):
    requests: list[Request]
    stack: list[tuple[str, str, int]]
    """Name, file, line of the frames below the first one of the window, innermost first."""
    output: str
    exit_code: int

    def of(self, what: str) -> list[Request]:
        return [request for request in self.requests if request.what == what]


def build(folder: Path) -> None:
    """Compile the tool into `folder`.

    Raises:
        MissingCapability: there is no Valgrind with headers and libraries, or no C compiler.
    """
    valgrind, compiler = find_valgrind(), find_c_compiler()
    files = [Path(__file__).parent / "oracles/request_log.c", CORE / "lines/python_lines.c"]
    flags = (
        "-std=gnu17 -O2 -m64 -fno-builtin -fno-stack-protector -fno-pie -fcf-protection=none -w -static -nodefaultlibs"
    )
    macros = "-DVGA_amd64=1 -DVGO_linux=1 -DVGP_amd64_linux=1 -DVGPV_amd64_linux_vanilla=1"
    link = "-nostartfiles -no-pie -u _start -Wl,--build-id=none -Wl,-Ttext-segment=0x58000000"
    command = [*compiler.command, *flags.split(), *macros.split(), *link.split(), f"-I{CORE}", f"-I{valgrind.headers}"]
    archives = [str(archive) for archive in valgrind.archives]
    target = ["-o", str(folder / "requests-amd64-linux"), *map(str, files), *archives, "-lgcc"]
    subprocess.run([*command, *target], check=True)
    for name in ("default.supp", "vgpreload_core-amd64-linux.so"):
        (folder / name).symlink_to(valgrind.support / name)


def settings(spool: Path, window: str = "program", *, collections: bool = True) -> dict[str, str]:
    """The environment in which a Python gets the agent."""
    spec = find_spec("sonde._memory_agent")
    assert spec is not None and spec.origin is not None
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    fields = (window, "1" if collections else "")
    return with_start_hook(environment, StartHook(_HOOK, spool, fields, package=Path(spec.origin).parent))


def log_of(
    tool: Path, spool: Path, *arguments: str, window: str = "program", program: str = sys.executable
) -> RequestLog:
    """Run `program` with `arguments` in the folder `spool`, in the tool that was built in `tool`."""
    path = spool / "requests.log"
    own = ["--tool=requests", "-q", f"--log={path}"]
    environment = {**settings(spool, window), "VALGRIND_LIB": str(tool)}
    command = [str(find_valgrind().command), *own, program, *arguments]
    done = subprocess.run(command, env=environment, cwd=spool, capture_output=True, text=True, check=False)
    requests, stack = list[Request](), list[tuple[str, str, int]]()
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        if line.startswith("F "):
            name, place = line[2:].split(" ", 1)
            file, number = place.rsplit(" ", 1)
            stack.append((name, file, int(number)))
            continue
        _, what, thread, *numbers, name = line.split(" ", 8)
        requests.append(Request(REQUESTS[int(what)], int(thread), tuple(map(int, numbers)), name))
    return RequestLog(requests, stack, done.stdout + done.stderr, done.returncode)
