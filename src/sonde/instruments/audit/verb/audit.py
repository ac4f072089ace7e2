"""Test whether profilers can be believed: run a program under each of them, many times, and compare their answers.

  sonde audit app.py                                  all profilers that are installed
  sonde audit --profilers cProfile,py-spy,sonde app.py
  sonde audit -o audit.sonde -m package args          keep all runs; sonde view audit.sonde --html audit.html
  sonde audit --toggle numba bench.py                 do they notice that Numba's code is not inlined
  sonde audit -- /path/to/python app.py               the profilers that are installed there
  sonde audit prog.cpp -O2 -- args                    sonde's own, of a program that it compiles

In each round the program runs once under every profiler, twice without one, and once densely sampled from outside,
which is what answers are compared with. The report has cost, accuracy, precision, missing time, how much of an answer
follows the number of calls instead of time, and which profilers notice that an optimisation was turned off (--toggle;
by default, the interpreter's inlined calls).

Exits with 1 if a profiler was found to be wrong, with 0 if none was, and with 4 if the runs do not suffice to decide.
"""

import argparse
import sys
from pathlib import Path
from shlex import quote
from tempfile import TemporaryDirectory

from sonde.base.errors import EXIT_FAILED, EXIT_OK, SondeError, UsageError
from sonde.base.numeric_packages import require_numeric_packages
from sonde.base.units import counted
from sonde.evidence import Loss
from sonde.instruments.audit.options import AuditOptions, AuditViewOptions
from sonde.instruments.audit.profile import AuditProfile, Profiler, write_audit
from sonde.instruments.audit.sources import (
    INLINING,
    OF_COMPILED,
    Rounds,
    audited_compiled,
    audited_python,
    compiled_code,
    turned_off,
)
from sonde.instruments.audit.verb.chosen_profilers import chosen_drivers, chosen_profilers
from sonde.launch import is_compiled, program_of_words
from sonde.options.declared import add_options, options_from, split_at_program
from sonde.options.keeping import KeepOptions
from sonde.options.output import add_force_option, check_answer_options
from sonde.render.answers import add_answer_options, print_answer
from sonde.render.progress_line import ProgressLine

EXIT_UNDECIDED = 4
EXITS_WITH_1_FOR_DIFFERENCES = True


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the verb."""
    parser.usage = "sonde audit [options] (script.py | -m module | -- /path/to/python script.py | prog.c) [args ...]"
    add_options(parser, AuditOptions, KeepOptions, AuditViewOptions)
    add_answer_options(parser)
    add_force_option(parser)


def split_program(words: list[str]) -> tuple[list[str], list[str]]:
    """Our own options, and PROGRAM with everything after it, whatever it looks like."""
    return split_at_program(words, AuditOptions, KeepOptions, AuditViewOptions)


def run(arguments: argparse.Namespace) -> int:
    """Run the program in rounds; keep and tell what was found.

    Raises:
        UsageError: `no-program`, `unknown-profiler`, `output-exists`.
        InputError: `program-fails`.
        MissingCapability: `no-numpy`, `no-agent`.
    """
    require_numeric_packages("judge profilers")
    asked, keep = options_from(AuditOptions, arguments), options_from(KeepOptions, arguments)
    check_answer_options(arguments)
    output = keep.checked_output(force=arguments.force)
    keep.check_is_told(arguments, doing="audit")
    with TemporaryDirectory(prefix="sonde-audit-") as kept:
        rounds, python = (
            _compiled(arguments.program, asked)
            if is_compiled(arguments.program)
            else _python(arguments, asked, Path(kept))
        )
        profile = _measured(rounds, asked.rounds, python)
    if output is not None:
        write_audit(output, profile)
    from sonde.instruments.audit.report import audit_report  # needs NumPy

    report = audit_report(profile, options_from(AuditViewOptions, arguments))
    if arguments.json or arguments.markdown or not keep.quiet:
        print_answer(report, arguments, sys.stdout)
    if output is not None and not keep.quiet:
        print(f"sonde: wrote {output}; sonde view {quote(str(output))} --html audit.html", file=sys.stderr)
    if report.is_undecided:
        return EXIT_UNDECIDED
    return EXIT_FAILED if report.changed else EXIT_OK


def _python(arguments: argparse.Namespace, asked: AuditOptions, kept: Path) -> tuple[Rounds, str]:
    """The runs of a Python program, and the version of its interpreter."""
    program = audited_python(program_of_words(arguments.program, "audit"))
    if asked.toggle and not asked.realism:
        raise UsageError(
            "cannot turn anything off with --no-realism: --toggle says what half of the runs are without",
            slug="usage",
            hint="leave out --no-realism, or --toggle",
        )
    chosen = chosen_profilers(program, asked.profilers)
    off = turned_off(asked.toggle or ("calls",), chosen.interpreter, kept) if asked.realism else None
    rounds = Rounds(program, chosen.drivers, chosen.profilers, turned_off=off, seed=asked.seed)
    return rounds, chosen.interpreter.version


def _compiled(words: list[str], asked: AuditOptions) -> tuple[Rounds, str]:
    """The runs of a program that sonde compiles, by its own profilers."""
    if asked.toggle:
        raise UsageError(
            f"cannot turn '{asked.toggle[0]}' off in '{words[0]}': --toggle is for Python programs",
            slug="usage",
            hint="leave out --toggle: programs that sonde compiles are audited without inlining",
        )
    program = audited_compiled(words)
    drivers = chosen_drivers({each.name: each for each in OF_COMPILED}, asked.profilers)
    profilers = tuple(Profiler(each.name, clock=each.clock) for each in drivers)
    without = program.without if asked.realism else None
    rounds = Rounds(program, drivers, profilers, without=without, seed=asked.seed, code=compiled_code(program))
    if asked.realism and without is None:
        rounds.why_not_turned_off = "only of C and C++ it is known how"
    return rounds, ""


def _measured(rounds: Rounds, count: int, python: str) -> AuditProfile:
    """All runs; those up to Ctrl-C, if one of each configuration is among them."""
    what = rounds.turned_off.words if rounds.turned_off is not None else INLINING
    losses: list[Loss] = []
    rounds.check_program()
    if rounds.why_not_turned_off:
        losses.append(Loss("realism-not-measured", 0, f"{what} cannot be turned off: {rounds.why_not_turned_off}"))
    if rounds.outputs_differ:
        detail = "the program by itself does not print the same twice: whether profilers change it is not known"
        losses.append(Loss("outputs-differ", 0, detail))
    try:
        rounds.count_calls()
    except SondeError as error:
        losses.append(Loss("calls-not-counted", 0, error.message))
    total, done = count * len(rounds.turns), 0
    progress = ProgressLine("sonde: run")
    try:
        for _ in rounds.run(count):
            done += 1
            progress(done, total)
    except KeyboardInterrupt:
        if done < len(rounds.turns):
            raise
        detail = f"the audit was cut off after {counted(done, 'run')} of {total:,}"
        losses.append(Loss("audit-cut-off", total - done, detail))
    finally:
        progress.close()
    return rounds.profile(python=python, turned_off=what if rounds.is_turned_off else "", losses=tuple(losses))
