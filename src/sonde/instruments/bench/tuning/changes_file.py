"""What was changed about the machine and is to be put back, in a file that outlives sonde."""

import fcntl
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from shlex import quote

from sonde.base.errors import InputError, SondeError
from sonde.base.whole_file import written_whole
from sonde.instruments.bench.environment import Machine
from sonde.instruments.bench.tuning.changes import Change

_VERSION = 1


class ChangesFile:
    """Changes that are made, or about to be made; it is there only as long as there is something to put back.

    Args:
        folder: where it lies, with the lock beside it; None: the user's folder for state.
        machine: whose settings these are. After the machine was started anew, changes are gone, and so is the file.
    """

    def __init__(self, machine: Machine, folder: Path | None = None) -> None:
        folder = folder or _state_folder()
        self.path = folder / "bench_tune.json"
        self._lock = folder / "bench_tune.lock"
        self._boot = machine.text("proc/sys/kernel/random/boot_id")

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep others from changing settings; the lock is gone with this process, however it ends.

        Raises:
            SondeError: `machine-in-use`: another sonde holds it; `cannot-write`.
        """
        try:
            self._lock.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(self._lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise SondeError(
                f"cannot write '{self._lock}': {error.strerror}",
                slug="cannot-write",
                hint="set XDG_STATE_HOME to a folder that you can write",
            ) from error
        try:
            try:
                fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)  # not inherited by forks, unlike flock
            except OSError as error:
                raise SondeError(
                    "cannot change the machine's settings: another 'sonde bench tune' has changed them and still runs",
                    slug="machine-in-use",
                    hint="wait until its command has ended",
                ) from error
            yield
        finally:
            os.close(descriptor)

    def write(self, changes: Sequence[Change]) -> None:
        """Write these instead of what it had; without any, delete it.

        Raises:
            SondeError: `cannot-write`.
        """
        if not changes:
            with suppress(OSError):  # then it says what is put back already, which is left alone
                self.path.unlink(missing_ok=True)
            return
        data = {"version": _VERSION, "boot": self._boot, "changes": [asdict(change) for change in changes]}
        with written_whole(self.path) as stream:
            stream.write(json.dumps(data, indent=1).encode("ascii"))
            stream.flush()
            os.fsync(stream.fileno())

    def read(self) -> tuple[Change, ...]:
        """What is to be put back; nothing of before the machine was started.

        Raises:
            InputError: `bad-tune-file`.
        """
        try:
            data = json.loads(self.path.read_bytes())
            changes = tuple(Change(**change) for change in data["changes"])
            if data["version"] != _VERSION:
                raise ValueError(f"its version is {data['version']}, known is {_VERSION}")
            return changes if data["boot"] == self._boot else ()
        except FileNotFoundError:
            return ()
        except (OSError, ValueError, TypeError, KeyError) as error:
            raise InputError(
                f"cannot put back settings from '{self.path}': {error}",
                slug="bad-tune-file",
                hint=f"set them by hand, then rm {quote(str(self.path))}",
            ) from error


def _state_folder() -> Path:
    base = os.environ.get("XDG_STATE_HOME", "")
    return (Path(base) if base.startswith("/") else Path.home() / ".local" / "state") / "sonde"
