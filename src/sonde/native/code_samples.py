"""Samples of where threads were in a program's code, as the kernel's clock left them in a spool."""

import struct
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from sonde._native import Spool

_SAMPLES = 13
"""`SN_RECORD_SAMPLES` of native/core/base/cells.h."""
_SUMS = struct.Struct("<QQdQQQQQQQ")
"""`sn_code_samples` of native/core/samples/code_sampler.h, without its counts."""


class CodeSamples(NamedTuple):
    """Of a process, and of its children where they are followed."""

    ns_per_sample: float
    """Processor time that one stands for, on average."""
    inside: int
    """In the code of the program."""
    elsewhere: int
    """In libraries, or other code of the process."""
    in_kernel: int
    """While the system did something for a thread."""
    lost: int
    """For which there was no room."""
    throttled: int
    """Times that the kernel stopped a clock for a while."""
    of_children: int
    """Of forked processes that are not followed; they are in none of the other numbers."""
    sees_kernel: bool
    """Whether `in_kernel` is known."""
    counts: Mapping[int, int]
    """Address -> samples; of `inside`."""

    @property
    def all(self) -> int:
        """Of the program's threads, wherever they were."""
        return self.inside + self.elsewhere + self.in_kernel


def code_samples_of(spool: Spool) -> Iterator[CodeSamples]:
    """What a spool has: at most one in a spool as it is written."""
    for kind, _, raw, _ in spool.sums:
        if kind == _SAMPLES and len(raw) >= _SUMS.size:
            start, size, ns_per_sample, *sums, sees_kernel = _SUMS.unpack_from(raw)
            words = memoryview(raw)[_SUMS.size :].cast("I")[:size]
            counts = {start + offset: number for offset, number in enumerate(words) if number}
            inside, elsewhere, in_kernel, lost, throttled, of_children = sums
            yield CodeSamples(
                ns_per_sample, inside, elsewhere, in_kernel, lost, throttled, of_children, bool(sees_kernel), counts
            )
