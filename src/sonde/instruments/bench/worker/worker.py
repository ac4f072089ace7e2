"""Call a function of no arguments again and again, and write down how long each iteration took.

    python worker.py NAME=VALUE ... -- ARGUMENT ...

Runs under interpreters that know nothing of sonde: Python 3.6 and later, PyPy; standard library only, as little of it
as can be, since what is imported here is there for the measured program too. What it finds goes into memory that it
shares with sonde through the inherited file `descriptor`, at the price of a store and without a system call, so that
whatever ends this process loses nothing but the iteration that was under way:

    bytes 0 to 4095     NAME=VALUE lines in UTF-8, the rest 0: `state`, and what belongs to it
    bytes 4096 to 4103  how many values follow, as a float64
    bytes 4104 ...      seconds for each call, float64 each: the values

States: loading, calibrating, running, done (`ended`, by the monotonic clock); missing (`module` or `function`, and
`names` that there are), refused (`reason`), failed (`error`). `user_per_call`, `system_per_call` and so on are what the
iterations after calibration took, children that have ended included, divided by their calls.
"""

# It imports as little as it can, and reports every way to end:
# ruff: noqa: PTH100, PTH113, PTH118, PTH119, PTH120, BLE001
import gc
import importlib
import mmap
import os
import signal
import sys
import time
from collections import deque
from itertools import repeat

was_there = "resource" in sys.modules
try:
    import resource

    if not was_there:
        del sys.modules["resource"]  # the program may have a module of its own that is called so
except ImportError:
    resource = None  # type: ignore[assignment]

if False:  # what `typing` calls TYPE_CHECKING: type checkers read it, no interpreter does
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

STATUS_BYTES = 4096
LAST_WORDS_S = 10  # for threads and exit handlers of the program, after the last iteration
COROUTINE, GENERATOR, ASYNC_GENERATOR = 0x80, 0x20, 0x200  # co_flags, as `inspect` has them

USAGE = {
    "user": "ru_utime",
    "system": "ru_stime",
    "minor_faults": "ru_minflt",
    "major_faults": "ru_majflt",
    "voluntary_switches": "ru_nvcsw",
    "involuntary_switches": "ru_nivcsw",
}  # metric of a process -> field of getrusage(2)

# perf_counter_ns is new in 3.7; the other clock has the same resolution for the first 104 days after boot.
CLOCK = getattr(time, "perf_counter_ns", time.perf_counter)
TICK_S = 1e-9 if hasattr(time, "perf_counter_ns") else 1.0


class Ending(Exception):
    """This invocation is over, for a reason that is not an exception of the program."""

    def __init__(self, **status: str) -> None:
        super().__init__(status)
        self.status = status


class Report:
    """The memory that is shared with sonde."""

    def __init__(self, descriptor: int) -> None:
        size = os.fstat(descriptor).st_size
        self.memory = mmap.mmap(descriptor, size)
        os.close(descriptor)
        self.cells = memoryview(self.memory)[STATUS_BYTES:].cast("d")
        self.known: dict[str, object] = {}

    def state(self, state: str, **more: object) -> None:
        """Say what is being done; what was said before and is not said anew still holds."""
        self.known.update(more, state=state)
        lines = [f"{name}={' '.join(str(value).split())[:1000]}\n" for name, value in self.known.items()]
        text = "".join(lines).encode("utf-8", "replace")[:STATUS_BYTES]
        self.memory[:STATUS_BYTES] = text.ljust(STATUS_BYTES, b"\0")


def main(words: "list[str]") -> None:
    split = words.index("--")
    options = dict(word.split("=", 1) for word in words[:split])
    report = Report(int(options["descriptor"]))
    version = ".".join(str(part) for part in sys.version_info[:3])
    report.state("loading", python=version, implementation=sys.implementation.name)
    try:
        function = load(options["target"], options["folder"], words[split + 1 :])
        if options["check"] == "1":
            refuse_arguments(function)
        else:
            measure(function, options, report)
        report.state("done", ended=time.monotonic())
        sys.stdout.flush()
    except Ending as ending:
        report.state(**ending.status)
        os._exit(0)
    except BaseException as error:
        import traceback

        report.state("failed", error=described(error, with_place=report.known["state"] == "loading"))
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(LAST_WORDS_S)


def described(error: BaseException, with_place: bool) -> str:
    """An exception on one line; with the file and line that it comes from, as there is no telling what imports what."""
    import traceback

    if isinstance(error, SyntaxError):  # says it itself, if it is not taken apart
        return f"{type(error).__name__}: {error}"
    place = ""
    at = error.__traceback__
    while with_place and at is not None:
        file = at.tb_frame.f_code.co_filename
        if file != __file__ and not file.startswith("<"):
            place = f" ({os.path.basename(file)}, line {at.tb_lineno})"
        at = at.tb_next
    return traceback.format_exception_only(type(error), error)[-1].strip() + place


def load(target: str, folder: str, arguments: "list[str]") -> "Callable[[], object]":
    """The function that `module:function` or `file.py:function` names."""
    place, _, name = target.rpartition(":")
    own = os.path.dirname(os.path.abspath(__file__))
    if sys.path and os.path.abspath(sys.path[0]) == own:
        del sys.path[0]
    is_file = place.endswith(".py")
    path = os.path.join(folder, place)
    sys.path.insert(0, os.path.dirname(path) if is_file else folder)
    sys.argv = [path if is_file else place, *arguments]
    if is_file:
        module = load_file(path)
    else:
        try:
            module = importlib.import_module(place)
        except ImportError as error:
            missing = getattr(error, "name", None) or ""
            if not isinstance(error, ModuleNotFoundError) or not (place + ".").startswith(missing + "."):
                raise  # the module is there, and what it imports is not
            raise Ending(state="missing", module=missing) from None
        sys.argv[0] = getattr(module, "__file__", place)
    function: Any = module
    for part in name.split("."):
        if not hasattr(function, part):
            names = [known for known in dir(function) if callable(getattr(function, known, None))]
            raise Ending(state="missing", function=part, names=" ".join(sorted(names, key=is_private)))
        function = getattr(function, part)
    refuse_what_runs_nothing(function)
    return function  # type: ignore[no-any-return]


def load_file(path: str) -> "ModuleType":
    from importlib.util import module_from_spec, spec_from_file_location

    if not os.path.isfile(path):
        raise Ending(state="missing", module=path)
    name = os.path.basename(path)[:-3]
    spec: Any = spec_from_file_location(name, path)
    module = module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def is_private(name: str) -> bool:
    return name.startswith("_")


def refuse_what_runs_nothing(function: object) -> None:
    if not callable(function):
        raise Ending(state="refused", reason="it is no function, but of type " + type(function).__name__)
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    flags = getattr(code, "co_flags", 0)
    if flags & COROUTINE:
        raise Ending(state="refused", reason="calling an 'async def' runs none of it")
    if flags & (GENERATOR | ASYNC_GENERATOR):
        raise Ending(state="refused", reason="calling a generator function runs none of it")


def refuse_arguments(function: "Callable[[], object]") -> None:
    import inspect

    try:
        inspect.signature(function).bind()
    except TypeError as error:
        raise Ending(state="refused", reason=f"it takes arguments ({error})") from None
    except ValueError:  # written in C, without a signature
        pass


def measure(function: "Callable[[], object]", options: "dict[str, str]", report: Report) -> None:
    least, most = int(options["least"]), int(options["most"])
    loops, at_least_s = int(options["loops"]), float(options["min_time"])
    if options["gc"] == "0":
        gc.disable()
    before = collections()
    report.state("calibrating")
    if loops == 0:
        loops, calls, single = calibrate(function, at_least_s)
    else:
        single, calls = [time_first_call(function)], 1
    kept = single[:most] if loops == 1 else []  # each call is an iteration, and so were these
    for done, value in enumerate(kept, 1):
        report.cells[done] = value
    report.cells[0] = len(kept)
    report.state("running", loops=loops, calibration_calls=calls - len(kept))
    recent = deque(kept, maxlen=int(options["window"]))
    used_before = usage()
    settled = iterate(function, loops, len(kept), most, report, recent, least, float(options["threshold"]))
    used = usage()
    calls = (int(report.cells[0]) - len(kept)) * loops
    each = {name + "_per_call": (used[name] - used_before[name]) / calls for name in used} if calls else {}
    report.state("running", settled=int(settled), collections=collections() - before, **each)


def iterate(
    function: "Callable[[], object]",
    loops: int,
    done: int,
    most: int,
    report: Report,
    recent: "deque[float]",
    least: int,
    threshold: float,
) -> bool:
    """Iterate until the last values vary little, or for `most` iterations; whether they do.

    Between the two readings of the clock there is nothing but the calls, and a loop where there are several.
    """
    clock, cells, seconds = CLOCK, report.cells, TICK_S / loops
    least = max(least, recent.maxlen or 0)
    while done < most:
        if loops == 1:
            before = clock()
            function()
            after = clock()
        else:
            times = repeat(None, loops)
            before = clock()
            for _ in times:
                function()
            after = clock()
        value = (after - before) * seconds
        done += 1
        cells[done] = value
        cells[0] = done
        recent.append(value)
        if done >= least and is_steady(recent, threshold):
            return True
    return False


def is_steady(recent: "deque[float]", threshold: float) -> bool:
    """Whether the coefficient of variation (n - 1) of these values is below the threshold.

    n values that are R apart at most have a standard deviation of at least R / sqrt(2 (n - 1)), which settles most
    cases at a third of the price.
    """
    count = len(recent)
    mean = sum(recent) / count
    spread = max(recent) - min(recent)
    allowed = threshold * threshold * mean * mean * (count - 1)  # on the sum of squared deviations
    if spread * spread > 2.000001 * allowed:
        return False
    squares = 0.0
    for value in recent:
        squares += (value - mean) * (value - mean)
    return squares < allowed


def calibrate(function: "Callable[[], object]", at_least_s: float) -> "tuple[int, int, list[float]]":
    """How many calls take that long; how many it took to find out; what the first ones took."""
    single = [time_first_call(function), time_calls(function, 1)]  # the first alone: much is done only once
    each_s = min(single)
    if each_s >= at_least_s:
        return 1, len(single), single
    loops, calls = 1, len(single)
    while loops * each_s < at_least_s:  # by the quickest so far: others may have been held up
        loops *= 2
        each_s = min(each_s, time_calls(function, loops) / loops)
        calls += loops
    return int(at_least_s / each_s + 0.999), calls, single


def time_first_call(function: "Callable[[], object]") -> float:
    clock = CLOCK
    before = clock()
    result = function()
    after = clock()
    if hasattr(result, "__await__"):
        if hasattr(result, "close"):
            result.close()  # or it complains that nobody awaited it
        raise Ending(state="refused", reason="what it returns is to be awaited, and was not run")
    return (after - before) * TICK_S


def time_calls(function: "Callable[[], object]", loops: int) -> float:
    clock, times = CLOCK, repeat(None, loops)
    before = clock()
    for _ in times:
        function()
    return (clock() - before) * TICK_S


def collections() -> int:
    """Garbage collections so far; 0 where the interpreter does not count them so."""
    try:
        return sum(generation["collections"] for generation in gc.get_stats())
    except (AttributeError, TypeError):
        return 0


def usage() -> "dict[str, float]":
    """What this process and its children that have ended took so far; nothing where the interpreter cannot tell."""
    if resource is None:
        return {}
    everyone = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return {name: sum(getattr(one, field) for one in everyone) for name, field in USAGE.items()}


if __name__ == "__main__":
    main(sys.argv[1:])
