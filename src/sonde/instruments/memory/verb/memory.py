"""Run a program under Valgrind and find what misses the caches: by line, type and object.

Every load and store is seen, nothing is sampled. Each is told of by the line that made it and the object
that it went to, and goes through simulated caches. That takes many times as long as the program alone.

PROGRAM is `script.py args`, `-m module args`, `-c code args`, or `-- command args` for anything else;
Python lines and objects are known where the command starts a Python of this version. `prog.c`, or a file of
C++ or LLVM, is compiled and run by sonde's JIT; behind it may stand what `sonde vm run` understands.
What the program prints, returns and raises is untouched; the report goes to stderr, and `sonde memory`
exits as the program did (or, when the program succeeded, with 1 if its profile could not be written and
3 if nothing was measured).

The first run builds the tool, with the C compiler and the Valgrind that are here; `sonde doctor` says
what is missing.

  sonde memory app.py
  sonde memory -o run.sonde -- ./native args
  sonde memory prog.c -O3 -lz -- args
  sonde memory --lines-only -- ./native args                      much faster: no types, objects, lifetimes
  sonde memory --l1 32K,8,64 --l2 512K,8,64 --levels 2 app.py     other caches than this machine's
  sonde memory --trace t.addr app.py                              also every address, for other simulators
  sonde memory --tool mytool.py app.py                            also a tool of your own, in ten lines
"""

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from sonde.base.cache_geometry import machine_caches
from sonde.base.errors import UsageError
from sonde.instruments.memory.source import RECORD, Target, ToolOptions, Window, built_tool, run_under_tool
from sonde.instruments.memory.verb.folder import memory_folder
from sonde.instruments.memory.verb.options import (
    OPTIONS_WITH_VALUE,
    add_cache_options,
    add_report_options,
    add_watching_options,
    cache_settings,
    caches_for_the_tool,
    check_sort,
    check_what_is_left_out,
)
from sonde.instruments.memory.verb.program import MeasuredProgram, program_to_measure
from sonde.instruments.memory.verb.progress import MemoryProgress
from sonde.instruments.memory.verb.report import finish
from sonde.launch import die_by
from sonde.options.output import add_force_option, check_output_path
from sonde.render.answers import add_answer_options

if TYPE_CHECKING:
    from sonde.instruments.memory.toolkit import ToolSource

EXIT_CODE_ANSWERS = True


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the verb."""
    parser.usage = "sonde memory [options] (script.py | prog.c | -m module | -c code | -- command) [args ...]"
    parser.add_argument("-o", "--output", metavar="FILE", help="keep the profile as FILE (usually run.sonde)")
    add_cache_options(parser)
    add_watching_options(parser)
    add_report_options(parser)
    parser.add_argument("--quiet", action="store_true", help="print no report")
    add_answer_options(parser)
    add_force_option(parser)


def split_program(words: list[str]) -> tuple[list[str], list[str]]:
    """Our own options, and PROGRAM with everything after it, whatever it looks like."""
    position = 0
    while position < len(words):
        word = words[position]
        if word in ("-m", "-c", "--", "-") or not word.startswith("-"):
            break
        position += 2 if word in OPTIONS_WITH_VALUE else 1
    return words[:position], words[position:]


def run(arguments: argparse.Namespace) -> int:
    """Run the program, keep and show its profile, and return its exit code."""
    program = program_to_measure(arguments.program)
    output = _output(arguments)
    trace = _trace(arguments)
    if arguments.quiet and output is None and trace is None and not arguments.json and not arguments.tool:
        raise UsageError(
            "cannot run with --quiet alone: the profile would go nowhere", slug="nothing-to-do", hint="add -o run.sonde"
        )
    check_what_is_left_out(arguments)
    settings = cache_settings(arguments, machine_caches())
    check_sort(arguments.sort, settings)
    if not arguments.quiet:
        _say_beforehand(program.target, () if arguments.count_only else settings.adjusted)
    own = _own_tool(arguments.tool)
    compiled = program.compiled()
    options = ToolOptions(
        caches_for_the_tool(settings),
        settings.policy,
        settings.inclusion,
        settings.write_allocate,
        settings.classify,
        arguments.count_only,
        _window(program, arguments.window),
        trace,
        agent=compiled is None,
        lines_only=arguments.lines_only,
    )
    with (
        built_tool(own.c_text if own else None, announce=_announce) as tool,
        memory_folder(output, program.command, tool.about, force=arguments.force) as folder,
    ):
        spool = folder.path
        target = compiled.target(spool, marked=arguments.window == "manual") if compiled else program.target
        assert target is not None  # it was compiled, or is there
        progress = MemoryProgress(spool / RECORD, sys.stderr)
        try:
            chore = None if arguments.quiet else progress.chore()
            ended = run_under_tool(
                target, tool, spool, replace(options, spare=folder.spare), meanwhile=_prepare, now_and_then=chore
            )
        finally:
            progress.close()
        if compiled is not None:
            compiled.check_loaded(spool)
        failure = finish(ended, program.command, own, output, arguments)
    if ended.outcome.signal is not None:
        sys.stdout.flush()
        sys.stderr.flush()
        die_by(ended.outcome.signal)
        return 128 + ended.outcome.signal  # SIGKILL of oneself has been known to take a moment
    return ended.outcome.exit_code or failure


def _window(program: MeasuredProgram, asked: Window | None) -> Window:
    """What the tool is told: what sonde's JIT loads opens its window by itself, around the program."""
    if program.target is None:
        return "manual"
    return asked or ("program" if program.target.is_python else "all")


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


def _output(arguments: argparse.Namespace) -> Path | None:
    if arguments.output is None:
        return None
    return check_output_path(Path(arguments.output), force=arguments.force, device_allowed=False)


def _trace(arguments: argparse.Namespace) -> Path | None:
    path: Path | None = arguments.trace
    if path is None:
        return None
    if arguments.output is not None and Path(arguments.output).resolve() == path.resolve():
        raise UsageError(
            f"cannot write both the profile and the trace to '{path}'", slug="two-outputs", hint="name two files"
        )
    path = check_output_path(path, force=arguments.force, device_allowed=False)
    path.unlink(missing_ok=True)  # the tool makes it anew, or not at all
    return path


def _own_tool(text: str | None) -> "ToolSource | None":
    """The tool that `--tool FILE[:CLASS]` names, compiled to C."""
    if text is None:
        return None
    from sonde.instruments.memory.toolkit import compile_tool

    file, colon, name = text.rpartition(":")
    return compile_tool(Path(file), name) if colon and not Path(text).exists() else compile_tool(Path(text))
