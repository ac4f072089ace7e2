"""What is said where lines could not be sampled."""

from pathlib import Path

import pytest

from sonde.instruments.contexts.sources.sampling import LineSampling, line_sampling
from tree_builder import profile_of


class FakeSampler:
    """The system lets it read one process of two; another cannot even be mapped."""

    forbidden, without_room = 1, 7

    def __init__(self, period_ns: int) -> None:
        assert period_ns > 0

    def add(self, path: bytes) -> bool:
        raise OSError(12, "no room for a map", path)

    def run(self, ns: int) -> None: ...

    def stop(self) -> None: ...

    def lines(self) -> list[tuple[int, int, int, int]]:
        return []


def test_processes_that_cannot_be_sampled_and_samples_without_room_are_losses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_sampling, "LineSampler", FakeSampler)
    (tmp_path / "17-0.cells").touch()
    sampling = LineSampling(tmp_path)
    sampling.look_for_processes()

    profile = sampling.put_into(profile_of("main 10"))

    assert [(loss.kind, loss.amount) for loss in profile.losses] == [("lines-not-sampled", 2), ("lines-not-stored", 7)]
    assert not profile.line_samples


def test_without_a_program_nothing_is_said(tmp_path: Path) -> None:
    sampling = LineSampling(tmp_path)
    sampling.begin()
    profile = profile_of("main 10")

    assert sampling.put_into(profile) == profile
