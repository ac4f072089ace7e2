"""Functions that Numba compiles in a measured process: there they get probes; here their names are read."""

from sonde.instruments.contexts.sources.numba.told_code import MECHANISM, ToldCode, read_told_code
from sonde.instruments.contexts.sources.numba.told_units import CYCLES_MECHANISM, read_told_units

__all__ = ["CYCLES_MECHANISM", "MECHANISM", "ToldCode", "read_told_code", "read_told_units"]
