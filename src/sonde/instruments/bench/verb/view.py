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
    parser = argparse.ArgumentParser()
    show.configure(parser)
    usual = vars(parser.parse_args([str(path)]))
    taken = {key: value for key, value in vars(arguments).items() if key in usual}
    return show.run(argparse.Namespace(**usual | taken | {"results": path}))
