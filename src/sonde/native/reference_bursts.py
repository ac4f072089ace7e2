"""The slow twin of the native burst filter: what a source would have seen that looks in bursts only."""

from sonde.events import ENTER, FOUND, LOST, EventBatch


class ReferenceBursts:
    """Turn a stream of everything into what was seen in bursts of `burst` ns, one in each `interval` ns.

    ```
    t0 + first                + interval                 t0: time of the first event
       |<- burst ->|             |<- burst ->|
       ============ . . . . . . .============. . . .
        FOUND ... events ... LOST   on every thread that runs something, or has an event
    ```

    Times are taken to be in order, as in a trace: one that is less than an earlier one counts as that.

    Guarantee: the pieces, joined, do not depend on how the stream was cut into batches.
    Cost: O(1) for each event, and O(depth) for each thread and burst.
    Source: D'Elia, PhD thesis, section 5.1.1 (static bursting, after Zhuang et al., PLDI 2006).

    Args:
        interval: nanoseconds from the beginning of a burst to that of the next.
        burst: nanoseconds that one lasts, at most `interval`.
        first: nanoseconds from the first event to the beginning of the first burst.

    >>> stream = EventBatch()
    >>> stream.enter(thread=0, function=7, call_line=0, time_ns=0)
    >>> stream.enter(thread=0, function=8, call_line=1, time_ns=50)
    >>> stream.leave(thread=0, time_ns=104)
    >>> bursts = ReferenceBursts(interval=100, burst=10)
    >>> [(list(seen.kind), list(seen.time_ns), ended) for seen, ended in bursts.feed(stream)]
    [([1, 5], [0, 10], True), ([4, 4, 2], [100, 100, 104], False)]
    """

    def __init__(self, interval: int, burst: int, first: int = 0) -> None:
        if not 0 < burst <= interval or first < 0:
            raise ValueError(f"bursts of {burst} ns do not fit into intervals of {interval} ns that begin at {first}")
        self._interval = interval
        self._burst = burst
        self._first = first
        self._origin: int | None = None
        """When the first burst begins."""
        self._now = 0
        self._stacks: dict[int, list[tuple[int, int]]] = {}
        self._next = 0
        """Number of the burst that goes on, or of the one that begins next."""
        self._is_open = False
        self._ended = 0
        """When the last one ended, if that was before its time."""
        self._seen: set[int] = set()
        """Threads that ran in the burst that goes on, or had an event in it."""

    def feed(self, batch: EventBatch) -> list[tuple[EventBatch, bool]]:
        """What was seen of the batch, in pieces; with each, whether a burst ends after it."""
        pieces: list[tuple[EventBatch, bool]] = []
        seen = EventBatch()
        columns = (batch.kind, batch.thread, batch.function, batch.call_line, batch.time_ns)
        for kind, thread, function, line, time_ns in zip(*columns, strict=True):
            if self._origin is None:
                self._now = time_ns
                self._origin = time_ns + self._first
            self._now = max(self._now, time_ns)
            while (turn := self._turn()) is not None:
                if self._is_open:
                    self._lose(seen, turn)
                    if len(seen):
                        pieces.append((seen, True))
                        seen = EventBatch()
                    self._next += 1
                else:
                    self._find(seen, max(turn, self._ended))
                    self._is_open = True
            if self._is_open:
                self._seen.add(thread)
                _append(seen, kind, thread, function, line, self._now)
            _follow(self._stacks.setdefault(thread, []), kind, function, line)
        if len(seen):
            pieces.append((seen, False))
        return pieces

    def end(self) -> list[tuple[EventBatch, bool]]:
        """The stream has ended, and with it a burst that goes on. If it goes on after all, threads are found anew."""
        if not self._is_open:
            return []
        seen = EventBatch()
        self._lose(seen, self._now)
        self._ended = self._now
        return [(seen, True)]

    @property
    def elapsed_ns(self) -> int:
        """From the beginning of the first burst to the last event."""
        return 0 if self._origin is None else max(0, self._now - self._origin)

    @property
    def bursts(self) -> int:
        """How many have begun, those without any event among them."""
        return 0 if self._origin is None or self._now < self._origin else self.elapsed_ns // self._interval + 1

    @property
    def looked_ns(self) -> int:
        """How long they were, together, up to the last event."""
        whole, rest = divmod(self.elapsed_ns, self._interval)
        return whole * self._burst + min(rest, self._burst)

    def _turn(self) -> int | None:
        """When the burst that goes on ended, or the next began, if that has been."""
        assert self._origin is not None
        turn = self._origin + self._next * self._interval + (self._burst if self._is_open else 0)
        return turn if turn <= self._now else None

    def _find(self, seen: EventBatch, now: int) -> None:
        for thread in sorted(thread for thread, stack in self._stacks.items() if stack):
            self._seen.add(thread)
            for function, line in self._stacks[thread]:
                seen.found(thread=thread, function=function, call_line=line, time_ns=now)

    def _lose(self, seen: EventBatch, now: int) -> None:
        for thread in sorted(self._seen):
            seen.lost(thread=thread, time_ns=now)
        self._seen.clear()
        self._is_open = False


def _follow(stack: list[tuple[int, int]], kind: int, function: int, line: int) -> None:
    if kind in (ENTER, FOUND):
        stack.append((function, line))
    elif kind == LOST:
        stack.clear()
    elif stack:
        stack.pop()


def _append(batch: EventBatch, kind: int, thread: int, function: int, line: int, time_ns: int) -> None:
    values = (kind, thread, function, line, time_ns)
    columns = (batch.kind, batch.thread, batch.function, batch.call_line, batch.time_ns)
    for column, value in zip(columns, values, strict=True):
        column.append(value)
