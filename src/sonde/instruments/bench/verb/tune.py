"""Show what makes this machine noisy; or run one command with better settings.

  sonde bench tune                                    inspect, and say how to set each setting better
  sonde bench tune -- COMMAND                         governor to 'performance', turbo off, until COMMAND ends
  sudo sonde bench tune -- sudo -u $USER COMMAND      settings need root
  sonde bench tune --undo                             restore the settings after sonde was killed

Settings are restored however COMMAND ends, and whatever signal ends it or sonde, except those that somebody else has
changed meanwhile. After SIGKILL the next 'sonde bench tune' restores them first.

exit code: 0; with COMMAND its own, or 1 if a setting could not be restored.
"""

import argparse
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from sonde.base.errors import EXIT_FAILED, EXIT_OK, SondeError, UsageError
from sonde.launch import end_as, program_of_words
from sonde.options.declared import Option, add_options, options_from
from sonde.options.error_message import tell_error
from sonde.options.output import add_json_option, add_text_options, check_answer_options

if TYPE_CHECKING:
    from sonde.instruments.bench.environment import Machine
    from sonde.instruments.bench.tuning import ChangesFile

EXIT_CODE_ANSWERS = True


@dataclass(frozen=True, slots=True)
class TuneOptions:
    """What is done besides looking."""

    no_aslr: Annotated[bool, Option("with COMMAND: also lay out memory the same way each time")] = False
    undo: Annotated[bool, Option("only restore the settings after sonde was killed")] = False


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sonde bench tune`."""
    add_options(parser, TuneOptions)
    add_json_option(parser)
    add_text_options(parser)


def split_program(words: list[str]) -> tuple[list[str], list[str]]:
    """COMMAND stands behind `--`."""
    at = words.index("--") if "--" in words else len(words)
    return words[:at], words[at:]


def run(arguments: argparse.Namespace) -> int:
    """Look at settings, put them back, or run a command with better ones.

    Raises:
        UsageError: `no-program`, `usage`, `two-outputs`.
        SondeError: `machine-in-use`, `cannot-write`, `cannot-execute`.
        InputError: `bad-tune-file`.
    """
    from sonde.instruments.bench.environment import Machine  # NumPy, which --help does without
    from sonde.instruments.bench.tuning import ChangesFile, put_back_leftovers

    check_answer_options(arguments)
    options = options_from(TuneOptions, arguments)
    _check(arguments, options)
    machine = Machine()
    kept = ChangesFile(machine)
    if arguments.program:
        return _run_command(arguments.program, machine, kept, no_aslr=options.no_aslr)
    try:
        if not put_back_leftovers(machine, kept, _tell) and options.undo:
            _tell("nothing is left to put back")
    except SondeError as error:
        if options.undo:
            raise
        tell_error(error)
    if not options.undo:
        _answer(arguments, machine)
    return EXIT_OK


def _check(arguments: argparse.Namespace, options: TuneOptions) -> None:
    """Refuse what means nothing together.

    Raises:
        UsageError: `usage`.
    """
    given = [f"--{name}" for name in ("json", "markdown", "verbose") if getattr(arguments, name)]
    told = ""
    if arguments.program and (given or options.undo):
        told = f"{(given or ['--undo'])[0]} and a command to run exclude each other"
    elif options.no_aslr and not arguments.program:
        told = "--no-aslr is for the time of a command, and there is none"
    elif options.undo and given:
        told = f"--undo and {given[0]} exclude each other"
    if told:
        raise UsageError(f"cannot read the command line: {told}", slug="usage", hint="sonde bench tune --help")


def _answer(arguments: argparse.Namespace, machine: "Machine") -> None:
    from sonde.instruments.bench.report import machine_report
    from sonde.instruments.bench.tuning import settings_of
    from sonde.render.answers import print_answer

    print_answer(machine_report(settings_of(machine)), arguments, sys.stdout)


def _run_command(words: list[str], machine: "Machine", kept: "ChangesFile", *, no_aslr: bool) -> int:
    from sonde.instruments.bench.tuning import run_tuned

    program = program_of_words(words, "bench tune")
    outcome, is_put_back = run_tuned(program.argv, machine, kept, no_aslr=no_aslr, tell=_tell)
    return end_as(outcome) or (EXIT_OK if is_put_back else EXIT_FAILED)


def _tell(sentence: str) -> None:
    print(sentence if sentence.startswith("hint: ") else f"sonde: {sentence}", file=sys.stderr)
