"""Texts that are compared as a whole with what lies in `data/`; `pytest --update-golden` writes them anew."""

from dataclasses import dataclass
from pathlib import Path

DATA = Path(__file__).parent / "data"


@dataclass(frozen=True, slots=True)
class GoldenText:
    """`golden(text, "memory/views/native-80.txt")`: the text is what lies there.

    An update is read in the diff before it is committed: it says what every reader of the report will see.
    """

    updates: bool

    def __call__(self, text: str, name: str) -> None:
        path = DATA / name
        if self.updates:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.is_file(), f"nothing to compare with in {name}: look at the text, then pytest --update-golden"
        assert text == path.read_text(encoding="utf-8"), f"{name} differs: if it should, pytest --update-golden"
