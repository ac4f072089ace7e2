"""Path profiles: exact whatever the text is cut into, kept as they are, merged and compared without loss."""

import io
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from path_streams import Activation, path_profile, path_streams, profile_grams, routine_grams, stream_text, with_code
from sonde.code import plain_function
from sonde.formats.collapsed_paths import write_collapsed_paths
from sonde.instruments.paths.analyses import NODE_BYTES, PathForests
from sonde.instruments.paths.analysis import hot_paths, iteration_runs
from sonde.instruments.paths.analysis.iteration_runs import ALIKE
from sonde.instruments.paths.options import PathViewOptions
from sonde.instruments.paths.profile import (
    PathProfile,
    compare_paths,
    merge_path_profiles,
    read_path_profile,
    write_path_profile,
)
from sonde.instruments.paths.report import path_report
from sonde.instruments.paths.sources import path_stream
from sonde.instruments.paths.sources.path_stream import PathStream

Stream = list[Activation]

streams = path_streams(24)
ks = st.integers(1, 5)


def merge(*profiles: PathProfile) -> PathProfile:
    return merge_path_profiles(profiles)


@given(streams, ks, st.integers(1, 60))
def test_a_stream_of_text_is_read_the_same_in_any_parts(stream: Stream, k: int, part: int) -> None:
    text = stream_text(stream)
    forests = PathForests(k, 1 << 20)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(path_stream, "_BATCH_BYTES", part)
        source = PathStream(io.BytesIO(text.removesuffix(b"\n")), "ids.txt")
        for batch in source.batches():
            forests.update(batch)

    profile = forests.snapshot([plain_function("native", name, "", 0) for name in source.routines])

    profile.check_valid()
    assert profile_grams(profile) == {f"r{routine}": grams for routine, grams in routine_grams(stream, k).items()}
    assert source.taken == profile.taken == sum(len(each.ids) for each in stream)


@given(streams, ks)
def test_what_is_written_is_read_back(stream: Stream, k: int) -> None:
    profile = with_code(path_profile(stream, k))
    profile.check_valid()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.sonde"
        write_path_profile(path, profile)
        assert read_path_profile(path) == profile


@given(streams, streams, ks)
def test_the_merged_profile_is_that_of_both_streams(one: Stream, other: Stream, k: int) -> None:
    assert merge(path_profile(one, k), path_profile(other, k)) == path_profile([*one, *other], k)


@given(streams, streams, streams, ks, ks)
def test_merging_is_associative_and_commutative(a: Stream, b: Stream, c: Stream, k: int, other_k: int) -> None:
    one, two, three = path_profile(a, k), path_profile(b, other_k), path_profile(c, k, 100 * NODE_BYTES)

    all_at_once = merge(one, two, three)

    all_at_once.check_valid()
    assert merge(one, two) == merge(two, one)
    assert merge(merge(one, two), three) == all_at_once == merge(one, merge(two, three))
    assert all_at_once.k == min(k, other_k)


@given(streams, ks, st.integers(2, 60))
def test_little_memory_is_told_and_bounds_hold(stream: Stream, k: int, nodes: int) -> None:
    profile = path_profile(stream, k, nodes * NODE_BYTES)
    true = {f"r{routine}": grams for routine, grams in routine_grams(stream, k).items()}
    amounts = {loss.kind: loss.amount for loss in profile.losses}
    dropped, pruned = (amounts.get(kind, 0) for kind in ("paths-dropped", "paths-pruned"))

    profile.check_valid()
    assert profile.sequences <= nodes
    listed = profile_grams(profile)
    for name, grams in listed.items():
        assert all(count <= true[name][path] for path, count in grams.items())
    for name, grams in true.items():
        for path, count in grams.items():
            found = listed.get(name, {}).get(path, profile.floor - pruned)
            assert count <= found + pruned + len(path) * dropped
    if not dropped:
        lacking = [true[name][path] - count for name, grams in listed.items() for path, count in grams.items()]
        assert max(lacking, default=0) <= pruned <= profile.floor
        assert all(true[name][path] == grams[path] for name, grams in listed.items() for path in grams if len(path) < 2)


@given(streams, streams, ks)
def test_a_comparison_is_the_difference_of_all_counts(one: Stream, other: Stream, k: int) -> None:
    before, after = path_profile(one, k), path_profile(other, k)

    changes = compare_paths(before, after).changes

    counts = profile_grams(before)
    for change in changes:
        grams = counts.setdefault(change.function.name, {})
        assert grams.pop(change.path, 0) == change.before != change.after
        if change.after:
            grams[change.path] = change.after
    assert {name: grams for name, grams in counts.items() if grams} == {
        name: grams for name, grams in profile_grams(after).items() if grams
    }


def covered(stream: Stream, routine: int, path: tuple[int, ...]) -> int:
    """Paths of a routine that lie in an occurrence of a sequence, by looking at each."""
    total = 0
    for each in stream:
        marks = bytearray(len(each.ids))
        for at in range(len(each.ids) - len(path) + 1):
            if each.routine == routine and each.ids[at : at + len(path)] == path:
                marks[at : at + len(path)] = b"\1" * len(path)
        total += sum(marks)
    return total


@given(streams, ks)
def test_what_a_sequence_covers_is_a_lower_bound(stream: Stream, k: int) -> None:
    for routine in path_profile(stream, k).routines:
        number = int(routine.function.name[1:])
        found = hot_paths(routine.forest)
        for each in found:
            assert each.covered <= covered(stream, number, each.ids)
            assert each.count == routine_grams(stream, k)[number][each.ids]
        assert [each.covered for each in found] == sorted((each.covered for each in found), reverse=True)


@given(streams, ks, st.sampled_from([0.0, 0.01, 0.3, 1.0]), st.integers(1, 8), st.booleans())
def test_a_report_lists_frequent_sequences_and_counts_the_others(
    stream: Stream, k: int, min_share: float, rows: int, with_data: bool
) -> None:
    profile = path_profile(stream, k)
    report = path_report(profile, PathViewOptions(rows, min_share), with_data=with_data)
    forests = [table for table in report.tables() if table.key.startswith("forest")]
    routines = {f"paths of {each.function.name}": each for each in profile.routines if each.taken}
    taken = [routines[table.title].taken for table in forests]

    assert sorted(table.title for table in forests) == sorted(routines)
    assert taken[1:] == sorted(taken[1:], reverse=True)  # the first is that of the hottest sequence
    for table in forests:
        routine = routines[table.title]
        frequent = sorted(count for count in routine.forest.counts if count >= min_share * routine.taken)
        if not with_data:
            frequent = frequent[-rows:]
        listed = list(table.all_rows())
        assert sorted(row.cells[0] for row in listed) == frequent  # type: ignore[type-var]
        assert len(listed) + table.left_out + sum(row.left_out for row in listed) == len(routine.forest)


@given(streams, ks)
def test_collapsed_stacks_have_the_counts_of_all_sequences(stream: Stream, k: int) -> None:
    profile = path_profile(stream, k)
    written = io.BytesIO()
    write_collapsed_paths(profile, written)

    counts: dict[str, dict[tuple[int, ...], int]] = {routine.function.name: {} for routine in profile.routines}
    for line in written.getvalue().decode().splitlines():
        stack, _, weight = line.rpartition(" ")
        name, *ids = stack.split(";")
        for end in range(1, len(ids) + 1):  # as flame graphs do, to what is below
            path = tuple(map(int, ids[:end]))
            counts[name][path] = counts[name].get(path, 0) + int(weight)
    assert counts == profile_grams(profile)


def runs_by_definition(stream: Stream, routine: int, path: int, together: int) -> tuple[int, int]:
    """Maximal runs of a path, and how often so many of it stand in a row, by looking at each place."""
    activations = [each.ids for each in stream if each.routine == routine]
    runs = sum(ids[at] == path and (at == 0 or ids[at - 1] != path) for ids in activations for at in range(len(ids)))
    in_a_row = sum(ids[at : at + together] == (path,) * together for ids in activations for at in range(len(ids)))
    return runs, in_a_row


@given(streams, st.lists(st.tuples(st.integers(0, 2), st.integers(5, 40)), min_size=2, max_size=12), st.integers(2, 9))
def test_guarantee_of_iteration_runs(stream: Stream, lengths: list[tuple[int, int]], k: int) -> None:
    long_runs = Activation(0, tuple(path for path, times in lengths for _ in range(times)))
    stream = [*stream, long_runs]
    for routine in path_profile(stream, k).routines:
        number = int(routine.function.name[1:])
        for found in iteration_runs(routine, k):
            told = [runs_by_definition(stream, number, each.path, found.together) for each in found.paths]
            assert [each.runs for each in found.paths] == [runs for runs, _ in told]
            taken = [path for each in stream if each.routine == number for path in each.ids]
            alike = sum(runs_by_definition(stream, number, path, found.together)[1] for path in set(taken))
            assert found.iterations == len(taken)
            assert found.alike == alike / len(taken) >= ALIKE
