"""Print what Graal's `mx profdiff` prints: the same commands, options and text.

  sonde decisions profdiff report LOG                       every unit of an optimization log
  sonde decisions profdiff report LOG PROFILE               its hot units
  sonde decisions profdiff jit-vs-jit LOG PROFILE LOG PROFILE
  sonde decisions profdiff --long-bci=true --hot-max-limit 3 jit-vs-jit LOG PROFILE LOG PROFILE
  sonde decisions profdiff help jit-vs-aot                  what a command needs

LOG is the folder that Graal wrote, PROFILE the JSON of `mx profjson`. Options stand before the command, as
--NAME VALUE or --NAME=VALUE. The lines after 'How to read the output', and this help, are in our own words.

exit code: 0 done, 1 an error, also where the command line is wrong: as mx profdiff, unlike the rest of sonde.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import cast

from sonde.base.errors import EXIT_FAILED, EXIT_OK, InputError, UsageError
from sonde.instruments.decisions.profdiff import (
    KINDS,
    Comparison,
    GraalLog,
    Kind,
    read_log,
    write_comparison,
    write_comparison_by_jit,
    write_report,
)
from sonde.instruments.decisions.verb.profdiff_output import ProfdiffOutput
from sonde.instruments.decisions.verb.profdiff_words import (
    ALIASES,
    COMMANDS,
    PROGRAM,
    Request,
    command_help,
    commands_help,
    option_and_command_help,
    program_help,
    request_of,
)
from sonde.options.error_message import tell_error

_HELP = ("-h", "--help")
_WORDS = {"JIT": "just in time", "AOT": "ahead of time"}


def run_words(words: Sequence[str]) -> int:
    """Do what stands after `sonde decisions profdiff`.

    Returns:
        `EXIT_OK`; `EXIT_FAILED` for a command line that cannot be read, as profdiff does, with the help.
    Raises:
        InputError: a log or profile cannot be read.
    """
    own = [word for word in words if word != "--debug"]
    if own[:1] and own[0] in _HELP:
        print(f"usage: {PROGRAM} [--OPTION VALUE] ... COMMAND ...\n\n{__doc__}\n{option_and_command_help()}")
        return EXIT_OK
    try:
        request = request_of(own)
    except UsageError as error:
        tell_error(error)
        print(program_help(), file=sys.stderr)
        return EXIT_FAILED
    if request.command.name == "help":
        _help(request.values[0])
    else:
        _show(request)
    return EXIT_OK


def _help(name: str | None) -> None:
    command = None if name is None else COMMANDS.get(ALIASES.get(name, name))
    if command is not None:
        print(command_help(command))
    elif name is None:
        print(program_help())
    else:
        print(f"{PROGRAM}: unknown command {name}", file=sys.stderr)
        print(commands_help(), file=sys.stderr)


def _show(request: Request) -> None:
    options, values = request.options, request.values
    match request.command.name:
        case "report":
            write_report(_read(values[0], values[1], None), ProfdiffOutput(sys.stdout), options)
        case "aot-vs-aot-jit-profile":
            jit = _read(values[0], values[1], "JIT")
            first, second = (_read(log, None, "AOT") for log in values[2:])
            write_comparison_by_jit(jit, first, second, ProfdiffOutput(sys.stdout), options)
        case name:
            command = cast("Comparison", name)  # what is left
            kinds = KINDS[command]
            first, second = _read(values[0], values[1], kinds[0]), _read(values[2], values[3], kinds[1])
            write_comparison(command, first, second, ProfdiffOutput(sys.stdout), options)


def _read(log: str | None, profile: str | None, kind: Kind | None) -> GraalLog:
    """Read a log with the profile that is named, or with none.

    Args:
        kind: what the profile must be of; None: anything.
    Raises:
        InputError: `no-such-log`, `other-compilation`, and what reading raises.
    """
    assert log is not None  # it is no command's optional word
    found = read_log(Path(log), None if profile is None else Path(profile))
    actual = found.run.compilation
    if kind is not None and actual is not None and actual != kind:
        raise InputError(
            f"cannot use profile '{profile}': it is of a run compiled {_WORDS[actual]},"
            f" and the command needs one compiled {_WORDS[kind]}",
            slug="other-compilation",
            hint="sonde decisions profdiff help lists the commands",
        )
    return found
