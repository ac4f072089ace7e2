"""Results of `sonde bench`, for the verbs that serve all kinds."""

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sonde.base.errors import UsageError
from sonde.instruments.bench.stored_kind import STORED
from sonde.instruments.kind import Kind
from sonde.store.recovery import nothing_to_recover


def _recover(folder: Path, path: Path) -> Path:
    """Results are in their file as soon as they are measured: there never is anything in a folder."""
    raise nothing_to_recover(folder, f"left nothing there: what it measured is in '{path}' itself")


def _show(paths: Sequence[Path], arguments: Namespace) -> int:
    if len(paths) > 1:
        raise UsageError(
            f"cannot show '{paths[0]}' and '{paths[1]}' together: both are results of sonde bench",
            slug="one-at-a-time",
            hint=f"sonde bench compare {paths[0]} {paths[1]}",
        )
    from sonde.instruments.bench.verb.view import view_results

    return view_results(paths[0], arguments)


RESULTS: Kind[Any] = Kind(name=STORED.name, words=STORED.words, stored=STORED, recover=_recover, shown_by=_show)
