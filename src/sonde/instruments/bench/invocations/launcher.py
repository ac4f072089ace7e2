"""Start the launcher, which starts and measures one command, and wait for both."""

import errno
import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fcntl import F_DUPFD_CLOEXEC, fcntl
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from sonde.base.errors import MissingCapability, SondeError, UsageError
from sonde.instruments.bench.invocations.launch_record import LAUNCHER_VERSION, LaunchRecord, read_launch_record

_RECORD = 3
_KEPT = 4
_LOWEST_SOURCE = 10
"""Descriptors are moved above those that they are to have in the launcher, lest one overwrites the other."""
_DEFERRED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGALRM, signal.SIGUSR1, signal.SIGUSR2)
"""Signals whose handlers may raise exceptions; all there are would take a tenth of a millisecond to block."""
_LONGEST_S = 1e9
"""Thirty years; nanoseconds of much more do not fit into 64 bits."""
_USAGE = 64
"""The launcher is of another build."""
KEPT_DESCRIPTOR = _KEPT
"""Under which number a command inherits `LaunchRequest.keep`."""


@dataclass(frozen=True, slots=True)
class LaunchRequest:
    """What the launcher is asked to do."""

    argv: Sequence[str]
    program: str
    """Path, absolute or relative to the folder."""
    environment: Mapping[str, str]
    folder: Path | None = None
    stdin: Path | None = None
    stdout: Path | None = None
    """File to write standard output to; None: `/dev/null`, unless it is drained or shown."""
    drain_output: bool = False
    show_output: bool = False
    """Standard output and error are sonde's own."""
    keep: int | None = None
    """Descriptor that the command inherits, as number `KEPT_DESCRIPTOR`."""
    timeout_s: float | None = None
    grace_s: float = 1.0
    """From asking the command to end to killing it."""
    pin: int | None = None
    """Processor that it is to run on."""
    aslr: bool = True
    """Whether the system may lay out memory at random, as it does by itself."""
    counters: bool = True


@cache
def launcher_path() -> Path:
    """The program that was installed beside sonde's extensions.

    Raises:
        MissingCapability: `no-launcher`.
    """
    spec = find_spec("sonde._agent")  # built and installed with it; without loading it
    path = Path(spec.origin).with_name("_launcher") if spec and spec.origin else None
    if path is None or not os.access(path, os.X_OK):
        raise MissingCapability(
            "cannot measure a command: this installation of sonde has no launcher",
            slug="no-launcher",
            hint="python -m pip install --force-reinstall sonde",
        )
    return path


def launch(request: LaunchRequest) -> LaunchRecord | None:
    """Run a command to its end; None if the launcher was killed before it could tell of that.

    When this is interrupted, by Ctrl-C or another exception, the command and all that it started are ended first.

    Raises:
        MissingCapability: `no-launcher`.
        SondeError: `cannot-execute`, `cannot-write`, `too-many-open-files`.
        UsageError: `no-such-file`: what it is to read cannot be read.
    """
    given: list[int] = []
    with enough_descriptors(request.argv[0]):
        reading, writing = os.pipe2(os.O_CLOEXEC)
    given.append(writing)
    try:
        with enough_descriptors(request.argv[0]):
            actions = _file_actions(request, writing, given)
        data, status = _run(_words(request), request, actions, reading, given)
    finally:
        _close(given)
        os.close(reading)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) == _USAGE:
        raise MissingCapability(
            "cannot measure a command: sonde's launcher is of another version",
            slug="no-launcher",
            hint="python -m pip install --force-reinstall sonde",
        )
    return read_launch_record(data) if data or status == 0 else None


@contextmanager
def enough_descriptors(what: str) -> Iterator[None]:
    """Say it in plain words when this process may not open another file.

    Raises:
        SondeError: `too-many-open-files`.
    """
    try:
        yield
    except OSError as error:
        # EINVAL: to have a descriptor of a number as high as the limit
        if error.errno not in (errno.EMFILE, errno.ENFILE, errno.EINVAL):
            raise
        raise SondeError(
            f"cannot run '{what}': sonde may not open more files than it has",
            slug="too-many-open-files",
            hint="raise the limit: ulimit -n 256",
        ) from error


def _run(
    words: list[str],
    request: LaunchRequest,
    actions: "list[tuple[int, int, int]]",
    reading: int,
    given: list[int],
) -> tuple[bytes, int]:
    """What the launcher wrote, and how it ended. What was given to it is closed here as soon as it has it."""
    pid = 0
    # No signal may come between the start and knowing the process' number: its handler could raise.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _DEFERRED)
    try:
        try:
            pid = os.posix_spawn(
                words[0],
                words,
                request.environment,
                file_actions=actions,
                setsigmask=before,
                setsigdef=[signal.SIGPIPE, signal.SIGXFSZ],  # which Python ignores for itself
            )
        except OSError as error:
            raise SondeError(f"cannot run '{request.argv[0]}': {error.strerror}", slug="cannot-execute") from error
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        _close(given)  # so that the launcher alone holds the writing end
        return _read_all(reading), os.waitpid(pid, 0)[1]
    except BaseException:
        if pid:
            _stop(pid)
        raise


def _stop(pid: int) -> None:
    """Have the launcher end the command, however impatient the user is."""
    while True:
        try:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGTERM)
            os.waitpid(pid, 0)
            return
        except KeyboardInterrupt:  # asked a second time, the launcher kills without grace
            continue
        except ChildProcessError:
            return


def _close(descriptors: list[int]) -> None:
    while descriptors:
        os.close(descriptors.pop())


def _read_all(descriptor: int) -> bytes:
    parts: list[bytes] = []
    while part := os.read(descriptor, 8192):
        parts.append(part)
    return b"".join(parts)


def _words(request: LaunchRequest) -> list[str]:
    words = [
        str(launcher_path()),
        str(LAUNCHER_VERSION),
        f"record={_RECORD}",
        f"parent={os.getpid()}",
        f"program={request.program}",
        f"grace={round(request.grace_s * 1e9)}",
        f"aslr={int(request.aslr)}",
        f"count={int(request.counters)}",
        f"drain={int(request.drain_output)}",
        f"tail={int(not request.show_output)}",
    ]
    if request.timeout_s is not None:
        words.append(f"timeout={round(min(request.timeout_s, _LONGEST_S) * 1e9)}")
    if request.folder is not None:
        words.append(f"folder={request.folder}")
    if request.pin is not None:
        words.append(f"pin={request.pin}")
    if request.keep is not None:
        words.append(f"keep={_KEPT}")
    return [*words, "--", *request.argv]


def _file_actions(request: LaunchRequest, writing: int, given: list[int]) -> "list[tuple[int, int, int]]":
    """What the launcher's descriptors are; those that are opened for it are added to `given`."""
    dup2 = os.POSIX_SPAWN_DUP2
    stdin = _open(request.stdin or Path(os.devnull), os.O_RDONLY, given)
    actions = [(dup2, stdin, 0), (dup2, _moved(writing, given), _RECORD)]
    if not request.show_output:
        stdout = _open(request.stdout or Path(os.devnull), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, given)
        actions.append((dup2, stdout, 1))
    if request.keep is not None:
        actions.append((dup2, _moved(request.keep, given), _KEPT))
    return actions


def _moved(descriptor: int, given: list[int]) -> int:
    given.append(fcntl(descriptor, F_DUPFD_CLOEXEC, _LOWEST_SOURCE))
    return given[-1]


def _open(path: Path, flags: int, given: list[int]) -> int:
    try:
        descriptor = os.open(path, flags | os.O_CLOEXEC, 0o666)
    except OSError as error:
        if error.errno in (errno.EMFILE, errno.ENFILE):
            raise
        if flags == os.O_RDONLY:
            raise UsageError(f"cannot read '{path}': {error.strerror}", slug="no-such-file") from error
        raise SondeError(f"cannot write '{path}': {error.strerror}", slug="cannot-write") from error
    try:
        return _moved(descriptor, given)
    finally:
        os.close(descriptor)
