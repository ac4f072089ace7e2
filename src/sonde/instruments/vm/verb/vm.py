"""A shell for compiled programs: load C, C++ or LLVM IR, inspect functions, optimise them, and run them.

  sonde vm                     ask for commands; 'help' lists them
  sonde vm session.txt         run the commands of a file, up to the first that fails
  sonde vm -                   the same from standard input
  sonde vm --json session.txt  one line of JSON for each command, schema sonde.vm/1
  sonde vm run prog.c -O2 -- args     compile a program and run it, without a shell; see sonde vm run --help

Commands run in a process of their own: when a program crashes, the shell says so and restores everything
that had been loaded and made. In a file, '#' begins a comment, and a command after '-' may fail.

exit code: 0 all commands succeeded; else that of the first that failed: 1, 2 or 3. A crash is a failure (1).
"""

import argparse

from sonde.base.errors import EXIT_OK, UsageError
from sonde.base.program_sources import PROGRAM_SOURCES
from sonde.options.incomplete_python import require_part
from sonde.options.output import add_json_option

QUESTIONS = {"run": "sonde.instruments.vm.verb.run"}
"""First word -> module; `run` reads its words itself, because most are a compiler's."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sonde vm`."""
    parser.add_argument("script", nargs="?", metavar="SCRIPT", help="a file of commands, or - for standard input")
    add_json_option(parser)


def split_program(words: list[str]) -> tuple[list[str], list[str]]:
    """`run` and all that follows it belong to `sonde vm run`."""
    return ([], words) if words[:1] and words[0] in QUESTIONS else (words, [])


def run(arguments: argparse.Namespace) -> int:
    """Run the shell, or a program.

    Raises:
        UsageError: `not-a-script`.
        MissingCapability: `incomplete-python`.
        SondeError: a command of a script failed, the script cannot be read, or LLVM is not there.
    """
    require_part("_ctypes", "run 'sonde vm'")
    if arguments.program:
        from sonde.instruments.vm.verb.run import run_words  # a program starts without what the shell needs

        return run_words(arguments.program[1:])
    if arguments.script and arguments.script.endswith(PROGRAM_SOURCES):
        raise UsageError(
            f"cannot read commands from '{arguments.script}': it is a program",
            slug="not-a-script",
            hint=f"sonde vm run {arguments.script}, or in the shell: load {arguments.script}",
        )
    from sonde.instruments.vm.verb.shell import open_shell

    open_shell(arguments.script, as_json=arguments.json, debug=arguments.debug)
    return EXIT_OK
