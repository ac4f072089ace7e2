"""A Python that was built without libffi has no ctypes: what compiled programs need is missing, and that is told."""

import subprocess
import sys

_PROGRAM = """
import sys
sys.modules.pop("ctypes", None)
sys.modules["_ctypes"] = None
from sonde.cli import doctor
finding = doctor._c_compiler()
print(finding.verdict, finding.fact, sep="; ")
"""


def test_without_ctypes_the_compiler_is_said_to_be_of_no_use() -> None:
    done = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True)

    assert done.stdout.startswith("limited; this Python was built without libffi")
