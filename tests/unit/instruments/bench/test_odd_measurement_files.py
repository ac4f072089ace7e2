"""Files that are damaged, of another version, of nobody, or hold what cannot have been measured, are refused."""

import json
import math
import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from measurement_samples import MEASUREMENTS
from sonde.base.errors import InputError, UsageError
from sonde.instruments.bench.readers import read_measurements


def refusal(path: Path, reader: str | None = None) -> InputError:
    with pytest.raises(InputError) as refused:
        read_measurements(path, reader)
    assert str(path) in refused.value.message
    return refused.value


def written(folder: Path, content: Any) -> Path:
    path = folder / "x.json"
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def pyperf(value: object, **more: object) -> dict[str, object]:
    return {"version": "1.0", "benchmarks": [{"runs": [{"values": [0.5, value]}]}], **more}


def hyperfine(value: object, **more: object) -> dict[str, object]:
    return {"results": [{"command": "true", "times": [0.5, value], **more}]}


def jmh(value: object, **more: object) -> list[dict[str, object]]:
    metric = {"score": 1, "scoreUnit": "ms/op", "rawData": [[0.5, value]]}
    return [{"benchmark": "a.B.c", "mode": "avgt", "primaryMetric": metric, **more}]


def google(value: object, **more: object) -> dict[str, object]:
    run = {"name": "BM_A", "iterations": 10, "real_time": value, "time_unit": "ns", **more}
    return {"context": {}, "benchmarks": [run]}


@pytest.mark.parametrize("value", [math.nan, math.inf, -1.0, -1, "0.5", None, True, [0.5], 10**400])
@pytest.mark.parametrize(
    ("document", "place"),
    [
        (pyperf, "benchmarks[0].runs[0].values[1]"),
        (hyperfine, "results[0].times[1]"),
        (jmh, "[0].primaryMetric.rawData[0][1]"),
        (google, "benchmarks[0].real_time[0]"),
    ],
)
def test_what_cannot_have_been_measured_is_refused_with_its_place(
    document: Any, place: str, value: object, tmp_path: Path
) -> None:
    refused = refusal(written(tmp_path, document(value)))

    assert refused.slug == "bad-measurement"
    assert f": {place} is '" in refused.message and refused.message.endswith(", which is not a measurement")


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(google(5.0, iterations=10**30)),
        f"goos: linux\nBenchmarkBM_A 1{'0' * 30} 5 ns/op\n",
        '{"iters": [1e300], "times": [5]}',
    ],
)
def test_more_calls_than_can_be_counted_are_refused(text: str, tmp_path: Path) -> None:
    refused = refusal(written(tmp_path, text))

    assert refused.slug == "bad-measurement"
    assert "the number of calls in '" in refused.message


@pytest.mark.parametrize("cell", ["nan", "-1", "inf", "fast", ""])
@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("process_exec_num, bench_name, 0, 1\n0, a, 0.5, {}\n", "line 2, column 4"),
        ("invocation\titeration\tvalue\tunit\tcriterion\tbenchmark\n1\t1\t{}\tms\ttotal\tSum\n", "the value in line 2"),
        ("benchmark,value\na,0.5\nb,0.5\nc,0.5\nd,0.5\ne,{}\n", "the value in line 6"),
    ],
    ids=["warmup_stats", "rebench", "table"],
)
def test_so_it_is_in_tables(text: str, place: str, cell: str, tmp_path: Path) -> None:
    refused = refusal(written(tmp_path, text.format(cell)))

    assert refused.slug == "bad-measurement"
    assert f"{place} is '{cell}'" in refused.message


def test_json_that_breaks_off_is_shown_with_a_caret(tmp_path: Path) -> None:
    whole = (MEASUREMENTS / "pyperf" / "before.json").read_text()
    refused = refusal(written(tmp_path, whole[: len(whole) // 2]))

    first, shown, caret = refused.message.splitlines()
    assert refused.slug == "corrupt-results"
    assert ": its JSON is broken at line 1, column " in first
    assert len(caret) - 1 <= len(shown) and caret.strip() == "^"
    assert refused.hint is not None and "the end is missing" in refused.hint


@pytest.mark.parametrize(
    ("content", "slug", "fact"),
    [
        (b"", "corrupt-results", "it is empty"),
        (b"\x1f\x8b\x08\x00half", "corrupt-results", "it cannot be unpacked"),
        (b"BZh91AY", "corrupt-results", "it cannot be unpacked"),
        (bytes(range(256)), "not-results", "it is a binary file of no tool that is known"),
        ("once upon a time\n", "not-results", "it is text of no tool that is known"),
        ({"answers": [42]}, "not-results", "it is a JSON object with 'answers', of no tool that is known"),
        ([1, 2], "not-results", "it is a JSON list of no tool that is known"),
        ("[" * 100_000, "corrupt-results", "its JSON"),
        ({**pyperf(0.5), "version": "2.0"}, "results-version", "pyperf's format 2.0, known are 4, 5, 6, 1.0"),
        ({**pyperf(0.5), "version": 3}, "results-version", "pyperf's format 3, known"),
        ({**pyperf(0.5), "version": True}, "results-version", "pyperf's format True"),
        ({**hyperfine(0.5), "schema_version": 3}, "results-version", "hyperfine's format 3, known are 2"),
        ({"version": 9, "commit_hash": "abc", "results": {}}, "results-version", "asv's format 9"),
        ({"version": "1.0", "benchmarks": []}, "nothing-measured", "this file of pyperf holds no measurement"),
        (
            {"version": "1.0", "benchmarks": [{"runs": [{"warmups": [[1, 0.5]]}]}]},
            "nothing-measured",
            "none of its runs has a value",
        ),
        ({"results": []}, "nothing-measured", "this file of hyperfine holds no measurement"),
        ({"results": [{"command": "true", "mean": 0.5}]}, "summaries-only", "has summaries only"),
        ({"machine_info": {}, "benchmarks": []}, "nothing-measured", "pytest-benchmark"),
        (
            {"machine_info": {}, "benchmarks": [{"name": "a", "stats": {"mean": 0.5}}]},
            "summaries-only",
            "this file of pytest-benchmark has summaries only",
        ),
        (
            {"context": {}, "benchmarks": [{"name": "BM_A_mean", "run_type": "aggregate", "real_time": 1.0}]},
            "summaries-only",
            "this file of Google Benchmark has summaries only",
        ),
        (google(0.5, time_unit="jiffies"), "corrupt-results", "benchmarks[0] has times in 'jiffies'"),
        (jmh(0.5, mode="fast"), "corrupt-results", "[0] has mode 'fast', known are avgt, sample, ss, thrpt"),
        (
            {"version": 2, "commit_hash": "abc", "results": {"time_a": [[0.5]]}, "result_columns": ["result"]},
            "summaries-only",
            "this file of asv has summaries only",
        ),
        ({"config": "", "data": {"a:b:c": []}}, "nothing-measured", "'a:b:c' has no iterations"),
        ('"Benchmark","Mode","Threads","Samples","Score"\n', "summaries-only", "this file of JMH has summaries only"),
        ("#!rebench\n# Execution Start: 2026-01-01\n", "nothing-measured", "this file of ReBench holds no measurement"),
        (hyperfine(0.5, exit_codes=[0]), "corrupt-results", "exit_codes has 1 items, 'times' has 2"),
        (pyperf(0.5, metadata=[]), "corrupt-results", "metadata is a list, not an object"),
        ("a,value\n1,0.5\n1\n1,0.5\n", "corrupt-results", "line 3 has 1 columns, the header has 2"),
    ],
)
def test_what_cannot_be_read_says_why(content: Any, slug: str, fact: str, tmp_path: Path) -> None:
    refused = refusal(written(tmp_path, content))

    assert fact in refused.message
    assert refused.slug == slug


def test_hyperfines_table_of_means_tells_what_to_export_instead() -> None:
    refused = refusal(MEASUREMENTS / "hyperfine" / "summaries.csv")

    assert (refused.slug, refused.hint) == ("summaries-only", "hyperfine --export-json results.json")


def test_so_does_that_of_hyperfine_2(tmp_path: Path) -> None:
    header = "command,time_wall_clock_unit,time_wall_clock_mean,time_wall_clock_stddev"
    refused = refusal(written(tmp_path, f"{header}\ntrue,s,0.1,0.01\n"))

    assert refused.slug == "summaries-only"


def test_no_file_and_no_folder_of_results(tmp_path: Path) -> None:
    assert refusal(tmp_path / "nowhere").slug == "no-such-results"
    assert refusal(tmp_path).message.endswith("it is a folder of no tool that is known")


def test_a_file_that_may_not_be_read_is_no_such_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, "0.5\n")

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    refused = refusal(path)

    assert refused.slug == "no-such-results" and refused.message.endswith(": Permission denied")


def test_a_reader_that_is_insisted_on_says_what_is_wrong_with_the_file() -> None:
    path = MEASUREMENTS / "hyperfine" / "version_2.json"

    assert "the document has no 'version'" in refusal(path, "pyperf").message
    assert read_measurements(path, "hyperfine").series


def test_an_unknown_reader_names_its_neighbour() -> None:
    with pytest.raises(UsageError, match="known readers are sonde, pyperf, hyperfine") as refused:
        read_measurements(MEASUREMENTS / "hyperfine" / "version_2.json", "hyperfin")

    assert (refused.value.slug, refused.value.hint) == ("unknown-reader", "did you mean '--reader hyperfine'?")


def test_what_is_partly_broken_is_read_and_the_rest_is_told(tmp_path: Path) -> None:
    document = pyperf(0.6)
    document["benchmarks"].append({"metadata": {"name": "empty"}, "runs": []})  # type: ignore[attr-defined]
    measurements = read_measurements(written(tmp_path, document))

    assert len(measurements.series) == 1
    assert measurements.skipped == ("'empty': none of its runs has a value",)


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("benchmark,alternative,invocation,iteration,value\nx,a,1,1,12ms\n", "the value in line 2 is '12ms'"),
        ("alternative,value\na,\n", "the value in line 2 is ''"),
        ("old,new\n0.1,0.2\n0.1,n/a\n", "the value in line 3 is 'n/a'"),
        ("value\n0.1\nslow\n", "the value in line 3 is 'slow'"),
    ],
)
def test_a_table_with_a_value_that_is_none_says_the_line(text: str, fact: str, tmp_path: Path) -> None:
    refused = refusal(written(tmp_path, text))

    assert (refused.slug, fact in refused.message) == ("bad-measurement", True)


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("invocation,value\n1,0.1\n2,0.2\n1,0.3\n", "line 4 goes back to invocation '1', which ended in line 2"),
        ("invocation,iteration,value\n1,1,0.1\n1,2,0.2\n1,1,0.3\n", "line 4 repeats iteration '1' of invocation '1'"),
    ],
)
def test_two_processes_of_one_name_in_a_table_are_not_taken_for_one(text: str, fact: str, tmp_path: Path) -> None:
    refused = refusal(written(tmp_path, text))

    assert (refused.slug, fact in refused.message) == ("corrupt-results", True)


def test_iterations_of_a_table_come_in_their_order_wherever_they_stand(tmp_path: Path) -> None:
    text = "invocation,iteration,value\n1,10,0.3\n2,1,0.4\n1,9,0.2\n2,2,0.5\n1,1,0.1\n"

    (series,) = read_measurements(written(tmp_path, text)).series

    assert [one.values.tolist() for one in series.invocations] == [[0.1, 0.2, 0.3], [0.4, 0.5]]


def test_values_too_large_to_reckon_with_are_told_with_their_place(tmp_path: Path) -> None:
    refused = refusal(written(tmp_path, "benchmark,alternative,invocation,value\nsort,old,1,0.1\nsort,old,2,1e308\n"))

    assert refused.slug == "bad-measurement"
    assert "a value of invocation 2 of 'sort', 'old', is '1e+308'" in refused.message


def test_a_pipe_that_nobody_writes_into_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    assert "nobody writes into this pipe" in refusal(tmp_path / "pipe").message


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null"])
def test_a_device_is_refused(device: str) -> None:
    assert "it is a device" in refusal(Path(device)).message


def test_what_comes_out_of_a_pipe_is_read_however_slowly(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    def write() -> None:
        with (tmp_path / "pipe").open("w") as stream:
            for line in ("value\n", "0.1\n", "0.2\n"):
                stream.write(line)
                stream.flush()
                time.sleep(0.02)

    writer = threading.Thread(target=write)
    writer.start()
    found = read_measurements(tmp_path / "pipe")
    writer.join()

    assert found.series[0].invocations[0].values.tolist() == [0.1, 0.2]
