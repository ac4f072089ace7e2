"""The script that completes commands in fish, with what each option does beside it."""

from collections.abc import Callable, Iterable, Sequence

from sonde.cli.commands import Command
from sonde.cli.shells.expected import expected_argument, short_help
from sonde.cli.shells.table import fish_quoted, script_with, spellings, values_of_options


def fish_script(commands: Sequence[Command]) -> str:
    """The script, which works in fish 3.4 and newer."""
    summaries = {each.words: each.summary for each in commands}

    def questions(command: Command) -> list[str]:
        return [f"{name}\t{summaries[f'{command.words} {name}']}" for name in command.questions]

    table = [
        "function __sonde_verbs",
        _printed(f"{words}\t{told}" for words, told in summaries.items() if " " not in words),
    ]
    table += ["end", ""]
    table += _function("__sonde_questions", commands, questions)
    table += _function("__sonde_options", commands, _options)
    table += _function("__sonde_argument", commands, lambda each: [str(expected_argument(each))])
    table += _function("__sonde_takes_program", commands, lambda each: ["yes"] if each.takes_program else [])
    table += [
        "# What an option takes as its value; nothing if it takes none.",
        "function __sonde_value",
        "    switch $argv[1]",
    ]
    for expected, places in values_of_options(commands):
        table += [
            "        case " + " ".join(map(fish_quoted, places)),
            f"            echo {fish_quoted(str(expected))}",
        ]
    table += ["    end", "end", ""]
    return script_with("sonde.fish", table)


def _function(name: str, commands: Sequence[Command], told: Callable[[Command], list[str]]) -> list[str]:
    lines = [f"function {name}", "    switch $argv[1]"]
    for each in commands:
        if words := told(each):
            lines += [f"        case {fish_quoted(each.words)}", f"        {_printed(words)}"]
    return [*lines, "    end", "end", ""]


def _printed(words: Iterable[str]) -> str:
    return "    printf '%s\\n' " + " ".join(map(fish_quoted, words))


def _options(command: Command) -> list[str]:
    told = {each: short_help(action) for action in command.options for each in action.option_strings}
    return [f"{each}\t{told.get(each, 'the program begins here')}" for each in spellings(command)]
