"""What the machine is like, what about it makes results untrustworthy, and what changes while it is measured.

Everything is read from `/proc` and `/sys`, of this machine or, in tests, of a made-up one (`Machine`).
"""

from sonde.instruments.bench.environment.description import LASTING, describe
from sonde.instruments.bench.environment.load_watch import LoadWatch
from sonde.instruments.bench.environment.machine import Machine
from sonde.instruments.bench.environment.padding import draw_padding
from sonde.instruments.bench.environment.pinning import choose_pin
from sonde.instruments.bench.environment.standing_doubts import doubts

__all__ = ["LASTING", "LoadWatch", "Machine", "choose_pin", "describe", "doubts", "draw_padding"]
