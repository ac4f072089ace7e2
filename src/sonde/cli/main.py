"""Dispatch: from `sonde VERB ...` to the verb's file, importing nothing else."""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import NoReturn

from sonde import __version__
from sonde.errors import EXIT_BUG, EXIT_OK, SondeError, UsageError

VERBS = {
    "contexts": ("sonde.cli.contexts", "which calling contexts are hot: run a program and count every call"),
    "replay": ("sonde.cli.replay", "count a recorded trace: exactly, what is hot, or as if sampled in bursts"),
    "view": ("sonde.cli.view", "look at a profile in the terminal or as an HTML page"),
    "diff": ("sonde.cli.diff", "compare two profiles: hotter, colder, appeared, vanished"),
    "merge": ("sonde.cli.merge", "bring profiles of several runs, processes or machines together"),
    "export": ("sonde.cli.export", "write a profile for speedscope, pprof, flame graphs or Perfetto"),
    "vm": ("sonde.cli.vm", "compiled programs: a shell to look at, optimise and run functions; and a runner"),
    "doctor": ("sonde.cli.doctor", "what works on this machine, what does not, and what to do about it"),
}
"""Verb -> (module, one-line summary). The module offers `configure(parser)`, `run(arguments)`, and
`split_program(words)` when a program follows its options."""


class _Parser(argparse.ArgumentParser):
    """An argument parser whose complaints look like all of sonde's."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"cannot read the command line: {message}", slug="usage", hint=f"{self.prog} --help")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one sonde command; the console script's entry point.

    Returns:
        the exit code: 0 ok, 1 failed or difference found, 2 usage, 3 missing capability,
        70 a bug in sonde; `contexts` returns the exit code of the program it ran.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    _replace_closed_streams()
    debug = "--debug" in words
    try:
        return _dispatch(words)
    except SondeError as error:
        if debug:
            _print_traceback()
            print(f"slug: {error.slug}, explained in docs/messages.md", file=sys.stderr)
        print(f"sonde: {error}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:
        # The reader of our output went away (`sonde view run.sonde | head`): not an error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_OK
    except KeyboardInterrupt:
        return 130
    except Exception as error:  # noqa: BLE001 - the last resort, so that a bug has one line and an exit code
        if debug:
            _print_traceback()
        print(
            f"sonde: this is a bug in sonde: {type(error).__name__}: {error}\n"
            "hint: run the same command with --debug and report what it prints",
            file=sys.stderr,
        )
        return EXIT_BUG


def _dispatch(words: list[str]) -> int:
    if not words or words[0] in ("-h", "--help", "help"):
        if len(words) > 1 and words[0] == "help":
            return _dispatch([words[1], "--help"])
        print(_help())
        return EXIT_OK
    if words[0] in ("-V", "--version"):
        print(f"sonde {__version__}")
        return EXIT_OK
    verb = words[0]
    if verb not in VERBS:
        raise _unknown_verb(verb)
    module = import_module(VERBS[verb][0])
    parser = _parser_for(verb, module)
    return _run(module, parser, words[1:])


def _parser_for(verb: str, module: ModuleType) -> argparse.ArgumentParser:
    parser = _Parser(
        prog=f"sonde {verb}",
        description=module.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    module.configure(parser)
    parser.add_argument("--debug", action="store_true", help="show tracebacks of sonde's own errors")
    return parser


def _run(module: ModuleType, parser: argparse.ArgumentParser, words: list[str]) -> int:
    # A verb that runs a program leaves the program's own words alone.
    own, program = module.split_program(words) if hasattr(module, "split_program") else (words, [])
    try:
        arguments = parser.parse_args(own)
    except SystemExit as done:  # argparse leaves this way after --help
        return int(done.code or 0)
    arguments.program = program
    code = module.run(arguments)
    sys.stdout.flush()
    return int(code)


def _replace_closed_streams() -> None:
    """Where our standard streams were closed, write to nowhere; the program still finds them closed."""
    if sys.stdout is None:
        sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115 - open to the end
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115


def _print_traceback() -> None:
    import traceback  # only --debug needs it

    traceback.print_exc()


def _help() -> str:
    width = max(map(len, VERBS))
    lines = [
        "sonde: where a program spends its time, and why",
        "",
        "usage: sonde VERB ...        sonde VERB --help for each",
        "",
        *(f"  {verb:<{width}}  {summary}" for verb, (_, summary) in VERBS.items()),
        "",
        "first steps:",
        "  sonde contexts app.py args           run a program, print its calling context tree",
        "  sonde contexts -o run.sonde app.py   the same, and keep the profile",
        "  sonde view run.sonde --html run.html",
        "",
        "exit codes: 0 ok, 1 failed or difference found, 2 usage, 3 missing capability, 70 bug in sonde;",
        "`contexts` exits as the program that it ran.",
    ]
    return "\n".join(lines)


def _unknown_verb(verb: str) -> UsageError:
    from difflib import get_close_matches  # only needed to say no

    near = get_close_matches(verb, VERBS, n=1)
    if verb.endswith(".py"):
        hint = f"sonde contexts {verb}"
    elif near:
        hint = f"did you mean 'sonde {near[0]}'?"
    else:
        hint = "sonde --help lists the verbs"
    return UsageError(f"cannot run '{verb}': there is no such verb", slug="unknown-verb", hint=hint)
