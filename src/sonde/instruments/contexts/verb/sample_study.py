"""Compare the ways to sample a program: every trigger with every mechanism, at several rates.

  sonde sample study app.py
  sonde sample study --rates 100Hz,1kHz,10kHz --rounds 10 app.py
  sonde sample study --html study.html -m module args     also as a page, with plots

In each round the program runs alone, densely sampled, and once in each way, in random order; its output is discarded.
The report has the cost of each way, how near its profile comes to the dense one, whether its runs agree, and the rate
that it reached.

PROGRAM is `script.py args`, `-m module args`, `-c code args`, or `-- command args`; a run of it should take some
seconds. The study takes as many runs as rounds times ways: Ctrl-C ends it with the rounds that are complete.
"""

import argparse
import sys
from typing import TYPE_CHECKING

from sonde.base.errors import EXIT_OK, MissingCapability, UsageError
from sonde.base.numeric_packages import require_numeric_packages
from sonde.instruments.contexts.analyses import stack_contexts
from sonde.instruments.contexts.profile import ContextProfile, Run
from sonde.instruments.contexts.profile.comparison.own_shares import mean_shares, own_shares
from sonde.instruments.contexts.sampling_study_options import StudyOptions
from sonde.instruments.contexts.sources.sampling import OwnSampling, StackSampling
from sonde.instruments.contexts.verb.sampled_run import processes_of
from sonde.instruments.contexts.verb.study_runs import StudyRun, StudyRuns, Way, all_ways
from sonde.launch import program_of_words
from sonde.options.declared import add_options, options_from, split_at_program
from sonde.options.output import add_force_option, check_answer_options
from sonde.render.answers import add_answer_options, print_answer
from sonde.render.progress_line import ProgressLine

if TYPE_CHECKING:
    from sonde.instruments.contexts.profile.comparison.sampling_study import SampledRun
    from sonde.report import Report


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the verb."""
    parser.usage = "sonde sample study [options] (script.py | -m module | -c code | -- command) [args ...]"
    add_options(parser, StudyOptions)
    add_answer_options(parser)
    add_force_option(parser)


def split_program(words: list[str]) -> tuple[list[str], list[str]]:
    """Our own options, and PROGRAM with everything after it, whatever it looks like."""
    return split_at_program(words, StudyOptions)


def run(arguments: argparse.Namespace) -> int:
    """Run the program in rounds, and tell what was found.

    Raises:
        UsageError: `no-program`, `output-exists`.
        InputError: `program-fails`.
        MissingCapability: `no-numpy`, `no-agent`.
    """
    require_numeric_packages("judge ways of sampling")
    if not arguments.program:
        raise UsageError(
            "cannot study anything: no program was given", slug="no-program", hint="sonde sample study app.py"
        )
    options = options_from(StudyOptions, arguments)
    page = check_answer_options(arguments)
    argv = program_of_words(arguments.program, "sample study").argv
    dense = Way("immediate", "task-clock", options.dense)
    runs = StudyRuns(argv, all_ways(options.rates), dense)
    _run_rounds(runs, options.rounds)
    if dense in runs.refused:
        raise MissingCapability(
            f"cannot study anything: the dense profile is not to be had: {runs.refused[dense]}",
            slug="no-dense-profile",
            hint="from outside it can be looked at all the same: sonde sample PROGRAM",
        )
    report = _report(runs)
    if page is not None:
        from sonde.render.html import write_report_page  # only this branch needs the page and its parts

        write_report_page(report, page, " ".join(argv))
        print(f"sonde: wrote {page}", file=sys.stderr)
    else:
        print_answer(report, arguments, sys.stdout)
    return EXIT_OK


def _run_rounds(runs: StudyRuns, rounds: int) -> None:
    """All rounds; after Ctrl-C, those that are whole."""
    total, done = rounds * (1 + len(runs.ways)), 0
    progress = ProgressLine("sonde: run")
    try:
        for _ in range(rounds):
            for _ in runs.run_round():
                done += 1
                progress(done, total)
    except KeyboardInterrupt:
        if not runs.plain:
            raise
    finally:
        progress.close()


def _report(runs: StudyRuns) -> "Report":
    from sonde.instruments.contexts.profile.comparison.sampling_study import way_figures  # these need NumPy
    from sonde.instruments.contexts.report.sampling_study_report import StudiedWay, sampling_study_report

    plain = [(each.elapsed_ns, each.processor_ns) for each in runs.plain]
    sampled = {way: [_sampled(each) for each in of_way] for way, of_way in runs.runs.items() if of_way}
    dense = mean_shares([each.own for each in sampled[runs.dense]])
    ways = {way: StudiedWay(*way, way_figures(each, plain, dense)) for way, each in sampled.items()}
    return sampling_study_report(
        " ".join(runs.argv),
        [way for key, way in ways.items() if key != runs.dense],
        ways[runs.dense],
        len(plain),
        _refusals(runs),
    )


def _sampled(run: StudyRun) -> "SampledRun":
    from sonde.instruments.contexts.profile.comparison.sampling_study import SampledRun  # needs NumPy

    assert run.sampling is not None  # it was sampled
    profile = _profile(run.sampling)
    return SampledRun(
        run.elapsed_ns,
        run.processor_ns,
        run.sampling.sampler.sums()["stacks"],
        profile.total_ns,
        own_shares(profile),
    )


def _profile(sampling: OwnSampling | StackSampling) -> ContextProfile:
    run = Run(time_kind="processor")
    return stack_contexts(sampling.sampler, run, processes_of(sampling), period_ns=sampling.period_ns)


def _refusals(runs: StudyRuns) -> dict[str, str]:
    """By trigger: all mechanisms and rates have the same reason."""
    return {way.trigger: why for way, why in runs.refused.items()}
