"""What a wheel has of the sources: not all of it, and some of it put together. A checkout has it all.

- The slow twins of the native core are there to find faults of it, which is done in a checkout.
- A page's script has a module per noun; pages get one text of them all, which takes little more than half the room.
- `man sonde` shows a page where `bin` is on PATH: the environment's `share/man` is beside it.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from sonde.render.html.script_bundle import one_module

Files = Mapping[str, tuple[bytes, bool]]
"""By name: the content, and whether it can be executed."""

TWINS = "sonde/native/reference"
PAGE_PARTS = "sonde/render/html/components/"
MANUAL = ".data/data/share/man/man1/sonde.1"


def shipped(files: Files) -> Files:
    """The files of a wheel, from those that the back end made one of.

    Guarantee: what it gives is given again for it; a page is the same text as in a checkout.
    """
    kept = {name: file for name, file in files.items() if not name.startswith(TWINS)}
    modules = {name: file for name, file in kept.items() if name.startswith(PAGE_PARTS) and name.endswith(".js")}
    if not modules:
        return kept
    with tempfile.TemporaryDirectory() as folder:
        for name, (content, _) in modules.items():
            Path(folder, name.removeprefix(PAGE_PARTS)).write_bytes(content)
        script = one_module(Path(folder, "main.js")).encode("ascii")
    others = {name: file for name, file in kept.items() if name not in modules}
    return {**others, f"{PAGE_PARTS}main.js": (script, False)}


def manual_page() -> bytes:
    """The page of `sonde`, which says how to see those of its verbs.

    Raises:
        subprocess.CalledProcessError: the sonde beside this Python does not run.
    """
    environment = {**os.environ, "COLUMNS": "80", "LANG": "C.UTF-8"}
    command = [sys.executable, "-m", "sonde", "man"]
    return subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True).stdout
