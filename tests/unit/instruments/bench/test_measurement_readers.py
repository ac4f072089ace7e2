"""Files of other tools say what those tools say of them themselves."""

import bz2
import gzip
import json
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from measurement_samples import MEASUREMENTS, write_sample_results
from sonde.instruments.bench.measurements import WALL, Measurements, Series
from sonde.instruments.bench.readers import read_measurements
from sonde.stats.difference_of_means import means_test


def series_of(measurements: Measurements, benchmark: str, alternative: str | None = None) -> Series:
    (found,) = (
        each for each in measurements.series if each.benchmark == benchmark and alternative in (None, each.alternative)
    )
    return found


def kept(series: Series) -> list[float]:
    """All values behind the recorded warm-up."""
    return [float(value) for run in series.invocations for value in run.values[run.warmups or 0 :]]


def described(path: str) -> tuple[Measurements, Any]:
    """Measurements, and the document that they come from."""
    whole = (MEASUREMENTS / path).read_bytes()
    unpacked = gzip.decompress(whole) if path.endswith(".gz") else whole
    return read_measurements(MEASUREMENTS / path), json.loads(unpacked)


def test_pyperf_runs_are_invocations_with_their_warm_up() -> None:
    measurements, document = described("pyperf/before.json")
    sort = series_of(measurements, "sort")
    run = document["benchmarks"][0]["runs"][1]

    assert (sort.alternative, sort.mode, sort.metric, len(sort.invocations)) == ("before", "steady", WALL, 10)
    first = sort.invocations[0]
    assert first.warmups == 2 and first.loops == 128
    assert first.values.tolist() == [value for _, value in run["warmups"]] + run["values"]
    assert first.process == {"peak-memory": 21176320.0}
    assert [each.position for each in sort.invocations] == list(range(10))
    assert measurements.provenance.tool == "pyperf 2.10.0"
    assert measurements.provenance.environment["cpu"] == "a processor"
    assert measurements.skipped == ("2 runs of pyperf that only calibrated, without values",)


@pytest.mark.parametrize(("benchmark", "mean_us", "deviation_us"), [("sort", 33.7, 6.6), ("slices", 24.4, 0.9)])
def test_means_and_deviations_are_those_that_pyperf_prints(benchmark: str, mean_us: float, deviation_us: float) -> None:
    values = kept(series_of(read_measurements(MEASUREMENTS / "pyperf" / "before.json"), benchmark))

    assert statistics.mean(values) * 1e6 == pytest.approx(mean_us, abs=0.05)
    assert statistics.stdev(values) * 1e6 == pytest.approx(deviation_us, abs=0.05)


@pytest.mark.parametrize(("benchmark", "t"), [("sort", -7.05), ("slices", 8.95)])
def test_all_values_taken_together_give_the_t_that_pyperf_compare_to_prints(benchmark: str, t: float) -> None:
    before, after = (
        kept(series_of(read_measurements(MEASUREMENTS / "pyperf" / name), benchmark))
        for name in ("before.json", "after.json.gz")
    )

    test = means_test(np.array(before), np.array(after), equal_variances=True)

    assert test.statistic == pytest.approx(t, abs=0.005)


def older(document: Any, version: int) -> Any:
    """A file as pyperf wrote it before 1.0: warm-ups as the time of all loops; before 6, other names."""
    document["version"] = version
    for benchmark in document["benchmarks"]:
        for run in benchmark["runs"]:
            run["warmups"] = [[loops, value * loops] for loops, value in run.get("warmups", [])]
        if version < 6:
            benchmark["common_metadata"] = {**document["metadata"], **benchmark.pop("metadata", {})}
            for run in benchmark["runs"]:
                run["samples"] = run.pop("values", [])
    if version < 6:
        del document["metadata"]
    return document


@pytest.mark.parametrize("version", [4, 5, 6])
def test_older_versions_of_pyperf_say_the_same(version: int, tmp_path: Path) -> None:
    new, document = described("pyperf/before.json")
    path = tmp_path / "before.json"
    path.write_text(json.dumps(older(document, version)))

    old = read_measurements(path)

    assert len(old.series) == len(new.series)
    for one, other in zip(old.series, new.series, strict=True):
        assert (one.benchmark, one.mode) == (other.benchmark, other.mode)
        for run, same in zip(one.invocations, other.invocations, strict=True):
            assert run.values == pytest.approx(same.values, rel=1e-12)
            assert (run.warmups, run.loops) == (same.warmups, same.loops)


def test_pyperf_counts_calls_in_inner_loops_too(tmp_path: Path) -> None:
    _, document = described("pyperf/before.json")
    document["metadata"]["inner_loops"] = 10
    document["benchmarks"][0]["metadata"]["unit"] = "byte"
    path = tmp_path / "x.json"
    path.write_text(json.dumps(document))

    sort = series_of(read_measurements(path), "sort")

    assert sort.invocations[0].loops == 1280 and sort.metric.unit == "B"


@pytest.mark.parametrize("name", ["version_1_15.json", "version_1_20.json"])
def test_hyperfine_commands_are_alternatives_and_runs_invocations(name: str) -> None:
    measurements, document = described(f"hyperfine/{name}")

    assert {series.benchmark for series in measurements.series} == {"commands"}
    for series, result in zip(measurements.series, document["results"], strict=True):
        assert (series.alternative, series.mode) == (result["command"], "startup")
        assert series.levels == result.get("parameters", {})
        assert all(len(run.values) == 1 for run in series.invocations)
        assert statistics.mean(kept(series)) == pytest.approx(result["mean"], rel=1e-9)
        assert statistics.stdev(kept(series)) == pytest.approx(result["stddev"], rel=1e-9)
    assert [run.position for series in measurements.series for run in series.invocations] == list(
        range(sum(len(series.invocations) for series in measurements.series))
    )


def test_hyperfine_runs_that_failed_and_were_to_be_ignored_count_and_say_so() -> None:
    good, bad = read_measurements(MEASUREMENTS / "hyperfine" / "version_1_20.json").series

    assert {run.detail for run in good.invocations} == {""}
    assert {run.outcome for run in bad.invocations} == {"ok"}
    assert {run.detail for run in bad.invocations} == {"exit code 1, ignored as hyperfine was told to"}
    assert all(run.process == {"peak-memory": 2949120.0} for run in good.invocations)


def test_hyperfine_2_says_all_about_each_run() -> None:
    measurements = read_measurements(MEASUREMENTS / "hyperfine" / "version_2.json")
    short, long = measurements.series

    assert (short.alternative, long.alternative) == ("short", "sleep 0.020")
    assert kept(short) == [0.0112, 0.0115, 0.0113]
    assert short.invocations[1].process == {
        "user": 0.0012,
        "system": 0.001,
        "peak-memory": 1048576.0,
        "instructions": 251000.0,
    }
    assert long.invocations[0].detail == "ended by a signal"
    assert short.levels == {"time": "0.010"}
    assert measurements.provenance.tool == "hyperfine 2.0.0" and not measurements.skipped


def test_the_same_command_twice_is_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "twice.json"
    path.write_text(json.dumps({"results": [{"command": "true", "times": [0.1, 0.2]}] * 2}))

    assert [series.alternative for series in read_measurements(path).series] == ["true", "true (2)"]


def test_jmh_forks_are_invocations_and_scores_are_means_of_what_is_read() -> None:
    measurements, document = described("jmh/results.json")
    scales = {"us/op": 1e-6, "ops/us": 1e6}

    assert len(measurements.series) == len(document)
    for series, result in zip(measurements.series, document, strict=True):
        primary = result["primaryMetric"]
        assert len(series.invocations) == result["forks"]
        assert series.levels == result["params"]
        if result["mode"] != "sample":
            score = primary["score"] * scales[primary["scoreUnit"]]
            assert statistics.mean(kept(series)) == pytest.approx(score, rel=1e-9)
        assert series.metric.better == ("higher" if result["mode"] == "thrpt" else "lower")
        assert series.metric.unit == ("ops/s" if result["mode"] == "thrpt" else "s")
    assert "Joins.builder (thrpt)" in {series.benchmark for series in measurements.series}


def test_jmh_samples_weigh_as_often_as_they_were_seen() -> None:
    measurements, document = described("jmh/results.json")
    (place,) = (index for index, result in enumerate(document) if result["mode"] == "sample")
    series, primary = measurements.series[place], document[place]["primaryMetric"]
    histograms = [iteration for fork in primary["rawDataHistogram"] for iteration in fork]
    counts = [sum(count for _, count in histogram) for histogram in histograms]

    assert sum(counts) == 552  # as JMH prints
    together = sum(mean * count for mean, count in zip(kept(series), counts, strict=True)) / sum(counts)
    assert together == pytest.approx(primary["score"] * 1e-6, rel=1e-9)


def test_rebench_executors_are_alternatives() -> None:
    measurements = read_measurements(MEASUREMENTS / "rebench" / "new.data")

    assert {(series.benchmark, series.alternative) for series in measurements.series} == {
        (f"{name} inputSize={size}", executor) for name in ("Sum", "Slow") for size in (1, 2) for executor in "AB"
    }
    assert [series.alternative for series in measurements.series] == ["B", "A"] * 4  # the first is the same in all
    first = series_of(measurements, "Sum inputSize=1", "B")
    assert first.invocations[0].values == pytest.approx([355e-6, 384e-6, 371e-6, 339e-6, 351e-6, 400e-6])
    assert all(len(series.invocations) == 4 and series.separate for series in measurements.series)
    assert measurements.provenance.measured_at.startswith("2026-11-21T23:33:48")
    assert "hostName" not in measurements.provenance.environment


REBENCH_1 = (
    "invocation\titeration\tvalue\tunit\tcriterion\tbenchmark\texecutor\tsuite\textraArgs\tcores\tinputSize\tvarValue"
)
ROWS = [
    "1\t1\t12.5\tms\ttotal\tSum\tVM\tMicro\t\t1\t\t",
    "1\t1\t7.5\tms\tgc\tSum\tVM\tMicro\t\t1\t\t",
    "1\t1\t4096\tbyte\tmemory\tSum\tVM\tMicro\t\t1\t\t",
    "1\t2\t12\tms\ttotal\tSum\tVM\tMicro\t\t1\t\t",
    "2\t1\t13\tms\ttotal\tSum\tVM\tMicro\t\t1\t\t",
]


@pytest.mark.parametrize("lines", [["# a comment", REBENCH_1, *ROWS], ROWS], ids=["header", "no header"])
def test_rebench_before_1_1_is_read_by_its_columns_or_their_order(lines: list[str], tmp_path: Path) -> None:
    path = tmp_path / "x.data"
    path.write_text("\n".join(lines) + "\n")

    measurements = read_measurements(path)

    total = series_of(measurements, "Sum")
    assert [run.values.tolist() for run in total.invocations] == [
        pytest.approx([0.0125, 0.012]),
        pytest.approx([0.013]),
    ]
    assert series_of(measurements, "Sum [gc]").metric.name == "gc"
    assert series_of(measurements, "Sum [memory]").metric.unit == "B"


def test_rebench_of_2012_does_not_tell_processes_apart(tmp_path: Path) -> None:
    path = tmp_path / "x.data"
    path.write_text(
        "#!/usr/bin/rebench\n"
        "[2012-05-14T10:00:00]\t12.5\tms\ttotal\tSum\tVM\tMicro\t\t1\t\t\n"
        "[2012-05-14T10:00:01]\t12.0\tms\ttotal\tSum\tVM\tMicro\t\t1\t\t\n"
    )

    (series,) = read_measurements(path).series

    assert kept(series) == [0.0125, 0.012] and not series.separate and series.alternative == "VM"


def test_a_rebench_experiment_that_began_anew_has_new_invocations(tmp_path: Path) -> None:
    path = tmp_path / "x.data"
    path.write_text("\n".join([REBENCH_1, ROWS[0], ROWS[0], "1\t1\tcut off"]))

    measurements = read_measurements(path)

    assert len(measurements.series[0].invocations) == 2
    assert measurements.skipped == ("1 line that are not measurements, the first is line 4",)


def test_asv_commits_are_alternatives_and_medians_are_those_of_asv() -> None:
    measurements = read_measurements(MEASUREMENTS / "asv" / "results")
    before = series_of(measurements, "bench.Sorting.time_sorted(100, 'down')", "25a8130d")

    assert statistics.median(kept(before)) * 1e6 == pytest.approx(27.3, abs=0.05)  # as asv compare prints
    assert len(kept(before)) == 12 and not before.separate
    assert series_of(measurements, "bench.Other.track_answer", "7dc87f75").metric.unit == "answers"
    assert series_of(measurements, "bench.Other.peakmem_list", "7dc87f75").metric.unit == "B"
    assert "'bench.Other.time_broken' of 25a8130d has no result: it failed, or was skipped" in measurements.skipped


def test_a_single_file_and_the_folder_above_of_asv_say_the_same() -> None:
    folder = read_measurements(MEASUREMENTS / "asv" / "results")
    above = read_measurements(MEASUREMENTS / "asv")
    alone = read_measurements(MEASUREMENTS / "asv" / "results" / "box" / "7dc87f75-existing-py.json")

    assert [each.benchmark for each in above.series] == [each.benchmark for each in folder.series]
    for series in alone.series:
        assert kept(series) == kept(series_of(folder, series.benchmark, "7dc87f75"))


def test_asv_version_1_has_numbers_and_objects(tmp_path: Path) -> None:
    results = {
        "bench.track_size": 7,
        "bench.time_none": None,
        "bench.time_one": {"result": [0.5], "samples": [[0.4, 0.5, 0.6]], "stats": [{}]},
        "bench.time_flat": {"result": 0.5, "samples": [0.3, 0.5, 0.7]},
        "bench.time_two": {"params": [["1", "2"]], "result": [0.5, None], "samples": [[0.4, 0.6], None]},
    }
    document = {"version": 1, "commit_hash": "abcdef0123456789", "params": {"machine": "box"}, "results": results}
    path = tmp_path / "x.json"
    path.write_text(json.dumps(document))

    measurements = read_measurements(path)

    assert {(series.benchmark, tuple(kept(series))) for series in measurements.series} == {
        ("bench.track_size", (7.0,)),
        ("bench.time_one", (0.4, 0.5, 0.6)),
        ("bench.time_flat", (0.3, 0.5, 0.7)),
        ("bench.time_two(1)", (0.4, 0.6)),
    }


def test_pytest_benchmark_groups_are_benchmarks_of_one_process() -> None:
    measurements, document = described("pytest-benchmark/results.json")

    for series, test in zip(measurements.series, document["benchmarks"], strict=True):
        assert statistics.mean(kept(series)) == pytest.approx(test["stats"]["mean"], rel=1e-9)
        assert statistics.stdev(kept(series)) == pytest.approx(test["stats"]["stddev"], rel=1e-9)
        assert not series.separate and len(series.invocations) == 1
    names = {(series.benchmark, series.alternative) for series in measurements.series}
    assert names == {
        ("sorting", "test_sorted[100]"),
        ("sorting", "test_sorted[200]"),
        ("sorting", "test_slice"),
        ("test_alone", "results"),
    }


@pytest.mark.parametrize("with_types", [True, False], ids=["1.7", "before 1.5"])
def test_google_benchmark_repetitions_have_its_own_mean(with_types: bool, tmp_path: Path) -> None:
    _, document = described("google-benchmark/results.json")
    means = {
        run["run_name"]: run["real_time"] * {"ns": 1e-9, "us": 1e-6}[run["time_unit"]]
        for run in document["benchmarks"]
        if run.get("aggregate_name") == "mean"
    }
    if not with_types:
        for run in document["benchmarks"]:
            for key in ("run_type", "run_name", "aggregate_name"):
                run.pop(key, None)
    path = tmp_path / "x.json"
    path.write_text(json.dumps(document))

    measurements = read_measurements(path)

    assert {series.benchmark for series in measurements.series} == set(means) and len(means) == 3
    for series in measurements.series:
        assert len(kept(series)) == 8 and not series.separate
        assert statistics.mean(kept(series)) == pytest.approx(means[series.benchmark], rel=1e-9)
    assert measurements.skipped[0] == "'BM_Bad' failed: no data"


def test_krun_executions_are_invocations_with_all_their_iterations() -> None:
    measurements = read_measurements(MEASUREMENTS / "krun" / "results.json.bz2")
    cpython = series_of(measurements, "nbody", "CPython:default-python")

    assert cpython.invocations[0].values.tolist() == [0.51, 0.42, 0.43, 0.42]
    assert [run.outcome for run in cpython.invocations] == ["ok", "ok", "failed"]
    assert measurements.skipped == ("'fasta:CPython:default-python' has no iterations",)
    assert measurements.provenance.environment == {
        "cpu": "a processor",
        "system": "Linux 4.9.0 #1 SMP x86_64 GNU/Linux",
    }


def test_krun_of_2015_calls_its_times_data(tmp_path: Path) -> None:
    path = tmp_path / "x.json.bz2"
    path.write_bytes(bz2.compress(json.dumps({"config": "", "data": {"a:b:c": [[1.5, 1.25]]}}).encode()))

    (series,) = read_measurements(path).series

    assert (series.benchmark, series.alternative, kept(series)) == ("a", "b:c", [1.5, 1.25])


def test_warmup_stats_has_an_execution_in_each_row() -> None:
    measurements = read_measurements(MEASUREMENTS / "krun" / "warmup_stats.csv")

    norm = series_of(measurements, "spectral norm")
    assert [run.values.tolist() for run in norm.invocations] == [[0.2, 0.1, 0.1, 0.1], [0.3, 0.15, 0.11, 0.1]]


@pytest.mark.parametrize(
    ("text", "alternatives", "unit", "better", "first"),
    [
        ("benchmark,unit,value\nb,ops/s,5\n", ["rates"], "ops/s", "higher", 5.0),
        ("benchmark,value (MB/s)\nb,5\n", ["rates"], "MB/s", "higher", 5.0),
        ("benchmark,requests per second\nb,5\n", ["rates"], "requests per second", "higher", 5.0),
        ("old (ops/s),new (ops/s)\n5,6\n", ["old", "new"], "ops/s", "higher", 5.0),
        ("old (ms),sort (quick)\n5,6\n", ["old", "sort (quick)"], "s", "lower", 0.005),
        ("benchmark,value (ns/op)\nb,5\n", ["rates"], "ns/op", "lower", 5.0),
    ],
)
def test_tables_tell_by_their_unit_which_way_is_better(
    text: str, alternatives: list[str], unit: str, better: str, first: float, tmp_path: Path
) -> None:
    path = tmp_path / "rates.csv"
    path.write_text(text)

    series = read_measurements(path).series

    assert [one.alternative for one in series] == alternatives
    assert {(one.metric.unit, one.metric.better) for one in series} == {(unit, better)}
    assert series[0].invocations[0].values[0] == first


def test_tables_tell_units_and_processes_by_their_columns() -> None:
    quick = series_of(read_measurements(MEASUREMENTS / "table" / "long.csv"), "sort", "quick")
    wide = read_measurements(MEASUREMENTS / "table" / "wide.tsv")

    assert [run.values.tolist() for run in quick.invocations] == [[0.1315, 0.129], [0.13, 0.128]] and quick.separate
    assert kept(series_of(wide, "values", "new")) == [0.127, 0.126] and not wide.series[0].separate


@pytest.mark.parametrize(
    ("text", "values", "unit"),
    [
        ("time (us)\n250\n", [0.00025], "s"),
        ("value;unit\n7;ops\n8;ops\n", [7.0, 8.0], "ops"),
        ("ms\n125\n", [0.125], "s"),
        ("\ufeffvalue\r\n0.5\r\n", [0.5], "s"),
        ("1e-3\n2e-3\n", [0.001, 0.002], "s"),
        ("day,time\n1,0.5\n2,0.25\n", [0.5, 0.25], "s"),
        ("min,score,time_ms\n9,9,500\n", [0.5], "s"),
        ("ms,value\n9,0.5\n", [0.5], "s"),
        ("time,MB/s\n0.5,9\n", [0.5], "s"),
        ("benchmark,ops/s\nb,9\n", [9.0], "ops/s"),
        ("value;unit\n500;MS\n", [0.5], "s"),
        ("old (MS)\n500\n", [0.5], "s"),
    ],
)
def test_values_come_in_the_unit_that_is_said(text: str, values: list[float], unit: str, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text(text, encoding="utf-8")

    (series,) = read_measurements(path).series

    assert kept(series) == pytest.approx(values) and series.metric.unit == unit


def test_our_own_results_are_read_as_others(tmp_path: Path) -> None:
    quick, heap = read_measurements(write_sample_results(tmp_path)).series

    assert (quick.alternative, len(quick.invocations)) == ("quick", 5)
    assert heap.invocations[0].outcome == "failed"


@pytest.mark.parametrize(
    "pack", [gzip.compress, bz2.compress, lambda data: data.decode().encode("utf-16")], ids=["gzip", "bzip2", "utf-16"]
)
def test_packed_files_and_those_of_powershell_are_read(pack: Callable[[bytes], bytes], tmp_path: Path) -> None:
    source = MEASUREMENTS / "hyperfine" / "version_1_15.json"
    path = tmp_path / "version_1_15"
    path.write_bytes(pack(source.read_bytes()))

    assert [kept(series) for series in read_measurements(path).series] == [
        kept(series) for series in read_measurements(source).series
    ]
