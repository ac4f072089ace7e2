"""All commands by name, and how a line finds its command."""

from dataclasses import dataclass

from sonde.base.errors import UsageError
from sonde.base.near_names import near_hint
from sonde.instruments.vm.verb.shell.command import Command
from sonde.instruments.vm.verb.shell.looking_commands import LOOKING_COMMANDS
from sonde.instruments.vm.verb.shell.osr_commands import OSR_COMMANDS
from sonde.instruments.vm.verb.shell.own_commands import OWN_COMMANDS
from sonde.instruments.vm.verb.shell.parameters import Arguments
from sonde.instruments.vm.verb.shell.probe_commands import PROBE_COMMANDS
from sonde.instruments.vm.verb.shell.program_commands import PROGRAM_COMMANDS
from sonde.instruments.vm.verb.shell.running_commands import RUNNING_COMMANDS
from sonde.instruments.vm.verb.shell.version_commands import VERSION_COMMANDS

COMMANDS: dict[str, Command] = {
    command.name: command
    for commands in (
        PROGRAM_COMMANDS,
        LOOKING_COMMANDS,
        VERSION_COMMANDS,
        OSR_COMMANDS,
        PROBE_COMMANDS,
        RUNNING_COMMANDS,
        OWN_COMMANDS,
    )
    for command in commands
}
_NEAREST = {
    "exit": "quit",
    "bye": "quit",
    "ls": "functions",
    "disas": "asm",
    "time": "repeat",
    "optimize": "opt",
    "?": "help",
}
"""What people type who know other shells."""


@dataclass(frozen=True, slots=True)
class ReadLine:
    """A line that was understood."""

    text: str
    """The command as it was typed, without what is around it."""
    command: Command
    arguments: Arguments
    may_fail: bool
    """It began with `-`: when it fails, a script goes on."""


def read_line(line: str) -> ReadLine | None:
    """Find the command of a line and read its arguments; None for an empty line or a comment.

    Raises:
        UsageError: `unknown-command`, or the arguments are not what the command takes.
    """
    stripped = line.strip()
    may_fail = stripped.startswith("-")
    text = stripped[1:].lstrip() if may_fail else stripped
    if not text or text.startswith("#"):
        return None
    end = next((at for at, letter in enumerate(text) if letter.isspace() or letter == "#"), len(text))
    command = COMMANDS.get(text[:end])
    if command is None:
        raise _unknown(text[:end])
    return ReadLine(text, command, command.read(text, end), may_fail)


def command_of(name: str) -> Command:
    """The command of that name.

    Raises:
        UsageError: `unknown-command`.
    """
    if name not in COMMANDS:
        raise _unknown(name)
    return COMMANDS[name]


def _unknown(name: str) -> UsageError:
    if "(" in name:
        hint = f"to call a function: call {name}"
    else:
        hint = near_hint(name, COMMANDS, "help lists the commands", synonyms=_NEAREST)
    return UsageError(f"cannot run '{name}': there is no such command", slug="unknown-command", hint=hint)
