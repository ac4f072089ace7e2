"""What a wheel has of the sources: no twins, one script for all pages, and a page of man."""

from pathlib import Path

import pytest

import sonde.render.html
from sonde.base.errors import UsageError
from sonde.native import new_context_tree
from sonde.render.html.script_bundle import bundled
from wheels.shipping import PAGE_PARTS, TWINS, manual_page, shipped

_PAGE = Path(sonde.render.html.__file__).with_name("components")
_OTHERS = {"sonde/__init__.py": (b"", False), "sonde/_launcher": (b"\x7fELF", True)}


def test_pages_are_as_in_a_checkout_and_twins_are_left_out(tmp_path: Path) -> None:
    page = {f"{PAGE_PARTS}{path.name}": (path.read_bytes(), False) for path in _PAGE.iterdir()}
    made = shipped({**_OTHERS, **page, f"{TWINS}.py": (b"", False), f"{TWINS}_hot.py": (b"", False)})

    scripts = [name for name in made if name.endswith(".js")]
    assert scripts == [f"{PAGE_PARTS}main.js"]
    (tmp_path / "main.js").write_bytes(made[scripts[0]][0])
    assert bundled(tmp_path / "main.js") == bundled(_PAGE / "main.js")
    assert made.keys() - set(scripts) == _OTHERS.keys() | {name for name in page if not name.endswith(".js")}
    assert shipped(made) == made


def test_the_page_of_man_is_that_of_sonde() -> None:
    page = manual_page().decode()

    assert page.startswith(".TH") and "sonde man" in page


def test_an_installation_without_twins_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SONDE_CORE", "python")
    monkeypatch.setattr("sonde.native.choice.find_spec", lambda name: None)

    with pytest.raises(UsageError, match="wheels have the native one only") as refused:
        new_context_tree()

    assert refused.value.slug == "no-twins"
