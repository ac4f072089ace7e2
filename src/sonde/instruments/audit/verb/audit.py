"""Say whether profilers can be believed: run a program under each of them, many times, and compare what they say.

  sonde audit app.py                                  all profilers that are installed
  sonde audit --profilers cProfile,py-spy,sonde app.py
  sonde audit -o audit.sonde -m package args          keep all runs; sonde view audit.sonde --html audit.html
  sonde audit -- /path/to/python app.py               the profilers that are installed there

In each round every profiler has its turn, as has the program by itself, twice, and a dense sample from outside, which
answers are compared with. Told are cost, accuracy, precision, time that is missing, how much of an answer follows calls
in place of time, and who notices that the interpreter's inlined calls were turned off.

Exits with 1 if a profiler was found to be wrong, with 0 if none was; with 4 if the runs do not suffice to say so.
"""

import argparse
import sys
from importlib.util import find_spec
from shlex import quote

from sonde.base.errors import EXIT_FAILED, EXIT_OK, MissingCapability, SondeError
from sonde.base.units import counted
from sonde.evidence import Loss
from sonde.instruments.audit.options import AuditOptions, AuditViewOptions
from sonde.instruments.audit.profile import AuditProfile, write_audit
from sonde.instruments.audit.sources import INLINED_CALLS, AuditedPython, Rounds, audited_python, plain_frames
from sonde.instruments.audit.verb.chosen_profilers import ChosenProfilers, chosen_profilers
from sonde.launch import program_of_words
from sonde.options.declared import add_options, options_from, split_at_program
from sonde.options.keeping import KeepOptions
from sonde.options.output import add_force_option, check_answer_options
from sonde.render.answers import add_answer_options, print_answer
from sonde.render.progress_line import ProgressLine

EXIT_UNDECIDED = 4
EXITS_WITH_1_FOR_DIFFERENCES = True


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the verb."""
    parser.usage = "sonde audit [options] (script.py | -m module | -- /path/to/python script.py) [args ...]"
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
    if any(find_spec(name) is None for name in ("numpy", "scipy")):
        raise MissingCapability(
            "cannot judge profilers: NumPy or SciPy is not installed",
            slug="no-numpy",
            hint="python -m pip install 'sonde[bench]'",
        )
    asked, keep = options_from(AuditOptions, arguments), options_from(KeepOptions, arguments)
    check_answer_options(arguments)
    output = keep.checked_output(force=arguments.force)
    keep.check_is_told(arguments, doing="audit")
    program = audited_python(program_of_words(arguments.program, "audit"))
    profile = _measured(program, asked, chosen_profilers(program, asked.profilers))
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


def _measured(program: AuditedPython, asked: AuditOptions, chosen: ChosenProfilers) -> AuditProfile:
    """All runs; those up to Ctrl-C, if one of each configuration is among them."""
    library = plain_frames() if asked.realism else None
    rounds = Rounds(program, chosen.drivers, chosen.profilers, library, asked.seed)
    losses: list[Loss] = []
    rounds.check_program()
    if rounds.why_not_turned_off:
        detail = f"inlined calls cannot be turned off: {rounds.why_not_turned_off}"
        losses.append(Loss("realism-not-measured", 0, detail))
    if rounds.outputs_differ:
        detail = "the program by itself does not print the same twice: whether profilers change it is not known"
        losses.append(Loss("outputs-differ", 0, detail))
    try:
        rounds.count_calls()
    except SondeError as error:
        losses.append(Loss("calls-not-counted", 0, error.message))
    total, done = asked.rounds * len(rounds.turns), 0
    progress = ProgressLine("sonde: run")
    try:
        for _ in rounds.run(asked.rounds):
            done += 1
            progress(done, total)
    except KeyboardInterrupt:
        if done < len(rounds.turns):
            raise
        detail = f"the audit was cut off after {counted(done, 'run')} of {total:,}"
        losses.append(Loss("audit-cut-off", total - done, detail))
    finally:
        progress.close()
    return rounds.profile(
        python=chosen.interpreter.version, turned_off=INLINED_CALLS if rounds.plain_frames else "", losses=tuple(losses)
    )
