"""The process that holds the programs: does what the shell asks, and dies in its stead when a program crashes.

Its standard streams are the shell's, so that programs read and print as if they ran alone. What it is asked, and
what it answers, goes through a socket of its own.
"""

import ctypes
import json
import os
import signal
import socket
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from importlib import import_module
from typing import TYPE_CHECKING, cast

from sonde.base.errors import InternalError, SondeError
from sonde.instruments.vm.verb.shell.all_commands import COMMANDS
from sonde.instruments.vm.verb.shell.channel import Channel, Reply, Request, problem_of
from sonde.instruments.vm.verb.shell.crash_notes import CrashNotes
from sonde.instruments.vm.verb.shell.descriptors import open_standard_streams, out_of_the_way
from sonde.instruments.vm.verb.shell.interrupts import Interrupts
from sonde.instruments.vm.verb.shell.parameters import Arguments
from sonde.options.error_message import tell_error
from sonde.registry import entries

if TYPE_CHECKING:
    from sonde.instruments.vm.verb.shell.workbench import Workbench

_PR_SET_PDEATHSIG = 1
_NAMES_LISTED = 1000
_RUNNING = {"call", "repeat", "run", "start"}
"""Before one of these comes, none of a program's functions has run."""


def main() -> None:
    """Serve until the shell closes the socket.

    Arguments: the socket, MODULE:CLASS of the workbench, the shell's process, and --debug for tracebacks of ours.
    """
    descriptor, bench_name = int(sys.argv[1]), sys.argv[2]
    _die_with(int(sys.argv[3]))
    debug = "--debug" in sys.argv[4:]
    channel = Channel(socket.socket(fileno=out_of_the_way(descriptor)))
    open_standard_streams()
    # What Python changed for itself; a program finds it as a shell leaves it.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    interrupts = Interrupts()
    # The workbench forks to run a whole program in a process of its own.
    worker = os.getpid()
    os.register_at_fork(before=interrupts.leave_to_child, after_in_child=interrupts.take_over_in_child)
    os.register_at_fork(after_in_child=lambda: _die_with(worker))
    try:
        bench = _workbench(bench_name)
    except SondeError as error:
        channel.send(Reply(problem=problem_of(error)))
        return
    channel.send(Reply(problem=None))
    notes = None
    while True:
        try:
            request = cast("Request", json.loads(channel.receive()))
        except EOFError:
            break
        if notes is None and request["command"] in _RUNNING:
            notes = CrashNotes(lambda address: channel.send(Reply(crashed_in=_place(bench, address))))
        # While names are listed a line is being typed, and Ctrl-C is about that line.
        runs = interrupts.allowed() if request["command"] else nullcontext()
        with runs, _printing_nothing() if request["is_quiet"] else nullcontext():
            reply = _answer(bench, request, debug=debug)
        channel.send(reply)
    # From here, Python ends, and what programs have left for the end of their process is done.


def _answer(bench: "Workbench", request: Request, *, debug: bool) -> Reply:
    try:
        reply = _done(bench, request)
    except SondeError as error:
        reply = Reply(problem=problem_of(error))
    except Exception as error:  # noqa: BLE001 - a bug costs one command, not what the session has built
        if debug:
            traceback.print_exc()
        said = InternalError(
            f"this is a bug in sonde: {type(error).__name__}: {error}",
            slug="shell-bug",
            hint="run the same commands with --debug and report what it prints",
        )
        reply = Reply(problem=problem_of(said))
    _flush_c_streams()
    reply["running"] = bench.running()
    return reply


def _done(bench: "Workbench", request: Request) -> Reply:
    arguments = Arguments(request["arguments"])
    if not request["command"]:
        prefix = arguments.optional_text("prefix")
        names = [each.name for each in bench.modules()] if prefix is None else bench.names(prefix)
        return Reply(data={"names": list(names[:_NAMES_LISTED])})
    action = COMMANDS[request["command"]].action
    if action is None:
        raise InternalError(f"cannot do '{request['command']}' here: it is the shell's own", slug="shell-value")
    answer = action(bench, arguments, request["width"])
    return Reply(text=answer.text, data=answer.data)


def _place(bench: "Workbench", address: int) -> str | None:
    """Function, version and line; None for code that was not generated here, as that of libraries."""
    found = bench.locate(address)
    if found is None:
        return None
    innermost = found.frames[0]
    inlined = f" (inlined into {found.function})" if innermost.function != found.function else ""
    line = f" at {innermost.file}:{innermost.line}" if innermost.line else ""
    return f"{innermost.function}{inlined}{'@' if found.version else ''}{found.version}{line}"


@contextmanager
def _printing_nothing() -> Iterator[None]:
    """What programs and compilers print goes nowhere."""
    with open(os.devnull, "wb") as nowhere:  # noqa: PTH123 - a descriptor is all that is wanted
        kept = [os.dup(1), os.dup(2)]
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        for number, each in enumerate(kept, start=1):
            os.dup2(each, number)
            os.close(each)


def _workbench(name: str) -> "Workbench":
    module, _, attribute = name.partition(":")
    bench = cast("Workbench", getattr(import_module(module), attribute)())
    for plug_in in entries("pass").values():
        if plug_in.name not in bench.passes:
            try:
                bench.passes[plug_in.name] = plug_in.load()
            except SondeError as error:  # the shell can do without it
                tell_error(error)
    return bench


def _die_with(parent: int) -> None:
    """A program that never ends must not outlive whoever waits for it."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def _flush_c_streams() -> None:
    """What the program printed comes before the answer.

    Only these two: flushing all streams would wait for a thread that reads one of them.
    """
    process = ctypes.CDLL(None)
    for name in ("stdout", "stderr"):
        process.fflush(ctypes.c_void_p.in_dll(process, name))


if __name__ == "__main__":
    main()
