"""The site builds without a warning; its links lead somewhere; axe-core has nothing to say against its pages."""

import json
from pathlib import Path

import pytest

from built_site import axe, broken_links, build_site, has_mkdocs
from headless_chromium import HeadlessChromium, find_chromium

pytestmark = [
    pytest.mark.sweep,
    pytest.mark.skipif(not has_mkdocs(), reason="no MkDocs here: make setup-site"),
]
LOOKED_AT = ("index.html", "tutorials/*.html", "howto/*.html", "reference/**/*.html", "*.html", "notes/*.html")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built") / "site"
    assert build_site(folder) == ""
    return folder.resolve()


def test_links_lead_somewhere(site: Path) -> None:
    assert broken_links(site) == []


@pytest.mark.parametrize(("width", "is_dark", "one_in"), [(1280, False, 1), (390, True, 4)])
def test_pages_are_accessible(site: Path, width: int, is_dark: bool, one_in: int) -> None:
    browser, script = find_chromium(), axe()
    if browser is None:
        pytest.skip("no Chromium on PATH")
    if script is None:
        pytest.skip("npm has no axe-core")
    run = (
        "axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']}).then(found => found.violations"
        ".map(each => each.id + ': ' + each.nodes.slice(0, 3).map(node => node.html.slice(0, 150)).join(' | ')))"
    )
    pages = sorted({path for pattern in LOOKED_AT for path in site.glob(pattern)})[::one_in]
    found: dict[str, list[str]] = {}
    with HeadlessChromium(browser, width=width, height=900, dark=is_dark) as page:
        for path in pages:
            page.open(path)
            page.evaluate(f"(() => {{ {script} }})()")
            said = page.evaluate(run)
            if page.evaluate("document.documentElement.scrollWidth") > width:
                said.append("wider than the window")
            if said:
                found[str(path.relative_to(site))] = said
    assert found == {}, json.dumps(found, indent=1)
