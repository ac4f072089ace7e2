"""What `help` prints: all commands by group, or one with its parameters and an example."""

from sonde.instruments.vm.verb.shell.all_commands import COMMANDS
from sonde.instruments.vm.verb.shell.command import Command


def help_text() -> str:
    """All commands, a line each."""
    width = max(map(len, COMMANDS))
    lines: list[str] = []
    group = ""
    for command in COMMANDS.values():
        if command.group != group:
            group = command.group
            lines += [*([""] if lines else []), f"{group}:"]
        lines.append(f"  {command.name:<{width}}  {command.summary}")
    return "\n".join([*lines, "", "help COMMAND explains one; Tab completes; Ctrl-C stops what runs; Ctrl-D leaves."])


def command_help(command: Command) -> str:
    """One command: usage, parameters, example."""
    lines = [f"usage: {command.usage}", "", command.summary]
    if command.parameters:
        names = [parameter.name for parameter in command.parameters]
        width = max(map(len, names))
        lines += ["", *(f"  {p.name:<{width}}  {p.help}" for p in command.parameters)]
    if command.details:
        lines += ["", command.details]
    return "\n".join([*lines, "", f"example: {command.example}"])
