"""A stream of path ids as text: one id per line, `*` or `* NAME` where a routine is entered.

    * parse
    6
    2
    0

A mark ends what was before it. Lines without anything are skipped; ids before the first mark are of a routine without a
name, as are those behind a mark without one.
"""

from collections.abc import Iterator
from io import BufferedIOBase

from sonde.base.errors import InputError
from sonde.instruments.paths.path_batch import PathBatch
from sonde.native import path_ids

UNNAMED = "(unnamed routine)"

_BATCH_BYTES = 1 << 20
_LONGEST_LINE_BYTES = 1 << 16
_LONGEST_QUOTE = 40
_MOST = 2**64


class PathStream:
    """A source that reads a stream.

    Args:
        file: open for reading bytes.
        name: of the stream, for messages.
    """

    def __init__(self, file: BufferedIOBase, name: str) -> None:
        self._file = file
        self._name = name
        self._numbers: dict[str, int] = {}
        self._line = 0  # lines that were read
        self.taken = 0
        """Ids that were yielded."""

    @property
    def routines(self) -> tuple[str, ...]:
        """Names of the routines so far, by number."""
        return tuple(self._numbers)

    def batches(self) -> Iterator[PathBatch]:
        """All of the stream, a megabyte of text at a time at most.

        Raises:
            InputError: `bad-path-stream`, a line is none of these; what stands before it has been yielded.
            OSError: it cannot be read.
        """
        rest = b""
        while text := self._file.read1(_BATCH_BYTES):  # what there is: who writes may take its time
            whole, newline, rest = (rest + text).rpartition(b"\n")
            yield from self._batches_of(whole + newline)
            if len(rest) > _LONGEST_LINE_BYTES:
                break  # no text of lines: the first one is refused
        if rest:
            yield from self._batches_of(rest + b"\n")

    def _batches_of(self, text: bytes) -> Iterator[PathBatch]:
        """Of whole lines: one batch, and the error behind it."""
        batch, problem = PathBatch(), None
        if not self._numbers and text.lstrip()[:1] not in (b"", b"*"):
            self._begin("", batch)
        at = 0
        while at < len(text) and problem is None:
            ids, at = path_ids(text, at)
            batch.ids.frombytes(ids)
            self._line += len(ids) // batch.ids.itemsize
            if at < len(text):
                begin, at = at, text.index(b"\n", at) + 1
                problem = self._odd_line(text[begin:at].strip(), batch)
        self.taken += len(batch.ids)
        yield batch
        if problem is not None:
            raise problem

    def _odd_line(self, line: bytes, batch: PathBatch) -> InputError | None:
        """A mark, nothing, an id with spaces or zeros around it; or what is wrong with it."""
        self._line += 1
        if line.startswith(b"*"):
            self._begin(line[1:].strip().decode("utf-8", "surrogateescape"), batch)
            return None
        if not line:
            return None
        if not line.isdigit():
            quoted = line[:_LONGEST_QUOTE].decode("utf-8", "backslashreplace")
            return self._error(f"'{quoted}' is no id of a path", "write ids as decimal numbers, one per line")
        significant = line.lstrip(b"0") or b"0"
        if len(significant) > len(str(_MOST)) or int(significant) >= _MOST:
            quoted = line[:_LONGEST_QUOTE].decode("ascii")
            return self._error(f"{quoted} does not fit into 64 bits", "ids are below 2**64: split large routines")
        batch.ids.append(int(significant))
        return None

    def _begin(self, name: str, batch: PathBatch) -> None:
        batch.begins.append(len(batch.ids))
        batch.routines.append(self._numbers.setdefault(name or UNNAMED, len(self._numbers)))

    def _error(self, fact: str, hint: str) -> InputError:
        return InputError(f"cannot read '{self._name}': line {self._line:,}: {fact}", slug="bad-path-stream", hint=hint)
