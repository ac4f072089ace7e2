"""Run a function in a process of its own until it is steady, and measure every iteration."""

import shlex
import time
from collections.abc import Mapping
from dataclasses import replace

from sonde.base.errors import InputError, UsageError
from sonde.base.near_names import near_hint
from sonde.instruments.bench.invocations.command_run import launch_request, process_metrics
from sonde.instruments.bench.invocations.failures import Failure, check_set_up, failure
from sonde.instruments.bench.invocations.launch_record import LaunchRecord
from sonde.instruments.bench.invocations.launcher import KEPT_DESCRIPTOR, launch
from sonde.instruments.bench.invocations.steady_call import SteadyCall
from sonde.instruments.bench.invocations.worker_report import WorkerReport
from sonde.instruments.bench.measurements import Invocation

DEFAULT_MIN_TIME_S = 0.005
"""What one value takes at least, by calling several times where one call is shorter. The clock's resolution is a
hundred-thousandth of it; an interrupt or a visit of another process, 10 to 50 microseconds, changes it by less than the
usual threshold of 1 %; ten values, a window, take 50 ms. Longer values hide more of a warm-up."""
_CHECK_TIMEOUT_S = 60.0
_MOST_ITERATIONS = 10_000_000


def run_steady(
    call: SteadyCall,
    *,
    iterations: tuple[int, int] = (10, 1000),
    window: int = 10,
    threshold: float = 0.01,
    min_time_s: float = DEFAULT_MIN_TIME_S,
    loops: int | None = None,
    collect_garbage: bool = True,
    timeout_s: float | None = None,
    grace_s: float = 1.0,
    pin: int | None = None,
    aslr: bool = True,
    counters: bool = True,
    hash_seed: int | None = None,
    padding_bytes: int = 0,
) -> Invocation:
    """One invocation: iterations until the last `window` of them vary by less than the threshold, or there are enough.

    Args:
        iterations: at least and at most so many.
        threshold: for the coefficient of variation of the last `window` values (Georges, Buytaert, Eeckhout, OOPSLA
            2007).
        min_time_s: that one value is to take at least; see `DEFAULT_MIN_TIME_S`.
        loops: calls that each value is the mean of; None finds out, which warms the function up unseen. 1 shows
            the warm-up of a JIT from the first call on. Where one call takes `min_time_s` it is 1, and all is seen.
        collect_garbage: leave Python's collector as it is, since its work is part of the program's; else switch it off.
        timeout_s, grace_s, pin, aslr, counters, hash_seed, padding_bytes: as for `run_command`.
    Returns:
        All values, in order, seconds for each call; those before a failure or time-out too. `warmups` is where the
        steady window starts, None if none was reached (`process["settled"]` is 0). `process` also has
        `wall`, all that it took; `calibration-calls`, made before the first value, `garbage-collections`, and
        `user-per-call`, `system-per-call` and so on: of the iterations, without start-up and calibration.
    Raises:
        UsageError, SondeError, MissingCapability: as `run_command`. What is wrong with the target is a failed
            invocation here: `check_steady` raises.
        InputError: `bad-iterations`.
        KeyboardInterrupt: after the process and all that it started were ended.
    Cost: two readings of the clock within a value; less than 1 microsecond for each iteration besides
        (`benches/bench_invocation.py`).
    """
    _check_iterations(iterations, window, loops, min_time_s)
    options = {
        "descriptor": KEPT_DESCRIPTOR,
        "check": 0,
        "least": iterations[0],
        "most": iterations[1],
        "window": window,
        "threshold": threshold,
        "min_time": min_time_s,
        "loops": loops or 0,
        "gc": int(collect_garbage),
    }
    request = launch_request(call.command(options), hash_seed=hash_seed, padding_bytes=padding_bytes)
    request = replace(request, timeout_s=timeout_s, grace_s=grace_s, pin=pin, aslr=aslr, counters=counters)
    with WorkerReport(iterations[1]) as report:
        started = time.time()
        record = launch(replace(request, keep=report.descriptor))
        if record is not None:
            check_set_up(record, pin=pin)
        status, values = report.status(), report.values()
    failed = _failure(record, status, timeout_s)
    settled = status.get("settled")
    process = process_metrics(record) if record else {}
    for name, known in (("calibration-calls", "calibration_calls"), ("garbage-collections", "collections")):
        if known in status:
            process[name] = float(status[known])
    for known, text in status.items():
        if known.endswith("_per_call"):
            process[known.replace("_", "-")] = float(text)
    if settled is not None:
        process["settled"] = float(settled)
    if record is not None:
        process["wall"] = record.wall_s
    return Invocation(
        values,
        failed[0] if failed else "ok",
        failed[1] if failed else "",
        warmups=len(values) - window if settled == "1" else None,
        loops=int(status.get("loops", 1)),
        started=started,
        process=process,
    )


def check_steady(call: SteadyCall) -> None:
    """See that the function can be called, before anything is measured: its module is imported, in a process.

    Raises:
        UsageError: `no-such-target`: there is no such module or function; `not-measurable`: it is no function of no
            arguments, or one whose call runs nothing, as of `async def`; `broken-target`: its module cannot be
            imported. Also as `Command.check`.
        SondeError: `cannot-execute`: as `Command.check`; or what runs is no Python that knows the worker's language.
    """
    command = call.command({"descriptor": KEPT_DESCRIPTOR, "check": 1})
    command.check()
    with WorkerReport(1) as report:
        request = launch_request(command, hash_seed=None, padding_bytes=0)
        record = launch(replace(request, keep=report.descriptor, timeout_s=_CHECK_TIMEOUT_S, counters=False))
        status = report.status()
    if not status:
        failed = failure(record, timeout_s=_CHECK_TIMEOUT_S)
        fact = failed[1] if failed else "it is no Python"
        if "SyntaxError" in fact:  # in the worker, before its first line is run
            fact = "it is older than Python 3.6"
        raise UsageError(
            f"cannot call '{call.target}' with '{' '.join(call.interpreter)}': {fact}",
            slug="not-an-interpreter",
            hint="CPython 3.6 or later, or PyPy",
        )
    if status.get("state") == "missing":
        raise _missing(call, status)
    if status.get("state") == "refused":
        raise UsageError(f"cannot measure '{call.target}': {status['reason']}", slug="not-measurable", hint=_WRAP)
    if status.get("state") == "failed":
        raise UsageError(
            f"cannot call '{call.target}': importing it fails: {status.get('error', '')}",
            slug="broken-target",
            hint=f"cd {shlex.quote(str(command.start_folder))} && {_import_line(call)}",
        )


def _import_line(call: SteadyCall) -> str:
    """What to type to see the whole of an exception."""
    place, _, _ = call.target.rpartition(":")
    words = [place] if place.endswith(".py") else ["-c", f"import {place}"]
    return shlex.join([*call.interpreter, *words])


_WRAP = "write a function of no arguments that does the work, and name that"


def _missing(call: SteadyCall, status: Mapping[str, str]) -> UsageError:
    place, _, _ = call.target.rpartition(":")
    if "module" in status:
        fact = f"no such file '{status['module']}'" if place.endswith(".py") else f"no module '{status['module']}'"
        hint = None if place.endswith(".py") else "name the folder that it is in, or a file: FILE.py:FUNCTION"
    else:
        fact = f"'{status['function']}' is not in it"
        hint = near_hint(status["function"], status["names"].split(), None)
    return UsageError(f"cannot call '{call.target}': {fact}", slug="no-such-target", hint=hint)


def _failure(
    record: LaunchRecord | None, status: Mapping[str, str], timeout_s: float | None
) -> tuple[Failure, str] | None:
    """What the worker says of a failure is more to the point than how its process ended; unless all came too late."""
    state = status.get("state", "")
    seen = failure(record, timeout_s=timeout_s)
    if state == "failed":
        return "failed", status.get("error", "")
    if state == "missing":
        return "failed", "no " + (f"module '{status['module']}'" if "module" in status else f"'{status['function']}'")
    if state == "refused":
        return "failed", status.get("reason", "")
    if state == "done":  # whatever its threads and exit handlers did afterwards
        took_s = float(status["ended"]) - record.started_s if record is not None and "ended" in status else 0.0
        if timeout_s is not None and took_s > timeout_s:
            return "timeout", f"ended after {took_s:.3g} s, allowed were {timeout_s:g} s"
        return None
    return seen or ("failed", f"it ended by itself, with exit code 0, while {state or 'starting'}")


def _check_iterations(iterations: tuple[int, int], window: int, loops: int | None, min_time_s: float) -> None:
    least, most = iterations
    if not (1 <= least <= most <= _MOST_ITERATIONS):
        raise InputError(
            f"cannot iterate '{least}' to '{most}' times: from 1 on, up to {_MOST_ITERATIONS:,}, the lesser first",
            slug="bad-iterations",
        )
    for name, value, fits in (
        ("a window of", window, window >= 2),
        ("loops:", loops, loops is None or loops >= 1),
        ("a least time, in seconds, of", min_time_s, 0.0 <= min_time_s < float("inf")),
    ):
        if not fits:
            raise InputError(f"cannot measure with {name} '{value}': it is too small", slug="bad-iterations")
