"""From source files to a program that runs: compiled, optimised, linked, generated, loaded, started."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from sonde.base.errors import InputError
from sonde.base.steps import Steps
from sonde.jit.crash_record import CrashRecord
from sonde.jit.engine import Engine, LoadedCode
from sonde.jit.front_end import compile_files
from sonde.jit.libraries import Libraries
from sonde.jit.main_program import run_main
from sonde.llvm import LlvmModule


@dataclass(frozen=True, slots=True)
class LinkedProgram:
    """All files of a program in one module."""

    module: LlvmModule
    users: dict[str, str]
    """Symbol that is not defined in its file -> a file that uses it."""


def link_program(
    files: Sequence[Path | str],
    options: Sequence[str] = (),
    *,
    level: int | None = None,
    debug: bool = False,
    steps: Steps | None = None,
) -> LinkedProgram:
    """Compile files and link them into one module.

    Args:
        level: 0 to 3: each file is optimised by itself, so that the program does what it does when built by a system's
            compiler and linker. Optimised as a whole, programs that break the rules of C across files may do other
            things. None: not optimised.
        steps: told how many files are done.
    Raises:
        InputError: `no-main`, `cannot-link`, or what `compile_files` says.
        MissingCapability, UsageError: as `compile_files`.
    """
    modules = compile_files(files, options, level=level, debug=debug, steps=steps)
    users = {symbol.lstrip("\1"): module.name for module in reversed(modules) for symbol in module.declarations()}
    program = modules[0]
    for module in modules[1:]:
        program.link_in(module)
    if "main" not in program.functions():
        named = f"'{files[0]}'" if len(files) == 1 else f"{len(files)} files, '{files[0]}' first,"
        raise InputError(
            f"cannot run {named}: no function 'main' is defined",
            slug="no-main",
            hint="name the file that defines main too",
        )
    return LinkedProgram(program, users)


def run_alone(
    program: LinkedProgram,
    image: bytes,
    libraries: Libraries,
    arguments: Sequence[str],
    record: CrashRecord | None = None,
    perf_folder: Path | None = None,
) -> NoReturn:
    """Load a program, and let it be this process from here to its end.

    Args:
        image: the program's object file.
        arguments: `argv`, the program's name first.
        record: what tells a parent about crashes.
        perf_folder: write a perf map, and a jitdump in this folder.
    Raises:
        InputError: `missing-symbol`, `cannot-link`; only before the program runs.
        SondeError: `cannot-write`.
    """
    engine = Engine(libraries)
    code = engine.load(arguments[0], [image], users=program.users)
    if perf_folder is not None:
        tell_perf(perf_folder, image, code)
    if record is not None:
        record.watch(engine, code, image)
    run_main(code, arguments)


def tell_perf(folder: Path, image: bytes, code: LoadedCode) -> None:
    """Write the names and lines of loaded code for perf, and close the files. Raises: SondeError `cannot-write`."""
    from sonde.jit.object_code import ObjectCode  # with the reader of debug information, which few runs need
    from sonde.jit.perf_output import PerfOutput

    output = PerfOutput(folder)
    output.add(ObjectCode(image, code.name).place(code.addresses).ranges)
    output.close()
