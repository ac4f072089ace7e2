"""What docs/adding-*.md say is true: paths exist, code runs, and the toy plug-in follows them to the letter."""

import re
import tomllib
from pathlib import Path

import pytest

from sonde.registry import GROUP

ROOT = Path(__file__).parent.parent.parent
GUIDES = sorted((ROOT / "docs").glob("adding-*.md"))
TOY = ROOT / "tests" / "toy_plugin"


def blocks(guide: Path, language: str) -> list[str]:
    found = re.findall(rf"^( *)```{language}\n(.*?)^\1```", guide.read_text(), re.MULTILINE | re.DOTALL)
    return ["\n".join(line.removeprefix(indent) for line in text.splitlines()) for indent, text in found]


def test_there_is_a_guide_for_everything_that_can_be_added() -> None:
    assert [guide.stem for guide in GUIDES] == [
        "adding-a-decision-reader",
        "adding-a-format",
        "adding-a-kind",
        "adding-a-measurement-reader",
        "adding-a-pass",
        "adding-a-source",
        "adding-a-view",
        "adding-an-analysis",
    ]


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.stem)
def test_every_path_in_it_exists(guide: Path) -> None:
    paths = re.findall(r"`((?:src|tests|docs|native)/[\w./]+)`", guide.read_text())
    assert paths
    assert [path for path in paths if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.stem)
def test_every_import_in_it_works(guide: Path) -> None:
    for block in blocks(guide, "python"):
        compile(block, str(guide), "exec")
        for line in block.splitlines():
            if line.startswith("from sonde"):
                exec(line, {})


@pytest.mark.parametrize("guide", [guide for guide in GUIDES if guide.stem != "adding-a-view"], ids=lambda g: g.stem)
def test_the_toy_is_published_as_it_says(guide: Path) -> None:
    published = tomllib.loads((TOY / "pyproject.toml").read_text())["project"]["entry-points"][GROUP]
    (block,) = blocks(guide, "toml")
    described = tomllib.loads(block)["project"]["entry-points"][GROUP]
    assert described.items() <= published.items()
