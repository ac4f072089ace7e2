"""The list of decision records, in the menu and as a page: it is made of the records' own titles."""

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

HEAD = "# Decisions\n\nChoices that are hard to undo, each with its context and with what was rejected.\n\n"


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """List the records in the menu, below a page that lists them all."""
    (development,) = (entry["Development"] for entry in config.nav or [] if "Development" in entry)
    (records,) = (entry["Decisions"] for entry in development if "Decisions" in entry)
    records.append("decisions/index.md")
    records.extend({title: f"decisions/{name}"} for name, title in titles(Path(config.docs_dir)))
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Write that page."""
    lines = [f"- [{title}]({name})\n" for name, title in titles(Path(config.docs_dir))]
    files.append(File.generated(config, "decisions/index.md", content=HEAD + "".join(lines)))
    return files


def titles(docs: Path) -> list[tuple[str, str]]:
    """File names and first lines of all records, in the order of their numbers."""
    paths = sorted((docs / "decisions").glob("[0-9]*.md"))
    return [(path.name, path.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")) for path in paths]
