"""Pages of files that the documentation links to and that lie outside of `docs/`: examples, headers, guides of tests.

Each such file becomes a page `source/PATH.md` with its text; Markdown stays Markdown. A folder becomes a list of its
files. Links to them, which are right on the disk, are turned to these pages.
"""

import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page

LINK = re.compile(r"(\]\()([^)#\s]+)((?:#[^)]*)?\))")
"""A link of Markdown: its bracket, its address, its anchor."""

LANGUAGES = {".py": "python", ".c": "c", ".h": "c", ".cpp": "cpp", ".toml": "toml", ".yaml": "yaml", ".java": "java"}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add a page for each file that a page links to, and for each file that these pages link to."""
    root = Path(config.config_file_path).parent
    unread = [(f"docs/{file.src_uri}", file.content_string) for file in files.documentation_pages()]
    known = set[str]()
    while unread:
        place, text = unread.pop()
        for _, address, _ in LINK.findall(text):
            target = outside(place, address, root)
            if target is None or target in known:
                continue
            known.add(target)
            page = page_of(root / target, target)
            # The page is read as if it lay where its file does: what it links to is followed from there.
            unread.append((folder_of(root, target), page))
            files.append(
                File.generated(config, f"source/{target}.md", content=page, inclusion=InclusionLevel.NOT_IN_NAV)
            )
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, **_: object) -> str:
    """Turn links to files outside of `docs/` to the pages that stand for them."""
    root = Path(config.config_file_path).parent
    here = page.file.src_uri
    is_source = here.startswith("source/")
    place = folder_of(root, here.removeprefix("source/").removesuffix(".md")) if is_source else f"docs/{here}"

    def turned(match: re.Match[str]) -> str:
        opening, address, rest = match.groups()
        target = outside(place, address, root)
        if target is not None:
            goal = f"source/{target}.md"
        elif is_source and "://" not in address:
            goal = posixpath.normpath(posixpath.join(posixpath.dirname(place), address)).removeprefix("docs/")
        else:
            return match[0]
        return opening + posixpath.relpath(goal, posixpath.dirname(here) or ".") + rest

    return LINK.sub(turned, markdown)


def outside(place: str, address: str, root: Path) -> str | None:
    """The path, from the root on, of an existing file or folder outside of `docs/` that a page links to."""
    if "://" in address or address.startswith("/"):
        return None
    target = posixpath.normpath(posixpath.join(posixpath.dirname(place), address))
    if target.startswith(("docs/", "..")) or target == "docs" or not (root / target).exists():
        return None
    return target


def folder_of(root: Path, target: str) -> str:
    """From where links of a page are followed: the file itself, or a file in the folder."""
    return f"{target}/README.md" if (root / target).is_dir() else target


def page_of(path: Path, target: str) -> str:
    """The text of a page that stands for a file or a folder."""
    if path.is_dir():
        readme = path / "README.md"
        head = readme.read_text(encoding="utf-8") if readme.exists() else f"# {target}\n"
        names = sorted(each.name for each in path.iterdir() if is_shown(each))
        return head + "\n\nFiles:\n\n" + "".join(f"- [{name}]({name})\n" for name in names if name != "README.md")
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return text
    return f"# {target}\n\n````{LANGUAGES.get(path.suffix, 'text')}\n{text}\n````\n"


def is_shown(path: Path) -> bool:
    """Whether a file belongs to the project."""
    return not path.name.startswith((".", "__")) and path.suffix not in (".sonde", ".pyc")
