"""Files of Go, criterion, BenchmarkDotNet and perf stat say what those tools say of them themselves."""

import json
import statistics
from pathlib import Path
from typing import Any

import pytest

from measurement_samples import MEASUREMENTS
from sonde.base.errors import InputError
from sonde.instruments.bench.measurements import WALL, Measurements, Metric, Series
from sonde.instruments.bench.readers import read_measurements


def read(name: str) -> Measurements:
    return read_measurements(MEASUREMENTS / name)


def series_of(measurements: Measurements, benchmark: str, alternative: str | None = None) -> Series:
    (found,) = (
        each for each in measurements.series if each.benchmark == benchmark and alternative in (None, each.alternative)
    )
    return found


def values_of(series: Series) -> list[float]:
    return [float(value) for run in series.invocations for value in run.values]


def written(folder: Path, text: str, name: str = "results.txt") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def refusal(path: Path) -> InputError:
    with pytest.raises(InputError) as refused:
        read_measurements(path)
    assert str(path) in refused.value.message
    return refused.value


@pytest.mark.parametrize(
    ("benchmark", "median", "unit"),
    [
        ("Logs", 3.940e-9, "s"),
        ("Sort [B/op]", 1848.0, "B"),
        ("Sort [allocs/op]", 3.0, "allocs/op"),
        ("Sort [comparisons/op]", 1469.0, "comparisons/op"),
        ("Sort [comparisons/s]", 104.2e6, "comparisons/s"),
    ],
)
def test_medians_are_those_that_benchstat_prints(benchmark: str, median: float, unit: str) -> None:
    series = series_of(read("go/memory.txt"), benchmark)

    assert statistics.median(values_of(series)) == pytest.approx(median, rel=5e-4)
    assert series.metric.unit == unit
    assert series.metric.better == ("higher" if unit.endswith("/s") else "lower")


def test_values_of_one_go_test_are_of_one_process_and_its_rates_are_left_out() -> None:
    measurements = read("go/memory.txt")
    sums = series_of(measurements, "Sum/n=100")

    assert (sums.alternative, sums.mode, sums.metric, sums.separate) == ("memory", "steady", WALL, False)
    assert len(sums.invocations) == 1
    assert sums.invocations[0].values == pytest.approx([85.06e-9, 105.9e-9, 172.9e-9, 202.3e-9])
    assert sums.invocations[0].loops == 561171
    assert measurements.skipped == ("'Broken' failed", "MB/s of Go: it is computed from the time")
    assert measurements.provenance.environment == {"cpu": "a processor", "system": "linux/amd64", "gomaxprocs": "2"}


def test_several_runs_of_go_test_are_as_many_processes() -> None:
    measurements = read("go/processes.txt")

    assert [each.benchmark for each in measurements.series] == [
        "Sum/n=100",
        "Sum/n=100-2",
        "Sum/n=1000",
        "Sum/n=1000-2",
    ]
    for series in measurements.series:
        assert series.separate
        assert [len(run.values) for run in series.invocations] == [2, 2, 2]


def test_events_of_go_are_what_they_were_printed_as(tmp_path: Path) -> None:
    events = [json.loads(line) for line in (MEASUREMENTS / "go" / "events.jsonl").read_text().splitlines()]
    printed = "".join(event["Output"] for event in events if event["Action"] == "output")

    from_events = read("go/events.jsonl")
    from_text = read_measurements(written(tmp_path, printed))

    assert [each.benchmark for each in from_events.series] == ["Sum/n=100", "Sum/n=1000"]
    assert [values_of(each) for each in from_events.series] == [values_of(each) for each in from_text.series]


GO_HEAD = "goos: linux\ngoarch: amd64\npkg: a/b\n"


def test_packages_of_go_tell_benchmarks_of_one_name_apart(tmp_path: Path) -> None:
    text = f"{GO_HEAD}BenchmarkX-4 10 5 ns/op\nPASS\nok  \ta/b\t1s\npkg: a/c\nBenchmarkX-4 10 7 ns/op\nPASS\n"

    measurements = read_measurements(written(tmp_path, text))

    assert [(each.benchmark, values_of(each), each.separate) for each in measurements.series] == [
        ("a/b.X", [5e-9], False),
        ("a/c.X", [pytest.approx(7e-9)], False),
    ]


@pytest.mark.parametrize(
    ("line", "benchmark", "value", "metric"),
    [
        ("BenchmarkX 10 5 p99-ns", "X [p99-ns]", 5e-9, Metric("p99-ns", "s")),
        ("BenchmarkX 10 5 MB/s", "X [MB/s]", 5e6, Metric("throughput", "B/s", "higher")),
        ("BenchmarkX 10 -5 delta", "X [delta]", -5.0, Metric("delta", "delta")),
        ("Unit hits better=higher\nBenchmarkX 10 5 hits", "X [hits]", 5.0, Metric("hits", "hits", "higher")),
        ("Benchmark 10 5 hits", "Benchmark [hits]", 5.0, Metric("hits", "hits")),
    ],
)
def test_units_of_go_are_those_of_benchstat(
    line: str, benchmark: str, value: float, metric: Metric, tmp_path: Path
) -> None:
    (series,) = read_measurements(written(tmp_path, GO_HEAD + line + "\n")).series

    assert (series.benchmark, series.metric) == (benchmark, metric)
    assert values_of(series) == pytest.approx([value])


def test_lines_of_go_that_are_cut_off_are_told(tmp_path: Path) -> None:
    text = f"{GO_HEAD}BenchmarkX-8\nBenchmarkX-8 10 5 ns/op 3\nBenchmarkX-8 10\n"

    measurements = read_measurements(written(tmp_path, text))

    assert values_of(measurements.series[0]) == pytest.approx([5e-9])
    assert measurements.skipped == ("2 lines that are no whole results, the first is 5",)


@pytest.mark.parametrize("cell", ["-1", "NaN", "+Inf"])
def test_times_of_go_that_cannot_be_are_refused(cell: str, tmp_path: Path) -> None:
    refused = refusal(written(tmp_path, f"{GO_HEAD}BenchmarkX-8 10 {cell} ns/op\n"))

    assert refused.slug == "bad-measurement"
    assert f"the value of 'ns/op' in line 4 is '{cell}'" in refused.message


def estimate(path: str) -> float:
    document = json.loads((MEASUREMENTS / "criterion" / "criterion" / path / "estimates.json").read_text())
    mean: float = document["mean"]["point_estimate"]
    return mean * 1e-9


@pytest.mark.parametrize(
    ("benchmark", "place"),
    [
        ("sum/iter/100", "sum/iter/100"),
        ("sum/fold/1000", "sum/fold/1000"),
        ("alone/with slash", "alone"),
    ],
)
def test_means_are_those_that_criterion_estimates(benchmark: str, place: str) -> None:
    folder = read("criterion/criterion")
    alone = read(f"criterion/criterion/{place}/new/sample.json")

    newest = series_of(folder, benchmark, "new")
    assert statistics.mean(values_of(newest)) == pytest.approx(estimate(f"{place}/new"), rel=1e-9)
    assert (newest.mode, newest.metric, newest.separate) == ("steady", WALL, False)
    assert values_of(series_of(alone, benchmark, "sample")) == values_of(newest)


def test_saved_baselines_of_criterion_are_alternatives_and_what_is_there_twice_counts_once() -> None:
    assert [(each.benchmark, each.alternative) for each in read("criterion").series] == [
        ("alone/with slash", "main"),
        ("alone/with slash", "new"),
        ("sum/fold/1000", "main"),  # base is the same as new
        ("sum/fold/1000", "new"),
        ("sum/iter/100", "main"),
        ("sum/iter/100", "new"),
    ]


def sample(folder: Path, times: list[float], iters: list[float] | None = None) -> None:
    folder.mkdir(parents=True)
    document = {"sampling_mode": "Flat", "iters": [2.0] * len(times) if iters is None else iters, "times": times}
    (folder / "sample.json").write_text(json.dumps(document))


def test_a_criterion_folder_that_was_measured_once_is_one_alternative(tmp_path: Path) -> None:
    for name in ("new", "base"):
        sample(tmp_path / "target" / "sum" / name, [10.0, 20.0])

    (series,) = read_measurements(tmp_path / "target").series

    assert (series.benchmark, series.alternative) == ("sum", "target")
    assert values_of(series) == pytest.approx([5e-9, 10e-9])
    assert series.invocations[0].loops == 2


def test_what_was_saved_last_has_the_name_that_it_was_saved_under(tmp_path: Path) -> None:
    for name, times in (("new", [10.0]), ("main", [10.0]), ("old", [30.0])):
        sample(tmp_path / "sum" / name, times)

    assert [each.alternative for each in read_measurements(tmp_path).series] == ["main", "old"]


@pytest.mark.parametrize(
    ("iters", "slug", "fact"),
    [
        ([0.0], "bad-measurement", "iters[0] is '0.0'"),
        ([1.0, 2.0], "corrupt-results", "has 2 'iters' and 1 'times'"),
    ],
)
def test_samples_of_criterion_that_do_not_fit_are_refused(
    iters: list[float], slug: str, fact: str, tmp_path: Path
) -> None:
    sample(tmp_path / "sum" / "new", [10.0], iters)
    path = tmp_path / "sum" / "new" / "sample.json"

    refused = refusal(path)

    assert refused.slug == slug
    assert fact in refused.message


def test_estimates_and_tables_of_criterion_name_what_to_read_instead(tmp_path: Path) -> None:
    header = "group,function,value,throughput_num,throughput_type,sample_measured_value,unit,iteration_count"
    table = written(tmp_path, f"{header}\nsum,iter,100,800,bytes,5,ns,1\n", "raw.csv")

    for path in (MEASUREMENTS / "criterion/criterion/sum/iter/100/new/estimates.json", table):
        refused = refusal(path)
        assert refused.slug == "summaries-only"
        assert refused.hint == "name the folder target/criterion, or the sample.json beside it"


def test_launches_of_benchmark_dotnet_are_invocations_and_means_are_its_own() -> None:
    measurements = read("benchmark-dotnet/full.json")
    document = json.loads((MEASUREMENTS / "benchmark-dotnet" / "full.json").read_text())

    assert [each.benchmark for each in measurements.series] == [
        "Sums.Loop(N: 100)",
        "Sums.Loop(N: 1000)",
        "Sums.Linq(N: 100)",
    ]
    for series, benchmark in zip(measurements.series, document["Benchmarks"], strict=False):
        assert [len(run.values) for run in series.invocations] == [4, 5]
        assert series.separate
        assert statistics.mean(values_of(series)) == pytest.approx(benchmark["Statistics"]["Mean"] * 1e-9, rel=1e-9)
    assert measurements.skipped == (
        "'Sums.Broken' has no results: it failed",
        "3 values that BenchmarkDotNet took for outliers and left out of its results",
        "memory and other metrics of BenchmarkDotNet",
    )
    assert measurements.provenance.tool == "BenchmarkDotNet 0.13.12"


def test_the_brief_form_of_benchmark_dotnet_has_the_same_values_of_unknown_launches() -> None:
    full, brief = read("benchmark-dotnet/full.json"), read("benchmark-dotnet/brief.json")

    for one, other in zip(full.series, brief.series, strict=True):
        assert values_of(other) == pytest.approx(values_of(one))
        assert not other.separate


def dotnet(**more: Any) -> dict[str, Any]:
    return {"DisplayInfo": "A.B: Fast [N=1]", "Type": "A", "Method": "B", "Parameters": "N=1", **more}


def dotnet_file(folder: Path, *benchmarks: Any) -> Path:
    return written(folder, json.dumps({"HostEnvironmentInfo": {}, "Benchmarks": list(benchmarks)}), "x.json")


def test_jobs_of_benchmark_dotnet_are_alternatives(tmp_path: Path) -> None:
    statistics_ = {"OriginalValues": [5.0, 6.0]}
    slow = dotnet(DisplayInfo="A.B: Slow(Runtime=.NET 8.0) [N=1]", Statistics=statistics_)

    measurements = read_measurements(dotnet_file(tmp_path, dotnet(Statistics=statistics_), slow))

    assert [(each.benchmark, each.alternative) for each in measurements.series] == [
        ("A.B(N=1)", "Fast"),
        ("A.B(N=1)", "Slow(Runtime=.NET 8.0)"),
    ]


def test_measurements_of_old_benchmark_dotnet_have_no_stage(tmp_path: Path) -> None:
    common = {"LaunchIndex": 1, "Operations": 2}
    measured = [
        {"IterationMode": mode, "Nanoseconds": 10.0 * index, **common}
        for index, mode in enumerate(("IdleTarget", "MainWarmup", "MainTarget", "Result"), start=1)
    ]

    (series,) = read_measurements(dotnet_file(tmp_path, dotnet(Measurements=measured))).series

    assert values_of(series) == pytest.approx([20e-9])
    assert not series.separate  # one launch


def test_statistics_of_benchmark_dotnet_alone_are_summaries(tmp_path: Path) -> None:
    refused = refusal(dotnet_file(tmp_path, dotnet(Statistics={"Mean": 5.0})))

    assert (refused.slug, refused.hint) == ("summaries-only", "[JsonExporterAttribute.Full], or --exporters fulljson")


def test_runs_that_perf_added_to_a_file_are_invocations_of_their_commands() -> None:
    measurements = read("perf-stat/appended.txt")
    short, long = measurements.series

    assert [(each.benchmark, each.alternative, each.mode) for each in (short, long)] == [
        ("commands", "sleep 0.01", "startup"),
        ("commands", "sleep 0.02", "startup"),
    ]
    assert values_of(short) == [0.011646676, 0.018160025, 0.01146174]
    assert [run.position for run in short.invocations] == [0, 2, 4]
    assert short.invocations[0].process == {
        "task-clock": pytest.approx(0.00085),
        "context-switches": 1.0,
        "migrations": 0.0,
        "page-faults": 74.0,
        "user": 0.001732,
        "system": 0.0,
    }
    assert measurements.skipped == ("events that were not counted: cycles, instructions, branches, branch-misses",)


def test_of_repeated_runs_of_perf_the_table_is_read() -> None:
    measurements = read("perf-stat/table.txt")
    (series,) = measurements.series

    assert values_of(series) == [0.01165, 0.01159, 0.02129, 0.00542, 0.01807]
    assert statistics.mean(values_of(series)) == pytest.approx(0.01360, abs=5e-6)  # as perf prints
    error = statistics.stdev(values_of(series)) / 5**0.5
    assert error == pytest.approx(0.00277, abs=5e-6)  # as perf prints
    assert all(not run.process for run in series.invocations)
    assert measurements.skipped[0] == "counts of perf stat -r: it prints their means only, not those of each run"


def test_events_of_perf_are_read_with_the_elapsed_time_where_it_was_asked_for() -> None:
    (with_time,), (without,) = (read(f"perf-stat/{name}").series for name in ("events.csv", "events.json"))

    assert (with_time.alternative, with_time.metric) == ("events", WALL)
    assert values_of(with_time) == pytest.approx([0.016543521, 0.011684292, 0.012987631])
    assert with_time.invocations[0].process == {"task-clock": pytest.approx(0.00081), "page-faults": 76.0}
    assert without.metric == Metric("task-clock", "s")
    assert len(without.invocations) == 3


HEAD = " Performance counter stats for 'true'"


def test_perf_without_headers_begins_a_run_with_the_first_event_again(tmp_path: Path) -> None:
    text = "5;;page-faults;10;100.00;;\n1;;faults;10;100.00;;\n6;;page-faults;10;100.00;;\n"

    (series,) = read_measurements(written(tmp_path, "a line of the program\n" + text)).series

    assert values_of(series) == [5.0, 6.0]
    assert [dict(run.process) for run in series.invocations] == [
        {"page-faults": 5.0, "faults": 1.0},
        {"page-faults": 6},
    ]


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("1234567", 1234567),
        ("1,234,567", 1234567),
        ("1.234.567", 1234567),
        ("1\u202f234\u202f567", 1234567),
        ("1'234.5", 1234.5),
        ("1.234,50", 1234.5),
        ("0,75", 0.75),
    ],
)
def test_numbers_of_perf_are_read_as_the_locale_writes_them(cell: str, value: float, tmp_path: Path) -> None:
    count = f"  {cell}      instructions:u   #  0.33 insn per cycle   (33.3%)"
    text = f"{HEAD}:\n\n{count}\n\n  0,500000000 seconds time elapsed\n"

    (series,) = read_measurements(written(tmp_path, text)).series

    assert values_of(series) == [0.5]
    assert series.invocations[0].process == {"instructions:u": value}


@pytest.mark.parametrize(
    ("text", "slug", "fact"),
    [
        (f"{HEAD} (3 runs):\n\n  0.01 +- 0.001 seconds time elapsed  ( +-  1.8% )\n", "summaries-only", "perf stat"),
        ("1,,faults,3.50%,10,100.00,,\n", "summaries-only", "perf stat"),
        (
            " Performance counter stats for 'system wide':\n\n  5  faults\n",
            "nothing-measured",
            "'system wide': it is no command",
        ),
        (f"{HEAD}:\n\n  <not counted>  cycles\n", "nothing-measured", "holds no measurement"),
        (
            '{"interval" : 0.5, "counter-value" : "1", "unit" : "", "event" : "faults"}\n',
            "corrupt-results",
            "line 1 counts for one 'interval' only",
        ),
        (
            '{"counter-value" : "1", "event" : "a"}\n{"counter-value" : "-1", "event" : "a"}\n',
            "bad-measurement",
            "line 2",
        ),
    ],
)
def test_what_perf_does_not_say_of_single_runs_is_refused(text: str, slug: str, fact: str, tmp_path: Path) -> None:
    refused = refusal(written(tmp_path, text))

    assert refused.slug == slug
    assert fact in refused.message
