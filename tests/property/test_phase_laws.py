"""Laws of phases: times from a trace of all calls and from sums, own amounts, plans, merging, files."""

from array import array
from collections import Counter
from itertools import permutations
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from made_phases import Made, function, phase_profile
from sonde.code import Function
from sonde.instruments.phases.analysis import (
    all_reasons,
    figures_of,
    nested_ns,
    phase_consistencies,
    phase_sums,
    plan_phases,
    select_phases,
    telling_reason,
)
from sonde.instruments.phases.analysis.segments import binned, own_segments
from sonde.instruments.phases.profile import (
    NO_PARENT,
    FunctionTime,
    PhaseProfile,
    Thetas,
    TimedTree,
    merge_phase_profiles,
    read_phase_profile,
    write_phase_profile,
)
from sonde.instruments.phases.sources.cpython.found_methods import keep_phases

FUNCTIONS = 5
thetas = st.builds(Thetas, st.floats(0, 1), st.floats(0, 1))


@st.composite
def traces(draw: st.DrawFn) -> list[Made]:
    """Calls that lie within one another or beside one another; recursion is frequent."""

    def calls(start: int, depth: int) -> tuple[list[Made], int]:
        made, at = [], start
        for _ in range(draw(st.integers(0, 3 if depth < 3 else 0))):
            begin = at + draw(st.integers(0, 5))
            below, end = calls(begin + draw(st.integers(0, 5)), depth + 1)
            end += draw(st.integers(0, 20))
            counts = (draw(st.integers(0, 9)), draw(st.integers(0, 9)))
            made.append(Made(draw(st.integers(0, FUNCTIONS - 1)), begin, end, counts, tuple(below)))
            at = end
        return made, at

    made, end = calls(0, 0)
    return made or [Made(0, 0, end + 1, (1, 1))]


def profile_of(trace: list[Made], more: int = 3) -> PhaseProfile:
    names = [f"f{number}" for number in range(FUNCTIONS)]
    end = max(call.end for call in trace) + more
    return phase_profile(names, ("page-faults", "context-switches"), trace, end, rest=(2, 1))


def flattened(trace: list[Made], above: tuple[int, ...] = ()) -> list[tuple[Made, tuple[int, ...]]]:
    """Each call with the functions further up."""
    found = []
    for call in trace:
        found.append((call, above))
        found += flattened(list(call.below), (*above, call.phase))
    return found


def slow_times(trace: list[Made]) -> list[FunctionTime]:
    """From each call of the trace by itself, as the document computes them."""
    times = []
    for number in range(FUNCTIONS):
        own = [(call, above) for call, above in flattened(trace) if call.phase == number]
        total = sum(call.end - call.start for call, above in own if number not in above)
        alone = sum(call.end - call.start - sum(b.end - b.start for b in call.below) for call, _ in own)
        times.append(FunctionTime(function(f"f{number}", number + 1), len(own), total, alone))
    return times


def summed_tree(trace: list[Made]) -> TimedTree:
    """Calls of one context added up, as they are while a program runs."""
    rows: dict[tuple[int, ...], list[int]] = {}
    for call, above in flattened(trace):
        row = rows.setdefault((*above, call.phase), [0, 0])
        row[0] += 1
        row[1] += call.end - call.start - sum(below.end - below.start for below in call.below)
    paths = sorted(rows, key=len)
    number = {path: at for at, path in enumerate(paths)}
    return TimedTree(
        tuple(function(f"f{n}", n + 1) for n in range(FUNCTIONS)),
        array("q", [number[path[:-1]] if len(path) > 1 else NO_PARENT for path in paths]),
        array("q", [path[-1] for path in paths]),
        array("q", [rows[path][0] for path in paths]),
        array("q", [rows[path][1] for path in paths]),
    )


@given(traces(), thetas)
def test_the_same_methods_are_selected_from_sums_and_from_a_trace_of_all_calls(trace: list[Made], both: Thetas) -> None:
    tree, times = summed_tree(trace), slow_times(trace)
    tree.check_valid()
    assert list(tree.function_times()) == times
    whole = sum(each.own_ns for each in times)
    assert tree.whole_ns == whole
    selected = select_phases(tree.function_times(), whole, both)
    assert selected == select_phases(times, whole, both)
    by_definition = {
        each.function
        for each in times
        if each.calls and each.total_ns >= both.weight * whole and each.total_ns / each.calls >= both.grain * whole
    }
    # A mean and a product round differently: what is on the threshold may be on either side.
    near = {each.function for each in times if each.calls and abs(each.per_call_ns - both.grain * whole) < 1e-6}
    assert {each.function for each in selected} ^ by_definition <= near


@given(traces(), thetas, thetas)
def test_higher_thresholds_never_select_more(trace: list[Made], one: Thetas, other: Thetas) -> None:
    times, whole = slow_times(trace), summed_tree(trace).whole_ns
    higher = Thetas(max(one.weight, other.weight), max(one.grain, other.grain))
    assert {each.function for each in select_phases(times, whole, higher)} <= {
        each.function for each in select_phases(times, whole, one)
    }
    tree = summed_tree(trace)
    weights, grains = sorted((one.weight, other.weight)), sorted((one.grain, other.grain))
    low_low, low_high, high_low, high_high = plan_phases(tree, 2.0, 0.5, weights, grains)
    for fewer, more in ((low_high, low_low), (high_low, low_low), (high_high, low_high), (high_high, high_low)):
        assert fewer.phases <= more.phases
        assert fewer.calls <= more.calls
        assert fewer.cost <= more.cost
        assert fewer.coverage <= more.coverage + 1e-12


@given(traces())
def test_exclusive_is_inclusive_minus_callees_and_adds_up(trace: list[Made]) -> None:
    profile = profile_of(trace)
    profile.check_valid()
    sums = phase_sums(figures_of(profile))
    slow = {at: each for at, each in enumerate(slow_times(trace)) if each.calls}
    assert {each.phase: (each.calls, each.total_ns, each.own_ns) for each in sums if each.calls} == {
        at: (each.calls, each.total_ns, each.own_ns) for at, each in slow.items()
    }
    for counter, rest in enumerate((2, 1)):
        own = {number: sum(c.counts[counter] for c, _ in flattened(trace) if c.phase == number) for number in slow}
        assert {each.phase: each.own[counter] for each in sums} == own
        assert sum(own.values()) + rest == profile.total(counter)


@given(traces(), st.integers(1, 7))
def test_segments_are_the_time_of_the_innermost_calls(trace: list[Made], bins: int) -> None:
    profile = profile_of(trace)
    thread = profile.threads[0]
    segments = own_segments(thread)
    assert segments.start_ns[0] == thread.start_ns
    assert segments.end_ns[-1] == thread.end_ns
    assert list(segments.start_ns[1:]) == list(segments.end_ns[:-1])
    own = thread.calls.exclusive(thread.calls.elapsed_ns())
    found = [0] * len(thread.calls)
    for start, end, call in zip(segments.start_ns, segments.end_ns, segments.call, strict=True):
        if call >= 0:
            found[call] += end - start
    assert found == list(own)
    parts = binned(thread, segments, thread.calls.phase, bins)
    for each in phase_sums(figures_of(profile)):
        assert abs(sum(part.get(each.phase, 0.0) for part in parts) - each.own_ns) < 1e-6


@given(traces())
def test_time_within_another_phase_is_that_of_calls_below_it(trace: list[Made]) -> None:
    found = Counter[tuple[int, int]]()

    def add(call: Made, around: frozenset[int]) -> None:
        if call.phase not in around:
            found.update({(call.phase, outer): call.end - call.start for outer in around})
        for each in call.below:
            add(each, around | {call.phase})

    for call in trace:
        add(call, frozenset())
    assert nested_ns(figures_of(profile_of(trace))) == found


@given(st.lists(traces(), min_size=3, max_size=3))
def test_merging_adds_up_in_any_order(several: list[list[Made]]) -> None:
    profiles = [profile_of(trace, more=number) for number, trace in enumerate(several)]
    merged = [merge_phase_profiles(order) for order in permutations(profiles)]
    assert all(each == merged[0] for each in merged)
    assert merge_phase_profiles([merge_phase_profiles(profiles[:2]), profiles[2]]) == merged[0]
    merged[0].check_valid()

    def by_function(profile: PhaseProfile) -> dict[Function, tuple[int, ...]]:
        return {
            profile.phases[s.phase].function: (s.calls, s.total_ns, s.own_ns, *s.totals)
            for s in phase_sums(figures_of(profile))
        }

    # Counters are in the order of their names then.
    parts = [by_function(merge_phase_profiles([profile])) for profile in profiles]
    added = {
        each: tuple(sum(values) for values in zip(*(part[each] for part in parts if each in part), strict=True))
        for each in {one for part in parts for one in part}
    }
    assert by_function(merged[0]) == added


@given(traces())
def test_what_was_written_is_read_back(trace: list[Made]) -> None:
    profile = profile_of(trace)
    with TemporaryDirectory() as folder:
        path = Path(folder, "a.sonde")
        write_phase_profile(path, profile)
        assert read_phase_profile(path) == profile


@given(st.data())
def test_a_planted_change_is_named_with_its_counter(data: st.DataObject) -> None:
    """Of one phase a counter goes on three times as fast as elsewhere; of other counters there is noise."""
    counters = ("task-clock", "page-faults", "context-switches", "cache-misses", "branch-misses", "allocations")
    planted, counter = data.draw(st.integers(1, 3)), data.draw(st.integers(1, 5))
    factor = data.draw(st.floats(3, 50))
    draw = data.draw(st.randoms(use_true_random=False))
    calls, at = [], 0
    for number in range(40):
        phase, length = 1 + number % 3, draw.randrange(800_000, 1_200_000)
        counts = [length] + [round(length / 4000 * draw.uniform(0.85, 1.15)) for _ in counters[1:]]
        if phase == planted:
            counts[counter] = round(counts[counter] * factor)
        calls.append(Made(phase, at, at + length, tuple(counts)))
        at += length
    main = Made(0, 0, at, (0,) * len(counters), tuple(calls))
    profile = phase_profile(["main", "a", "b", "c"], counters, [main], at)
    figures = figures_of(profile)
    sums = phase_sums(figures)
    reasons = all_reasons(figures, sums)
    alike = phase_consistencies(figures).of
    named = {
        each.phase: telling_reason(profile, reasons[each.phase], alike[each.phase].length_variation)
        for each in sums
        if each.phase
    }
    found = named.pop(planted)
    assert found is not None
    assert counters[found.counter] == counters[counter]
    assert all(each is None for each in named.values())


@given(traces(), thetas)
def test_leaving_out_methods_leaves_the_others_as_they_are(trace: list[Made], both: Thetas) -> None:
    profile = profile_of(trace)
    kept = keep_phases(profile, both, 2, 0)
    kept.check_valid()
    before = {profile.phases[s.phase].function: s for s in phase_sums(figures_of(profile))}
    after = {kept.phases[s.phase].function: s for s in phase_sums(figures_of(kept))}
    assert all(
        (s.calls, s.total_ns, s.totals) == (before[f].calls, before[f].total_ns, before[f].totals)
        for f, s in after.items()
    )
    left_out = before.keys() - after.keys()
    whole = profile.whole_ns
    assert not any(both.admits(before[f].total_ns, before[f].calls, whole) for f in left_out)
    assert all(both.admits(s.total_ns, s.calls, whole) for f, s in after.items() if f.first_line > 2)
