"""How profilers are run, and how what they write is read; a file for each."""

from sonde.instruments.audit.sources.drivers.cprofile import CPROFILE, PROFILE, YAPPI, read_pstats
from sonde.instruments.audit.sources.drivers.driver import Driver, Told, UnreadableAnswer
from sonde.instruments.audit.sources.drivers.py_spy import PY_SPY
from sonde.instruments.audit.sources.drivers.pyinstrument import PYINSTRUMENT
from sonde.instruments.audit.sources.drivers.scalene import SCALENE
from sonde.instruments.audit.sources.drivers.sonde_contexts import (
    DENSE_SAMPLE,
    SONDE,
    SONDE_SAMPLE,
    counting_command,
    read_calls,
    read_contexts,
)
from sonde.instruments.audit.sources.drivers.viztracer import VIZTRACER

__all__ = [
    "CPROFILE",
    "DENSE_SAMPLE",
    "PROFILE",
    "PYINSTRUMENT",
    "PY_SPY",
    "SCALENE",
    "SONDE",
    "SONDE_SAMPLE",
    "VIZTRACER",
    "YAPPI",
    "Driver",
    "Told",
    "UnreadableAnswer",
    "counting_command",
    "read_calls",
    "read_contexts",
    "read_pstats",
]
