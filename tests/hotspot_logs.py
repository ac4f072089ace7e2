"""Compilation logs written by hand, a task at a time, as the JDK's compilers write them."""

from collections.abc import Iterable
from pathlib import Path

NAMES = """\
<type id='10' name='double'/>
<klass id='20' name='App' flags='1'/>
<klass id='21' name='App$Shape' flags='1544'/>
<klass id='22' name='App$Square' flags='24'/>
<klass id='23' name='App$Circle' flags='24'/>
<klass id='24' name='[LApp$Shape;' flags='1040'/>
<method id='30' holder='20' name='total' return='10' arguments='24' flags='8' bytes='42' iicount='9000'/>
<method id='31' holder='21' name='area' return='10' flags='1025' bytes='0' iicount='1'/>
<method id='32' holder='22' name='area' return='10' flags='1' bytes='10' iicount='9000'/>
<method id='33' holder='23' name='area' return='10' flags='1' bytes='14' iicount='9000'/>
<method id='34' holder='20' name='half' return='10' arguments='10' flags='8' bytes='5' iicount='9000'/>
"""
"""What the numbers in the tasks below stand for."""


def task(
    inside: str, *, number: int = 7, method: str = "App total ([LApp$Shape;)D", success: bool = True, more: str = ""
) -> str:
    """A task; `inside` is between its names and its end."""
    return (
        f"<task compile_id='{number}' method='{method}' bytes='42' count='9000' stamp='1.000'{more}>\n{NAMES}{inside}"
        f"<task_done success='{int(success)}' nmsize='{600 * success}' count='9000' inlined_bytes='10' "
        "stamp='1.010'/>\n"
        "</task>\n"
    )


def parse(number: int, inside: str) -> str:
    """The code of a method."""
    return (
        f"<parse method='{number}' uses='9000.000000' stamp='1.001'>\n{inside}<parse_done stamp='1.002'/>\n</parse>\n"
    )


def log(tasks: Iterable[str], events: str = "", *, ends: bool = True, process: int = 4711) -> str:
    """A whole log, of one compiling thread."""
    start = (
        "<?xml version='1.0' encoding='UTF-8'?>\n"
        f"<hotspot_log version='160 1' process='{process}' time_ms='1000000'>\n"
        "<vm_version>\n<info>\nOpenJDK 64-Bit Server VM (25)\n</info>\n</vm_version>\n"
        f"<tty>\n<writer thread='1'/>\n{events}"
    )
    end = "</compilation_log>\n<hotspot_log_done stamp='3.000'/>\n</hotspot_log>\n"
    return f"{start}</tty>\n<compilation_log thread='2'>\n{''.join(tasks)}{end if ends else ''}"


def installed(number: int, level: int, stamp: str, method: str = "App total ([LApp$Shape;)D", more: str = "") -> str:
    """The event of code that was installed."""
    compiler = "c2" if level == 4 else "c1"
    return (
        f"<nmethod compile_id='{number}'{more} compiler='{compiler}' level='{level}' entry='0x00007f' size='784' "
        f"method='{method}' bytes='42' count='256' iicount='256' stamp='{stamp}'/>\n"
    )


def write_log(folder: Path, text: str, name: str = "compilation_log.xml") -> Path:
    """Put a log into a folder."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path
