"""Functions that Numba compiles in a measured process: there they get probes; here their names are read."""

from sonde.instruments.contexts.sources.numba.told_code import MECHANISM, ToldCode, read_told_code

__all__ = ["MECHANISM", "ToldCode", "read_told_code"]
