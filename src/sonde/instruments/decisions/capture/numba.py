"""Capturing what LLVM decides in code that Numba compiles.

Numba shows no remarks. So the modules that it gives LLVM are written down while the program runs, before anything is
optimized, and a clang optimizes them once more, for the same processor, with remarks.
"""

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from sonde.instruments.decisions.capture import python
from sonde.instruments.decisions.capture.captured import Captured, CaptureOptions
from sonde.instruments.decisions.capture.remark_folder import REMARKS, Compilation, compile_all
from sonde.instruments.decisions.model import CompilerKind
from sonde.launch import StartHook, run_to_end, with_start_hook

KINDS: tuple[CompilerKind, ...] = ("llvm",)
_HOOK = Path(__file__).with_name("numba_start_hook.py")
_LEVEL = 3
"""Numba's own, unless NUMBA_OPT says otherwise."""
_LEVELS = ("0", "1", "2", "3")


def recognises(command: Sequence[str]) -> bool:
    """Whether a command is Python's."""
    return python.recognises(command)


def run(command: Sequence[str], folder: Path, _: CaptureOptions) -> Captured:
    """Run it, and optimize what Numba compiled again.

    Raises:
        MissingCapability: `no-c-compiler`.
        SondeError: `cannot-execute`.
    """
    from sonde.jit import optimising_command  # the JIT needs LLVM, other captures do not

    given = os.environ.get("NUMBA_OPT", "")
    compiler = optimising_command(int(given) if given in _LEVELS else _LEVEL)
    record = folder / REMARKS
    record.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="sonde-capture-") as made:
        environment = with_start_hook(os.environ, StartHook(_HOOK, Path(made), follow=True))
        exit_code = run_to_end(python.command_line(command), environment).shell_code
        modules = _in_order(Path(made))
        said = ["what Numba gave LLVM is optimized by clang once more; its versions of LLVM may differ"]
        said += compile_all([_again(compiler, name, module, record) for name, module in modules])
        if not modules:
            said.append("Numba compiled nothing, or took it from its cache (NUMBA_CACHE_DIR, cache=True)")
    return Captured("llvm", exit_code, record, compiler=f"Numba, then {compiler[0]}", remarks=tuple(said))


def _in_order(folder: Path) -> list[tuple[str, Path]]:
    """The modules, with names that are the same in the next run: process ids are not."""
    found: dict[int, list[tuple[int, Path]]] = {}
    for path in folder.glob("*.ll"):
        process, number = (int(part) for part in path.stem.split("-"))
        found.setdefault(process, []).append((number, path))
    named = []
    for count, (_, modules) in enumerate(sorted(found.items()), 1):
        prefix = "module" if len(found) == 1 else f"process-{count}-module"
        named += [(f"{prefix}-{number}", path) for number, path in sorted(modules)]
    return named


def _again(compiler: Sequence[str], name: str, module: Path, record: Path) -> Compilation:
    path = record / f"{name}.opt.yaml"
    argv = (*compiler, "-w", "-fsave-optimization-record", f"-foptimization-record-file={path.resolve()}", "-o",
            str(module.with_suffix(".o")), str(module))  # fmt: skip
    return Compilation(name, argv, path)
