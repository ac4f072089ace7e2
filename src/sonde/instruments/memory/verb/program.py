"""PROGRAM of `sonde memory`: a Python program, a command, or sources that sonde compiles and runs itself."""

from typing import TYPE_CHECKING, NamedTuple

from sonde.base.compilation_steps import WITHOUT_PROBES
from sonde.base.errors import UsageError
from sonde.instruments.memory.source import Target, target_of
from sonde.launch import is_compiled, program_of_words
from sonde.options.compiled_program import CompiledProgram, compiled_program_of_words
from sonde.render.compiling import Compiling

if TYPE_CHECKING:
    from sonde.instruments.memory.source.jit_program import JitProgram


class MeasuredProgram(NamedTuple):
    """What is to be measured."""

    command: tuple[str, ...]
    """As a person would type it."""
    target: Target | None
    """None: it has to be compiled."""
    request: CompiledProgram | None
    """What is to be compiled, and how."""

    def compiled(self) -> "JitProgram | None":
        """The program, if it had to be compiled.

        Raises:
            InputError, UsageError, MissingCapability: as `compile_program`.
        """
        if self.request is None:
            return None
        from sonde.instruments.memory.source.jit_program import compile_program

        with Compiling(WITHOUT_PROBES) as steps:
            return compile_program(
                self.request.files,
                self.request.compiler_options,
                level=self.request.level,
                libraries=self.request.libraries,
                folders=self.request.folders,
                arguments=self.request.arguments,
                steps=steps,
            )


def program_to_measure(words: list[str]) -> MeasuredProgram:
    """Understand PROGRAM; nothing is compiled yet.

    Raises:
        UsageError: as `program_of_words`, `target_of` and `sonde vm run`.
        InputError: `no-such-source`.
    """
    if not is_compiled(words):
        program = program_of_words(words, "memory")
        return MeasuredProgram(program.argv, target_of(program.argv), None)
    from sonde.jit import check_source

    request = compiled_program_of_words(words, "memory")
    if request.tells_perf:
        raise UsageError(
            "cannot use --perf here: no perf can watch a program in Valgrind",
            slug="usage",
            hint="sonde vm run --perf, without sonde memory",
        )
    for file in request.files:
        check_source(file)
    return MeasuredProgram(tuple(words), None, request)
