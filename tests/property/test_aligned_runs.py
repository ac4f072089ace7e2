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
