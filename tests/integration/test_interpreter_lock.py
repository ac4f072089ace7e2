"""Who has the interpreter's lock, who waits for it, and who collects garbage, seen from outside on each CPython."""

from pathlib import Path

import pytest

from sampled_pythons import looked_at, on_each_python, own_shares, profile_of, running
from sonde.instruments.contexts.profile import COLLECTING, LOCK_WAITING, NO_PARENT, WAITING, ContextProfile, Function

MATCH = ("match", "prefixmatch")
"""What the one that has the lock runs: 3.15 has given it another name."""


def below(profile: ContextProfile, stand_in: Function) -> dict[str, float]:
    """Shares of the whole time of what stands below functions as `stand_in`, by their names."""
    tree, found = profile.contexts, dict[str, float]()
    for above, number, ns in zip(tree.parent, tree.function, tree.self_ns, strict=True):
        if profile.functions[number] == stand_in and above != NO_PARENT:
            name = profile.functions[tree.function[above]].name
            found[name] = found.get(name, 0.0) + ns / profile.total_ns
    return found


@on_each_python
def test_one_has_the_lock_one_waits_for_it_and_one_for_something_else(python: Path) -> None:
    with running(python, "lock_held.py") as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        for _ in range(50):  # until it has the lock
            lock = profile_of(looked_at(process.pid, seconds=0.1, of_lock=True))
            if any(own_shares(lock).get(name) == 1.0 for name in MATCH):
                break
        wall = profile_of(looked_at(process.pid, seconds=0.3))
    # Each has a third of the time of three threads, whatever the machine is busy with.
    assert below(wall, LOCK_WAITING) == {"wants_the_lock": pytest.approx(1 / 3, abs=0.02)}
    assert below(wall, WAITING) == {"wants_something_else": pytest.approx(1 / 3, abs=0.02)}
    assert [(name, share) for name, share in own_shares(lock).items() if share] in [[(name, 1.0)] for name in MATCH]
    assert lock.total_ns > 0 and below(lock, LOCK_WAITING) == {}


@on_each_python
def test_garbage_collection_is_below_who_came_to_do_it(python: Path) -> None:
    for way, of_lock in (("collects", False), ("collects", True), ("lives", False)):
        with running(python, "collecting.py", way) as process:
            assert process.stdout is not None
            process.stdout.readline()
            seen = looked_at(process.pid, seconds=0.2, is_processor=not of_lock, of_lock=of_lock)
        shares = below(profile_of(seen), COLLECTING)
        assert shares.keys() == ({"collects"} if way == "collects" else set())
        assert way != "collects" or shares["collects"] > 0.9  # all but the calls themselves
