"""The page of a judgement as a file: whole, plain ASCII, small enough, and with every value."""

import base64
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from made_judgements import made_comparison, made_judgement, made_sample, made_steady_sample, made_summary
from sonde.base.errors import SondeError
from sonde.instruments.bench.judging import Judgement
from sonde.instruments.bench.report.html import packed_runs as packing
from sonde.instruments.bench.report.html import write_bench_page
from sonde.instruments.bench.report.html.packed_runs import packed_runs as packed
from sonde.instruments.bench.report.html.packed_runs import values_per_invocation


def written(judgement: Judgement, folder: Path, **options: str) -> str:
    path = folder / "page.html"
    write_bench_page(judgement, path, **options)
    return path.read_text(encoding="ascii")


def data_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="judgement">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


def test_every_value_of_a_sample_is_on_the_page(tmp_path: Path) -> None:
    values = np.random.default_rng(1).normal(0.04, 0.001, 30).tolist()
    data = data_of(written(made_judgement(summaries=[made_summary(made_sample(values), (0.039, 0.041))]), tmp_path))
    assert data["samples"][0]["values"] == pytest.approx(values, rel=1e-6)


def test_names_are_data_and_never_markup(tmp_path: Path) -> None:
    hostile = "</script><img src=x onerror=alert(1)>"
    sample = made_sample([1.0, 1.1], benchmark=hostile, alternative="\ud800 \u2028", failures=[hostile])
    page = written(made_judgement(summaries=[made_summary(sample)]), tmp_path, title=hostile)
    assert hostile not in page
    assert "onerror=alert" not in page.split('id="judgement">')[0].replace("&lt;img src=x onerror=alert(1)&gt;", "")
    assert data_of(page)["samples"][0]["benchmark"] == hostile


def test_the_page_names_no_address(tmp_path: Path) -> None:
    page = written(made_judgement(summaries=[made_summary(made_sample([1.0, 1.1]))]), tmp_path)
    assert set(re.findall(r"https?://[^\s\"'<>]*", page)) <= {"http://www.w3.org/2000/svg"}
    assert "default-src 'none'" in page


def test_the_same_judgement_gives_the_same_page(tmp_path: Path) -> None:
    judgement = made_judgement(comparisons=[made_comparison("worse", 1.2, (1.1, 1.3))])
    assert written(judgement, tmp_path) == written(judgement, tmp_path)


def test_intervals_that_were_withheld_are_null_and_say_why(tmp_path: Path) -> None:
    judgement = made_judgement(
        summaries=[made_summary(made_sample([1.0]), withheld="one value")],
        comparisons=[made_comparison("unclear", float("nan"), None)],
    )
    data = data_of(written(judgement, tmp_path))
    assert data["samples"][0]["mean"]["low"] is None
    assert data["texts"][data["samples"][0]["mean"]["withheld"]] == "one value"
    assert data["comparisons"][0]["ratio"]["value"] is None
    assert data["comparisons"][0]["interval_text"] == ""


def test_samples_are_called_as_their_comparison_calls_them(tmp_path: Path) -> None:
    comparisons = [made_comparison("same", 1.0, (0.99, 1.01), benchmark=name) for name in ("one", "two")]
    data = data_of(written(made_judgement(comparisons=comparisons), tmp_path))
    assert [sample["name"] for sample in data["samples"]] == ["old", "new", "old", "new"]
    assert [benchmark["name"] for benchmark in data["benchmarks"]] == ["one", "two"]
    assert [benchmark["samples"] for benchmark in data["benchmarks"]] == [[0, 1], [2, 3]]


def test_files_are_called_by_their_names_without_folders(tmp_path: Path) -> None:
    names = ("/long/way/to/old.json", "/long/way/to/new.json")
    first, second = (made_sample([1.0, 1.1], alternative=name) for name in names)
    comparison = made_comparison("same", 1.0, (0.99, 1.01), first=first, second=second)
    data = data_of(written(made_judgement(comparisons=[comparison]), tmp_path))
    assert [sample["name"] for sample in data["samples"]] == ["old.json", "new.json"]


def test_commands_keep_their_paths(tmp_path: Path) -> None:
    first, second = (made_sample([1.0], alternative=name) for name in ("a/python x/t.py", "b/python x/t.py"))
    comparison = made_comparison("same", 1.0, (0.99, 1.01), first=first, second=second)
    data = data_of(written(made_judgement(comparisons=[comparison]), tmp_path))
    assert [sample["name"] for sample in data["samples"]] == ["a/python x/t.py", "b/python x/t.py"]


def test_no_p_value_stands_beside_an_interval_that_was_withheld(tmp_path: Path) -> None:
    comparison = replace(made_comparison("unclear", 1.1, None), adjusted_p=0.5)
    data = data_of(written(made_judgement(comparisons=[comparison]), tmp_path))
    assert data["comparisons"][0]["p"] is None
    assert data["comparisons"][0]["p_text"] == ""


def test_the_title_tells_what_was_judged(tmp_path: Path) -> None:
    old, new = made_sample([1.0], alternative="python a.py"), made_sample([1.0], alternative="python b.py")
    page = written(made_judgement(summaries=[made_summary(old), made_summary(new)]), tmp_path)
    assert "<title>json: python b.py against python a.py</title>" in page


def test_a_page_that_cannot_be_written_leaves_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(SondeError) as caught:
        write_bench_page(made_judgement(), tmp_path / "missing" / "page.html")
    assert caught.value.slug == "cannot-write"
    assert list(tmp_path.iterdir()) == []


def test_an_existing_page_is_replaced_as_a_whole(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("old", encoding="ascii")
    assert written(made_judgement(), tmp_path).startswith("<!doctype html>")
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def unpacked(run: dict[str, Any]) -> np.ndarray:
    levels = np.frombuffer(base64.b64decode(run["data"]), dtype="<u2")
    values: np.ndarray = run["low"] + levels / 65535 * (run["high"] - run["low"])
    return values


def test_iterations_that_fit_are_packed_one_by_one() -> None:
    runs = np.random.default_rng(2).normal(1.0, 0.1, (4, 50))
    run = packed(made_steady_sample(runs.tolist()), room=100)
    assert run is not None
    assert run["lengths"] == [50] * 4
    assert run["steps"] == [1] * 4
    assert unpacked(run) == pytest.approx(runs.ravel(), abs=(run["high"] - run["low"]) / 65535)


def test_thinned_iterations_keep_the_extremes_of_every_stretch() -> None:
    values = np.random.default_rng(3).normal(1.0, 0.1, 103)
    values[57] = 9.0
    run = packed(made_steady_sample([values.tolist()]), room=10)
    assert run is not None
    assert run["steps"] == [21]
    pairs = unpacked(run).reshape(-1, 2)
    stretches = [values[i : i + 21] for i in range(0, 103, 21)]
    expected = np.array([[stretch.min(), stretch.max()] for stretch in stretches])
    assert pairs == pytest.approx(expected, abs=8.5 / 65535)


def test_start_up_has_no_iterations() -> None:
    assert packed(made_sample([1.0, 2.0]), room=10) is None


def test_as_many_iterations_are_kept_as_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    samples = [made_steady_sample([[1.0] * 100] * 10), made_steady_sample([[1.0] * 10] * 10)]
    monkeypatch.setattr(packing, "MAX_VALUES", 500)
    room = values_per_invocation(samples)
    assert room % 2 == 0
    kept = sum(min(len(one.values), room) for sample in samples for one in sample.series.invocations)
    assert 460 <= kept <= 500
    monkeypatch.setattr(packing, "MAX_VALUES", 1100)
    assert values_per_invocation(samples) > 100
