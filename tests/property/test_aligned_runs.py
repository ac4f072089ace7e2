"""Laws of several runs as one: nothing that was counted is lost, and calls that align have what was counted in them."""

from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from made_phases import Made, phase_profile
from sonde.instruments.phases.analysis import align_runs, figures_of, phase_sums
from sonde.instruments.phases.profile import PhaseProfile, merge_phase_profiles, read_phase_profile, write_phase_profile

FUNCTIONS = 4


@st.composite
def runs(draw: st.DrawFn, counter: str) -> PhaseProfile:
    """A run of a program that does anything."""

    def calls(start: int, depth: int) -> tuple[list[Made], int]:
        made, at = [], start
        for _ in range(draw(st.integers(0, 3 if depth < 3 else 0))):
            below, end = calls(at + draw(st.integers(0, 3)), depth + 1)
            end += draw(st.integers(0, 9))
            made.append(Made(draw(st.integers(0, FUNCTIONS - 1)), at, end, (draw(st.integers(0, 9)),), tuple(below)))
            at = end
        return made, at

    made, end = calls(0, 0)
    return phase_profile([f"f{number}" for number in range(FUNCTIONS)], (counter,), made, end + 2, rest=(3,))


def own_counts(profile: PhaseProfile, name: str) -> dict[str, int]:
    """What each phase counted itself, from each call by itself."""
    at = [counter.name for counter in profile.counters].index(name)
    found: dict[str, int] = {}
    for thread in profile.threads:
        calls = thread.calls
        for row, phase in enumerate(calls.phase):
            below = sum(calls.counters[at][child] for child, parent in enumerate(calls.parent) if parent == row)
            label = profile.phases[phase].function.name
            found[label] = found.get(label, 0) + calls.counters[at][row] - below
    return found


@given(runs("page-faults"), runs("allocations"))
def test_counts_of_each_phase_and_of_the_whole_are_those_of_the_run_that_counted_them(
    first: PhaseProfile, second: PhaseProfile
) -> None:
    aligned = align_runs([first, second])
    aligned.check_valid()
    assert aligned.total(1) == second.total(0)
    assert own_counts(aligned, "page-faults") == own_counts(first, "page-faults")
    there, here = own_counts(second, "allocations"), own_counts(aligned, "allocations")
    if set(there) <= set(here):
        assert {name: there.get(name, 0) for name in here} == here
    else:  # what the first run has no phase for is its callers', or nobody's
        assert sum(here.values()) <= sum(there.values())
        assert all(here[name] >= there.get(name, 0) for name in here)


@given(runs("page-faults"), st.data())
def test_each_call_has_what_was_counted_in_it_where_all_align(first: PhaseProfile, data: st.DataObject) -> None:
    calls = first.threads[0].calls
    counts = data.draw(st.lists(st.integers(0, 99), min_size=len(calls), max_size=len(calls)))
    for row in range(len(calls) - 1, -1, -1):
        if calls.parent[row] >= 0:
            counts[calls.parent[row]] += counts[row]
    thread = replace(first.threads[0], calls=replace(calls, counters=(tuple(counts),)), totals=(sum(counts),))
    second = replace(first, threads=(thread,), counters=(replace(first.counters[0], name="allocations"),))
    aligned = align_runs([first, second])
    assert aligned.threads[0].calls.counters[1] == tuple(counts)
    assert not aligned.summed
    assert not aligned.losses


@given(runs("page-faults"), runs("allocations"))
def test_aligned_runs_are_read_back_equal_and_merged(first: PhaseProfile, second: PhaseProfile) -> None:
    aligned = align_runs([first, second])
    with TemporaryDirectory() as folder:
        path = Path(folder, "run.sonde")
        write_phase_profile(path, aligned)
        again = read_phase_profile(path)
    assert (again.runs, again.summed, again.losses) == (aligned.runs, aligned.summed, aligned.losses)
    both = merge_phase_profiles([aligned, again])
    both.check_valid()
    assert len(both.summed) == len(aligned.summed)


@given(runs("page-faults"))
def test_one_run_is_itself(first: PhaseProfile) -> None:
    aligned = align_runs([first])
    assert phase_sums(figures_of(aligned)) == phase_sums(figures_of(first))
    assert not aligned.summed


@given(st.lists(runs("page-faults"), min_size=1, max_size=4), st.data())
def test_threads_that_began_in_another_order_are_found(made: list[PhaseProfile], data: st.DataObject) -> None:
    threads = [replace(run.threads[0], name=f"thread {number}") for number, run in enumerate(made)]
    first = replace(made[0], threads=tuple(threads))
    order = data.draw(st.permutations(threads))
    there = tuple(replace(thread, name=f"thread {number}") for number, thread in enumerate(order))
    second = replace(first, threads=there, counters=(replace(first.counters[0], name="allocations"),))
    aligned = align_runs([first, second])
    aligned.check_valid()
    assert not aligned.losses
    for before, after in zip(threads, aligned.threads, strict=True):
        assert after.name == before.name
        assert any(
            list(after.calls.counters[1]) == list(each.calls.counters[0])
            for each in threads
            if each.calls.phase == before.calls.phase and each.calls.parent == before.calls.parent
        )
    assert aligned.total(1) == first.total(0)


@given(st.lists(runs("page-faults"), min_size=1, max_size=3), st.lists(runs("allocations"), min_size=1, max_size=4))
def test_names_of_threads_stay_different_whatever_they_did(
    first: list[PhaseProfile], second: list[PhaseProfile]
) -> None:
    sides = [
        replace(runs[0], threads=tuple(replace(run.threads[0], name=f"{run_}") for run_, run in enumerate(runs)))
        for runs in (first, second)
    ]
    aligned = align_runs(sides)
    aligned.check_valid()
    assert len({thread.name for thread in aligned.threads}) == len(first)
    assert aligned.total(1) == sides[1].total(0)
