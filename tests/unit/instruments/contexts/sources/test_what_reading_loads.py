"""What is loaded to read the counts of a run: for Python programs, that is all."""

import subprocess
import sys

from measuring import environment

PROGRAM = """\
import sys
import sonde.instruments.contexts.sources.probes, sonde.instruments.contexts.sources.numba
print(*(each for each in sys.modules if each in ("sonde.jit", "sonde.llvm", "sonde.ir", "sonde.passes")))
"""


def test_no_compiler_is_loaded_to_read_what_was_counted() -> None:
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(command, capture_output=True, text=True, env=environment(), check=True)
    assert done.stdout.split() == []
