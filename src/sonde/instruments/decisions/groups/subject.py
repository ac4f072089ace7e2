"""What a difference between groups is about.

There are many of them, so they are named tuples; `kind` tells apart those whose other fields are equal, for tuples are
equal whatever their class.
"""

from typing import Literal, NamedTuple

from sonde.instruments.decisions.model import Value


class PathStep(NamedTuple):
    """A call on the way down from the root of a compilation."""

    method: str
    at: int


class CallSubject(NamedTuple):
    """A call, wherever the method that makes it was compiled into."""

    enclosing: str
    at: int
    callee: str
    kind: Literal["call"] = "call"


class ContextSubject(NamedTuple):
    """A call in the compilations of one root."""

    path: tuple[PathStep, ...]
    """Root first; the last is what is called."""
    kind: Literal["context"] = "context"


class DecisionSubject(NamedTuple):
    """A decision at one place of a method, wherever that was compiled into."""

    enclosing: str
    at: int
    name: str
    event: str
    properties: tuple[tuple[str, Value], ...] = ()
    """Sorted by key."""
    outcome: str = "applied"
    kind: Literal["decision"] = "decision"


class MethodSubject(NamedTuple):
    """A method: whether it is compiled by itself or only within others."""

    method: str
    kind: Literal["method"] = "method"


class TimeSubject(NamedTuple):
    """Share of the run's time in the compilations of a method."""

    method: str
    kind: Literal["time"] = "time"


class PhaseSubject(NamedTuple):
    """A phase of the compiler in the compilations of a root; or the order of phases, by a digest of it."""

    root: str
    phase: str
    kind: Literal["phase"] = "phase"


class ReceiverSubject(NamedTuple):
    """What the virtual machine saw a call being made on."""

    enclosing: str
    at: int
    callee: str
    kind: Literal["receivers"] = "receivers"


Subject = CallSubject | ContextSubject | DecisionSubject | MethodSubject | TimeSubject | PhaseSubject | ReceiverSubject


def enclosing_method(subject: Subject) -> str:
    """The method whose code a subject is in."""
    if isinstance(subject, CallSubject | DecisionSubject | ReceiverSubject):
        return subject.enclosing
    if isinstance(subject, ContextSubject):
        return subject.path[-2].method
    return subject.root if isinstance(subject, PhaseSubject) else subject.method
