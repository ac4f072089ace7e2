"""The shell of `sonde vm`: commands from a terminal or a file, done in a process of their own.

    front (this process)                          worker
    lines, history, completion,   --- request -->  LLVM, the JIT, the programs;
    scripts, messages             <-- reply -----  its standard streams are the terminal's

A program that crashes takes the worker with it and nothing else: the front says what happened, starts another
worker, and does again what the session had built.
"""

from sonde.instruments.vm.verb.shell.all_commands import COMMANDS
from sonde.instruments.vm.verb.shell.opening import open_shell

__all__ = ["COMMANDS", "open_shell"]
