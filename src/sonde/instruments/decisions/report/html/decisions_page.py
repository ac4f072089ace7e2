"""The pages of a run and of a comparison as files."""

from pathlib import Path
from typing import Any

from sonde.instruments.decisions.analysis import Comparison
from sonde.instruments.decisions.experiments import Experiment
from sonde.instruments.decisions.options import ShowOptions
from sonde.instruments.decisions.report.html.page_data import comparison_page_data, run_page_data
from sonde.render.html.document import SHARED_PARTS, self_contained, write_page

_PARTS = Path(__file__).with_name("page")
_STYLES = (SHARED_PARTS / "paper.css", SHARED_PARTS / "cards.css", _PARTS / "page.css")
_SHARED_SCRIPTS = ("text.js", "notices.js", "search_field.js", "virtual_rows.js")
_SCRIPTS = (
    "contents.js",
    "meanings.js",
    "tree.js",
    "tree_rows.js",
    "tree_table.js",
    "source_rows.js",
    "source_table.js",
    "unit_list.js",
    "finding_list.js",
    "main.js",
)
"""In order of dependence; they share one scope."""


def write_run(experiment: Experiment, path: Path, options: ShowOptions | None = None, *, title: str = "") -> None:
    """Write what a compiler decided in a run as one self-contained page, which opens from disk.

    Args:
        experiment: a run with its hot units marked.
        path: overwritten; gets its name when the page is whole.
        title: heading; the name of the run if not given.
    Raises:
        SondeError: `cannot-write`.
    Cost: of reading the trees of all units that are shown; at most `MAX_NODES` nodes are in the page, which says what
        it leaves out.
    """
    heading = title or Path(experiment.run.name).name or experiment.run.name
    _write(run_page_data(experiment, options or ShowOptions(), title=heading), path, heading)


def write_differences(comparison: Comparison, path: Path, *, title: str = "") -> None:
    """Write two compared runs as one self-contained page; see `write_run`."""
    names = [Path(side.run.name).name or side.run.name for side in comparison.experiments()]
    heading = title or f"{names[1]} against {names[0]}"
    _write(comparison_page_data(comparison, title=heading), path, heading)


def _write(data: dict[str, Any], path: Path, title: str) -> None:
    scripts = [*(SHARED_PARTS / name for name in _SHARED_SCRIPTS), *(_PARTS / name for name in _SCRIPTS)]
    page = self_contained(_PARTS / "page.html", _STYLES, scripts, data, title=title)
    write_page(page, path)
