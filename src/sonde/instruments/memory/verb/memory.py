"""Run a program under Valgrind and find what misses the caches: by line, type and object.

  sonde memory app.py
  sonde memory -o run.sonde -- ./native args
  sonde memory prog.c -O3 -lz -- args
  sonde memory --lines-only -- ./native args                      much faster: no types, objects, lifetimes
  sonde memory --l1 32K,8,64 --l2 512K,8,64 --levels 2 app.py     other caches than this machine's
  sonde memory --trace t.addr app.py                              also write every address, for other simulators
  sonde memory --tool mytool.py app.py                            also a tool of your own, in ten lines

Every load and store is seen, nothing is sampled. Each is attributed to the line that made it and the object
that it accessed, and goes through simulated caches. That takes many times as long as the program alone.

PROGRAM is `script.py args`, `-m module args`, `-c code args`, or `-- command args` for anything else;
Python lines and objects are known where the command starts a Python of this version. `prog.c`, or a file of
C++ or LLVM, is compiled and run by sonde's JIT; the words behind it are those of `sonde vm run`.
What the program prints, returns and raises is untouched; the report goes to stderr, and `sonde memory`
exits as the program did (or, when the program succeeded, with 1 if its profile could not be written and
3 if nothing was measured).

The first run builds the tool, with the installed C compiler and Valgrind; `sonde doctor` says what is
missing.
"""

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sonde.base.cache_geometry import MachineCaches, machine_caches
from sonde.instruments.memory.options import (
    CacheOptions,
    MemoryOptions,
    WatchOptions,
    Window,
    check_shown,
    check_what_is_left_out,
)
from sonde.instruments.memory.profile.latencies import Latencies, latencies_of
from sonde.instruments.memory.source import RECORD, Target, ToolOptions, built_tool, load_latencies, run_under_tool
from sonde.instruments.memory.verb.folder import memory_folder
from sonde.instruments.memory.verb.program import MeasuredProgram, program_to_measure
from sonde.instruments.memory.verb.progress import MemoryProgress
from sonde.instruments.memory.verb.report import Wanted, finish
from sonde.launch import end_as
from sonde.options.declared import add_options, options_from, split_at_program
from sonde.options.keeping import KeepOptions
from sonde.options.output import add_force_option
from sonde.render.answers import add_answer_options
from sonde.valgrind.tool_caches import caches_for_the_tool

if TYPE_CHECKING:
    from sonde.instruments.memory.toolkit import ToolSource

EXIT_CODE_ANSWERS = True
_DECLARED = (KeepOptions, CacheOptions, WatchOptions, MemoryOptions)


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the verb."""
    parser.usage = "sonde memory [options] (script.py | prog.c | -m module | -c code | -- command) [args ...]"
    add_options(parser, *_DECLARED)
    add_answer_options(parser)
    add_force_option(parser)


def split_program(words: list[str]) -> tuple[list[str], list[str]]:
    """Our own options, and PROGRAM with everything after it, whatever it looks like."""
    return split_at_program(words, *_DECLARED)


def run(arguments: argparse.Namespace) -> int:
    """Run the program, keep and show its profile, and return its exit code."""
    program = program_to_measure(arguments.program)
    keep, watch = options_from(KeepOptions, arguments), options_from(WatchOptions, arguments)
    caches, shown = options_from(CacheOptions, arguments), options_from(MemoryOptions, arguments)
    output = keep.checked_output(force=arguments.force)
    trace = keep.checked_beside(watch.trace, force=arguments.force)
    if trace is not None:
        trace.unlink(missing_ok=True)  # the tool makes it anew, or not at all
    keep.check_is_told(arguments, doing="run", also=bool(trace or watch.tool))
    check_what_is_left_out(watch, is_kept=output is not None, classify=caches.classify)
    here = machine_caches()
    settings = caches.settings(here)
    check_shown(shown, settings)
    if not keep.quiet:
        _say_beforehand(program.target, () if watch.count_only else settings.adjusted)
    latencies = None if watch.count_only else _latencies(shown.latencies, here, len(settings.levels))
    own = _own_tool(watch.tool)
    compiled = program.compiled()
    options = ToolOptions(
        caches_for_the_tool(settings),
        settings.policy,
        settings.inclusion,
        settings.write_allocate,
        settings.classify,
        watch.count_only,
        _window(program, watch.window),
        trace,
        agent=compiled is None,
        lines_only=watch.lines_only,
        sharing=watch.sharing,
    )
    with (
        built_tool(own.c_text if own else None, announce=_announce) as tool,
        memory_folder(output, program.command, tool.about, latencies, force=arguments.force) as folder,
    ):
        spool = folder.path
        target = compiled.target(spool, marked=watch.window == "manual") if compiled else program.target
        assert target is not None  # it was compiled, or is there
        progress = MemoryProgress(spool / RECORD, sys.stderr)
        try:
            chore = None if keep.quiet else progress.chore()
            ended = run_under_tool(
                target, tool, spool, replace(options, spare=folder.spare), meanwhile=_prepare, now_and_then=chore
            )
        finally:
            progress.close()
        if compiled is not None:
            compiled.check_loaded(spool)
        failure = finish(ended, program.command, own, Wanted(output, keep.quiet, watch, shown, latencies, arguments))
    return end_as(ended.outcome) or failure


def _window(program: MeasuredProgram, asked: Window | None) -> Window:
    """What the tool is told: what sonde's JIT loads opens its window by itself, around the program."""
    if program.target is None:
        return "manual"
    return asked or ("program" if program.target.is_python else "all")


def _latencies(given: tuple[int, ...] | None, here: MachineCaches, levels: int) -> Latencies | None:
    """What misses will be weighed by; None where nothing can be measured."""
    if given is not None:
        return Latencies(given, "given")
    found = load_latencies(here)
    return latencies_of(found, levels, "measured") if found else None


def _say_beforehand(target: Target | None, adjusted: tuple[str, ...]) -> None:
    if target is not None and target.is_static:
        print(
            f"sonde: '{target.program}' is static: what it allocates is seen only if it has its symbols",
            file=sys.stderr,
        )
    for sentence in adjusted:
        print(f"sonde: {sentence}", file=sys.stderr)


def _announce(what: str) -> None:
    print(f"sonde: {what}", file=sys.stderr, flush=True)


def _prepare() -> None:
    """Called while the program runs: load what its end will need."""


def _own_tool(text: str | None) -> "ToolSource | None":
    """The tool that `--tool FILE[:CLASS]` names, compiled to C."""
    if text is None:
        return None
    from sonde.instruments.memory.toolkit import compile_tool

    file, colon, name = text.rpartition(":")
    return compile_tool(Path(file), name) if colon and not Path(text).exists() else compile_tool(Path(text))
