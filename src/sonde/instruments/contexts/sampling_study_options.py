"""Options of `sonde sample study`: how often each way of sampling is tried, and which."""

from argparse import ArgumentTypeError
from pathlib import Path
from typing import Annotated, NamedTuple

from sonde.instruments.contexts.sampling_options import FASTEST_HZ, SLOWEST_HZ
from sonde.options.declared import Option
from sonde.options.numbers import rate_hz, two_or_more


def _rates(text: str) -> tuple[float, ...]:
    rates = tuple(rate_hz(word) for word in text.split(","))
    for rate in rates:
        if not SLOWEST_HZ <= rate <= FASTEST_HZ:
            raise ArgumentTypeError(f"'{rate:g}Hz' is out of reach: rates are 0.1Hz to 10kHz")
    return rates


def _dense(text: str) -> float:
    return _rates(text)[0]


class StudyOptions(NamedTuple):
    """What is tried, and how often."""

    rounds: Annotated[
        int, Option("rounds, in each of which every way has its turn; intervals need 6", parse=two_or_more, metavar="N")
    ] = 6
    rates: Annotated[
        tuple[float, ...],
        Option(
            "samples a second that are asked for, e.g. 100Hz,1kHz",
            parse=_rates,
            metavar="RATES",
            show=lambda rates: ",".join(f"{rate:g}Hz" for rate in rates),
        ),
    ] = (250.0, 1000.0)
    dense: Annotated[
        float,
        Option(
            "samples a second of the profile that others are compared with",
            parse=_dense,
            metavar="RATE",
            show=lambda rate: f"{rate:g}Hz",
        ),
    ] = 10_000.0
    html: Annotated[Path | None, Option("write an HTML page instead of printing", parse=Path, metavar="FILE")] = None
