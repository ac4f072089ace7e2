"""Functions that stand for tests: each call of a test has a caller of its own, whose name is the test's."""

import builtins
from collections.abc import Callable
from types import FunctionType

MODULE = "sonde: test"
"""Module of all these functions, in profiles."""


def _named(run: Callable[[], object]) -> object:
    __tracebackhide__ = True  # pytest leaves it out of what it tells of a failure
    return run()


def function_of_test(name: str) -> Callable[[Callable[[], object]], object]:
    """A function that calls its argument, and whose name in a profile is that of the test.

    Calls below it are contexts of their own: parameters share the function of a test, but not this one.
    """
    code = _named.__code__.replace(co_name=name, co_qualname=name, co_filename=f"<{MODULE}>", co_firstlineno=1)
    return FunctionType(code, {"__name__": MODULE, "__builtins__": builtins}, name)
