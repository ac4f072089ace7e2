"""README and the pages of the site: their commands do what they say; a full run has the first ones, a sweep all."""

from pathlib import Path
from typing import Any

import pytest

from console_pages import ROOT, differences, read_page
from needed import needs
from sonde.instruments.memory.source import check_tool

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
RUN = [path for path in PAGES if read_page(path.read_text(encoding="utf-8")).commands]
ALWAYS = ("README.md", "docs/index.md")
CHECKS = {"valgrind": check_tool}
"""What a page may need -> raises `MissingCapability` where it is missing."""


def cases() -> list[Any]:
    found = []
    for path in RUN:
        name = str(path.relative_to(ROOT))
        checks = [CHECKS[need] for need in read_page(path.read_text(encoding="utf-8")).needs]
        marks = [needs(*checks), *([] if name in ALWAYS else [pytest.mark.sweep])]
        found.append(pytest.param(path, id=name, marks=marks))
    return found


@pytest.mark.parametrize("path", cases())
def test_the_commands_of_a_page_do_what_it_says(path: Path, tmp_path: Path, cache: str) -> None:
    found = differences(read_page(path.read_text(encoding="utf-8")), tmp_path, XDG_CACHE_HOME=cache)
    assert found == [], "\n\n".join(["", *found])
