"""A program in a machine, whose function `f` has a version `ssa` with values in place of stack slots."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sonde.machine import Workbench


@contextmanager
def bench_in_ssa(source: Path, text: str) -> Iterator[Workbench]:
    """Write a source and load it.

    Args:
        source: says by its suffix what language it is in.
    """
    source.write_text(text, encoding="ascii")
    bench = Workbench()
    bench.load(str(source))
    bench.optimize("f", "sroa,simplifycfg", version="ssa")
    yield bench
    bench.close()
