"""Sample a Python program from outside, and estimate where its time goes.

  sonde sample app.py
  sonde sample --pid 4711 --for 30s                 a running process
  sonde sample --what wall --threads app.py         elapsed time: what threads wait for, too
  sonde sample --what gil --pid 4711                who holds the interpreter's lock
  sonde sample -r 10kHz -o run.sonde app.py         at a higher rate; and keep it: sonde view run.sonde
  sonde sample --follow -- gunicorn app:app         with the processes that it starts
  sonde sample --lines app.py                       what each line of source costs
  sonde sample --tasks server.py                    asyncio: the time of each running task
  sonde sample --native app.py                      C functions and Python functions in one stack
  sonde sample --what tasks --pid 4711              asyncio: what all tasks wait for, and where
  sonde sample --now --pid 4711                     asyncio: once, which task awaits which
  sonde sample --live --pid 4711                    a display like top's: functions, lines, threads
  sonde sample --mechanism immediate app.py         the program samples itself, in a signal handler
  sonde sample study app.py                         compare the ways to sample this program

A thousand times a second, the stacks of its threads are read from its memory. Nothing runs in the program, nothing
is installed for it, and only --native stops it; it may have been started long ago. Calls are not counted, and all
times are estimates, with intervals.

PROGRAM is `script.py args`, `-m module args`, `-c code args`, or `-- command args`; it runs CPython 3.11 to 3.15,
which need not be sonde's own. What the program prints, returns and raises is untouched; the report goes to stderr, and
`sonde sample` exits as the program did. With --pid, Ctrl-C ends the sampling, not the process;
so do SIGTERM and SIGHUP, by which sonde itself then ends once the report is printed.
"""

import argparse
import sys
from shlex import quote
from typing import TYPE_CHECKING

from sonde.base.errors import EXIT_MISSING_CAPABILITY, EXIT_OK
from sonde.instruments.contexts.own_sampling_options import MechanismOptions, check_mechanism
from sonde.instruments.contexts.sampling_options import TASKS, SampleOptions, check_target
from sonde.instruments.contexts.shown_code import ShownCode, check_whole_threads
from sonde.instruments.contexts.sources.sampling import OwnSampling, StackSampling
from sonde.launch import NowAndThen, Outcome, end_as, end_by, program_of_words, run_to_end
from sonde.options.declared import add_options, options_from, split_at_program
from sonde.options.keeping import KeepOptions
from sonde.options.output import add_force_option, add_json_option, add_text_options, check_answer_options
from sonde.options.parser import run_question

if TYPE_CHECKING:
    from pathlib import Path

    from sonde.instruments.contexts.live import Subject
    from sonde.instruments.contexts.profile import ContextProfile
    from sonde.instruments.contexts.verb.sampled_live import SampledLive

EXIT_CODE_ANSWERS = True
QUESTIONS = {"study": "sonde.instruments.contexts.verb.sample_study"}
"""First word -> module, like a verb's; a program of that name stands behind --."""
_FEW = 100
"""Stacks: with fewer, a function that has a tenth of the time is known to half of that."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the verb."""
    parser.usage = (
        "sonde sample [options] (script.py | -m module | -c code | -- command) [args ...]\n"
        "       sonde sample [options] --pid PID [--for TIME]"
    )
    add_options(parser, KeepOptions, SampleOptions, MechanismOptions, ShownCode)
    add_json_option(parser)
    add_text_options(parser)
    add_force_option(parser)


def split_program(words: list[str]) -> tuple[list[str], list[str]]:
    """Our own options, and PROGRAM with everything after it, whatever it looks like; or all that is of a study."""
    if words and words[0] in QUESTIONS:
        return [], words
    return split_at_program(words, KeepOptions, SampleOptions, MechanismOptions, ShownCode)


def run(arguments: argparse.Namespace) -> int:
    """Look at the program, keep and show the profile, and return the program's exit code."""
    if arguments.program and arguments.program[0] in QUESTIONS:
        return run_question("sample", QUESTIONS, arguments.program)
    options, code = options_from(SampleOptions, arguments), options_from(ShownCode, arguments)
    how = options_from(MechanismOptions, arguments)
    if options.now:
        return _show_now(options, how, arguments)
    check_target(options, arguments.program)
    check_mechanism(how, options)
    argv = () if options.pid is not None else program_of_words(arguments.program, "sample").argv
    check_answer_options(arguments)
    keep = options_from(KeepOptions, arguments)
    output = keep.checked_output(force=arguments.force)
    keep.check_is_told(arguments, doing="run")
    if options.is_apart and options.what != TASKS:  # the tree of tasks is that of all of them
        check_whole_threads(code)
    if how.is_own:
        return _run_sampling_itself(how, options, argv, output, arguments)
    sampling = StackSampling(
        options.period_ns,
        is_processor=options.what == "cpu",
        of_lock=options.what == "gil",
        apart=options.threads or options.live,
        by_tasks=options.tasks,
        of_tasks=options.what == TASKS,
        follow=options.follow,
        for_ns=options.for_,
        native=options.native,
    )
    outcome, ended_by = None, None
    live = _live_page(sampling, options) if options.live else None
    if options.pid is not None:
        from sonde.instruments.contexts.verb.sampled_process import (
            look_at_process,
        )  # a program's start does not need it

        ended_by = look_at_process(sampling, options.pid, live)
    else:
        outcome = _run_program(sampling, argv, live)
    return _end_as(outcome, _conclude(sampling, outcome, argv, options, output, arguments), ended_by)


def _show_now(options: SampleOptions, how: MechanismOptions, arguments: argparse.Namespace) -> int:
    from sonde.instruments.contexts.verb.tasks_now import check_now, show_tasks_now

    keep = options_from(KeepOptions, arguments)
    check_now(options, arguments.program, is_kept=keep.output is not None, is_own=how.is_own)
    check_answer_options(arguments)
    assert options.pid is not None  # as check_now has seen
    return show_tasks_now(options.pid, arguments)


def _run_sampling_itself(
    how: MechanismOptions,
    options: SampleOptions,
    argv: tuple[str, ...],
    output: "Path | None",
    arguments: argparse.Namespace,
) -> int:
    from sonde.instruments.contexts.sources.sampling import OwnSamplingPlan
    from sonde.instruments.contexts.verb.own_sampled_run import own_sampling, run_sampling_itself

    plan = OwnSamplingPlan(
        how.mechanism,
        how.used_trigger,
        options.period_ns,
        apart=options.threads,
        follow=options.follow,
        for_ns=options.for_,
    )
    with own_sampling(plan) as sampling:
        outcome = run_sampling_itself(sampling, argv)
        failure = _conclude(sampling, outcome, argv, options, output, arguments)
    return _end_as(outcome, failure)


def _conclude(
    sampling: StackSampling | OwnSampling,
    outcome: Outcome | None,
    argv: tuple[str, ...],
    options: SampleOptions,
    output: "Path | None",
    arguments: argparse.Namespace,
) -> int:
    """Report; returns an exit code of ours if that cannot be done."""
    if outcome is None:
        return _report(sampling, outcome, argv, options, output, arguments)
    from sonde.render.kept_answer import concluded  # once the program has run

    return concluded(lambda: _report(sampling, outcome, argv, options, output, arguments))


def _end_as(outcome: Outcome | None, failure: int, ended_by: int | None = None) -> int:
    """End as the program did; what was kept on the disk meanwhile is gone by now.

    Args:
        ended_by: the signal that has ended the looking at a process.
    """
    if outcome is not None:
        return end_as(outcome) or failure
    return failure if ended_by is None else end_by(ended_by)


def _live_page(sampling: StackSampling, options: SampleOptions) -> "SampledLive":
    from sonde.instruments.contexts.verb.sampled_live import SampledLive  # a program's start does not need it

    subject: Subject = "lines" if options.lines else "threads" if options.is_apart else "functions"
    return SampledLive(sampling, options.what, subject, is_alone=options.pid is not None)


def _run_program(sampling: StackSampling, argv: tuple[str, ...], live: "SampledLive | None") -> Outcome:
    def started(pid: int) -> None:
        sampling.wait_for(pid)
        sampling.begin()

    def prepare() -> None:
        import sonde.instruments.contexts.analyses
        import sonde.instruments.contexts.profile  # noqa: F401

    try:
        if live is None:
            return run_to_end(argv, started=started, meanwhile=prepare)
        with live:
            return run_to_end(
                argv, started=started, meanwhile=prepare, now_and_then=NowAndThen(live.CHORE_S, live.step)
            )
    finally:
        sampling.end()


def _report(
    sampling: StackSampling | OwnSampling,
    outcome: Outcome | None,
    argv: tuple[str, ...],
    options: SampleOptions,
    output: "Path | None",
    arguments: argparse.Namespace,
) -> int:
    keep, code = options_from(KeepOptions, arguments), options_from(ShownCode, arguments)
    profile = _profile(sampling, outcome, argv, by_threads=options.is_apart)
    if profile is None:
        return EXIT_MISSING_CAPABILITY
    not_written = None
    if output is not None:
        from sonde.instruments.contexts.profile import write_profile
        from sonde.render.kept_answer import keep_profile

        not_written = keep_profile(output, lambda file: write_profile(file, profile))
    is_data = arguments.json or arguments.markdown
    if is_data or not keep.quiet:
        from sonde.instruments.contexts.report import ContextLimits, contexts_report  # once the program has run
        from sonde.render.answers import print_answer

        report = contexts_report(
            profile,
            ContextLimits(code.min_share),
            code,
            with_data=arguments.json,
            by_threads=profile.threads is not None,
            by_lines=options.lines,
        )
        print_answer(report, arguments, sys.stderr)
    if not_written is not None:
        raise not_written
    if not keep.quiet:
        _tell_more(sampling, output, is_data=is_data)
    return EXIT_OK


def _profile(
    sampling: StackSampling | OwnSampling, outcome: Outcome | None, argv: tuple[str, ...], *, by_threads: bool
) -> "ContextProfile | None":
    """None if nothing was seen: the reason is printed."""
    if isinstance(sampling, OwnSampling):
        from sonde.instruments.contexts.verb.own_sampled_run import explain_no_samples, own_profile

        assert outcome is not None  # we have started it
        profile = own_profile(sampling, outcome, argv, by_threads=by_threads)
        if not profile.total_ns:
            explain_no_samples(sampling, outcome)
    else:
        from sonde.instruments.contexts.verb.sampled_run import explain_nothing, profile_of

        profile = profile_of(sampling, outcome, argv, by_threads=by_threads)
        if not profile.total_ns:
            explain_nothing(sampling, outcome)
    return profile if profile.total_ns else None


def _tell_more(sampling: StackSampling | OwnSampling, output: "Path | None", *, is_data: bool) -> None:
    stacks = sampling.sampler.sums()["stacks"]
    if stacks < _FEW:
        print(f"sonde: only {stacks} stacks were seen; -r 10kHz sees more", file=sys.stderr)
    if output is not None:
        print(f"sonde: wrote {output}; sonde view {quote(str(output))} --html run.html", file=sys.stderr)
    elif not is_data:
        print("sonde: the profile was not kept; -o run.sonde keeps it", file=sys.stderr)
