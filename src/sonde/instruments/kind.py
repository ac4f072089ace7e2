"""A kind of profile: what the verbs that serve every kind (view, diff, merge, export) need to know of one.

A kind says how its profiles are read and written and which reports they give; text, page, JSON, Markdown, exit codes,
recovery, checks of outputs and of options follow from that. It is listed in the registry under `kind`. Its callables
import what they need when they are called: the verbs ask every kind for its options.
"""

from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from sonde.evidence import Loss
from sonde.report import Report
from sonde.store.kind import StoredKind

if TYPE_CHECKING:
    from sonde.groups import GroupFigures

P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class NoOptions:
    """Of kinds that have none."""


@dataclass(frozen=True, slots=True)
class About:
    """What is said of a profile whose contents do not matter."""

    summary: str
    """What is in it: `1,234 data accesses`."""
    command: tuple[str, ...] = ()
    """What was run; empty when that is not known."""
    losses: tuple[Loss, ...] = ()
    is_complete: bool = True
    """Whether the run was not cut off."""


@dataclass(frozen=True, slots=True)
class Replay:
    """How recorded runs of a kind are counted again."""

    words: str
    """What there is one of: `a trace of calls`."""
    recognises: Callable[[Path], bool]
    """Whether a file is such a recording."""
    options: tuple[type[Any], ...]
    """Values whose fields are annotated with an `Option`; the first one has those that are of this kind only."""
    run: Callable[[Sequence[Path], Namespace], int]
    """Count recordings, answer, and return the exit code."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind(Generic[P]):
    """One kind of profile. What a kind does not have is None, and the verb that asks for it says so."""

    name: str
    """In the file, and in the registry."""
    words: str
    """What there is one of: `a profile of memory accesses`."""
    stored: StoredKind | None = None
    """What its files are; None for what other tools leave, which `recognises` knows."""
    recognises: Callable[[Path], bool] | None = None
    """Whether a path that is no `.sonde` file is of this kind."""
    recover: Callable[[Path, Path], Path] | None = None
    """(folder, path): the file with what a run has left in its folder, see `sonde.store.recovery.recover`."""

    read: Callable[[Path], P] | None = None
    """Raises `InputError`: missing, damaged, newer than this sonde."""
    write: Callable[[Path, P], None] | None = None
    """Whole or not at all. Raises `SondeError`: `cannot-write`."""
    about: Callable[[P], About] | None = None
    merged: Callable[[Sequence[P], Sequence[str]], P] | None = None
    """Several as one, with what to call them; needs `read`, `write` and `about`."""
    why_not_one_program: Callable[[P, P], str] | None = None
    """Empty where two profiles may be of one program; else a reason. Their commands are looked at before."""

    report: Callable[[Path, Any, bool], Report] | None = None
    """Everything that is told of a file, with a value of `view_options`; and whether with what only programs read."""
    view_options: type[Any] = NoOptions
    """A frozen dataclass, whose fields are annotated with an `Option`."""
    page_report: Callable[[Path, Any], Report] | None = None
    """As `report`, for kinds that have more to show in a page than programs read."""
    shown_by: Callable[[Sequence[Path], Namespace], int] | None = None
    """For kinds that a verb of their own shows: `sonde view` hands files and options over to it."""
    compare: Callable[[Path, Path, Any, tuple[str, str], bool], Report] | None = None
    """What changed between two files: with a value of `diff_options`, what to call both, and as `report`."""
    judge_several: Callable[[Sequence[Path], Any, Sequence[str]], Report] | None = None
    """How well several files do, judged by the first: with a value of `diff_options`, and what to call them."""
    diff_options: type[Any] = NoOptions
    figures: "Callable[[Sequence[Path], Any], GroupFigures] | None" = None
    """What several runs took by function, with a value of `diff_options`: groups of runs are compared by it. Raises
    `InputError` where the runs cannot be compared with one another."""
    replay: Replay | None = None
    """For kinds whose runs can be recorded."""
