"""Block: a part of a running program, from one moment to another, whose calls are counted."""

from time import monotonic_ns, time
from types import TracebackType
from typing import TYPE_CHECKING, Self

from sonde.api.watching import Mark, Watch, unseen, watch

if TYPE_CHECKING:
    import os

    from sonde.instruments.contexts.profile import ContextProfile

_FRAMES_OF_OURS = 3
"""`Watch.begin`, `open_below` and what called it, when a block begins."""


def profile() -> "Block":
    """Count the calls of a block: `with sonde.profile() as p: work()`, then `p.report()`.

    Every call of a Python function in this process is counted while the block is open, whichever thread makes it, in
    its calling context and with its time.
    """
    return Block()


class Block:
    """Counts the calls of a part of a program.

    A context manager that can be entered again, also by several threads and from within itself: what it has counted is
    all that went on while it was open at least once. Blocks may lie in one another, or overlap. An exception goes
    through; what was counted until then is there.

    Guarantee: calls are exact; outside of all blocks no hook is in the interpreter.
    """

    def __init__(self) -> None:
        self._depth = 0
        self._watch: Watch | None = None
        self._spans: list[tuple[Mark, Mark | None]] = []
        """Between these it was open; the last may go on."""
        self._duration_ns = self._began_ns = 0
        self._started_at = 0.0
        self._ns_per_tick = 0.0
        """Of the clock, as it was estimated when this was first measured; 0: it was open then, or has been since."""

    def __enter__(self) -> Self:
        self.open_below()
        return self

    def open_below(self) -> None:
        """Begin to count in the function that called the caller.

        Raises:
            MissingCapability: `no-agent`, `cannot-watch`.
            SondeError: `cannot-write`.
        """
        mine = watch()
        with mine.lock:
            if self._watch is not mine:
                self._begin_anew(mine)
            mine.prepare()
            if not self._depth and not mine.why_not:
                own_end = self._spans[-1][1] if self._spans else None
                self._started_at = self._started_at or time()
                self._depth = 1
                self._ns_per_tick = 0.0
                start = mine.begin(own_end, _FRAMES_OF_OURS)
                self._spans.append((start, None) if start is not None else (self._spans.pop()[0], None))
                self._began_ns = mine.moment_ns
            else:
                self._depth += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        mine = watch()
        with mine.lock:
            if self._watch is not mine:
                return  # begun in the parent of this process
            self._depth -= 1
            if not self._depth and not mine.why_not:
                self._spans[-1] = (self._spans[-1][0], mine.end())
                self._duration_ns += mine.moment_ns - self._began_ns

    @property
    def is_open(self) -> bool:
        """Whether it counts."""
        return self._depth > 0 and self._watch is watch()

    def measured(self) -> "ContextProfile":
        """What it has counted up to now, as a value.

        Raises:
            SondeError: `nothing-counted`, and the message says why: it was not entered, or sonde measures the whole
                process already; `cannot-write`.
        """
        return unseen(self._measured)

    def report(self) -> None:
        """Tell what was hot: below the cell in a notebook, else on standard output, as wide as the terminal is.

        If nothing was counted, it says why; it raises nothing.
        """

        def show() -> None:
            from sonde.api.block_report import show_report  # with what tells

            show_report(self._measured)

        unseen(show)

    def save(self, path: "os.PathLike[str] | str", *, force: bool = False) -> None:
        """Write a profile, which `sonde view`, `diff`, `merge` and `export` read.

        Where sonde measures the whole process already, stderr says that nothing was written: the program goes on.

        Args:
            force: whether a file of that name is overwritten.
        Raises:
            SondeError: `nothing-counted`; `cannot-write`.
            UsageError: `output-exists`.
        """

        def write() -> None:
            from sonde.api.block_report import save_profile  # with what writes

            save_profile(self._measured, path, force=force, why_not=watch().why_not)

        unseen(write)

    def text(self, *, columns: int = 80) -> str:
        """The report as a text; if nothing was counted, why. Raises: SondeError: `cannot-write`."""

        def made() -> str:
            from sonde.api.block_report import text_of  # with what tells

            return text_of(self._measured, columns)

        return unseen(made)

    def markdown(self) -> str:
        """The report for a pull request; if nothing was counted, why. Raises: SondeError: `cannot-write`."""

        def made() -> str:
            from sonde.api.block_report import markdown_of  # with what tells

            return markdown_of(self._measured)

        return unseen(made)

    def html(self) -> str:
        """The report as a self-contained page; if nothing was counted, why. Raises: SondeError: `cannot-write`."""

        def made() -> str:
            from sonde.api.block_report import page_of  # with what tells

            return page_of(self._measured)

        return unseen(made)

    def _repr_mimebundle_(self, **_wanted: object) -> dict[str, str]:
        """What notebooks show of it."""

        def made() -> dict[str, str]:
            from sonde.api.block_report import mime_bundle  # with what tells

            return mime_bundle(self._measured)

        return unseen(made)

    def _measured(self) -> "ContextProfile":
        from sonde.api.block_profile import clock_rate, profile_of_block  # with what analyses

        mine = watch()
        with mine.lock:
            is_open, duration_ns = self.is_open, self._duration_ns
            spans: list[tuple[Mark, Mark]] = []
            for start, end in self._spans if self._watch is mine else []:
                last = end if end is not None else mine.reach()
                mine.file_of(last)
                spans.append((start, last))
            if is_open:
                duration_ns += monotonic_ns() - self._began_ns
            ns_per_tick = self._ns_per_tick or (clock_rate(spans[-1][1].path) if spans else 1.0)
            self._ns_per_tick = 0.0 if is_open else ns_per_tick
        return profile_of_block(
            [(start.path, last.path) for start, last in spans],
            ns_per_tick=ns_per_tick,
            started_at=self._started_at,
            duration_ns=duration_ns,
            ended="block goes on" if is_open else "block ended",
            why_not=mine.why_not,
        )

    def _begin_anew(self, mine: Watch) -> None:
        self._watch = mine
        self._depth = 0
        self._spans = []
        self._duration_ns = 0
        self._started_at = self._ns_per_tick = 0.0
