"""Pages of the reference that are the commands' own help, as `sonde VERB --help` prints it."""

import os
import re
import subprocess
import sys

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

COLUMNS = "100"
VERB = re.compile(r"^  ([a-z]+) {2,}(\S.*)$", re.MULTILINE)
"""A line of `sonde --help`: a verb, and what it is for."""


def help_of(*words: str) -> str:
    """What a command says of itself."""
    command = [sys.executable, "-m", "sonde", *words, "--help"]
    surroundings = {**os.environ, "COLUMNS": COLUMNS, "NO_COLOR": "1"}
    return subprocess.run(command, capture_output=True, text=True, check=True, env=surroundings).stdout


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """List the pages in the menu."""
    whole = help_of()
    config.extra["verbs"] = {"sonde": "all commands"} | dict(VERB.findall(whole.partition("first steps")[0]))
    fill(config.nav, "Commands", [{f"sonde {verb}" if verb != "sonde" else verb: page(verb)} for verb in verbs(config)])
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Write the pages."""
    for verb, purpose in verbs(config).items():
        words = [] if verb == "sonde" else [verb]
        title = " ".join(["sonde", *words])
        text = f"# {title}\n\n{purpose[0].upper()}{purpose[1:]}.\n\n```text\n{help_of(*words)}```\n"
        files.append(File.generated(config, page(verb), content=text))
    return files


def verbs(config: MkDocsConfig) -> dict[str, str]:
    found: dict[str, str] = config.extra["verbs"]
    return found


def page(verb: str) -> str:
    return f"reference/commands/{verb}.md"


def fill(menu: object, title: str, entries: list[dict[str, str]]) -> None:
    """Put entries into the empty section with this title, wherever it is in the menu."""
    for entry in menu if isinstance(menu, list) else []:
        for name, below in entry.items() if isinstance(entry, dict) else []:
            if name == title and below == []:
                below.extend(entries)
            fill(below, title, entries)
