"""Run a suite: many benchmarks x alternatives, in turns, until each is known well enough.

    sonde bench run suite.toml -o results.sonde
    sonde bench run suite.toml -o results.sonde --resume          go on where it stopped, or was killed
    sonde bench run suite.toml --benchmark sort --rounds 5        a part of it, quickly

A suite is a TOML file: benchmarks, the factors that their alternatives are made of, and settings;
docs/suite-file.md describes it. Options prevail over settings of the suite. Every mistake in it is told before
anything runs.

exit code: 0 done, 1 an invocation failed, 130 interrupted (143 by SIGTERM, 129 by SIGHUP): what
was measured until then is reported and kept.
"""

import argparse
import sys
from pathlib import Path
from typing import Any

from sonde.base.errors import EXIT_OK
from sonde.instruments.bench import Policy
from sonde.instruments.bench.options import BaselineOptions, MeasuringOptions, SuiteOptions
from sonde.instruments.bench.verb.judgement import add_report_options
from sonde.instruments.bench.verb.measuring import measure
from sonde.instruments.bench.verb.outputs import check_current_folder
from sonde.options.declared import options_from
from sonde.options.output import check_answer_options

_OVERRIDING = ("rounds", "precision", "min_rounds", "max_rounds", "budget", "warmup", "timeout", "seed")
"""Options that prevail over the setting of their name."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sonde bench run`."""
    parser.add_argument("suite", type=Path, help="a TOML file")
    add_report_options(parser, SuiteOptions, MeasuringOptions, BaselineOptions, Policy)


def run(arguments: argparse.Namespace) -> int:
    """Measure a suite, and report.

    Returns:
        0; 1 when an invocation failed; when it was interrupted 130, 143 after SIGTERM, 129 after SIGHUP.
    Raises:
        InputError: `no-such-suite`.
        UsageError: `bad-suite`, `no-such-folder`.
        SondeError: something cannot be run, stored or written.
    """
    from sonde.instruments.bench.report import plan_report
    from sonde.instruments.bench.runs.session import new_seed
    from sonde.instruments.bench.runs.suite import has_seed, read_suite
    from sonde.render.answers import print_answer

    check_current_folder()
    asked, options = options_from(SuiteOptions, arguments), options_from(MeasuringOptions, arguments)
    overrides: dict[str, Any] = {
        option.replace("_", "-"): value for option in _OVERRIDING if (value := getattr(options, option)) is not None
    }
    level = options_from(Policy, arguments).level
    plan = read_suite(arguments.suite, overrides=overrides, seed=new_seed(), only=asked.benchmark, level=level)
    if asked.list:
        check_answer_options(arguments, page_besides=True)
        print_answer(plan_report(plan, str(arguments.suite)), arguments, sys.stdout)
        return EXIT_OK
    return measure(plan, arguments, seed_is_chosen=options.seed is not None or has_seed(arguments.suite))
