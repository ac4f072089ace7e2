"""Running experiments fairly, and judging what was measured, by sonde or by other tools.

A *benchmark* is work to be done; an *alternative* is a way to do it (a command, an interpreter, flags, a version); an
*invocation* is one process that does it, once (start-up) or many times (steady state: its *iterations*). Measurements
are values (`measurements`), kept in a results file as they come; what can be said about them is in `judging`. The parts
of this room are imported each by its own name, so that what only reads a command line does not load NumPy.
"""

from sonde.instruments.bench.policy import Policy, SteadyBy

__all__ = ["Policy", "SteadyBy"]
