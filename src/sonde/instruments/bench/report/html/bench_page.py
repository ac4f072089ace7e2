"""The page of a judgement as a file."""

from pathlib import Path

from sonde.instruments.bench.judging import Judgement
from sonde.instruments.bench.report.html.bench_data import bench_data
from sonde.render.html.document import SHARED_PARTS, self_contained, write_page

_PARTS = Path(__file__).with_name("page")
_STYLES = (SHARED_PARTS / "paper.css", SHARED_PARTS / "cards.css", _PARTS / "page.css")
_SHARED_SCRIPTS = ("text.js", "notices.js", "virtual_rows.js")
_SCRIPTS = (
    "quantity.js",
    SHARED_PARTS / "svg.js",
    "runs.js",
    "intervals.js",
    "distribution.js",
    "sequence.js",
    "checks.js",
    "verdict_table.js",
    "benchmark_detail.js",
    "method.js",
    "main.js",
)
"""In order of dependence; they share one scope. What is shared has its whole path, the rest is in `_PARTS`."""


def write_bench_page(judgement: Judgement, path: Path, *, title: str = "") -> None:
    """Write a judgement as one self-contained page, which opens from disk and asks nobody for more.

    Args:
        path: overwritten; gets its name when the page is whole.
        title: heading; made from the names of files and benchmarks when not given.
    Raises:
        SondeError: `cannot-write`.
    Guarantee: every value of a sample is on the page. Iterations are thinned where there are more than 1,500,000,
        which the page says: under 10 MB for 1,000 benchmarks of 30 invocations on either side.
    Cost: O(values), iterations included.
    """
    scripts = [*(SHARED_PARTS / name for name in _SHARED_SCRIPTS), *(_PARTS / name for name in _SCRIPTS)]
    heading = title or _title(judgement)
    data = bench_data(judgement, title=heading)
    page = self_contained(_PARTS / "page.html", _STYLES, scripts, data, title=heading)
    write_page(page, path)


def _title(judgement: Judgement) -> str:
    """What was judged: two files, one, or the alternatives of a single benchmark."""
    files = [Path(provenance.file).name for provenance in judgement.provenances if provenance.file]
    if len(files) == 2:
        return f"{files[1]} against {files[0]}"
    names = list(dict.fromkeys(summary.sample.series.alternative for summary in judgement.summaries))
    benchmarks = list(dict.fromkeys(summary.sample.series.benchmark for summary in judgement.summaries))
    if len(benchmarks) == 1 and 0 < len(names) <= 3 and all(names):
        what = " against ".join(reversed(names)) if len(names) == 2 else ", ".join(names)
        return f"{benchmarks[0]}: {what}" if benchmarks[0] and benchmarks[0] not in names else what
    return files[0] if files else "benchmarks"
