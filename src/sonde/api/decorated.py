"""Functions that are blocks: calls are counted while they run."""

from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Any, TypeVar, cast

from sonde.api.block import Block

_F = TypeVar("_F", bound=Callable[..., Any])
_GENERATORS = 0x20 | 0x200
_COROUTINE = 0x80
"""`co_flags`: `inspect.CO_GENERATOR`, `CO_ASYNC_GENERATOR` and `CO_COROUTINE`, which takes 10 ms to import."""


def profiled(function: _F) -> _F:
    """Count the calls that are made while `function` runs: `@sonde.profiled`.

    It stays what it is, a function or a coroutine function, and can be called as before, also by several threads and by
    itself. `sonde.block_of(function)` has what was counted in all its calls together. While a coroutine waits, other
    tasks run, and their calls are counted, too.

    Raises:
        UsageError: `not-a-function`, it is a generator function, or no Python function.
    """
    code = getattr(function, "__code__", None)
    if code is None or code.co_flags & _GENERATORS:
        from sonde.base.errors import UsageError  # few programs need it

        name = getattr(function, "__qualname__", repr(function))
        what = "it is no function of Python's" if code is None else "a generator runs piece by piece, when it is asked"
        raise UsageError(
            f"cannot count while '{name}' runs: {what}",
            slug="not-a-function",
            hint="use a block: with sonde.profile() as p: ...",
        )
    block = Block()
    if code.co_flags & _COROUTINE:
        awaited = cast("Callable[..., Awaitable[Any]]", function)

        @wraps(function)
        async def run_counted(*arguments: Any, **named: Any) -> Any:
            with block:
                return await awaited(*arguments, **named)

        run_counted.__sonde_block__ = block  # type: ignore[attr-defined]
        return cast("_F", run_counted)

    @wraps(function)
    def call_counted(*arguments: Any, **named: Any) -> Any:
        with block:
            return function(*arguments, **named)

    call_counted.__sonde_block__ = block  # type: ignore[attr-defined]
    return cast("_F", call_counted)


def block_of(function: Callable[..., Any]) -> Block:
    """The block of a function, or method, that `profiled` decorates.

    Raises:
        UsageError: `not-profiled`.
    """
    block = getattr(function, "__sonde_block__", None)
    if isinstance(block, Block):
        return block
    from sonde.base.errors import UsageError  # few programs need it

    name = getattr(function, "__qualname__", repr(function))
    raise UsageError(
        f"cannot tell what was counted in '{name}': it is not decorated by @sonde.profiled",
        slug="not-profiled",
        hint="decorate it, or use a block: with sonde.profile() as p: ...",
    )
