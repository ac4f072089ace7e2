"""Forests of paths: each guarantee on both cores, against counting every sequence."""

from array import array
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from path_streams import RUNNING_EXAMPLE, Activation, feed, grams, listed, path_streams, routine_grams
from sonde.native import SlabForest, new_slab_forest, path_ids

AMPLE = 1 << 20

ks = st.integers(1, 9)


@pytest.fixture(params=["native", "python"])
def core(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SONDE_CORE", request.param)


def on_both_cores(k: int, most: int, *, prunes: bool = False) -> list[SlabForest]:
    forests = []
    for core in ("native", "python"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("SONDE_CORE", core)
            forests.append(new_slab_forest(k, most, prunes=prunes))
    return forests


def rows(forest: SlabForest, least: int = 1) -> tuple[bytes, bytes, bytes]:
    found = forest.rows(least, AMPLE)
    assert found is not None
    return found


@pytest.mark.usefixtures("core")
def test_the_running_example_has_the_counts_of_figure_3_5() -> None:
    forest = new_slab_forest(4, AMPLE)
    feed(forest, [Activation(0, RUNNING_EXAMPLE)])

    activations, found = listed(rows(forest))

    assert activations == {0: 1}
    assert found[0][(2, 0, 0, 2)] == 3 and found[0][(0, 0)] == 3
    assert {path: count for path, count in found[0].items() if len(path) == 1} == {(0,): 6, (2,): 6, (3,): 1, (6,): 1}
    assert max(count for path, count in found[0].items() if len(path) == 4) == 3
    assert forest.nodes == 24  # Figure 3.6 has 22; with the last chunk as an upper one, and the routine


@given(path_streams(), ks)
def test_every_sequence_of_up_to_k_paths_is_counted_exactly(stream: list[Activation], k: int) -> None:
    for forest in on_both_cores(k, AMPLE):
        feed(forest, stream)
        activations, found = listed(rows(forest))

        assert found == routine_grams(stream, k)
        assert activations == {routine: sum(each.routine == routine for each in stream) for routine in found}
        assert not forest.dropped


@given(path_streams(), ks, st.lists(st.integers(0, 9), max_size=12))
def test_any_parts_of_a_stream_give_the_same(stream: list[Activation], k: int, parts: list[int]) -> None:
    for forest in on_both_cores(k, AMPLE):
        feed(forest, stream, parts)
        assert listed(rows(forest))[1] == routine_grams(stream, k)


@given(path_streams(), ks, st.integers(1, 4))
def test_the_twins_agree_in_every_row_and_node(stream: list[Activation], k: int, least: int) -> None:
    native, python = on_both_cores(k, AMPLE)
    for forest in (native, python):
        feed(forest, stream)
    assert rows(native, least) == rows(python, least)
    assert native.nodes == python.nodes
    for most in (0, 3, 20):
        assert native.rows(least, most) == python.rows(least, most)


@given(path_streams(), ks, st.integers(1, 5))
def test_rows_are_all_sequences_taken_often_enough(stream: list[Activation], k: int, least: int) -> None:
    for forest in on_both_cores(k, AMPLE):
        feed(forest, stream)
        assert listed(rows(forest, least))[1] == {
            routine: {path: count for path, count in counted.items() if count >= least}
            for routine, counted in routine_grams(stream, k).items()
        }


def kept_pieces(forest: SlabForest, stream: Sequence[Activation]) -> dict[int, list[list[int]]]:
    """By routine, the ids that were not dropped, in pieces that end where ids were."""
    pieces: dict[int, list[list[int]]] = {}
    for each in stream:
        feed(forest, [Activation(each.routine, ())])
        own = pieces.setdefault(each.routine, [])
        own.append([])
        for path_id in each.ids:
            before = forest.dropped
            forest.stream(array("Q", [path_id]), array("Q"), array("I"))
            if forest.dropped > before:
                own.append([])
            else:
                own[-1].append(path_id)
    return pieces


@given(path_streams(), ks, st.integers(0, 30))
def test_a_full_forest_is_that_of_the_stream_cut_at_what_was_dropped(
    stream: list[Activation], k: int, most: int
) -> None:
    native, python = on_both_cores(k, most)
    pieces = kept_pieces(native, stream)
    feed(python, stream)

    assert listed(rows(native))[1] == {
        routine: grams(own, k) for routine, own in pieces.items() if routine in listed(rows(native))[1]
    }
    assert sum(len(piece) for own in pieces.values() for piece in own) + native.dropped == sum(
        len(each.ids) for each in stream
    )
    assert (rows(python), python.nodes, python.dropped) == (rows(native), native.nodes, native.dropped)
    assert native.nodes <= most


long_streams = st.lists(st.builds(list[Activation].__add__, path_streams(120), path_streams(40)), max_size=3).map(
    lambda parts: [each for part in parts for each in part]
)


@given(long_streams, ks, st.integers(0, 60), st.lists(st.integers(0, 99), max_size=3), st.integers(1, 3))
def test_a_pruned_forest_is_within_its_bounds(
    stream: list[Activation], k: int, most: int, parts: list[int], least: int
) -> None:
    true = routine_grams(stream, k)
    forests = on_both_cores(k, most, prunes=True)
    for forest in forests:
        feed(forest, stream, parts)
        assert forest.nodes <= most
        activations, found = listed(rows(forest))
        for routine, counted in found.items():
            assert activations[routine] == sum(each.routine == routine for each in stream) or forest.dropped
            for path, count in true[routine].items():
                lacking = count - counted.get(path, 0)
                assert 0 <= lacking <= forest.floor + len(path) * forest.dropped
                assert forest.dropped or len(path) > 1 or not lacking
            assert counted.keys() <= true[routine].keys()
            for path, count in counted.items():
                assert all(counted[part] >= count for part in (path[1:], path[:-1]) if part)
        assert listed(rows(forest, least))[1] == {
            routine: {path: count for path, count in counted.items() if count >= least}
            for routine, counted in found.items()
        }
    native, python = forests
    assert rows(native) == rows(python)
    assert (native.nodes, native.dropped, native.floor) == (python.nodes, python.dropped, python.floor)


def test_a_full_forest_goes_on_to_find_what_is_frequent() -> None:
    """First 400 ids at random, then a loop, for which there would be no room."""
    noise, loop = tuple(at * at * 7919 % 101 for at in range(400)), (500, 501, 502, 503) * 100
    stream = [Activation(0, noise), Activation(0, loop)]
    for forest in on_both_cores(4, 300, prunes=True):
        feed(forest, stream)
        _, found = listed(rows(forest))
        true = routine_grams(stream, 4)[0]
        assert not forest.dropped
        assert found[0][loop[:4]] == true[loop[:4]] == 100
        assert 0 < forest.floor < 20
    for forest in on_both_cores(4, 300):
        feed(forest, stream)
        assert loop[:4] not in listed(rows(forest))[1][0]


def test_the_floor_is_what_a_sequence_lacks_where_each_id_has_one_before_it() -> None:
    stream = [Activation(0, tuple(range(40)) * 30)]
    true = routine_grams(stream, 2)[0]
    for forest in on_both_cores(2, 61, prunes=True):
        feed(forest, stream)
        _, found = listed(rows(forest))
        assert max(count - found[0].get(path, 0) for path, count in true.items()) == forest.floor > 0


@pytest.mark.usefixtures("core")
def test_what_makes_no_sense_is_refused() -> None:
    ids = array("Q", [5, 6])
    with pytest.raises(ValueError, match="k is 1 or more"):
        new_slab_forest(0, AMPLE)
    forest = new_slab_forest(3, AMPLE)
    with pytest.raises(ValueError, match="differ in length"):
        forest.stream(ids, array("Q"), array("I", [0]))
    with pytest.raises(ValueError, match="ascending order"):
        forest.stream(ids, array("Q", [3]), array("I", [0]))
    with pytest.raises(ValueError, match="ascending order"):
        forest.stream(ids, array("Q", [2, 0]), array("I", [0, 0]))
    assert forest.nodes == 0


_LINES = st.one_of(
    st.integers(0, 2**65).map(b"%d".__mod__),
    st.sampled_from([b"", b"*", b"* f", b"-1", b" 1", b"1 ", b"007", b"18446744073709551615", b"18446744073709551616"]),
    st.binary(max_size=4),
    st.integers(0, 9).map(lambda digit: b"%d" % digit * 20),
)


@given(st.lists(st.tuples(_LINES, st.sampled_from([b"\n", b"\n", b"\r\n", b"\r", b""]))), st.integers(0, 3))
def test_the_twins_read_the_same_ids(lines: list[tuple[bytes, bytes]], from_: int) -> None:
    text = b"1\n\n" + b"".join(line + end for line, end in lines)
    found = []
    for core in ("native", "python"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("SONDE_CORE", core)
            found.append(path_ids(text, from_))
            with pytest.raises(ValueError, match="no such place"):
                path_ids(text, len(text) + 1)
    assert found[0] == found[1]


@pytest.mark.usefixtures("core")
def test_so_many_ids_are_read_at_once() -> None:
    text = b"7\n" * 20_000

    assert path_ids(text, 2) == (array("Q", [7] * 8_192).tobytes(), 2 + 2 * 8_192)
