"""Run a compiled program by itself, and write down what it took: `python -m sonde.instruments.audit.sources.alone
FILE WORDS...`. It is compiled as the profilers of compiled programs compile it, and then a fork becomes it."""

import sys
from pathlib import Path
from typing import NoReturn

from sonde.base.errors import SondeError
from sonde.jit import Engine, Libraries, link_with_lines, run_main
from sonde.launch import die_by, end_with, run_fork
from sonde.options.compiled_program import compiled_program_of_words
from sonde.options.error_message import tell_error


def main(output: Path, words: list[str]) -> int:
    """Returns the program's exit code. `output` gets nanoseconds: elapsed, and of processors."""
    import os

    program, sonde = compiled_program_of_words(words, "audit"), os.getpid()
    libraries = Libraries(program.libraries, program.folders)
    linked = link_with_lines(program.files, program.compiler_options, program.level)
    image, arguments = linked.module.object(program.level), (program.files[0], *program.arguments)

    def become() -> NoReturn:
        end_with(sonde)
        try:
            code = Engine(libraries).load(arguments[0], [image], users=linked.users)
        except SondeError as error:
            tell_error(error)
            os._exit(error.exit_code)
        run_main(code, arguments)

    outcome = run_fork(become)
    output.write_text(f"{outcome.duration_ns} {outcome.processor_ns}\n", encoding="utf-8")
    if outcome.signal is not None:
        die_by(outcome.signal)
    return outcome.shell_code


if __name__ == "__main__":
    try:
        sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
    except SondeError as error:
        tell_error(error)
        sys.exit(error.exit_code)
