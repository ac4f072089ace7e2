"""Selection of method-level phases: methods that take much of a program's time, and take long at each call."""

from collections.abc import Sequence

from sonde.code import Function, Language
from sonde.instruments.phases.profile import FunctionTime, Thetas

_NO_PHASES = ("comprehension", "generator expression", "builtin", "thread")
"""Kinds of functions that cannot be watched by themselves: from 3.12 on comprehensions run in their callers."""


def can_be_phase(function: Function, language: Language = "python") -> bool:
    """Whether a function can be watched: it is of the program's language, and has a frame of its own."""
    return function.language == language and function.kind not in _NO_PHASES


def _language_of(times: Sequence[FunctionTime]) -> Language:
    """That of Python, if anything is; what a Python program has compiled cannot be watched by itself."""
    return "python" if any(each.function.language == "python" for each in times) else "jit"


def select_phases(times: Sequence[FunctionTime], whole_ns: int, thetas: Thetas) -> tuple[FunctionTime, ...]:
    """The methods that are phases, the longest first.

    Args:
        times: of each function, callees included.
        whole_ns: what the program took.
    Guarantee: the same methods whether times were added up while the program ran, or come from a trace of all calls:
        only sums and numbers of calls are looked at. A higher theta never selects a method that a lower one does not.
    Cost: O(n log n) for n functions.
    Source: Buytaert, section 3.2.2, after Huang, Renau, Torrellas, ISCA 2003.
    Differs: the time of a recursive method counts once, so that no method takes more than the program; calls within
        calls count as calls. In the document's words a total is at least the fraction of the whole, in its example it
        is more than that; here it is at least that.
    """
    language = _language_of(times)
    chosen = [
        each
        for each in times
        if can_be_phase(each.function, language) and thetas.admits(each.total_ns, each.calls, whole_ns)
    ]
    return tuple(sorted(chosen, key=lambda each: (-each.total_ns, each.calls, each.function.name, each.function.file)))
