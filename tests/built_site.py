"""The site as `make site` builds it, its links, and axe-core, which looks at its pages in a browser."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urldefrag

from console_pages import ROOT

AXE = ROOT / "build" / "accessibility" / "node_modules" / "axe-core" / "axe.min.js"
_LOCK = Path(__file__).with_name("accessibility")
_ADDRESSES = {"a": "href", "img": "src", "link": "href", "script": "src"}


def has_mkdocs() -> bool:
    """Whether `make setup-site` has installed what builds the site."""
    return all(find_spec(name) for name in ("mkdocs", "material", "mkdocstrings"))


def build_site(folder: Path) -> str:
    """Build the site into a folder; what the build says, if it fails."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    surroundings = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, env=surroundings)
    return "" if done.returncode == 0 else done.stdout + done.stderr


@cache
def axe() -> str | None:
    """The script of axe-core, fetched once for each lock file; None where it cannot be had."""
    folder = AXE.parents[2]
    lock = folder / "package-lock.json"
    wanted = (_LOCK / "package-lock.json").read_bytes()
    if not AXE.exists() or not lock.exists() or lock.read_bytes() != wanted:
        npm = shutil.which("npm")
        if npm is None:
            return None
        shutil.copytree(_LOCK, folder, dirs_exist_ok=True)
        words = [npm, "ci", "--prefix", str(folder), "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]
        if subprocess.run(words, capture_output=True).returncode:
            lock.unlink()
            return None
    return AXE.read_text(encoding="utf-8")


@dataclass(slots=True)
class Page(HTMLParser):
    """Where a page's links lead, and which anchors it has."""

    links: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        HTMLParser.__init__(self)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.anchors |= {value for name in ("id", "name") if (value := values.get(name))}
        address = values.get(_ADDRESSES.get(tag, ""))
        if address:
            self.links.append(address)


def broken_links(site: Path) -> list[str]:
    """Links between pages of the site, and to its files, that lead nowhere; anchors included."""
    pages = {path: Page() for path in site.rglob("*.html")}
    for path, page in pages.items():
        page.feed(path.read_text(encoding="utf-8"))
    broken = []
    for path, page in pages.items():
        for link in page.links:
            address, anchor = urldefrag(link)
            if "://" in address or address.startswith(("mailto:", "data:", "/")):
                continue
            target = (path.parent / unquote(address)).resolve() if address else path
            target = target / "index.html" if target.is_dir() else target
            # Material's own scripts make the anchor "__..." of the page.
            is_there = target.exists() and (
                not anchor or target not in pages or unquote(anchor) in pages[target].anchors
            )
            if not is_there:
                broken.append(f"{path.relative_to(site)}: {link}")
    return broken
