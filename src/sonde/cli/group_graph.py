"""The flame graph of two groups of runs: all runs of each side together."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sonde.base.units import counted
from sonde.instruments.kind import Kind
from sonde.report import FlameGraph


def group_graphs(kind: Kind[Any], sides: Sequence[Sequence[Path]], options: Any) -> tuple[FlameGraph, ...]:
    """The graphs that a comparison of two profiles has, of those that the runs of each side make together.

    Of groups of different size the first runs of each are taken, as many of the larger as of the smaller one.

    Args:
        sides: the files of the runs before, and of those after.
        options: of the kind's comparison.
    Returns:
        none where the kind cannot merge or has no graph.
    Raises:
        SondeError: as the kind's functions do.
    """
    if kind.read is None or kind.write is None or kind.merged is None or kind.compare is None:
        return ()
    runs = min(map(len, sides))
    with TemporaryDirectory(prefix="sonde-diff-") as folder:
        paths = (Path(folder) / "before.sonde", Path(folder) / "after.sonde")
        for path, side in zip(paths, sides, strict=True):
            taken = side[:runs]
            kind.write(path, kind.merged([kind.read(each) for each in taken], [str(each) for each in taken]))
        report = kind.compare(*paths, options, ("before", "after"), True)
    title = f"{{}} of {counted(runs, 'run')} on each side together"
    return tuple(
        replace(block, title=title.format(block.title)) for block in report.blocks if isinstance(block, FlameGraph)
    )
