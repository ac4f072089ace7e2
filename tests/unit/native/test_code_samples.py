"""Samples of code are read from a spool as native/core/samples/code_sampler.h has them."""

import struct
from types import SimpleNamespace
from typing import cast

from sonde._native import Spool
from sonde.native import code_samples_of


def _spool(kind: int, raw: bytes) -> Spool:
    return cast(Spool, SimpleNamespace(sums=[(7, (0, 0, 0, 0), b"", ""), (kind, (1, 0, 0, 0), raw, "")]))


def test_counts_are_by_address() -> None:
    raw = struct.pack("<QQdQQQQQQQ4I", 0x1000, 4, 99.5, 6, 5, 4, 3, 2, 1, 1, 0, 2, 0, 4)
    [found] = code_samples_of(_spool(13, raw))
    assert found.counts == {0x1001: 2, 0x1003: 4}
    assert (found.ns_per_sample, found.inside, found.elsewhere, found.in_kernel) == (99.5, 6, 5, 4)
    assert (found.lost, found.throttled, found.of_children, found.sees_kernel, found.all) == (3, 2, 1, True, 15)


def test_other_records_and_such_that_were_cut_off_are_none() -> None:
    assert not list(code_samples_of(_spool(12, bytes(100))))
    assert not list(code_samples_of(_spool(13, bytes(20))))
