"""Run a Python program and count every call in its calling context, with time.

PROGRAM is `script.py args`, `-m module args`, `-c code args`, or `-- command args` where the
command starts a Python of this version. What the program prints, returns and raises is
untouched; the report goes to stderr, and `sonde contexts` exits as the program did (or, when the
program succeeded, with 1 if its profile could not be written and 3 if nothing was measured).

  sonde contexts app.py --size 3
  sonde contexts -o run.sonde -m black --check src
  sonde contexts --follow --builtins -- pytest -q
"""

import argparse
import sys
from pathlib import Path

from sonde.cli.live_run import LiveRun
from sonde.cli.output import add_force_option, add_json_option, check_output_path, print_json
from sonde.errors import EXIT_MISSING_CAPABILITY, SondeError, UsageError
from sonde.sources.cpython import AgentOptions, Outcome, die_by, launch, program_of_words

_OPTIONS_WITH_VALUE = ("-o", "--output", "--mechanism")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the verb."""
    parser.usage = "sonde contexts [options] (script.py | -m module | -c code | -- command) [args ...]"
    parser.add_argument("-o", "--output", metavar="FILE", help="keep the profile as FILE (usually run.sonde)")
    parser.add_argument(
        "--exact", action="store_true", help="every call of every context (the default, and only way yet)"
    )
    parser.add_argument("--no-time", action="store_true", help="count calls only, which costs less")
    parser.add_argument("--builtins", action="store_true", help="count calls of functions written in C too (slower)")
    parser.add_argument("--follow", action="store_true", help="also forked children and subprocesses that run Python")
    parser.add_argument(
        "--mechanism",
        default="",
        metavar="NAME",
        help="how calls are seen: cpython-eval-hook (3.11), cpython-monitoring (3.12+), cpython-set-profile"
        " (slow; default: the fastest there is)",
    )
    parser.add_argument("--quiet", action="store_true", help="print no report")
    add_json_option(parser)
    add_force_option(parser)


def split_program(words: list[str]) -> tuple[list[str], list[str]]:
    """Our own options, and PROGRAM with everything after it, whatever it looks like."""
    position = 0
    while position < len(words):
        word = words[position]
        if word in ("-m", "-c", "--", "-") or not word.startswith("-"):
            break
        position += 2 if word in _OPTIONS_WITH_VALUE else 1
    return words[:position], words[position:]


def run(arguments: argparse.Namespace) -> int:
    """Run the program, keep and show its profile, and return its exit code."""
    program = program_of_words(arguments.program)
    output = _output(arguments)
    if output is None and arguments.quiet and not arguments.json:
        raise UsageError(
            "cannot run with --quiet alone: the profile would go nowhere", slug="nothing-to-do", hint="add -o run.sonde"
        )
    if arguments.mechanism:
        _check_mechanism(arguments.mechanism)
    options = AgentOptions(
        timed=not arguments.no_time,
        builtins=arguments.builtins,
        follow=arguments.follow,
        mechanism=arguments.mechanism,
    )
    with LiveRun.begin(output, program.argv, force=arguments.force) as live:
        outcome = launch(program.argv, live.folder, options, meanwhile=live.prepare)
        try:
            failure = 0 if _report(live, outcome, arguments) else EXIT_MISSING_CAPABILITY
        except SondeError as error:
            # The program has run: it ends as it ended, whatever becomes of its profile.
            failure = error.exit_code
            live.keep()
            print(f"sonde: {error}", file=sys.stderr)
    if outcome.signal is not None:
        sys.stdout.flush()
        sys.stderr.flush()
        die_by(outcome.signal)
        return 128 + outcome.signal  # SIGKILL of oneself has been known to take a moment
    return outcome.exit_code or failure


def _check_mechanism(name: str) -> None:
    from sonde._agent import available  # loaded into this process only to ask

    if name not in available():
        raise UsageError(
            f"cannot use the mechanism '{name}': this Python has {' and '.join(available())}",
            slug="unknown-mechanism",
            hint="leave --mechanism out for the fastest",
        )


def _output(arguments: argparse.Namespace) -> Path | None:
    if arguments.output is None:
        return None
    return check_output_path(Path(arguments.output), force=arguments.force, device_allowed=False)


def _report(live: LiveRun, outcome: Outcome, arguments: argparse.Namespace) -> bool:
    profile = live.finish(outcome)
    if profile is None:
        return False
    if arguments.json:
        from sonde.views.terminal import ContextLimits, contexts_as_data

        print_json("contexts", 1, contexts_as_data(profile, ContextLimits()))
    elif not arguments.quiet:
        from sonde.views.terminal import print_contexts

        print_contexts(profile, sys.stderr)
        if live.output is None:
            print("sonde: the profile was not kept; -o run.sonde keeps it", file=sys.stderr)
    if live.output is not None and not arguments.quiet:
        print(f"sonde: wrote {live.output}; sonde view {live.output} --html run.html", file=sys.stderr)
    return True
