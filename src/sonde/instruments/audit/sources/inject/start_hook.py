"""Run by each Python of an audited run, the profiler's and the program's, before all else (`sonde.launch.start_hooks`).

It tells how long the process ran, at its end, and turns off what is asked for: inlined calls, Numba's inlining.
Profilers start programs as processes of their own, which it follows.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from sonde.launch.start_up.sitecustomize import StartingProcess


def start(process: "StartingProcess", library: str, asked: str) -> None:
    """Turn off what is asked for, and tell at the end."""
    off = asked.split()
    still_on: list[str] = []
    if "calls" in off:
        try:
            _turn_off_inlined_calls(library)
        except Exception:  # they stay on, which the process tells
            still_on.append("calls")
    if "jit" in off and not _is_jit_off():
        still_on.append("jit")
    numba = _without_inlining(process) if "numba" in off else None
    import atexit
    from time import perf_counter_ns, process_time_ns

    began_ns, ran_ns, pid = perf_counter_ns(), process_time_ns(), os.getpid()

    def tell() -> None:
        if os.getpid() != pid:
            return
        times = perf_counter_ns() - began_ns, process_time_ns() - ran_ns
        words = "\0".join(sys.orig_argv)
        try:
            path = os.path.join(process.folder, f"{began_ns:020}.clock")
            with open(path, "w", encoding="utf-8", errors="replace") as note:
                on = [*still_on, *(["numba"] if numba is not None and not numba.is_off else [])]
                ended = "raised" if hasattr(sys, "last_value") else "-"
                note.write(f"{times[0]} {times[1]} {','.join(off) or '-'} {','.join(on) or '-'} {ended}\n{words}")
        except OSError:
            pass

    atexit.register(tell)


def _is_jit_off() -> bool:
    jit = getattr(sys, "_jit", None)  # 3.14
    return not jit.is_enabled() if jit is not None else os.environ.get("PYTHON_JIT") == "0"


def _without_inlining(process: "StartingProcess") -> "Any":
    """Have nothing inlined of what Numba compiles from now on."""
    path = os.path.join(os.path.dirname(__file__), "numba_inlining.py")
    inlining = process.names_of(path)["NumbaInlining"]()
    process.when_loaded("numba.core.codegen", inlining.turn_off)
    return inlining


def _turn_off_inlined_calls(library: str) -> None:
    """Calls of Python functions by Python functions go through C from now on, as before 3.11.

    A profiler that has set an evaluator of its own before has done so already.
    """
    import ctypes

    frames, own = ctypes.CDLL(library), ctypes.pythonapi
    evaluate = ctypes.cast(own._PyEval_EvalFrameDefault, ctypes.c_void_p)
    own.PyInterpreterState_Get.restype = ctypes.c_void_p
    own._PyInterpreterState_GetEvalFrameFunc.argtypes = [ctypes.c_void_p]
    own._PyInterpreterState_GetEvalFrameFunc.restype = ctypes.c_void_p
    if own._PyInterpreterState_GetEvalFrameFunc(own.PyInterpreterState_Get()) != evaluate.value:
        return
    ctypes.c_void_p.in_dll(frames, "sonde_own_evaluator").value = evaluate.value
    own._PyInterpreterState_SetEvalFrameFunc.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
    own._PyInterpreterState_SetEvalFrameFunc.restype = None
    plain = ctypes.cast(frames.sonde_plain_frame, ctypes.c_void_p)
    own._PyInterpreterState_SetEvalFrameFunc(own.PyInterpreterState_Get(), plain)
