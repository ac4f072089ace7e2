"""A profile on a terminal while its program runs, see `live_block`."""

import os
from collections.abc import Callable
from types import TracebackType
from typing import Self, TextIO

from sonde.instruments.contexts.profile import ContextProfile
from sonde.instruments.contexts.report.terminal.live_page import live_lines, live_summary
from sonde.render.terminal.live_block import LiveBlock


class LiveView:
    r"""Shows snapshots of a profile, each in the place of the one before.

    Where `stream` is no terminal, or one that is too small or too simple, each snapshot is one line of text.

    Args:
        stream: where to; not closed.
        size: columns and rows of the terminal, asked before each drawing; of `stream` when not given.
        colour: asked from the stream, `NO_COLOR` and `TERM` when not given.

    Call `close` at the end, also when the program is stopped for a while: a terminal that still has its block
    scrolls above it only. After that `show` begins anew. If the terminal goes away, nothing is shown any more.

    >>> import io
    >>> from sonde.instruments.contexts.profile import contexts_from_self, Function
    >>> tree = contexts_from_self(parent=[-1], function=[0], call_line=[0], calls=[3], self_ns=[0])
    >>> log = io.StringIO()
    >>> LiveView(log).show(ContextProfile((Function("main", "app", "app.py", 1),), tree), 12_300_000_000)
    >>> log.getvalue()
    'sonde: 12.3 s elapsed, 3 calls, hottest main (app.py:1) 100.0%\n'
    """

    def __init__(
        self, stream: TextIO, *, size: Callable[[], os.terminal_size] | None = None, colour: bool | None = None
    ) -> None:
        self._block = LiveBlock(stream, size=size, colour=colour)

    def show(self, profile: ContextProfile, elapsed_ns: int) -> None:
        """Draw a snapshot.

        Args:
            elapsed_ns: since the program was started.
        Cost: O(n) for n contexts, a few microseconds each; one write.
        """
        self._block.draw(
            lambda canvas: live_lines(
                profile,
                elapsed_ns,
                width=canvas.width,
                height=canvas.height,
                colour=canvas.colour,
                encoding=canvas.encoding,
            ),
            lambda: live_summary(profile, elapsed_ns),
        )

    def close(self) -> None:
        """Take the block away and let the whole terminal scroll again; the cursor stays where the program left it."""
        self._block.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
