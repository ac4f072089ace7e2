"""Output that nobody reads any more (`| head`, a full disk): the rest goes nowhere, and the command ends as it does."""

import io
import os
import sys
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class _ForgivingFile(io.FileIO):
    """A descriptor that leads to /dev/null once it could not be written to."""

    def __init__(self, descriptor: int, forgiven: type[OSError]) -> None:
        super().__init__(descriptor, "wb", closefd=False)
        self._forgiven = forgiven

    def write(self, data: "ReadableBuffer", /) -> int:
        try:
            return super().write(data)
        except self._forgiven:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            return super().write(data)


def outlasting(stream: TextIO, forgiven: type[OSError] = BrokenPipeError) -> TextIO:
    """Make a stream that may lose its reader while the command goes on.

    Args:
        stream: standard output or error, to which nothing was written yet; any other stream is returned as it is.
        forgiven: the errors after which all that follows goes nowhere.
    """
    if stream not in (sys.__stdout__, sys.__stderr__):
        return stream
    return io.TextIOWrapper(
        io.BufferedWriter(_ForgivingFile(stream.fileno(), forgiven)),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
    )
