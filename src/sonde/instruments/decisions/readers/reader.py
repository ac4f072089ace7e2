"""What reads the record that one compiler leaves."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sonde.instruments.decisions.model import DecisionRun
from sonde.instruments.decisions.readers.place import RunPlace


@dataclass(frozen=True, slots=True)
class DecisionReader:
    """A way to read the records of one compiler."""

    name: str
    """As `--reader` takes it, and as a manifest says it in `kind`."""
    title: str
    """The compiler and what it leaves, in one line."""
    recognises: Callable[[RunPlace], bool]
    """Whether a place holds such a record, by what is in it; also if it is damaged further inside. It looks at heads of
    files only, and raises nothing but what reading them raises."""
    read: Callable[[RunPlace, Path | None], DecisionRun]
    """Read the record; the second argument is a time profile that was named explicitly, which goes before one that lies
    beside the record. Raises `InputError` where the record is not what it should be; what is missing or skipped is in
    `DecisionRun.doubts`."""
