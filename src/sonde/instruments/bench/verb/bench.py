"""Measure how fast things are, and say whether a difference is real.

  sonde bench "python a.py" "python b.py"    commands in turns, until it is known which is faster
  sonde bench --steady mod:func mod:func2    functions, once they are warm
  sonde bench --parameter n=1,10 "sort {n}"  one command with several values, or several commands with each
  sonde bench --metric 'score=score: ([0-9.]+)' ./a ./b     by what they print
  sonde bench run suite.toml -o new.sonde    benchmarks x alternatives of a suite; --resume continues
  sonde bench show results.sonde             the report of results; --html for a page
  sonde bench compare old.sonde new.sonde    what changed, by how much, and what cannot be said
  sonde bench history results/               when something became slower or faster, over many results
  sonde bench import results.json ...        judge what pyperf, hyperfine, JMH, Go, criterion, ... wrote
  sonde bench lint results.json              what usual practices would have concluded from this data
  sonde bench tune                           what makes this machine noisy; -- COMMAND runs with better settings

Each of these has its own --help. Put a command of the same name behind --: sonde bench -- run

Every invocation counts as one value. Intervals and tests state their method and assumptions; a number that
the data do not support is not printed. docs/bench.md is the guide.

exit code: 0 done, 1 an alternative failed (for compare and history: something got worse; 2 if results cannot be
compared, and for history 4 if there are too few), 130, 143, 129 interrupted by SIGINT, SIGTERM, SIGHUP: what
was measured is reported and kept.
"""

import argparse
import gc

from sonde.base.numeric_packages import require_numeric_packages
from sonde.instruments.bench.verb.run import configure_direct, run_direct
from sonde.options.parser import run_question

QUESTIONS = {
    "run": "sonde.instruments.bench.verb.suite",
    "show": "sonde.instruments.bench.verb.show",
    "compare": "sonde.instruments.bench.verb.compare",
    "history": "sonde.instruments.bench.verb.history",
    "import": "sonde.instruments.bench.verb.import_files",
    "lint": "sonde.instruments.bench.verb.lint",
    "tune": "sonde.instruments.bench.verb.tune",
}
"""First word -> module, each like a verb's."""

EXIT_CODE_ANSWERS = True


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the direct form."""
    configure_direct(parser)


def split_program(words: list[str]) -> tuple[list[str], list[str]]:
    """What begins with the name of a question belongs to that."""
    return ([], words) if words[:1] and words[0] in QUESTIONS else (words, [])


def run(arguments: argparse.Namespace) -> int:
    """Measure commands or functions, or do one of the questions.

    Raises:
        MissingCapability: `no-numpy`.
    """
    is_help = bool({"-h", "--help"} & set(arguments.program))
    if arguments.program and arguments.program[0] != "run":
        # A hundred thousand values are read and judged, none of them in circles, and then the process ends: looking
        # through them for garbage takes a sixth of the time.
        gc.disable()
    if not is_help:
        require_numeric_packages("judge measurements")
    if not arguments.program:
        return run_direct(arguments)
    return run_question("bench", QUESTIONS, arguments.program)
