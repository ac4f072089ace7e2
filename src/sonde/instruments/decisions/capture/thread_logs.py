"""The end of a compilation log whose virtual machine was killed.

Every compiling thread writes a file of its own; at its end the machine appends them to the log. After a kill they lie
where it left them, and are appended here.
"""

import re
import shutil
from contextlib import suppress
from pathlib import Path

_FILE = re.compile(rb"<thread_logfile thread='(\d+)' filename='([^']+)'/>")
_OWN_FILE = re.compile(r"hs_c\d+_pid(\d+)\.log")
_PROCESS = re.compile(rb"<hotspot_log [^>]*process='(\d+)'")


def complete_log(log: Path) -> int:
    """Append what the compiling threads left of a machine that was killed, and remove their files.

    Returns:
        how many files there were.
    """
    if not log.is_file():
        return 0
    text = log.read_bytes()
    process = _PROCESS.search(text[:4096])
    if process is None or b"<hotspot_log_done" in text[-4096:]:
        return 0
    found = 0
    with log.open("ab") as out:
        out.write(b"\n")
        for match in _FILE.finditer(text):
            file = Path(match[2].decode("utf-8", "surrogateescape"))
            name = _OWN_FILE.fullmatch(file.name)
            # The log is what the program wrote too: only files that are this machine's are touched.
            if name is None or name[1] != process[1].decode("ascii"):
                continue
            try:
                with file.open("rb") as part:
                    out.write(b"<compilation_log thread='%s'>\n" % match[1])
                    shutil.copyfileobj(part, out)
                    out.write(b"\n</compilation_log>\n")
            except OSError:
                continue
            found += 1
            with suppress(OSError):
                file.unlink()
    return found
