"""How profilers are run, and how what they write is read; a file for each."""

from sonde.instruments.audit.sources.drivers.compiled import ALONE, COUNTED, DENSE_SAMPLED, OF_COMPILED
from sonde.instruments.audit.sources.drivers.cprofile import CPROFILE, PROFILE, YAPPI, read_pstats
from sonde.instruments.audit.sources.drivers.driver import Driver, Told, UnreadableAnswer
from sonde.instruments.audit.sources.drivers.py_spy import PY_SPY
from sonde.instruments.audit.sources.drivers.pyinstrument import PYINSTRUMENT
from sonde.instruments.audit.sources.drivers.scalene import SCALENE
from sonde.instruments.audit.sources.drivers.sonde_contexts import (
    COUNTING,
    DENSE_SAMPLE,
    SONDE,
    SONDE_SAMPLE,
    read_calls,
    read_contexts,
)
from sonde.instruments.audit.sources.drivers.viztracer import VIZTRACER

__all__ = [
    "ALONE",
    "COUNTED",
    "COUNTING",
    "DENSE_SAMPLED",
    "OF_COMPILED",
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
    "read_calls",
    "read_contexts",
    "read_pstats",
]
