"""A Python that was built without libffi has no ctypes; names of C++ are then as they are in the machine code."""

import subprocess
import sys

_PROGRAM = """
import sys
sys.modules["_ctypes"] = None
from sonde.code.symbols import demangled
print(demangled("_Z4walkv"))
"""


def test_without_ctypes_names_stay_as_they_are() -> None:
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True)

    assert done.stdout == "_Z4walkv\n"
