"""Run by the measured interpreter before its program: leaves no trace but a profile function."""

import os
import sys
import time
from types import FrameType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sonde.launch.start_up.sitecustomize import StartingProcess


def start(process: "StartingProcess") -> None:
    file = os.open(f"{process.folder}/events", os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC)
    depth = 0

    def profile(frame: FrameType, event: str, _argument: object) -> None:
        nonlocal depth
        if event not in ("call", "return") or (not depth and frame.f_globals.get("__name__") != "__main__"):
            return
        now = time.monotonic_ns()
        if event == "call":
            line = frame.f_back.f_lineno if depth and frame.f_back else 0
            code, module = frame.f_code, frame.f_globals.get("__name__", "")
            names = (code.co_qualname, module, code.co_filename, code.co_firstlineno, code.co_flags)
            os.write(file, (ascii((now, line, *names)) + "\n").encode())
            depth += 1
        elif depth:
            os.write(file, (ascii((now, 0)) + "\n").encode())
            depth -= 1
            if not depth:  # the end of the main module
                sys.setprofile(None)

    sys.setprofile(profile)
