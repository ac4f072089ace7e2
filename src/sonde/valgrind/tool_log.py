"""What Valgrind wrote into its log, as one sentence: what went wrong."""

import re
from pathlib import Path

LOG = "valgrind-%p.log"
"""Name of the log in the folder of a run; Valgrind puts its process for `%p`."""
LOGS = "valgrind-*.log"

_PREFIX = re.compile(r"^(?:==|--|\*\*)\d+(?:==|--|\*\*) ?")
_FATAL = (
    ("Assertion '", "Valgrind itself failed, and ended the program"),
    ("the 'impossible' happened", "Valgrind itself failed, and ended the program"),
    ("Valgrind's memory management: out of memory", "Valgrind had no memory left, and ended the program"),
    ("unhandled amd64-linux syscall", "the program made a system call that this Valgrind does not know"),
    ("sonde: cannot write", "the tool could not write what it found"),
    ("fatal error:", "Valgrind could not start"),
    ("failed to start tool", "Valgrind could not start"),
    ("Unknown option", "Valgrind could not start"),
    ("Bad option", "Valgrind could not start"),
)
"""What a line holds, and what that means; Valgrind has no other way to say it."""
_TRIED = re.compile(r"unhandled amd64-linux syscall: (434)\b")
"""`pidfd_open`: Python 3.15 asks for it when `subprocess` is imported, and waits by other means where there is none."""
_UNKNOWN_BYTES = "unhandled instruction bytes: "
_EXECUTED = "Unrecognised instruction at address "
"""Behind the bytes. Without them it is an instruction that no processor knows (`ud2`, a trap): the program means it."""
_FRAME = re.compile(r"(?:at|by) 0x[0-9A-F]+: (.+)")
_AVX_512 = "0x62 "
_NO_TABLES = "no memory for sonde's tables"


def fault_in(log: Path) -> str | None:
    """The first thing of weight in the log; None: nothing, or no log."""
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    told = [_PREFIX.sub("", line).strip() for line in lines]
    for number, words in enumerate(told):
        if _EXECUTED in words and (unknown := _unknown_instruction(told, number)):
            return unknown
        for text, meaning in _FATAL:
            if text in words and not _TRIED.search(words):
                reason = " ".join(told[number + 1 : number + 2]) if words.endswith("happened:") else ""
                if _NO_TABLES in f"{words} {reason}":
                    return (
                        "the tool had no address space left, and ended the program:"
                        " measure it without a limit on that (ulimit -v, RLIMIT_AS)"
                    )
                return f"{meaning}: {words} {reason}".strip()
    return None


def _unknown_instruction(told: list[str], number: int) -> str | None:
    """What a program could not execute, where, and what to do; `number` is of the line that says it was to."""
    described = [words for words in told[:number] if _UNKNOWN_BYTES in words]
    if not described:
        return None
    code = described[-1].partition(_UNKNOWN_BYTES)[2]
    frames = [frame[1] for words in told[number + 1 : number + 3] if (frame := _FRAME.fullmatch(words))]
    place = ", called from ".join(frames) or f"address {told[number].partition(_EXECUTED)[2].rstrip('.')}"
    cure = (
        "it is of AVX-512: have the program or library choose other code (for one that is compiled: -mno-avx512f)"
        if code.startswith(_AVX_512)
        else "compile it for an older processor, or measure with a newer Valgrind"
    )
    return (
        "Valgrind does not know an instruction of the program, which got SIGILL there:"
        f" {code.replace('0x', '').lower()} in {place}\nhint: {cure}"
    )
