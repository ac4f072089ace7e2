"""The parser of one verb: its module's docstring and options, and complaints that look like all of sonde's."""

import argparse
import sys
from collections.abc import Collection, Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import NoReturn

from sonde.base.errors import EXIT_FAILED, NotCompared, SondeError, UsageError
from sonde.options.declared import split_at_program
from sonde.options.help_text import HelpFormatter
from sonde.options.meant import meant_by
from sonde.options.unread_output import outlasting


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        what, _, words = message.partition(": ")
        meant = meant_by(words.split(), self._option_string_actions) if what == "unrecognized arguments" else None
        hint = meant or f"{self.prog} --help"
        raise UsageError(f"cannot read the command line: {message}", slug="usage", hint=hint)


def parser_for(words: str, module: ModuleType) -> argparse.ArgumentParser:
    """Make the parser of `sonde WORDS`.

    Args:
        module: its docstring is the description; it offers `configure(parser)`, if it does not read its words itself.
    """
    parser = _Parser(
        prog=f"sonde {words}",
        description=module.__doc__,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    if hasattr(module, "configure"):
        module.configure(parser)
    if parser.usage is None:
        parser.usage = _short_usage(parser)
    parser.add_argument("--debug", action="store_true", help="show tracebacks of sonde's own errors")
    return parser


def split_at_question(
    verb: str, questions: Collection[str], words: Sequence[str], *declared: type
) -> tuple[list[str], list[str]]:
    """As `split_at_program`, for a verb whose PROGRAM may be a question about profiles instead.

    Args:
        questions: the first words that are such.
        declared: what has the options of the verb.
    Raises:
        UsageError: `usage`, options stand before the question.
    """
    own, program = split_at_program(words, *declared)
    if own and program and program[0] in questions:
        raise UsageError(
            f"cannot use '{own[0]}' with a profile that is there already",
            slug="usage",
            hint=f"sonde {verb} {program[0]} --help; a program of that name: sonde {verb} [options] -- {program[0]}",
        )
    return own, program


def run_question(verb: str, questions: Mapping[str, str], words: Sequence[str]) -> int:
    """Do what the first word after a verb asks for.

    Args:
        questions: first word -> module, each like a verb's.
        words: the first one is one of the questions.
    Raises:
        SondeError: as the question's `run` does.
    """
    question, *rest = words
    module = import_module(questions[question])
    return run_parsed(module, parser_for(f"{verb} {question}", module), rest)


def run_parsed(module: ModuleType, parser: argparse.ArgumentParser, words: Sequence[str]) -> int:
    """Parse what follows the verb, and let the module's `run` do it.

    A module that has `EXITS_WITH_1_FOR_DIFFERENCES` compares: then 1 is a finding, and what fails exits with 2, as in
    diff and grep. Its exit code, and that of a module that has `EXIT_CODE_ANSWERS`, is right also when the reader of
    standard output goes away.

    Returns:
        the exit code.
    Raises:
        SondeError: as `run` does.
    """
    # A verb that runs a program leaves the program's own words alone.
    own, program = module.split_program(list(words)) if hasattr(module, "split_program") else (list(words), [])
    try:
        # Options may stand between files. That what is behind -- is no option, only the simple way of parsing knows.
        arguments = parser.parse_args(own) if "--" in own else parser.parse_intermixed_args(own)
    except SystemExit as done:  # argparse leaves this way after --help
        return int(done.code or 0)
    arguments.program = program
    compares = getattr(module, "EXITS_WITH_1_FOR_DIFFERENCES", False)
    if compares or getattr(module, "EXIT_CODE_ANSWERS", False):
        sys.stdout = outlasting(sys.stdout)
    try:
        return int(module.run(arguments))
    except SondeError as error:
        if error.exit_code == EXIT_FAILED and compares:
            raise NotCompared(error) from error
        raise
    except OSError as error:
        from sonde.options.system_refusal import as_refusal  # loaded when something went wrong

        refusal = as_refusal(error) if error.filename is not None else None
        if refusal is None:
            raise
        raise (NotCompared(refusal) if compares else refusal) from error


def _short_usage(parser: argparse.ArgumentParser) -> str:
    """What stands after the verb, without the options one by one: these are listed below, each with what it does."""
    words = [parser.prog, "[options]"]
    for action in parser._actions:
        if action.option_strings:
            spelling = action.option_strings[-1]
            words += [f"{spelling} {action.metavar}"] if action.required else []
            continue
        name = str(action.metavar or action.dest)
        words.append({"+": f"{name} ...", "*": f"[{name} ...]", "?": f"[{name}]"}.get(str(action.nargs), name))
    return " ".join(words)
