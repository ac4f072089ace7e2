"""A program in C, C++ or LLVM's languages under the tool: compiled here, loaded and run there by sonde's JIT."""

import json
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from sonde.base.compilation_steps import MACHINE_CODE
from sonde.base.errors import InputError, MissingCapability
from sonde.base.steps import Steps
from sonde.instruments.memory.source.jit_child import ERROR, OBJECT, RUNTIME, SETTINGS
from sonde.instruments.memory.source.target import Target
from sonde.jit import link_program
from sonde.jit.runtime import runtime_object

_CHILD = Path(__file__).with_name("jit_child.py")


@dataclass(frozen=True, slots=True)
class JitProgram:
    """A compiled program, and how it is to be run."""

    image: bytes
    """The object file."""
    arguments: tuple[str, ...]
    """`argv`: the first file, as it was named, and what follows."""
    libraries: tuple[str, ...]
    """`-l`."""
    folders: tuple[str, ...]
    """`-L`."""
    users: dict[str, str]
    """Symbol -> a file that uses it."""

    def target(self, spool: Path, *, marked: bool) -> Target:
        """What Valgrind is to run, with all that it needs in the folder `spool`.

        Args:
            marked: the program says itself what is to be counted; else that is all from its constructors to its end.
        Raises:
            MissingCapability: `no-agent`.
        """
        if find_spec("sonde._memory_agent") is None:
            raise MissingCapability(
                "cannot measure memory accesses: this installation of sonde has no agent for them",
                slug="no-agent",
                hint="python -m pip install --force-reinstall sonde",
            )
        (spool / OBJECT).write_bytes(self.image)
        (spool / RUNTIME).write_bytes(runtime_object())
        settings = {
            "path": sys.path,
            "arguments": self.arguments,
            "libraries": self.libraries,
            "folders": self.folders,
            "users": self.users,
            "marked": marked,
        }
        (spool / SETTINGS).write_text(json.dumps(settings), encoding="ascii")
        python = Path(sys.executable)
        return Target((str(python), "-I", str(_CHILD), str(spool.resolve())), python, is_static=False, is_python=False)

    def check_loaded(self, spool: Path) -> None:
        """Say why the program was not run, if it was not.

        Raises:
            InputError: `cannot-link`.
        """
        try:
            message, hint = json.loads((spool / ERROR).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return
        raise InputError(message, slug="cannot-link", hint=hint)


def compile_program(
    files: list[str],
    options: list[str],
    *,
    level: int,
    libraries: list[str],
    folders: list[str],
    arguments: list[str],
    steps: Steps,
) -> JitProgram:
    """Compile and link, with lines, as `sonde vm run` does without.

    Args:
        options: for the compiler.
        level: 0 to 3.
        libraries: shared ones, by the names that `-l` takes.
        folders: where to look for them first.
        arguments: for the program, without its name.
        steps: told of those of `WITHOUT_PROBES`.
    Raises:
        InputError, UsageError, MissingCapability: as `link_program`.
    """
    program = link_program(files, options, level=level, debug=True, steps=steps)
    steps.begin(MACHINE_CODE)
    image = program.module.object(level)
    return JitProgram(image, (files[0], *arguments), tuple(libraries), tuple(folders), program.users)
