"""Find the phases of a Python, C or C++ program by method: what is slow, why, and when.

  sonde phases app.py                                      what, why, when
  sonde phases --steps app.py                              find them in a first run, count in a second
  sonde phases --theta-weight 5% --theta-grain 1% app.py   fewer and longer phases
  sonde phases --counters page-faults,allocations app.py   choose the counters; see below
  sonde phases prog.c -O2 -- args                          a program that sonde compiles; two runs
  sonde phases --runs 5 app.py                             count in five runs: how much they vary
  sonde phases --counters simulated:l1d-misses app.py      simulated counters, on any machine
  sonde phases --times run.sonde app.py                    first run: sonde contexts --exact -o run.sonde app.py
  sonde phases -o run.sonde app.py                         keep it; sonde view, diff and merge read it
  sonde view run.sonde --html run.html                     a page, with a timeline to zoom into
  sonde phases plan run.sonde                              what other thresholds would select (of --steps)

A method is a phase if all its calls together take much of the program's time, and each call takes long. Counters are
read when a phase begins and ends, and nowhere else. Phases are found while the program runs: each method is watched
until its calls prove too short, and watched anew whenever the program has run for twice as long.

With --steps the program runs twice: the first time every call is timed (`sonde contexts`), the second time only the
methods that are phases are watched. Both runs should do the same work; standard input that the first one has read is
gone.

Counters: task-clock, page-faults, major-faults, context-switches (the kernel's); migrations, instructions, cycles,
cache-references, cache-misses, branches, branch-misses, l1d-misses, llc-misses, dtlb-misses (perf_event_open, where it
is allowed and the processor has them); collections, allocations, allocated-bytes (the interpreter's);
simulated:instructions, simulated:accesses, simulated:l1d-misses, simulated:llc-misses, simulated:branch-misses (sonde's
Valgrind tool: on any machine, in a run of their own, which is many times as slow and whose times are not used).
Counters that are not available are left out, and named. -v says where each comes from.

If more hardware counters are requested than the processor counts at a time, the program runs once to find its phases,
and once for each group. The same holds for simulated counters, and for --runs, where allocations and allocated-bytes
also have a run of their own. Runs are aligned by calls: the n-th call of a phase is the same in all of them. Where
calls differ, only sums are reported, with a notice. The program prints its output in each run.

Only the process itself is measured, neither forks nor programs that it starts. sonde exits as the program did (with
--steps, the second time); when that succeeded, with 1 if its profile could not be written, and with 3 if nothing could
be measured. A signal that ends a run, or asks it to end, is the end of the series: sonde exits as that run did, and if
that succeeded, with 128 and the signal's number (130 after Ctrl-C). The report goes to stderr.
"""

import argparse
import sys

from sonde.instruments.phases.options import PhaseOptions, PhaseViewOptions
from sonde.instruments.phases.profile import PhaseProfile, write_phase_profile
from sonde.instruments.phases.report import phase_report
from sonde.instruments.phases.sources.first_step import FirstStepCut
from sonde.instruments.phases.verb.measured_programs import PythonProgram
from sonde.instruments.phases.verb.measuring import measured
from sonde.instruments.phases.verb.unfinished_run import phase_folder
from sonde.launch import Outcome, end_as, is_compiled, program_of_words
from sonde.options.declared import add_options, options_from
from sonde.options.error_message import tell_error
from sonde.options.keeping import KeepOptions
from sonde.options.output import add_force_option, check_answer_options
from sonde.options.parser import run_question, split_at_question
from sonde.render.answers import add_answer_options
from sonde.render.kept_answer import concluded, keep_and_tell
from sonde.store.run_folder import RunFolder

QUESTIONS = {"plan": "sonde.instruments.phases.verb.plan"}
"""First word -> module, like a verb's; a program of that name stands behind `--`."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the verb."""
    parser.usage = "sonde phases [options] (script.py | -m module | -c code | -- command | prog.c ...) [args ...]"
    add_options(parser, PhaseOptions, KeepOptions, PhaseViewOptions)
    add_answer_options(parser)
    add_force_option(parser)


def split_program(words: list[str]) -> tuple[list[str], list[str]]:
    """Our own options, and PROGRAM with everything after it, whatever it looks like.

    Raises:
        UsageError: `usage`, options stand before the question that is meant.
    """
    return split_at_question("phases", QUESTIONS, words, PhaseOptions, KeepOptions, PhaseViewOptions)


def run(arguments: argparse.Namespace) -> int:
    """Run a program once or twice; keep and show the profile.

    Raises:
        UsageError: `no-program`, `not-of-compiled`; the output exists, or nothing would be left of the answer.
        MissingCapability: `no-phases-measured`, `no-agent`.
        SondeError: `cannot-write`, `cannot-execute`.
    """
    if arguments.program and arguments.program[0] in QUESTIONS:
        return run_question("phases", QUESTIONS, arguments.program)
    asked, keep = options_from(PhaseOptions, arguments), options_from(KeepOptions, arguments)
    shown = options_from(PhaseViewOptions, arguments)
    check_answer_options(arguments)
    keep.checked_output(force=arguments.force)
    keep.check_is_told(arguments, doing="measure")
    words = arguments.program
    program = None if is_compiled(words) else PythonProgram(program_of_words(words, "phases").argv)
    try:
        with phase_folder(keep.output, force=arguments.force) as folder:
            if program is None:
                profile, outcome = _measured_compiled(words, asked, folder)
            else:
                profile, outcome = measured(program, asked, folder.path)
            failure = concluded(
                lambda: keep_and_tell(
                    lambda file: write_phase_profile(file, profile),
                    lambda: phase_report(profile, shown),
                    keep,
                    arguments,
                    sys.stderr,
                )
            )
    except FirstStepCut as cut:
        tell_error(cut)
        return end_as(cut.outcome.of_cut_series)
    return end_as(outcome) or failure


def _measured_compiled(words: list[str], asked: PhaseOptions, folder: RunFolder) -> tuple[PhaseProfile, Outcome]:
    from sonde.instruments.phases.verb.compiled_program import ProgramToCompile, asked_of_compiled

    asked = asked_of_compiled(words[0], asked)
    return measured(ProgramToCompile.compile(words, folder.close), asked, folder.path)
