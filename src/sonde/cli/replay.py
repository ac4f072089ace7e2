"""Count a recorded run again: all calls, hot contexts, or as in bursts; accesses on other caches.

    sonde contexts --record t.trace app.py
    sonde replay t.trace --exact -o exact.sonde
    sonde replay t.trace --phi 1e-3 -o hot.sonde
    sonde replay t.trace --burst 20ms/2ms -o sampled.sonde
    sonde diff --accuracy exact.sonde hot.sonde

    sonde memory --trace t.addr -o run.sonde app.py
    sonde replay t.addr --caches 48K,12,64:2M,16,64                  compared with this machine's caches
    sonde replay t.addr --caches 48K,12,64 --against run.sonde       compared with those of the run

Memory is bounded as in `sonde contexts`, however long the trace is; with --exact it grows with the
number of contexts. An incomplete trace, for instance of a program that was killed, is counted up to its
last event. A damaged one is counted up to the damage, and the exit code is 1. Several traces of
calls, of processes that `--follow` found, are counted separately and merged.
"""

import argparse
from pathlib import Path

from sonde.base.errors import InputError
from sonde.cli.kinds import known_kinds
from sonde.instruments.kind import Replay
from sonde.options.declared import add_options, check_declared
from sonde.options.output import add_force_option, add_json_option, add_text_options

EXIT_CODE_ANSWERS = True


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the options of `sonde replay`: those of all kinds that replay."""
    parser.add_argument("traces", type=Path, nargs="+", metavar="trace", help="a file that --record or --trace wrote")
    add_options(parser, *(each for replay in _replays() for each in replay.options))
    add_json_option(parser)
    add_text_options(parser)
    add_force_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Replay recordings of one kind.

    Raises:
        UsageError: options that mean nothing to this kind, or make no sense together.
        InputError: a recording cannot be read, or two are of different kinds.
        SondeError: `cannot-write`.
    """
    known, first = _replays(), arguments.traces[0]
    found = [_replay_of(known, path) for path in arguments.traces]
    replay = found[0] or known[0]  # whose reader says what is wrong with the file
    for other, path in zip(found, arguments.traces, strict=True):
        if other is not found[0]:
            other = other or known[0]
            raise InputError(
                f"cannot replay '{first}' and '{path}' together: one is {replay.words}, the other {other.words}",
                slug="different-kinds",
                hint="name traces of one kind",
            )
    others = [options for other in known if other is not replay for options in other.options]
    if found[0] is not None:
        check_declared(arguments, replay.options[0], others, of_what=f"'{first}': it is {replay.words}")
    return replay.run(arguments.traces, arguments)


def _replays() -> list[Replay]:
    return [kind.replay for kind in known_kinds() if kind.replay is not None]


def _replay_of(known: list[Replay], path: Path) -> Replay | None:
    if not path.is_file():  # to look into a pipe would be to wait for who writes into it
        return None
    return next((replay for replay in known if replay.recognises(path)), None)
