"""The script that completes commands in bash."""

from collections.abc import Sequence

from sonde.cli.commands import Command
from sonde.cli.shells.expected import expected_argument
from sonde.cli.shells.table import quoted, script_with, spellings, values_of_options


def bash_script(commands: Sequence[Command]) -> str:
    """The script, which works in bash 4.4 and newer, with and without bash-completion."""
    verbs = " ".join(each.words for each in commands if " " not in each.words)
    table = [f"_sonde_verbs={quoted(verbs)}", "", "_sonde_command() {", "    case $1 in"]
    for each in commands:
        table += [
            f"        {quoted(each.words)})",
            f"            options={quoted(' '.join(spellings(each)))}",
            f"            questions={quoted(' '.join(each.questions))} "
            f"argument={quoted(str(expected_argument(each)))} "
            f"takes_program={'yes' if each.takes_program else ''} ;;",
        ]
    table += ["        *) return 1 ;;", "    esac", "}", "", "# Whether an option takes a value, and which."]
    table += ["_sonde_value() {", '    case "$1|$2" in']
    for expected, places in values_of_options(commands):
        table += ["        " + " | ".join(map(quoted, places)) + ")", f"            kind={quoted(str(expected))} ;;"]
    table += ["        *) return 1 ;;", "    esac", "}", ""]
    return script_with("sonde.bash", table)
