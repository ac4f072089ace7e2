"""Run a program, and write down every instruction of its functions: python instruction_log.py OUT PROGRAM ARGUMENT...

OUT gets a JSON list of activations, in the order in which they began: name, first line, instructions. These are offsets
in bytes; -1 stands behind one that raised, -2 behind the one that returned, -3 behind the one that an exception left.
"""

import dis
import json
import sys
import threading

RAISED, RETURNED, LEFT = -1, -2, -3
_FUNCTION = 3  # co_flags: optimized, with locals of its own


def main() -> None:
    out, program, *arguments = sys.argv[1:]
    with open(program, encoding="utf-8") as file:
        code = compile(file.read(), program, "exec")
    sys.argv[:] = [program, *arguments]
    log = []
    (_log_by_monitoring if hasattr(sys, "monitoring") else _log_by_tracing)(program, log)
    try:
        exec(code, {"__name__": "__main__", "__file__": program})
    finally:
        sys.settrace(None)
        if hasattr(sys, "monitoring"):
            sys.monitoring.set_events(2, 0)
    with open(out, "w", encoding="utf-8") as file:
        json.dump([[code.co_qualname, code.co_firstlineno, events] for code, events in log], file)


def _log_by_tracing(program, log):
    running = {}  # by the address of the frame: a reference would keep its variables, and generators in them

    def begin(frame, event, argument):
        code = frame.f_code
        if code.co_filename != program or code.co_flags & _FUNCTION != _FUNCTION:
            return None
        at = frame.f_lasti
        if dis.opname[code.co_code[at]] == "RESUME" and code.co_code[at + 1] == 0:
            log.append((code, []))
            running[id(frame)] = log[-1][1]
        elif id(frame) not in running:
            return None  # an exception was thrown into a generator before it began
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return follow

    def follow(frame, event, argument):
        events = running[id(frame)]
        if event == "opcode":
            events.append(frame.f_lasti)
        elif event == "exception":
            events.append(RAISED)
        elif event == "return":
            # Where an exception is raised again, `f_lasti` is where it was first.
            name = "" if events[-1] == RAISED else dis.opname[frame.f_code.co_code[events[-1]]]
            if name == "RETURN_VALUE":
                running.pop(id(frame)).append(RETURNED)
            elif name != "YIELD_VALUE":
                running.pop(id(frame)).append(LEFT)
        return follow

    threading.settrace(begin)
    sys.settrace(begin)


def _log_by_monitoring(program, log):
    monitoring, events = sys.monitoring, sys.monitoring.events
    running = {}

    def append(code, what, begins=False):
        if code.co_filename != program or code.co_flags & _FUNCTION != _FUNCTION:
            return
        frame = sys._getframe(2)
        if frame.f_code is not code:
            return  # what makes a generator has no frame yet, but from 3.15 on it may raise
        if begins:
            log.append((code, []))
            running[id(frame)] = log[-1][1]
        if id(frame) in running:
            running[id(frame)].append(what)
            if what in (RETURNED, LEFT):
                del running[id(frame)]

    monitoring.use_tool_id(2, "log")
    for event, callback in {
        events.PY_START: lambda code, offset: append(code, offset, True),
        events.INSTRUCTION: lambda code, offset: append(code, offset),
        events.RAISE: lambda code, offset, _: append(code, RAISED),
        events.PY_RETURN: lambda code, offset, _: append(code, RETURNED),
        events.PY_UNWIND: lambda code, offset, _: append(code, LEFT),
    }.items():
        monitoring.register_callback(2, event, callback)
    monitoring.set_events(2, events.PY_START | events.INSTRUCTION | events.RAISE | events.PY_RETURN | events.PY_UNWIND)


if __name__ == "__main__":
    main()
