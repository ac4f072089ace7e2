"""Running a program, or a compiler, so that what it decides is left in a folder that sonde reads."""

from sonde.instruments.decisions.capture.capture import CAPTURES, capture
from sonde.instruments.decisions.capture.captured import Captured, CaptureOptions
from sonde.instruments.decisions.capture.own_programs import perf_works

__all__ = [
    "CAPTURES",
    "CaptureOptions",
    "Captured",
    "capture",
    "perf_works",
]
