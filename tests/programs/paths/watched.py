"""What tools are told of the functions of awkward.py while they run: prints it."""

import contextlib
import io
import os
import sys
import threading

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "awkward.py")
BRANCHES = ("BRANCH_LEFT", "BRANCH_RIGHT") if sys.version_info >= (3, 14) else ("BRANCH",)
MONITORED = (
    *("PY_START", "PY_RESUME", "PY_RETURN", "PY_YIELD", "PY_UNWIND", "PY_THROW", "CALL", "C_RETURN", "C_RAISE"),
    *("RAISE", "RERAISE", "EXCEPTION_HANDLED", "STOP_ITERATION", "LINE", *BRANCHES, "JUMP", "INSTRUCTION"),
)


def program():
    """The functions, without the call that runs them."""
    with open(HERE, encoding="utf-8") as file:
        text = file.read()
    assert text.endswith("\n\nmain()\n")
    names = {}
    exec(compile(text[: -len("main()\n")], HERE, "exec"), names)
    return names


def run_silently(function):
    with contextlib.redirect_stdout(io.StringIO()):
        function()


def traced(names):
    """By `sys.settrace`."""
    log = []

    def trace(frame, event, argument):
        if frame.f_code.co_filename == HERE:
            what = argument[0].__name__ if event == "exception" else argument if isinstance(argument, (int, str)) else ""
            log.append(("trace", frame.f_code.co_qualname, event, frame.f_lineno, frame.f_lasti, what))
        return trace

    sys.settrace(trace)
    run_silently(names["main"])
    sys.settrace(None)
    return log


def monitored(names, *functions):
    """By `sys.monitoring`: everything in this thread, or what happens in some functions."""
    monitoring, events = sys.monitoring, sys.monitoring.events
    log, thread = [], threading.get_ident()

    def watch(name):
        def callback(code, *rest):
            if code.co_filename == HERE and threading.get_ident() == thread:
                seen = (each if isinstance(each, (int, str)) else type(each).__name__ for each in rest)
                log.append(("events", code.co_qualname, name, *seen))

        return callback

    callbacks = {getattr(events, name): watch(name) for name in MONITORED}
    monitoring.use_tool_id(2, "watched")
    for event, callback in callbacks.items():
        assert monitoring.register_callback(2, event, callback) is None
        assert monitoring.register_callback(2, event, callback) is callback
    if functions:
        local = events.PY_START | events.PY_RETURN | events.LINE | events.JUMP | events.INSTRUCTION
        local |= sum(getattr(events, each) for each in BRANCHES)
        for function in functions:
            monitoring.set_local_events(2, names[function].__code__, local)
            assert monitoring.get_local_events(2, names[function].__code__) == local
    else:
        monitoring.set_events(2, sum(callbacks) & ~(events.C_RETURN | events.C_RAISE))
    run_silently(names["main"])
    for event, callback in callbacks.items():
        assert monitoring.register_callback(2, event, None) is callback
    monitoring.free_tool_id(2)
    return log


def main():
    names = program()
    log = traced(names)
    if hasattr(sys, "monitoring"):
        log += monitored(names)
        log += monitored(names, "loops", "caught", "deep", "fibonacci", "conditions")
    for each in log:
        print(*each)


main()
