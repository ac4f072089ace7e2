"""Look at a profile, or at what a compiler decided: as text, as an HTML page, or as data.

    sonde view run.sonde                          the calling context tree and the hottest functions
    sonde view run.sonde --focus Parser.parse     the same for one function, wherever it was called
    sonde view run.sonde --min-share 0.1% --rows 200 | less
    sonde view run.sonde --html run.html          a page that opens from disk, without a network
    sonde view run.sonde --json                   schema sonde.view/1
    sonde view memory.sonde --sort D1             a profile of sonde memory: lines, types, objects
    sonde view results.sonde                      results of sonde bench: as sonde bench show
    sonde view RUN --html run.html                a run of sonde decisions: as sonde decisions show
    sonde view RUN_A RUN_B --html diff.html       two of them, side by side: as sonde decisions diff

In the tree, a function that is its caller's only listed callee stands right below it; recursion
is one line (`fib ×25 levels`), so is the interpreter's import machinery; `⋮` lists callers that
only pass a call on. What is too light to be listed is summed up in `…`.
"""

import argparse
import sys
from io import TextIOWrapper
from pathlib import Path

from sonde.base.errors import EXIT_OK, UsageError
from sonde.base.units import format_count, format_share
from sonde.base.whole_file import written_whole
from sonde.cli.profile_argument import check_options, kind_of_profile, resolve_profile
from sonde.instruments.bench.verb.view import view_results
from sonde.instruments.contexts.profile import ContextProfile, focus_on, read_function_totals, read_profile
from sonde.instruments.contexts.report.terminal import ContextLimits, contexts_as_data, print_contexts
from sonde.instruments.decisions.verb.view import is_decision_run, view_decisions
from sonde.instruments.memory.verb.profiles import view_memory
from sonde.options.numbers import add_size_options, share
from sonde.options.output import add_force_option, add_json_option, add_markdown_option, check_output_path, print_json

HEAVIEST = 10_000
"""Contexts read for the terminal: a tree of a few dozen lines comes from a few thousand, and folded
recursion gathers some more. Reading so many out of a million takes a fifth of a second."""
HEAVIEST_BOUNDED = 300_000
"""A profile in bounded memory is read whole: 300,000 contexts at most with the usual phi. Else what was not
kept could not be told from what was not read."""

EXIT_CODE_ANSWERS = True


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sonde view`."""
    defaults = ContextLimits()
    parser.add_argument("profile", type=Path, help="a .sonde file, or a run of sonde decisions")
    parser.add_argument("other", type=Path, nargs="?", metavar="run_b", help="another run of sonde decisions")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write an HTML page instead of printing")
    parser.add_argument(
        "--min-share",
        type=share,
        default=defaults.min_share,
        metavar="SHARE",
        help="list contexts with at least this share of the whole (default: 1%%)",
    )
    add_size_options(parser, rows=defaults.rows, functions=defaults.functions)
    parser.add_argument("--focus", metavar="NAME", help="show only what ran in functions of this name")
    parser.add_argument(
        "--sort", default="", metavar="WHAT", help="in profiles of memory: D1, L2, L3 (misses) or accesses come first"
    )
    add_json_option(parser)
    add_markdown_option(parser)
    add_force_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Show one profile.

    Raises:
        UsageError: the HTML file exists, two outputs were asked for, or no function has the focused name.
        InputError: the profile cannot be read.
        SondeError: `cannot-write`.
    """
    if arguments.other is not None or is_decision_run(arguments.profile):
        return view_decisions(arguments)
    arguments.profile = resolve_profile(arguments.profile)
    kind = kind_of_profile(arguments.profile)
    of_memory = {"--sort": bool(arguments.sort)}
    if kind.name in ("memory", "results"):
        usual = ContextLimits()
        of_contexts = {
            "--focus": arguments.focus is not None,
            "--min-share": arguments.min_share != usual.min_share,
            "--functions": arguments.functions != usual.functions,
        }
        check_options(kind, arguments.profile, of_contexts)
        if kind.name == "memory":
            return view_memory(arguments.profile, arguments)
        check_options(kind, arguments.profile, of_memory)
        return view_results(arguments.profile, arguments)
    check_options(kind, arguments.profile, of_memory)
    if arguments.html is not None:
        return _write_html(arguments)
    limits = ContextLimits(arguments.min_share, arguments.rows, arguments.functions)
    profile, note = _read(arguments, max(HEAVIEST, 2 * arguments.rows), with_sources=False)
    functions = read_function_totals(arguments.profile, profile) if profile.pruned_contexts else None
    if arguments.json:
        print_json("view", 1, {"focus": arguments.focus, **contexts_as_data(profile, limits, functions=functions)})
    else:
        print_contexts(profile, sys.stdout, limits=limits, functions=functions, note=note)
    return EXIT_OK


def _read(arguments: argparse.Namespace, heaviest: int | None, *, with_sources: bool) -> tuple[ContextProfile, str]:
    """The profile or the part of it in focus, and what that part is."""
    if arguments.focus is None:
        profile = read_profile(arguments.profile, heaviest=heaviest, with_sources=with_sources)
        if profile.pruned_contexts and profile.approximation is not None:
            profile = read_profile(arguments.profile, heaviest=HEAVIEST_BOUNDED, with_sources=with_sources)
        return profile, ""
    whole = read_profile(arguments.profile, with_sources=with_sources)
    part = focus_on(whole, arguments.focus)
    share_of_run = format_share(_weight(part), _weight(whole))
    weight = "time in threads" if whole.has_time else "calls"
    return part, f"focus on '{arguments.focus}': {share_of_run} of the run's {weight}; shares below are of that part"


def _weight(profile: ContextProfile) -> int:
    return profile.total_ns if profile.has_time else profile.total_calls


def _write_html(arguments: argparse.Namespace) -> int:
    if arguments.json:
        raise UsageError(
            "cannot show the profile twice: --html and --json exclude each other",
            slug="two-outputs",
            hint="run sonde view once for each",
        )
    path = check_output_path(arguments.html, force=arguments.force)
    from sonde.instruments.contexts.report.html import write_html  # only this branch needs the page and its parts

    # Read whole, so that the sums by function are exact; the page picks the contexts that fit.
    profile, _ = _read(arguments, None, with_sources=True)
    with written_whole(path) as stream, TextIOWrapper(stream, encoding="ascii", newline="\n") as text:
        write_html(profile, text, title=arguments.profile.name)
    print(f"wrote {path}: {format_count(path.stat().st_size)} bytes; open it in a browser", file=sys.stderr)
    return EXIT_OK
