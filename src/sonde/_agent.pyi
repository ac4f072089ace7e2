from collections.abc import Callable

def start(
    spool: bytes,
    mechanism: str,
    command: bytes,
    timed: int,
    builtins: bool,
    follow: bool,
    launcher_pid: int,
    metric: int,
    space_saving: bool,
    counters: int,
    nodes: int,
    interval_ns: int,
    burst_ns: int,
    one_in: int,
    raw: bool,
    by_thread: bool,
    by_line: bool,
    trace: bytes,
    by_hand: bool = False,
    /,
) -> None: ...
def stop() -> None: ...
def finish() -> None: ...
def is_running() -> bool: ...
def watch(skip: int, /) -> None: ...
def pause() -> None: ...
def mark(path: bytes, /) -> None: ...
def recommended(builtins: bool, /) -> str: ...
def available() -> tuple[str, ...]: ...
def around(
    before: Callable[[], object] | None, call: Callable[[], object] | None, after: Callable[[], object] | None, /
) -> Callable[[], None]: ...
