"""Find which paths through a routine repeat across the iterations of its loops.

  sonde paths -k 8 app.py                     a Python program: paths of its own functions
  sonde paths -k 8 prog.c -O2 -- args         a program in C, C++ or LLVM IR, which sonde compiles
  sonde paths --probes early prog.c           paths of each function as written, before inlining
  sonde paths --burst 20ms/2ms app.py         count for 2 ms in every 20 ms only
  sonde paths -k 8 -o run.sonde app.py        keep the profile; sonde view, diff and merge read it
  sonde paths advise run.sonde                what to unroll, which orders hold (see its --help)
  sonde paths --function parse app.py         only functions of this name, also of libraries
  sonde paths --stream ids.txt -k 4           one id per line; '*' or '* NAME' where a routine is entered
  tool | sonde paths --stream - --json        a stream of another program; schema sonde.report/1
  sonde paths --stream ids.txt -k 1           the acyclic profile alone

A path is one acyclic way through a routine, or through one iteration of a loop in it, and has a number (Ball, Larus
1996). Sequences of up to k consecutive paths are counted exactly.

With a stream, sonde exits with 1 if it cannot be read to its end; what stands before the error is reported. With a
program, sonde exits as the program did; when that succeeded, with 1 if the profile could not be written, and with 3 if
none of its paths could be counted. The report of a program goes to stderr.
"""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from io import BufferedIOBase
from pathlib import Path
from typing import TextIO, cast

from sonde.base.errors import EXIT_OK, InputError, SondeError, UsageError
from sonde.code import plain_function
from sonde.evidence import Loss
from sonde.instruments.paths.analyses import PathForests
from sonde.instruments.paths.options import PathOptions, PathViewOptions
from sonde.instruments.paths.profile import PathProfile, write_path_profile
from sonde.instruments.paths.report import path_report
from sonde.instruments.paths.sources.path_stream import PathStream
from sonde.instruments.paths.verb.program_run import run_program
from sonde.launch import end_as, is_compiled, program_of_words
from sonde.options.declared import add_options, options_from
from sonde.options.keeping import KeepOptions
from sonde.options.output import add_force_option, check_answer_options
from sonde.options.parser import run_question, split_at_question
from sonde.render.answers import add_answer_options
from sonde.render.kept_answer import concluded, keep_and_tell

QUESTIONS = {"advise": "sonde.instruments.paths.verb.advise"}
"""First word -> module, like a verb's; a program of that name stands behind `--`."""
_INTERRUPTED = 130
"""What shells say of a command that Ctrl-C ended."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the verb."""
    parser.usage = (
        "sonde paths [options] (--stream FILE | script.py | -m module | -c code | -- command | prog.c) [args ...]"
    )
    add_options(parser, PathOptions, KeepOptions, PathViewOptions)
    add_answer_options(parser)
    add_force_option(parser)


def split_program(words: list[str]) -> tuple[list[str], list[str]]:
    """Our own options, and PROGRAM with everything after it, whatever it looks like.

    Raises:
        UsageError: `usage`, options stand before the question that is meant.
    """
    return split_at_question("paths", QUESTIONS, words, PathOptions, KeepOptions, PathViewOptions)


def run(arguments: argparse.Namespace) -> int:
    """Analyse a stream, or run a program; keep and show the profile.

    Raises:
        UsageError: `no-path-stream`, `only-of-compiled`; the output exists, or nothing would be left of the answer.
        InputError: `no-path-stream`, `bad-path-stream`, `empty-path-stream`.
        SondeError: `cannot-write`.
    """
    if arguments.program and arguments.program[0] in QUESTIONS:
        return run_question("paths", QUESTIONS, arguments.program)
    asked, keep = options_from(PathOptions, arguments), options_from(KeepOptions, arguments)
    shown = options_from(PathViewOptions, arguments)
    check_answer_options(arguments)
    keep.checked_output(force=arguments.force)
    keep.check_is_told(arguments, doing="analyse")
    if asked.stream is None and not arguments.program:
        raise UsageError(
            "cannot find paths: there is nothing to look at",
            slug="no-path-stream",
            hint="name a program, or a stream of path ids: sonde paths app.py, sonde paths --stream ids.txt",
        )
    _check_probes(asked, arguments.program)
    if asked.stream is None:
        return _run_program(arguments, asked, shown, keep)
    if arguments.program:
        raise UsageError(
            f"cannot run '{arguments.program[0]}': --stream says what is looked at",
            slug="no-path-stream",
            hint="leave out one of the two",
        )
    profile, problem = _analysed(asked, asked.stream)
    _keep_and_tell(profile, arguments, shown, keep, sys.stdout)
    if isinstance(problem, SondeError):
        raise problem
    return EXIT_OK if problem is None else _INTERRUPTED


def _check_probes(asked: PathOptions, program: list[str]) -> None:
    """Refuse options of probes where there is no code that gets any.

    Raises:
        UsageError: `only-of-compiled`, `bad-burst`, `not-of-compiled`.
    """
    bursts = asked.bursts
    if asked.stream is not None and bursts is not None:
        raise UsageError(
            f"cannot watch '{asked.stream}' in bursts: a stream is read as a whole",
            slug="bad-burst",
            hint="leave out --burst",
        )
    if bursts is not None and asked.probes == "early":
        raise UsageError(
            "cannot watch in bursts with --probes early: what the optimiser has seen cannot be switched off",
            slug="not-of-compiled",
            hint="leave out --probes early, or --burst",
        )
    if not asked.probes or (asked.stream is None and is_compiled(program)):
        return
    name = " ".join(program[: 2 if program[0].startswith("-") else 1]) if program else ""
    fact = "paths of a stream are there already" if asked.stream else f"sonde does not compile '{name}'"
    raise UsageError(
        f"cannot use '--probes {asked.probes}': {fact}",
        slug="only-of-compiled",
        hint="leave it out, or give sources in C or C++, or LLVM IR: sonde paths --probes early prog.c",
    )


def _run_program(arguments: argparse.Namespace, asked: PathOptions, shown: PathViewOptions, keep: KeepOptions) -> int:
    if is_compiled(arguments.program):
        from sonde.instruments.paths.verb.compiled_run import run_compiled  # it loads a compiler

        profile, outcome = run_compiled(arguments.program, asked, shown.function)
    else:
        program = program_of_words(arguments.program, "paths")
        profile, outcome = run_program(program, asked, (shown.function,) if shown.function else ())
    failure = concluded(lambda: _keep_and_tell(profile, arguments, shown, keep, sys.stderr))
    return end_as(outcome) or failure


def _keep_and_tell(
    profile: PathProfile, arguments: argparse.Namespace, shown: PathViewOptions, keep: KeepOptions, stream: TextIO
) -> int:
    return keep_and_tell(
        lambda file: write_path_profile(file, profile),
        lambda: path_report(profile, shown, with_data=arguments.json),
        keep,
        arguments,
        stream,
    )


def _analysed(asked: PathOptions, path: Path) -> tuple[PathProfile, SondeError | KeyboardInterrupt | None]:
    """The profile of a stream as far as it can be read, and why no further."""
    name = "standard input" if str(path) == "-" else str(path)
    forests = PathForests(asked.k, asked.memory)
    problem: SondeError | KeyboardInterrupt | None = None
    with _opened(path) as file:
        stream = PathStream(file, name)
        try:
            for batch in stream.batches():
                forests.update(batch)
        except (InputError, KeyboardInterrupt) as error:
            problem = error.with_traceback(None)  # which would keep the forest
        except OSError as error:
            problem = InputError(f"cannot read '{name}': {error.strerror}", slug="no-path-stream")
    if not stream.taken:
        raise problem or InputError(
            f"cannot analyse '{name}': there is no path id in it",
            slug="empty-path-stream",
            hint="write a line with '*' where a routine is entered, and one for each path that it takes",
        )
    functions = [plain_function("native", routine, "", 0) for routine in stream.routines]
    profile = forests.snapshot(functions)
    losses = profile.losses
    if problem is not None:
        losses = (*losses, Loss("path-stream-cut-off", 0, "the stream was not read to its end"))
    command = ("sonde", "paths", "--stream", str(path))
    return replace(profile, command=command, losses=losses), problem


@contextmanager
def _opened(path: Path) -> Iterator[BufferedIOBase]:
    try:
        opened = nullcontext(cast(BufferedIOBase, sys.stdin.buffer)) if str(path) == "-" else path.open("rb")
    except OSError as error:
        raise InputError(
            f"cannot read '{path}': {error.strerror}", slug="no-path-stream", hint="name a file of path ids, or -"
        ) from error
    with opened as file:
        yield file
