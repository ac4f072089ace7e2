"""Run a program, and write down every instruction of its functions: python instruction_log.py OUT PROGRAM ARGUMENT...

OUT gets a JSON list of activations, in the order in which they began: name, first line, instructions. These are offsets
in bytes; -1 stands behind one that raised, -2 behind the one that returned, -3 behind the one that an exception left.
"""

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
        json.dump([[c.co_qualname, c.co_firstlineno, events] for c, events, _ in log], file)


def _log_by_tracing(program, log):
    running = {}

    def begin(frame, event, argument):
        code = frame.f_code
        if code.co_filename != program or code.co_flags & _FUNCTION != _FUNCTION:
            return None
        if id(frame) not in running:
            events = []
            log.append((code, events, frame))  # the frame is kept: no other has its id
            running[id(frame)] = events
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return follow

    def follow(frame, event, argument):
        events = running[id(frame)]
        if event == "opcode":
            events.append(frame.f_lasti)
        elif event == "exception":
            events.append(RAISED)
        elif event == "return":
            name = _name_at(frame.f_code, frame.f_lasti)
            if name == "RETURN_VALUE":
                events.append(RETURNED)
            elif name != "YIELD_VALUE" or events[-1] == RAISED:
                events.append(LEFT)
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
        if begins:
            log.append((code, [], frame))
            running[id(frame)] = log[-1][1]
        if id(frame) in running:
            running[id(frame)].append(what)

    monitoring.use_tool_id(2, "log")
    for event, callback in {
        events.PY_START: lambda code, offset: append(code, offset, True),
        events.INSTRUCTION: lambda code, offset: append(code, offset),
        events.RAISE: lambda code, offset, _: append(code, RAISED),
        events.PY_RETURN: lambda code, offset, _: append(code, RETURNED),
        events.PY_UNWIND: lambda code, offset, _: append(code, LEFT),
    }.items():
        monitoring.register_callback(2, event, callback)
    monitoring.set_events(
        2, events.PY_START | events.INSTRUCTION | events.RAISE | events.PY_RETURN | events.PY_UNWIND
    )


def _name_at(code, offset):
    import dis

    return dis.opname[code.co_code[offset]]


if __name__ == "__main__":
    main()
