"""Members of samples in a page: two bytes for a value, thinned so that nothing that stands out is lost."""

import base64
from array import array
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sonde.render.html import packed_samples
from sonde.render.html.fair_share import fair_share
from sonde.render.html.packed_samples import PackedSamples
from sonde.report import Plot, Sample


def sample_of(runs: list[list[float]]) -> Sample:
    members = tuple(Sample(f"run {i}", run, "s", counted=(0, len(run))) for i, run in enumerate(runs))
    return Sample("a", [1.0] * len(runs), "s", members=members)


def packed(*samples: Sample) -> list[dict[str, Any] | None]:
    packer = PackedSamples([Plot("p", "overview", "p", samples, is_secondary=True)])
    return [packer.packed(sample, len) for sample in samples]


def unpacked(data: dict[str, Any]) -> list[float]:
    levels = array("H", base64.b64decode(data["data"]))
    return [data["low"] + level / 65_535 * (data["high"] - data["low"]) for level in levels]


def test_what_all_members_have_in_common_is_told_once() -> None:
    [alike] = packed(sample_of([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
    assert alike is not None
    assert (alike["lengths"], alike["steps"], alike["names"]) == (3, 1, [5, 5])
    assert "from" not in alike and "to" not in alike
    [different] = packed(sample_of([[1.0, 2.0, 3.0], [4.0, 5.0]]))
    assert different is not None and different["lengths"] == [3, 2]
    assert unpacked(different) == pytest.approx([1.0, 2.0, 3.0, 4.0, 5.0], abs=1e-4)


def test_what_counts_is_told_where_not_all_of_it_does() -> None:
    members = (Sample("m", (3.0, 1.0, 1.0, 2.0), "s", counted=(1, 3)), Sample("n", (1.0, 1.0), "s"))
    [data] = packed(Sample("a", (1.0, 1.0), "s", members=members))
    assert data is not None and (data["from"], data["to"]) == ([1, 0], [3, 2])


def test_members_of_single_values_are_not_worth_a_drawing() -> None:
    assert packed(sample_of([[1.0], [2.0]]), Sample("a", (1.0,), "s")) == [None, None]


def test_as_many_values_are_kept_as_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_samples, "MAX_PACKED", 500)
    long, short = packed(sample_of([[float(i) for i in range(100)]] * 10), sample_of([[1.0, 2.0] * 5] * 10))
    assert long is not None and short is not None
    assert short["steps"] == 1 and len(unpacked(short)) == 100
    assert 360 <= len(unpacked(long)) <= 400
    assert (min(unpacked(long)), max(unpacked(long))) == (0.0, 99.0)


def test_what_has_no_room_at_all_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packed_samples, "MAX_PACKED", 20)
    samples = [sample_of([[1.0, 2.0] * 50] * 2) for _ in range(3)]
    packer = PackedSamples([Plot("p", "overview", "p", tuple(samples))])
    assert [packer.packed(sample, len) is None for sample in samples] == [False, True, True]
    assert packer.left_out == 2
    assert packer.packed(samples[0], len) is not None and packer.left_out == 2


@given(
    runs=st.lists(st.lists(st.floats(1e-9, 1e3), min_size=2, max_size=80), min_size=1, max_size=5),
    room=st.integers(4, 40).map(lambda half: 10 * half),
)
def test_thinned_members_keep_the_least_and_the_greatest_of_each_stretch(runs: list[list[float]], room: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packed_samples, "MAX_PACKED", room)
        [data] = packed(sample_of(runs))
    assert data is not None
    steps = data["steps"] if isinstance(data["steps"], list) else [data["steps"]] * len(runs)
    expected = [
        end
        for run, step in zip(runs, steps, strict=True)
        for stretch in (run[i : i + step] for i in range(0, len(run), step))
        for end in (stretch if step == 1 else (min(stretch), max(stretch)))
    ]
    assert len(expected) <= room + 10
    assert unpacked(data) == pytest.approx(expected, abs=(data["high"] - data["low"]) / 65_535 + 1e-9)


@given(sizes=st.lists(st.integers(0, 1_000), min_size=1), room=st.integers(0, 5_000))
def test_nothing_is_cut_that_need_not_be(sizes: list[int], room: int) -> None:
    share = fair_share(sizes, room)
    taken = sum(min(size, share) for size in sizes)
    assert taken <= room
    assert taken == sum(sizes) or sum(min(size, share + 1) for size in sizes) > room
