"""What the compiler decided, and what changed: inlining, optimizations, and their differences between runs.

  sonde decisions capture -o fast -- java -jar app.jar      run a program, record what its compiler does
  sonde decisions show fast                                 the trees of hot compilation units
  sonde decisions diff fast slow                            what differs in hot code; --html for a page
  sonde decisions consistent --fast f1 f2 --slow s1 s2      same in all fast runs, other in all slow ones
  sonde decisions explain LoadClobbered                     what a word of a compiler means, and what to do
  sonde decisions profdiff jit-vs-jit LOG PROF LOG PROF     commands, options and text of Graal's profdiff

Each of these has its own --help. A run is a folder or file that sonde recognises by what is in it:

  graal      an optimization log, and proftool's profile.json beside it
  llvm       optimization remarks, YAML or bitstream, of clang, rustc, zig, Numba or sonde's own compiler
  hotspot    XML of -XX:+LogCompilation, JDK 17 and 25
  cpython    what the specialising interpreter decided, 3.11 and newer; sonde decisions capture records it

Where the time went comes from what lies beside the record, or from --profile: proftool JSON, perf script,
pprof, JFR, or a .sonde profile. docs/decisions-verb.md is the guide.

exit code: 0 done, 1 an error; for diff 1 there are differences, 2 an error; `capture` exits as the program.
"""

import argparse
import gc
from importlib import import_module

from sonde.base.errors import UsageError
from sonde.base.near_names import near_hint
from sonde.options.parser import run_question

QUESTIONS = {
    "show": "sonde.instruments.decisions.verb.show",
    "diff": "sonde.instruments.decisions.verb.diff",
    "consistent": "sonde.instruments.decisions.verb.consistent",
    "capture": "sonde.instruments.decisions.verb.capture",
    "explain": "sonde.instruments.decisions.verb.explain",
    "profdiff": "sonde.instruments.decisions.verb.profdiff",
}
"""First word -> module, each like a verb's; `profdiff` reads its words itself, because they are another program's."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare that a question is needed; its own options follow it."""
    parser.add_argument("question", nargs="?", metavar="QUESTION", help=", ".join(QUESTIONS))


def split_program(words: list[str]) -> tuple[list[str], list[str]]:
    """What begins with the name of a question belongs to that."""
    return ([], words) if words[:1] and words[0] in QUESTIONS else (words, [])


def run(arguments: argparse.Namespace) -> int:
    """Do one of the questions.

    Raises:
        UsageError: `unknown-question`, and what the question raises.
    """
    if not arguments.program:
        raise _unknown(arguments.question)
    question, *words = arguments.program
    if question == "profdiff":
        return int(import_module(QUESTIONS[question]).run_words(words))
    if question != "capture":
        # Millions of nodes of trees, none in circles, are read and compared, and then the process ends: looking
        # through them for garbage takes a third of the time.
        gc.disable()
    return run_question("decisions", QUESTIONS, arguments.program)


def _unknown(word: str | None) -> UsageError:
    from pathlib import Path

    known = ", ".join(QUESTIONS)
    if word is None:
        return UsageError(
            f"cannot tell what to do: a question is missing, one of {known}",
            slug="unknown-question",
            hint="sonde decisions --help",
        )
    if Path(word).exists():
        hint = f"sonde decisions show {word}"
    else:
        hint = near_hint(word, QUESTIONS, "sonde decisions --help", before="sonde decisions ")
    return UsageError(f"cannot answer '{word}': the questions are {known}", slug="unknown-question", hint=hint)
