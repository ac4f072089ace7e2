"""The script that completes commands in zsh, with what each option does beside it."""

from collections.abc import Iterable, Sequence

from sonde.cli.commands import Command
from sonde.cli.shells.expected import expected_argument, short_help
from sonde.cli.shells.table import quoted, script_with, spellings, values_of_options


def zsh_script(commands: Sequence[Command]) -> str:
    """The script, which works in zsh 5 and newer, sourced or found in `fpath`."""
    summaries = {each.words: each.summary for each in commands}
    table = ["_sonde_verbs=("]
    table += [f"    {_described(words, summary)}" for words, summary in summaries.items() if " " not in words]
    table += [")", "", "_sonde_command() {", "    questions=()", "    case $1 in"]
    for each in commands:
        questions = (_described(name, summaries[f"{each.words} {name}"]) for name in each.questions)
        table += [
            f"        {quoted(each.words)})",
            *_array("options", _options(each)),
            *_array("questions", questions),
            f"            argument={quoted(str(expected_argument(each)))}",
            f"            takes_program={'yes' if each.takes_program else ''} ;;",
        ]
    table += ["        *) return 1 ;;", "    esac", "}", "", "# Whether an option takes a value, and which."]
    table += ["_sonde_value() {", '    case "$1|$2" in']
    for expected, places in values_of_options(commands):
        table += ["        " + " | ".join(map(quoted, places)) + ")", f"            kind={quoted(str(expected))} ;;"]
    table += ["        *) return 1 ;;", "    esac", "}", ""]
    return script_with("sonde.zsh", table)


def _options(command: Command) -> list[str]:
    told = {each: short_help(action) for action in command.options for each in action.option_strings}
    return [_described(each, told.get(each, "the program begins here")) for each in spellings(command)]


def _array(name: str, words: Iterable[str]) -> list[str]:
    lines = [f"                {each}" for each in words]
    return [f"            {name}=(", *lines, "            )"] if lines else []


def _described(word: str, about: str) -> str:
    return quoted(word.replace(":", "\\:") + ":" + about)
