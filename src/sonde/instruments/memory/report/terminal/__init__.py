"""Memory profiles on a terminal: which code misses which caches, on what; the same as data; and what changed."""

from sonde.instruments.memory.report.terminal.difference_page import (
    memory_difference_data,
    memory_difference_page,
    print_memory_difference,
)
from sonde.instruments.memory.report.terminal.memory_data import memory_data
from sonde.instruments.memory.report.terminal.memory_page import memory_page, print_memory

__all__ = [
    "memory_data",
    "memory_difference_data",
    "memory_difference_page",
    "memory_page",
    "print_memory",
    "print_memory_difference",
]
