"""What `sonde view` does with results: as `sonde bench show` with its usual options."""

import argparse
from pathlib import Path

from sonde.instruments.bench.verb import show


def view_results(path: Path, arguments: argparse.Namespace) -> int:
    """Judge and print, with the options of `sonde view` that results have, too.

    Raises:
        InputError: the file cannot be read.
        UsageError: an output exists.
    """
    return show.run(argparse.Namespace(**vars(arguments) | {"results": path}))
