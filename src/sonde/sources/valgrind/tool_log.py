"""What Valgrind wrote into its log, as one sentence: what went wrong."""

import re
from pathlib import Path

_PREFIX = re.compile(r"^(?:==|--|\*\*)\d+(?:==|--|\*\*) ?")
_FATAL = (
    ("Assertion '", "Valgrind itself failed, and ended the program"),
    ("the 'impossible' happened", "Valgrind itself failed, and ended the program"),
    ("Valgrind's memory management: out of memory", "Valgrind had no memory left, and ended the program"),
    ("unhandled instruction bytes", "the program has an instruction that this Valgrind does not know"),
    ("Unrecognised instruction at address", "the program has an instruction that this Valgrind does not know"),
    ("unhandled amd64-linux syscall", "the program made a system call that this Valgrind does not know"),
    ("sonde: cannot write", "the tool could not write what it found"),
    ("fatal error:", "Valgrind could not start"),
    ("failed to start tool", "Valgrind could not start"),
    ("Unknown option", "Valgrind could not start"),
    ("Bad option", "Valgrind could not start"),
)
"""What a line holds, and what that means; Valgrind has no other way to say it."""
_NO_TABLES = "no memory for sonde's tables"


def fault_in(log: Path) -> str | None:
    """The first thing of weight in the log; None: nothing, or no log."""
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    told = [_PREFIX.sub("", line).strip() for line in lines]
    for number, words in enumerate(told):
        for text, meaning in _FATAL:
            if text in words:
                reason = " ".join(told[number + 1 : number + 2]) if words.endswith("happened:") else ""
                if _NO_TABLES in f"{words} {reason}":
                    return (
                        "the tool had no address space left, and ended the program:"
                        " measure it without a limit on that (ulimit -v, RLIMIT_AS)"
                    )
                return f"{meaning}: {words} {reason}".strip()
    return None
