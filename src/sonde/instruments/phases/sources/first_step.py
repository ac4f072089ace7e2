"""The first step: the time of every call of a run, as `sonde contexts` measures it."""

import os
import sys
import tempfile
from array import array
from pathlib import Path
from typing import NamedTuple

from sonde.base.errors import InputError, MissingCapability
from sonde.instruments.contexts.profile import ContextProfile, read_profile
from sonde.instruments.phases.profile import TimedTree
from sonde.launch import Outcome, run_to_end


class FirstStep(NamedTuple):
    """What it found."""

    tree: TimedTree
    outcome: Outcome


def time_every_call(argv: tuple[str, ...]) -> FirstStep:
    """Run `argv` to its end, with the time of every call in its context, without what timing cost.

    Raises:
        SondeError: the command cannot be executed.
        MissingCapability: `no-phases-measured`, no call was seen.
    """
    with tempfile.TemporaryDirectory(prefix="sonde-phases-") as folder:
        output = Path(folder, "calls.sonde")
        # -P: a module of the program's folder is not to take the place of one of sonde's
        words = ("-P", "-m", "sonde", "contexts", "--exact", "--quiet", "-o", str(output), "--", *argv)
        outcome = run_to_end((sys.executable, *words), dict(os.environ))
        if not output.exists():
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
    if profile.run.clock == "none" or profile.sampling is not None:
        raise InputError(
            f"cannot find phases by '{path}': it does not have the time of every call",
            slug="no-call-times",
            hint="sonde contexts --exact -o calls.sonde app.py",
        )
    return tree_of_contexts(profile)


def tree_of_contexts(profile: ContextProfile) -> TimedTree:
    """The tree of calls of a profile of contexts."""
    contexts = profile.contexts
    columns = (contexts.parent, contexts.function, contexts.calls, contexts.self_ns)
    return TimedTree(profile.functions, *(array("q", column) for column in columns))
