"""One process, fairly and exactly measured.

A *command* is run by a launcher, a C program that sonde starts anew for each invocation: it executes the command, waits
for it, reads the clock and the kernel's accounts, and leaves nothing running. A *steady call* is a Python function that
a worker in a process of its own calls again and again, until it has come to rest.
"""

from sonde.instruments.bench.invocations.command import Command, Output
from sonde.instruments.bench.invocations.command_run import run_command
from sonde.instruments.bench.invocations.steady_call import SteadyCall
from sonde.instruments.bench.invocations.steady_run import DEFAULT_MIN_TIME_S, check_steady, run_steady

__all__ = ["Command", "DEFAULT_MIN_TIME_S", "Output", "SteadyCall", "check_steady", "run_command", "run_steady"]
