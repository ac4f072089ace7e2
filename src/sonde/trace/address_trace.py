"""Address traces: every memory access of a program, in order, in half a byte each."""

import os
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import sonde._native
from sonde.base.errors import InputError
from sonde.trace.trace_file import no_regular_file

AddressForm = Literal["din", "lackey", "addresses-csv", "addresses-raw"]
ADDRESS_FORMS: tuple[AddressForm, ...] = ("din", "lackey", "addresses-csv", "addresses-raw")
"""Forms that other simulators read, by the numbers of the native core: see docs/address-trace.md."""
LOAD, STORE, MODIFY, FETCH = range(4)
"""Kinds of accesses; `MODIFY` loads and stores, `FETCH` is of an instruction."""

_MAGIC = b"SONDEADR"
_MORE, _END, _CUT, _DAMAGED, _FOREIGN, _NEWER = range(6)
"""Results of the native reader."""
_KNOWN_VERSION = 1
_BATCH_ACCESSES = 1 << 16
"""1.5 MB of columns: large enough to forget the cost of a call, small enough for a cache."""
_CSV_HEAD = b"ip,address,size,kind,thread\n"


@dataclass(frozen=True, slots=True)
class AddressBatch:
    """Accesses in the order in which they happened; columns of equal length."""

    ip: "array[int]"
    """uint64: the instruction."""
    address: "array[int]"
    """uint64: the first byte."""
    size: "array[int]"
    """uint16: number of bytes."""
    kind: "array[int]"
    """uint8: LOAD, STORE, MODIFY or FETCH."""
    thread: "array[int]"
    """uint32: number of the thread, from 0."""

    def __len__(self) -> int:
        return len(self.ip)


@dataclass(frozen=True, slots=True)
class AddressTraceEnding:
    """How an address trace ended, once all of it was read."""

    state: Literal["finished", "cut off"]
    """`cut off`: the recording goes on, was killed, ran out of disk, or the file lacks its end."""
    accesses: int
    """Number of accesses that were read, fetches included."""
    unreadable_bytes: int
    """Bytes at the end that are no whole block."""


class AddressTrace:
    """An address trace, read from its beginning to its end, once, in bounded memory.

    Raises:
        InputError: `no-such-address-trace`, `not-an-address-trace`, `newer-address-trace` or
            `corrupt-address-trace`.
    Guarantee: what is read is what was written, from the first access on without a gap, whatever happened to the file
        since; what cannot be verified is not delivered.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "t.addr"
    >>> writer = sonde._native.AddressTraceWriter(os.fsencode(path))
    >>> segment = writer.segment(array("Q", [0x400]), array("H", [8]), array("B", [STORE]))
    >>> writer.feed(array("I", [segment] * 3), array("Q", [0x1000, 0x1008, 0x1010]))
    >>> writer.finish()
    >>> trace = AddressTrace(path)
    >>> [list(map(hex, batch.address)) for batch in trace.batches()], trace.ending.state
    ([['0x1000', '0x1008', '0x1010']], 'finished')
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.ending: AddressTraceEnding | None = None
        """Known when all was read."""
        self._native = _open(path)

    def __iter__(self) -> Iterator[AddressBatch]:
        return self.batches()

    def batches(self, size: int = _BATCH_ACCESSES) -> Iterator[AddressBatch]:
        """The accesses that were not read yet, in order, at most `size` at a time.

        Raises:
            InputError: `corrupt-address-trace`, when the accesses before the damage were delivered.
        """
        while True:
            result, *columns = self._native.read(size)
            if result != _MORE:
                break
            batch = AddressBatch(array("Q"), array("Q"), array("H"), array("B"), array("I"))
            for column, content in zip(
                (batch.ip, batch.address, batch.size, batch.kind, batch.thread), columns, strict=True
            ):
                column.frombytes(content)
            yield batch
        self._conclude(result)

    def in_form(self, form: AddressForm, size: int = _BATCH_ACCESSES) -> Iterator[bytes]:
        """The accesses that were not read yet, in a form that other simulators read, at most `size` at a time.

        Raises:
            InputError: as `batches`.
        """
        if form == "addresses-csv":
            yield _CSV_HEAD
        number = ADDRESS_FORMS.index(form)
        while True:
            result, _, content = self._native.read_text(size, number)
            if result != _MORE:
                break
            yield content
        self._conclude(result)

    def _conclude(self, result: int) -> None:
        if result == _DAMAGED:
            _raise_problem(self.path, self._native)
        self.ending = AddressTraceEnding(
            state="finished" if result == _END else "cut off",
            accesses=self._native.accesses,
            unreadable_bytes=self._native.left_over,
        )


def is_address_trace(path: Path) -> bool:
    """Whether a file begins as an address trace does; no, if it cannot be read."""
    try:
        if not path.is_file():  # to open a pipe would be to wait for who writes into it
            return False
        with path.open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def _open(path: Path) -> sonde._native.AddressTraceReader:
    if (other := no_regular_file(path)) is not None:
        raise InputError(f"cannot read address trace '{path}': it is {other}", slug="no-such-address-trace")
    try:
        native = sonde._native.AddressTraceReader(os.fsencode(path))
    except FileNotFoundError:
        raise InputError(f"cannot read address trace '{path}': no such file", slug="no-such-address-trace") from None
    except OSError as error:
        raise InputError(
            f"cannot read address trace '{path}': {error.strerror}", slug="no-such-address-trace"
        ) from error
    if native.opened == _NEWER:
        raise InputError(
            f"cannot read address trace '{path}': it has version {native.version}, newest known is {_KNOWN_VERSION}",
            slug="newer-address-trace",
            hint="upgrade sonde",
        )
    if native.opened == _FOREIGN:
        raise InputError(
            f"cannot read address trace '{path}': it is not an address trace",
            slug="not-an-address-trace",
            hint="sonde memory --trace FILE writes one",
        )
    if native.opened != _MORE:
        _raise_problem(path, native)
    return native


def _raise_problem(path: Path, native: sonde._native.AddressTraceReader) -> None:
    raise InputError(
        f"cannot read address trace '{path}': byte {native.at:,}: {native.problem}",
        slug="corrupt-address-trace",
        hint=f"the {native.accesses:,} accesses before that are intact; copy the file again, or record again",
    )
