"""`sonde paths advise`."""

import json
from pathlib import Path

import pytest

from path_streams import RUNNING_EXAMPLE, Activation, stream_text
from report_json import facts, table
from sonde.cli.main import main


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which commands are run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    return tmp_path


def profile(ids: tuple[int, ...], k: int, output: str = "a.sonde") -> None:
    Path("ids.txt").write_bytes(stream_text([Activation(0, ids)]))
    assert main(["paths", "--stream", "ids.txt", "-k", str(k), "-o", output, "--quiet"]) == 0


def test_the_first_lines_say_what_goes_on_as_it_began_and_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    profile((1,) * 500 + (2,) * 500, 8)

    assert main(["paths", "advise", "a.sonde"]) == 0

    assert capsys.readouterr().out.splitlines()[1:4] == [
        "The loop of r0 goes on as it began: 98.6% of 1,000 iterations begin 8 that go",
        "  one way (0.8% if each chose anew).",
        "Unroll it by 8, with a copy for each way that all 8 can go.",
    ]


def test_an_alternation_is_told_with_its_period(capsys: pytest.CaptureFixture[str]) -> None:
    profile(RUNNING_EXAMPLE, 4)

    assert main(["paths", "advise", "a.sonde", "--json"]) == 0

    answer = json.loads(capsys.readouterr().out)
    (row,) = table(answer, "orders")
    assert (row["kind"], row["sequence"], row["known_after"], row["covered"]) == ("alternation", "2 → 0 ×2", 2, 10)
    assert facts(answer)["k"] == 4


def test_where_nothing_stands_out_it_is_said_what_was_looked_at(capsys: pytest.CaptureFixture[str]) -> None:
    profile((1, 2, 2, 1, 1, 1, 2, 1, 2, 2, 2, 1, 1, 2, 3, 3, 1, 3, 2), 2)
    assert main(["paths", "advise", "a.sonde"]) == 0
    told = capsys.readouterr().out
    assert "Nothing to suggest: of 1 function and 0 branches" in told and "measure with -k 8" in told

    profile((1, 2, 1), 1, "b.sonde")
    assert main(["paths", "advise", "b.sonde"]) == 0
    assert "with k = 1 nothing is known" in capsys.readouterr().out


def test_what_cannot_be_told_of(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    profile(RUNNING_EXAMPLE, 4)
    assert main(["paths", "advise", "a.sonde", "--function", "r9"]) == 2
    assert "cannot show 'r9'" in capsys.readouterr().err
    assert main(["paths", "advise", "missing.sonde"]) == 1
    assert "cannot read 'missing.sonde'" in capsys.readouterr().err
    assert main(["paths", "-k", "4", "advise", "a.sonde"]) == 2
    assert "cannot use '-k' with a profile that is there already" in capsys.readouterr().err
    assert main(["paths", "advise", "a.sonde", "--html", "a.html"]) == 0
    assert (here / "a.html").stat().st_size > 10_000
    assert main(["paths", "advise", "a.sonde", "--html", "a.html"]) == 2
