"""Where threads are in a compiled program's code, sampled by the kernel while the program runs."""

import errno
import os
import struct
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from sonde.base.errors import MissingCapability

if TYPE_CHECKING:
    from sonde._native import CodeSampler

SAMPLE_NS = 1_000_000
"""Between two samples of a thread that runs, on average: an interrupt takes some 25 us on virtual machines."""
_READ_S = 0.02
"""How often the kernel's samples are fetched: it has room for a second of them."""
_MECHANISM = b"llvm-sampled"
_LOADED = struct.Struct("<iQQ")
"""What the program's process tells ours: its number, where its code begins, and how long it is."""
_ANSWER = struct.Struct("<i")
"""What ours answers: 0, or what errno says."""


def check_sampling() -> None:
    """See to it that the system samples processes of ours.

    Raises:
        MissingCapability: `no-samples`.
    """
    from sonde._native import sampling_refused  # few runs need it

    if refused := sampling_refused():
        raise _no_samples(refused)


class CodeSampling:
    """Samples one process, from when its code is loaded to its end. Nothing runs in that process for it.

    The process, a fork of ours, says where its code is, and waits until it is sampled.

    Args:
        folder: the spool folder.
        command: what the profile calls the process.
        follow: forked children are sampled, too.
        ns_per_sample: mean processor time between two samples.
    Raises:
        MissingCapability: `no-samples`.
    """

    def __init__(self, folder: Path, command: bytes, *, follow: bool, ns_per_sample: float = SAMPLE_NS) -> None:
        check_sampling()
        self._folder, self._command, self._follow, self._ns_per_sample = folder, command, follow, ns_per_sample
        self._told, self._tell = os.pipe()
        self._answered, self._answer = os.pipe()
        self._sampler: CodeSampler | None = None
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._sample, name="sonde samples", daemon=True)

    def begin(self) -> None:
        """Wait in a thread for what the fork tells. Once it is made."""
        os.close(self._tell)
        os.close(self._answered)
        self._thread.start()

    def wait_until_sampled(self, start: int, size: int) -> None:
        """Called by the fork, once: it is sampled from then on.

        Args:
            start: address of its code.
            size: bytes.
        Raises:
            MissingCapability: `no-samples`.
        """
        os.close(self._told)
        os.close(self._answer)
        os.write(self._tell, _LOADED.pack(os.getpid(), start, size))
        answer = os.read(self._answered, _ANSWER.size)
        os.close(self._tell)
        os.close(self._answered)
        (refused,) = _ANSWER.unpack(answer) if len(answer) == _ANSWER.size else (errno.EPIPE,)
        if refused:
            raise _no_samples(refused)

    def end(self) -> None:
        """Read what is left. The process has ended."""
        self._is_over.set()
        if self._thread.ident is not None:
            self._thread.join()
        if self._sampler is not None:
            self._sampler.end()

    def _sample(self) -> None:
        told = os.read(self._told, _LOADED.size)
        os.close(self._told)
        if len(told) == _LOADED.size:
            os.write(self._answer, _ANSWER.pack(self._attach(*_LOADED.unpack(told))))
        os.close(self._answer)
        while self._sampler is not None and not self._is_over.wait(_READ_S):
            self._sampler.read()

    def _attach(self, process: int, start: int, size: int) -> int:
        from sonde._native import CodeSampler  # few runs need it

        path = self._folder / f"{process}-samples.cells"
        try:
            path.touch(mode=0o600)
            self._sampler = CodeSampler(
                os.fsencode(path), process, start, size, self._ns_per_sample, self._follow, self._command, _MECHANISM
            )
        except OSError as error:
            path.unlink(missing_ok=True)
            return error.errno or errno.EIO
        return 0


def _no_samples(number: int) -> MissingCapability:
    is_forbidden = number in (errno.EPERM, errno.EACCES)
    return MissingCapability(
        f"cannot sample where the program is: the system does not let perf_event_open do it: {os.strerror(number)}",
        slug="no-samples",
        hint="sysctl kernel.perf_event_paranoid=2 allows it (as root; containers may forbid it all the same)"
        if is_forbidden
        else "leave out --time, so that times are measured by probes",
    )
