"""README and the pages of the site: their commands do what they say; a full run has the first ones, a sweep all."""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from console_pages import ROOT, differences, read_page
from java_programs import graal_environment
from sonde.base.errors import MissingCapability
from sonde.instruments.contexts.sources.sampling import check_sampling, check_unwinder
from sonde.instruments.memory.source import check_tool

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
ALWAYS = ("README.md", "docs/index.md")


def find_sqlite() -> None:
    if shutil.which("sqlite3") is None:
        raise MissingCapability("there is no 'sqlite3' on PATH", slug="no-sqlite-here")


CHECKS: Mapping[str, Callable[[], Mapping[str, str] | object]] = {
    "counters": check_sampling,
    "graal": graal_environment,
    "libdw": check_unwinder,
    "sqlite3": find_sqlite,
    "valgrind": check_tool,
}
"""What a page, or a block of it, may need -> raises `MissingCapability` where it is missing; may give variables."""


def cases() -> list[Any]:
    found = []
    for path in PAGES:
        page = read_page(path.read_text(encoding="utf-8"))
        if page.commands or page.further_needs:
            name = str(path.relative_to(ROOT))
            found.append(pytest.param(path, id=name, marks=[] if name in ALWAYS else [pytest.mark.sweep]))
    return found


def look_for(needs: tuple[str, ...]) -> tuple[dict[str, str], dict[str, str]]:
    """(variables to run with, need -> why it is missing)."""
    variables, missing = {}, {}
    for need in needs:
        try:
            given = CHECKS[need]()
        except MissingCapability as caught:
            missing[need] = caught.message
        else:
            variables.update(given if isinstance(given, dict) else {})
    return variables, missing


@pytest.mark.parametrize("path", cases())
def test_the_commands_of_a_page_do_what_it_says(path: Path, tmp_path: Path, cache: str) -> None:
    text = path.read_text(encoding="utf-8")
    page = read_page(text)
    variables, missing = look_for(page.needs)
    if missing:
        pytest.skip("; ".join(missing.values()))
    further, missing = look_for(page.further_needs)
    page = read_page(text, has=set(page.further_needs) - set(missing))

    found = differences(page, tmp_path, XDG_CACHE_HOME=cache, **variables, **further)

    assert found == [], "\n\n".join(["", *found])
    if missing:
        pytest.skip(f"all but the blocks that need {', '.join(missing)}: {'; '.join(missing.values())}")
