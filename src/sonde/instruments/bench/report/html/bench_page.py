"""The page of a judgement as a file."""

from pathlib import Path

from sonde.instruments.bench.judging import Judgement
from sonde.instruments.bench.report.html.bench_data import bench_data
from sonde.instruments.bench.report.names import title_of
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
    heading = title or title_of(judgement)
    data = bench_data(judgement, title=heading)
    page = self_contained(_PARTS / "page.html", _STYLES, scripts, data, title=heading)
    write_page(page, path)
