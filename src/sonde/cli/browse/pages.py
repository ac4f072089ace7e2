"""Pages of profiles, each made when it is asked for: by `sonde view` and `sonde diff`, as the command line has them.

They run in a process of their own, so that neither the memory nor the mistakes of one outlive it, and find the profiles
behind links in a temporary folder: whatever they do beside a profile, nothing is written in the user's folder.
"""

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import NamedTuple


class Page(NamedTuple):
    """A document, or why there is none."""

    html: bytes
    problem: str = ""


class Pages:
    """Makes pages one at a time, and keeps the last ones; use it as a context manager."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self._place = tempfile.TemporaryDirectory(prefix="sonde-web-")
        self._made: dict[tuple[object, ...], bytes] = {}
        self._lock = Lock()

    def __enter__(self) -> "Pages":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._place.cleanup()

    def page(self, verb: str, names: Sequence[str]) -> Page:
        """The page that `sonde VERB NAMES --html` writes.

        Args:
            verb: `view` or `diff`.
            names: paths below the folder, which were found there.
        """
        with self._lock:
            try:
                key = (verb, *((name, *self._state(name)) for name in names))
            except OSError as error:
                return Page(b"", f"cannot read '{error.filename}': {error.strerror}")
            if key in self._made:
                return Page(self._made[key])
            made = self._new(verb, names)
            if not made.problem:
                while len(self._made) >= _KEPT:
                    del self._made[next(iter(self._made))]
                self._made[key] = made.html
            return made

    def _state(self, name: str) -> tuple[int, int]:
        status = (self._folder / name).stat()
        return status.st_mtime_ns, status.st_size

    def _new(self, verb: str, names: Sequence[str]) -> Page:
        links = Path(self._place.name) / "profiles"
        for name in names:
            link = links / name
            link.parent.mkdir(parents=True, exist_ok=True)
            link.unlink(missing_ok=True)
            link.symlink_to(self._folder / name)
        output = Path(self._place.name) / "page.html"
        output.unlink(missing_ok=True)
        done = subprocess.run(
            [sys.executable, "-P", "-m", "sonde", verb, f"--html={output}", "--", *names],
            cwd=links,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        if not output.is_file():
            return Page(b"", done.stderr.strip() or f"sonde {verb} exited with {done.returncode}")
        return Page(output.read_bytes())


_KEPT = 16
"""Pages; one has 5 MB at most."""
