"""The first step: the time of every call of a run, as `sonde contexts` measures it."""

import os
import sys
import tempfile
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from sonde.base.errors import InputError, MissingCapability, SondeError
from sonde.base.units import counted
from sonde.instruments.contexts.profile import ContextProfile, Sampling, read_profile
from sonde.instruments.phases.profile import NO_PARENT, TimedTree
from sonde.launch import Outcome, run_to_end


class FirstStep(NamedTuple):
    """What it found."""

    tree: TimedTree
    outcome: Outcome


class FirstStepCut(SondeError):
    """The first step was cut short, so that the second is not made.

    Args:
        outcome: how it ended.
        found: names of the phases that it found until then; None: the times were lost.
    """

    def __init__(self, outcome: Outcome, found: Sequence[str] | None = None) -> None:
        until = "no times of calls were kept"
        if found is not None:
            names = ", ".join(found[:_NAMED]) + (", ..." if len(found) > _NAMED else "")
            until = f"{counted(len(found), 'phase')} found until then" + (f" ({names})" if found else "")
        super().__init__(
            f"cannot count in phases: the first run {outcome.cut_in_words}, the second was not made; {until}",
            slug="first-step-cut",
            hint=None if outcome.interrupted_by else _OTHER_TIMES,
        )
        self.outcome = outcome


_NAMED = 3
_OTHER_TIMES = "--times calls.sonde takes the times from another run: sonde contexts --exact -o calls.sonde PROGRAM"


def time_every_call(argv: tuple[str, ...], *, compiled: bool = False) -> FirstStep:
    """Run `argv` to its end, with the time of every call in its context, without what timing cost.

    Args:
        compiled: it is no command, but what sonde compiles.

    Raises:
        SondeError: the command cannot be executed.
        FirstStepCut: a signal ended it before a call was seen.
        MissingCapability: `no-phases-measured`, no call was seen.
    """
    with tempfile.TemporaryDirectory(prefix="sonde-phases-") as folder:
        output = Path(folder, "calls.sonde")
        # -P: a module of the program's folder is not to take the place of one of sonde's
        words = ("-P", "-m", "sonde", "contexts", "--exact", "--quiet", "-o", str(output))
        program = argv if compiled else ("--", *argv)
        outcome = run_to_end((sys.executable, *words, *program), dict(os.environ))
        if not output.exists():
            if outcome.is_cut_short:
                raise FirstStepCut(outcome)
            raise MissingCapability(
                "cannot find phases: the times of the program's calls could not be measured",
                slug="no-phases-measured",
                hint="sonde contexts tells why: run the same program with it",
            )
        return FirstStep(tree_of_contexts(read_profile(output)), outcome)


def read_times(path: Path) -> TimedTree:
    """The tree of calls that is in a file.

    Raises:
        InputError: it cannot be read, is no profile of contexts, or has no times of all calls.
    """
    profile = read_profile(path)
    if profile.run.clock == "none" or not (profile.sampling is None or _is_of_all_calls(profile.sampling)):
        raise InputError(
            f"cannot find phases by '{path}': it does not have the time of every call",
            slug="no-call-times",
            hint="sonde contexts --exact -o calls.sonde app.py",
        )
    return tree_of_contexts(profile)


def tree_of_contexts(profile: ContextProfile) -> TimedTree:
    """The tree of calls of a profile of contexts.

    What was inlined into compiled functions, and so is not called, is a part of these.
    """
    contexts = profile.contexts
    place = array("q", [NO_PARENT]) * len(contexts.parent)
    parents, functions, calls, own = (array("q") for _ in range(4))
    rows = zip(contexts.parent, contexts.function, contexts.calls, contexts.self_ns, strict=True)
    for row, (parent, function, count, own_ns) in enumerate(rows):
        above = place[parent] if parent != NO_PARENT else NO_PARENT
        if not count and above != NO_PARENT and profile.functions[function].language == "jit":
            place[row] = above
            own[above] += own_ns
            continue
        place[row] = len(parents)
        for column, value in zip((parents, functions, calls, own), (above, function, count, own_ns), strict=True):
            column.append(value)
    return TimedTree(profile.functions, parents, functions, calls, own)


def _is_of_all_calls(sampling: Sampling) -> bool:
    """Whether all calls were counted, and only times are of a sample, as those of compiled programs."""
    return sampling.has_calls and sampling.fraction == 1.0 and not sampling.burst_ns
