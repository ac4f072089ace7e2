"""Where the table in `sonde.stats.modes` comes from: quantiles of the dip of uniform samples, simulated.

    python benches/dip_quantiles.py [--samples 20000]

The uniform distribution is the one with a single mode whose samples have the deepest dips (in the limit; Hartigan and
Hartigan 1985), so that others exceed these quantiles less often. About four minutes.
"""

import argparse

import numpy as np

from sonde.stats.dip import dip
from sonde.stats.modes import PROBABILITIES, SIZES


def main() -> None:
    """Print the table: a row for each size, sqrt(n) times the dip."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=100_000)
    samples: int = parser.parse_args().samples
    random = np.random.default_rng(1985)
    for n in SIZES:
        dips = [dip(random.random(n)) for _ in range(samples)]
        row = np.sqrt(n) * np.quantile(dips, PROBABILITIES)
        print(f"    ({', '.join(f'{value:.4f}' for value in row)}),  # {n}", flush=True)


if __name__ == "__main__":
    main()
