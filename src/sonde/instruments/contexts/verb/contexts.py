"""Run a Python program and find its hot calling contexts: every call is counted, with time.

  sonde contexts app.py --size 3
  sonde contexts -o run.sonde -m black --check src
  sonde contexts --mine app.py                      only code of this project
  sonde contexts --phi 1e-5 app.py                  what is hot: a hundred-thousandth of the time
  sonde contexts --burst 20ms/2ms app.py            watch for a tenth of the time only, at a tenth of the cost
  sonde contexts --time sampled app.py              count every call, sample the times: costs less
  sonde contexts --clock cpu app.py                 processor time: waiting is left out
  sonde contexts --threads app.py                   what each thread of each process spent
  sonde contexts --tasks app.py                     what tasks of asyncio awaited
  sonde contexts --lines app.py                     what each line of source costs
  sonde contexts --exact app.py                     keep every context
  sonde contexts main.cpp -O3 -- args               C and C++: calls as the optimiser leaves them
  sonde contexts --cycles main.cpp                  self time of compiled functions, and of what was inlined
  sonde contexts --cycles bench.py                  the same for what Numba compiles
  sonde contexts --build -- make -j4                a project's own build; then: sonde contexts -- ./app
  sonde contexts --follow --builtins -- pytest -q

Memory is bounded: hot contexts are kept, others as far as they fit, and counts of the rest are in their
callers' totals. The report says by how much a value may be too low.

PROGRAM is `script.py args`, `-m module args`, `-c code args`, or `-- command args` where the command
starts a Python of this version, or is a program that was built with `--build`; or a program in C, C++ or
LLVM's languages, with options of the compiler, that sonde compiles: `prog.c -O2 -- args`, as for
`sonde vm run`. What the program prints, returns and raises is
untouched; the report goes to stderr, and `sonde contexts` exits as the program did (or, when the
program succeeded, with 1 if its profile or its trace could not be written whole, and 3 if nothing was
measured).
"""

import argparse
import sys
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

from sonde.base.errors import EXIT_FAILED, EXIT_MISSING_CAPABILITY, EXIT_OK, InputError, SondeError, UsageError
from sonde.instruments.contexts.hotness import HotLimits
from sonde.instruments.contexts.options import (
    HotOptions,
    RunOptions,
    bursts_of,
    check_clock,
    check_threads_apart,
    limits_of,
)
from sonde.instruments.contexts.sampled_times import SampledTimes, sampled_times_of
from sonde.instruments.contexts.shown_code import ShownCode, check_whole_threads
from sonde.instruments.contexts.sources.cpython import AgentOptions, run_with_agent
from sonde.instruments.contexts.verb.live_run import LiveRun, RunPlan, read_live
from sonde.instruments.contexts.verb.run_watch import TRACE, Draining, RunWatch
from sonde.launch import Outcome, end_as, find_command, is_compiled, program_of_words
from sonde.options.bursts import Bursts
from sonde.options.declared import add_options, flag_of, options_from, split_at_program
from sonde.options.error_message import tell_error
from sonde.options.keeping import KeepOptions
from sonde.options.output import add_force_option, add_json_option, add_text_options, check_answer_options

if TYPE_CHECKING:
    from sonde.instruments.contexts.profile import ContextProfile  # loaded while the program runs
    from sonde.instruments.contexts.verb.built_run import BuiltRun
    from sonde.instruments.contexts.verb.compiled_run import CompiledRun, CycledRun

_CURSOR_NODES = 1 << 17
"""Enough for the deepest stacks; what is light is pruned long before, see `_CURSOR_COUNTERS`."""
_CURSOR_COUNTERS = 2048

EXIT_CODE_ANSWERS = True


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the verb."""
    parser.usage = "sonde contexts [options] (script.py | -m module | -c code | prog.c | -- command) [args ...]"
    add_options(parser, KeepOptions, HotOptions, RunOptions, ShownCode)
    add_json_option(parser)
    add_text_options(parser)
    add_force_option(parser)


def split_program(words: list[str]) -> tuple[list[str], list[str]]:
    """Our own options, and PROGRAM with everything after it, whatever it looks like."""
    return split_at_program(words, KeepOptions, HotOptions, RunOptions, ShownCode)


def run(arguments: argparse.Namespace) -> int:
    """Run the program, keep and show its profile, and return its exit code."""
    words = arguments.program
    if options_from(RunOptions, arguments).build:
        from sonde.instruments.contexts.verb.built_run import build  # few commands need it

        burst = options_from(HotOptions, arguments).burst
        none = (KeepOptions(), HotOptions(burst=burst), RunOptions(build=True), ShownCode())
        given = ((options_from(type(each), arguments), each) for each in none)
        return build(words, *given, bursts=burst is not None)
    argv = tuple(words) if is_compiled(words) else program_of_words(words).argv
    check_answer_options(arguments)
    keep, options = options_from(KeepOptions, arguments), options_from(RunOptions, arguments)
    output = keep.checked_output(force=arguments.force)
    keep.check_is_told(arguments, doing="run")
    if options.mechanism:
        _check_mechanism(options.mechanism)
    asked, code = options_from(HotOptions, arguments), options_from(ShownCode, arguments)
    check_clock(options)
    check_threads_apart(options)
    if options.threads:
        check_whole_threads(code)
    bursts = bursts_of(asked)
    is_native = is_compiled(words) or _was_built(words)
    if bursts is not None and is_native:
        options = _without_times(words[0], options, asked)
    hot = limits_of(asked, timed=not options.no_time)
    if bursts is not None and not is_native:
        _check_bursts(options)
    if options.concurrent and bursts is not None:
        raise UsageError(
            "cannot count bursts concurrently: between bursts there is nothing to count",
            slug="concurrent-bursts",
            hint="leave out --concurrent",
        )
    sampled = None if options.cycles else sampled_times_of(words[0], options, asked, is_compiled=is_native)
    compiled = _cycled(words, options, asked) or _compiled(words, options, bursts)
    record = keep.checked_beside(options.record, force=arguments.force)
    if record is not None and record.exists():
        _check_nobody_writes(record)
        record.unlink()  # the agent makes it anew, or not at all
    is_looked_at = sampled is not None or (compiled is not None and not options.cycles)
    time_kind, look_ns = options.time_kind if is_looked_at else None, sampled.look_ns if sampled is not None else None
    plan = RunPlan(argv, hot, bursts, _is_by_line(options), time_kind, look_ns, options.cycles)
    with LiveRun.begin(output, plan, force=arguments.force) as live:
        draining = None
        if options.concurrent:
            is_kept, record = record is not None, record or live.folder / TRACE
            draining = Draining(record, hot, kept=is_kept)
        watch = RunWatch(draining, (lambda: _so_far(live, draining)) if options.live else None)
        try:
            if compiled is not None:
                outcome = compiled.run(live, hot, watch.chore())
            else:
                agent = _agent_options(options, hot, bursts, record, sampled)
                outcome = run_with_agent(argv, live.folder, agent, meanwhile=live.prepare, now_and_then=watch.chore())
        finally:
            watch.close()
        try:
            failure = _report(live, outcome, draining, options, keep.quiet, code, arguments)
        except SondeError as error:
            # The program has run: it ends as it ended, whatever becomes of its profile.
            failure = error.exit_code
            live.keep()
            tell_error(error)
    return end_as(outcome) or failure


def _cycled(words: list[str], options: RunOptions, asked: HotOptions) -> "CycledRun | None":
    """PROGRAM with cycle probes, if these are asked for; None also for Python programs, in which Numba compiles.

    Raises:
        UsageError: `not-of-cycles`; what `CycledRun` says.
    """
    if not options.cycles:
        return None
    if _was_built(words):
        raise UsageError(
            f"cannot measure cycles of '{words[1]}': sonde has not compiled it",
            slug="not-of-cycles",
            hint="give sources in C or C++, or LLVM IR: sonde contexts --cycles prog.c",
        )
    from sonde.instruments.contexts.verb.refused_options import (
        refuse_options_of_compiled_cycles,
        refuse_options_of_contexts,
    )

    given = [flag_of(name) for name, value in asked._asdict().items() if value not in (None, False)]
    refuse_options_of_contexts(options, given)
    if not is_compiled(words):
        refuse_options_of_compiled_cycles(words[0], options)
        return None
    from sonde.instruments.contexts.verb.compiled_run import CycledRun  # with the compiler

    return CycledRun(words, options)


def _compiled(words: list[str], options: RunOptions, bursts: Bursts | None) -> "CompiledRun | BuiltRun | None":
    """PROGRAM with probes, if it is one that sonde compiles, or was built with them.

    Raises:
        UsageError: `not-of-compiled`; what `CompiledRun` says.
    """
    if is_compiled(words):
        from sonde.instruments.contexts.verb.compiled_run import CompiledRun  # with the compiler

        return CompiledRun(words, options, bursts)
    if _was_built(words):
        from sonde.instruments.contexts.verb.built_run import BuiltRun

        return BuiltRun(words[1:], options, bursts)
    return None


def _was_built(words: list[str]) -> bool:
    """Whether PROGRAM is a command that was built with probes. Raises: UsageError: `no-program`."""
    if words[0] != "--":
        return False
    from sonde.instruments.contexts.sources.builds.built_program import has_probes  # without the compiler

    return has_probes(find_command(words[1]))


def _without_times(word: str, options: RunOptions, asked: HotOptions) -> RunOptions:
    """Options for bursts of a compiled program, of which calls are counted and no time is known.

    Raises:
        UsageError: `not-of-compiled`, times or adaptive bursts are asked for.
    """
    for flag, is_given, reason in (
        ("--metric time", asked.metric == "time", "of a compiled program, they count calls only"),
        ("--clock cpu", options.clock == "cpu", "of a compiled program, they count calls only"),
        ("--adaptive", asked.adaptive is not None, "where those of a compiled program begin is not known"),
    ):
        if is_given:
            raise UsageError(
                f"cannot use {flag} with '{word}' in bursts: {reason}",
                slug="not-of-compiled",
                hint=f"leave out --burst, or {flag}" if flag != "--adaptive" else "leave out --adaptive",
            )
    return options._replace(no_time=True)


def _agent_options(
    asked: RunOptions,
    hot: HotLimits | None,
    bursts: Bursts | None,
    record: Path | None,
    sampled: SampledTimes | None,
) -> AgentOptions:
    options = AgentOptions(
        timed=not asked.no_time,
        processor=asked.clock == "cpu",
        sampled=sampled is not None,
        builtins=asked.builtins,
        follow=asked.follow,
        raw=asked.raw,
        by_thread=asked.threads,
        by_line=_is_by_line(asked),
        mechanism=asked.mechanism,
        trace=str(record) if record is not None else "",
        probes=_why_no_probes(asked, bursts, record) or ("early" if asked.probes == "early" else "late"),
    )
    if asked.cycles:
        cycles = options._replace(timed=False, probes=f"cycles-{asked.stamps or 'chosen'}")
        return cycles._replace(metric="calls", counters=_CURSOR_COUNTERS, nodes=_CURSOR_NODES)
    if asked.concurrent:
        # The agent needs to know where it is, no more: a tree that stays in the cache.
        return options._replace(metric="calls", counters=_CURSOR_COUNTERS, nodes=_CURSOR_NODES)
    if hot is not None:
        options = options._replace(
            metric=hot.metric, space_saving=hot.space_saving, counters=hot.counters, nodes=hot.nodes
        )
    if bursts is not None:
        options = options._replace(interval_ns=bursts.interval_ns, burst_ns=bursts.burst_ns, one_in=bursts.one_in)
    return options


def _why_no_probes(asked: RunOptions, bursts: Bursts | None, record: Path | None) -> str:
    """Why calls in code that was compiled cannot be counted; empty: they can."""
    for flag, is_given in (
        ("--burst", bursts is not None),
        ("--record or --concurrent", record is not None),
        ("--threads", asked.threads),
    ):
        if is_given:
            return f"that cannot be had with {flag}"
    return ""


def _is_by_line(asked: RunOptions) -> bool:
    return asked.lines and not asked.no_time and not asked.cycles


def _so_far(live: LiveRun, draining: Draining | None) -> "ContextProfile":
    profile = read_live(live.folder, None)
    return draining.put_into(profile) if draining is not None else profile


def _check_mechanism(name: str) -> None:
    from sonde._agent import available  # loaded into this process only to ask

    if name not in available():
        raise UsageError(
            f"cannot use the mechanism '{name}': this Python has {' and '.join(available())}",
            slug="unknown-mechanism",
            hint="leave --mechanism out for the fastest",
        )


def _check_bursts(options: RunOptions) -> None:
    from sonde._agent import recommended  # loaded into this process only to ask

    mechanism = options.mechanism or recommended(options.builtins)
    if mechanism == "cpython-set-profile":
        raise UsageError(
            "cannot watch in bursts with the mechanism 'cpython-set-profile': it cannot be taken out and put in again",
            slug="bad-burst",
            hint="leave out --builtins, or use Python 3.12" if options.builtins else "leave out --mechanism",
        )


def _check_nobody_writes(trace: Path) -> None:
    from sonde.base.process_state import is_alive  # only this rare path needs them
    from sonde.trace import TraceReader

    try:
        reader = TraceReader(trace)
    except InputError:
        return
    if not reader.native.finished and is_alive(reader.about.pid):
        raise UsageError(
            f"cannot write '{trace}': process {reader.about.pid} is recording into it",
            slug="run-in-use",
            hint="wait until it has ended, or choose another file with --record",
        )


def _report(
    live: LiveRun,
    outcome: Outcome,
    draining: Draining | None,
    options: RunOptions,
    is_quiet: bool,
    code: ShownCode,
    arguments: argparse.Namespace,
) -> int:
    """Show the profile; the exit code of a program that succeeded."""
    profile = live.finish(outcome, draining)
    if profile is None:
        return EXIT_MISSING_CAPABILITY
    not_written = None
    try:
        live.write(profile)
    except SondeError as error:
        not_written = error  # what was measured is told all the same
    is_data = arguments.json or arguments.markdown
    if is_data or not is_quiet:
        from sonde.instruments.contexts.report import ContextLimits, contexts_report  # once the program has run
        from sonde.render.answers import print_answer

        report = contexts_report(
            profile,
            ContextLimits(code.min_share),
            code,
            with_data=arguments.json,
            by_threads=profile.threads is not None,
            by_tasks=options.tasks and profile.tasks is not None,
            by_lines=options.lines,
        )
        print_answer(report, arguments, sys.stderr)
    if options.tasks and profile.tasks is None and not is_quiet:
        print("sonde: --tasks has nothing to tell: no task of asyncio was seen", file=sys.stderr)
    if not_written is not None:
        raise not_written
    if not (is_data or is_quiet) and live.output is None:
        print("sonde: the profile was not kept; -o run.sonde keeps it", file=sys.stderr)
    if live.output is not None and not is_quiet:
        print(f"sonde: wrote {live.output}; sonde view {quote(str(live.output))} --html run.html", file=sys.stderr)
    lost_events = sum(loss.amount for loss in profile.losses if loss.kind == "events-not-recorded")
    if options.record is None or not lost_events:
        return EXIT_OK
    print(f"sonde: {options.record} is not whole: {lost_events:,} events found no room", file=sys.stderr)
    return EXIT_FAILED
