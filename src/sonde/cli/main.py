"""Dispatch: from `sonde VERB ...` to the verb's file, importing nothing else."""

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from sonde import __version__
from sonde.base.errors import EXIT_BUG, EXIT_FAILED, EXIT_OK, SondeError, UsageError
from sonde.base.free_threading import refuse_free_threaded
from sonde.base.near_names import near_hint
from sonde.cli.verbs import ELSEWHERE, VERBS
from sonde.options.error_message import tell_error
from sonde.options.help_text import fitted_help, help_width
from sonde.options.parser import parser_for, run_parsed
from sonde.options.unread_output import outlasting

_ANYWHERE = ("doctor",)
"""Verbs that work in an interpreter in which no other does, and say why."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one sonde command; the console script's entry point.

    Returns:
        the exit code: 0 ok, 1 failed or difference found, 2 usage or nothing could be compared,
        3 missing capability, 70 a bug in sonde; `contexts` and `memory` return the exit code of the program they ran.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    _replace_closed_streams()
    sys.stderr = outlasting(sys.stderr, OSError)  # a command does not fail because nobody listens to its talk
    debug = "--debug" in words
    try:
        code = _dispatch(words)
        sys.stdout.flush()
        return code
    except SondeError as error:
        if debug:
            _print_traceback()
            print(f"slug: {error.slug}, explained in docs/messages.md", file=sys.stderr)
        tell_error(error)
        return error.exit_code
    except BrokenPipeError:
        # The reader of our output went away (`sonde view run.sonde | head`): not an error.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_OK
    except KeyboardInterrupt:
        return 130
    except OSError as error:
        if error.filename is not None or not _is_stdout_broken():
            return _tell_system_error(error, debug=debug)
        if debug:
            _print_traceback()
            print("slug: cannot-write, explained in docs/messages.md", file=sys.stderr)
        print(f"sonde: cannot write to standard output: {error.strerror or error}", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_FAILED
    except ModuleNotFoundError as error:
        return _tell_missing_module(error, words[0], debug=debug)
    except Exception as error:  # noqa: BLE001 - the last resort, so that a bug has one line and an exit code
        return _tell_bug(error, debug=debug)


def _tell_missing_module(error: ModuleNotFoundError, verb: str, *, debug: bool) -> int:
    from sonde.options.incomplete_python import as_missing_part  # loaded when something went wrong

    return _tell_unexpected(error, as_missing_part(error, f"run 'sonde {verb}'"), debug=debug)


def _tell_system_error(error: OSError, *, debug: bool) -> int:
    from sonde.options.system_refusal import as_refusal  # loaded when something went wrong

    return _tell_unexpected(error, as_refusal(error), debug=debug)


def _tell_unexpected(error: Exception, told: SondeError | None, *, debug: bool) -> int:
    """Tell of an error that nobody expected where it came: as what it is, or as a bug."""
    if told is None:
        return _tell_bug(error, debug=debug)
    if debug:
        _print_traceback()
        print(f"slug: {told.slug}, explained in docs/messages.md", file=sys.stderr)
    tell_error(told)
    return told.exit_code


def _tell_bug(error: Exception, *, debug: bool) -> int:
    if debug:
        _print_traceback()
    print(
        f"sonde: this is a bug in sonde: {type(error).__name__}: {error}\n"
        "hint: run the same command with --debug and report what it prints",
        file=sys.stderr,
    )
    return EXIT_BUG


def _is_stdout_broken() -> bool:
    """Whether nothing more can be printed: the disk is full, the device is gone."""
    try:
        print(flush=True)  # what could not be written before is forgotten, so flushing alone would succeed
    except OSError:
        return True
    return False


def _dispatch(words: list[str]) -> int:
    if not words or words[0] in ("-h", "--help", "help"):
        if words[:2] == ["help", "environment"]:
            from sonde.cli.environment import environment_help  # a table that other commands do not need

            print(environment_help())
            return EXIT_OK
        if len(words) > 1 and words[0] == "help":
            return _dispatch([words[1], "--help"])
        print(overview())
        return EXIT_OK
    if words[0] in ("-V", "--version"):
        print(f"sonde {__version__}")
        return EXIT_OK
    verb = words[0]
    if verb not in VERBS:
        raise _unknown_verb(verb)
    if verb not in _ANYWHERE and not {"-h", "--help"} & set(words[1:2]):
        refuse_free_threaded()
    module = import_module(VERBS[verb][0])
    return run_parsed(module, parser_for(verb, module), words[1:])


def _replace_closed_streams() -> None:
    """Where our standard streams were closed, write to nowhere; the program still finds them closed."""
    if sys.stdout is None:
        sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115 - open to the end
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115


def _print_traceback() -> None:
    import traceback  # only --debug needs it

    traceback.print_exc()


def overview() -> str:
    """What `sonde --help` prints."""
    width = max(map(len, VERBS))
    lines = [
        "sonde: where a program spends its time, and why",
        "",
        "usage: sonde VERB ...        sonde VERB --help for each",
        "",
        *(f"  {verb:<{width}}  {summary}" for verb, (_, summary) in VERBS.items()),
        "",
        "first steps:",
        "  sonde contexts app.py args           run a program, print its hot contexts",
        "  sonde contexts -o run.sonde app.py   the same, and keep the profile",
        "  sonde view run.sonde --html run.html",
        "",
        "sonde help environment lists the environment variables that sonde heeds.",
        "",
        "exit codes: 0 ok, 1 failed or difference found, 2 usage, 3 missing capability,",
        "70 bug in sonde; what compares (diff, bench compare, decisions diff) exits with",
        "2 where it could not compare; `contexts` and `memory` exit as what they ran.",
    ]
    return fitted_help("\n".join(lines), help_width() + 2)


def _unknown_verb(verb: str) -> UsageError:
    if verb.endswith(".py"):
        hint = f"sonde contexts {verb}"
    elif verb.endswith(".sonde"):
        hint = f"sonde view {verb}"
    elif verb in ELSEWHERE:
        hint = ELSEWHERE[verb]
    else:
        hint = near_hint(verb, VERBS, "sonde --help lists the verbs", before="sonde ")
    return UsageError(f"cannot run '{verb}': there is no such verb", slug="unknown-verb", hint=hint)
