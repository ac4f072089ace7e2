"""What `sonde bench` says where there is no NumPy: its help all the same."""

import argparse
import sys

import pytest

from sonde.base.errors import MissingCapability
from sonde.instruments.bench.verb import bench


@pytest.fixture(autouse=True)
def _without_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)


@pytest.mark.parametrize("question", bench.QUESTIONS)
def test_questions_have_their_help(question: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.run(argparse.Namespace(program=[question, "--help"])) == 0
    assert capsys.readouterr().out.startswith(f"usage: sonde bench {question}")


def test_measurements_are_refused() -> None:
    with pytest.raises(MissingCapability, match="NumPy is not installed") as refused:
        bench.run(argparse.Namespace(program=["show", "results.sonde"]))
    assert refused.value.slug == "no-numpy"
