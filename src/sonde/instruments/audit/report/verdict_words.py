"""What is wrong with a profiler, in words."""

from sonde.base.units import format_share
from sonde.instruments.audit.analysis import Fault, Verdict
from sonde.report import Estimated

NOTHING_FOUND = "nothing wrong was found"
_NOT_COMPARED = {
    None: "too few answers to judge",
    "answers": "too few answers to judge",
    "length": "not judged: the program is too short",
    "looks": "not enough samples to judge: chance alone moves answers as far",
    "functions": "tells of one function at most: nothing to compare",
}


def verdict_words(verdict: Verdict) -> str:
    """One line: its faults, or that none was found of what was looked at."""
    if verdict.faults:
        return "; ".join(fault_words(fault) for fault in verdict.faults)
    return NOTHING_FOUND if verdict.looked_at else _NOT_COMPARED[verdict.not_compared]


def fault_words(fault: Fault) -> str:
    """One fault, without the profiler's name."""
    size = "" if fault.size is None else f"{_percent(fault.size)} "
    match fault.kind:
        case "missing" | "fails" | "changes-program":
            verb = {"missing": "", "fails": "fails: ", "changes-program": "changes the program: "}[fault.kind]
            return f"{verb}{fault.words}"
        case "counts-calls":
            return f"follows calls: {size}of its answer"
        case "charges-callers":
            return f"charges callers: {size}of its time"
        case "loses-time":
            return f"tells {size}of the time"
        case "differs":
            return f"has {size}in common with the dense sample"
        case "blind":
            return f"blind: does not notice the lack of {fault.words}"


def fault_sentence(name: str, fault: Fault) -> str:
    """One fault, as a sentence."""
    size = "" if fault.size is None else _percent(fault.size)
    match fault.kind:
        case "missing":
            return f"{name} took no part: {fault.words}."
        case "fails":
            return f"{name} fails: {fault.words}."
        case "changes-program":
            return f"{name} changes what the program does: {fault.words}."
        case "counts-calls":
            return f"{name} follows how often functions are called: {size} of its answer is calls, not time."
        case "charges-callers":
            return f"{name} charges callers: {size} of the time is told of functions that called those which have it."
        case "loses-time":
            return f"{name} loses time: it tells {size} of what its run took."
        case "differs":
            return f"{name} gives another answer: it has {size} in common with the dense sample."
        case "blind":
            return f"{name} does not notice when the program runs without {fault.words}, though its profile moves."


def _percent(size: Estimated) -> str:
    low, high = max(0.0, size.low), max(0.0, size.high)
    return f"{format_share(max(0.0, size.amount), 1)} [{low * 100:.0f}, {high * 100:.0f}]"
