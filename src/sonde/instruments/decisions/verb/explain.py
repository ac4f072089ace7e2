"""Explain the words of compilers: passes, decisions, reasons of inliners; and what one can do.

  sonde decisions explain LoadClobbered             one word; --compiler if several compilers have it
  sonde decisions explain "hot method too big" NotSpecialized
  sonde decisions explain --compiler llvm           all words of one compiler
  sonde decisions explain --json                    all words, schema sonde.report/1; --markdown as tables

In words of the list `*` stands for anything. Pages (--html) explain the words that are in them.

exit code: 0 explained, 2 a word is not known.
"""

import argparse
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, get_args

from sonde.base.errors import EXIT_OK, UsageError
from sonde.base.near_names import near_hint
from sonde.instruments.decisions.verb.options import ExplainRequest
from sonde.options.declared import add_options, options_from
from sonde.options.output import check_answer_options
from sonde.render.answers import add_answer_options

if TYPE_CHECKING:
    from sonde.instruments.decisions.glossary import Meaning, Subject
    from sonde.instruments.decisions.model import CompilerKind


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sonde decisions explain`."""
    parser.add_argument("words", nargs="*", metavar="WORD", help="as sonde prints it (default: all words)")
    add_options(parser, ExplainRequest)
    add_answer_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the meanings.

    Raises:
        UsageError: `unknown-decision-word`.
    """
    from sonde.instruments.decisions.glossary import glossary_of
    from sonde.instruments.decisions.model import CompilerKind
    from sonde.instruments.decisions.report.glossary_report import glossary_report
    from sonde.render.answers import print_answer

    check_answer_options(arguments)
    asked = options_from(ExplainRequest, arguments).compiler
    compilers: list[CompilerKind] = list(get_args(CompilerKind)) if asked is None else [asked]
    if arguments.words:
        found = [
            (compiler, subject, meaning)
            for word in arguments.words
            for compiler, subject, meaning in _meanings(word, compilers)
        ]
    else:
        found = [(compiler, *entry) for compiler in compilers for entry in glossary_of(compiler).entries()]
    print_answer(glossary_report(found), arguments, sys.stdout)
    return EXIT_OK


def _meanings(word: str, compilers: "Sequence[CompilerKind]") -> "list[tuple[CompilerKind, Subject, Meaning]]":
    from sonde.instruments.decisions.glossary import glossary_of

    found = [(compiler, *entry) for compiler in compilers for entry in glossary_of(compiler).of_word(word)]
    if not found:
        known = {each.word.rpartition("/")[2] for kind in compilers for _, each in glossary_of(kind).entries()}
        raise UsageError(
            f"cannot explain '{word}': it is not in the glossary",
            slug="unknown-decision-word",
            hint=near_hint(word, known, "sonde decisions explain"),
        )
    return found
