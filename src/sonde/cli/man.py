"""Show the manual page of a command, or write the pages of all.

  sonde man contexts                            the page, by man
  sonde man bench compare > sonde-bench-compare.1
  sonde man --all ~/.local/share/man/man1       all pages, for man sonde-contexts

A page has the words of --help. Where standard output is no terminal, or there is no man, it is printed as roff.
"""

import argparse
import shutil
import subprocess
import sys
from pathlib import Path

from sonde.base.errors import EXIT_OK, SondeError, UsageError
from sonde.cli.commands import Command, all_commands
from sonde.cli.manual_page import command_page, main_page, page_name
from sonde.cli.verbs import VERBS
from sonde.options.declared import suggest


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare which page."""
    words = parser.add_argument("words", nargs="*", metavar="VERB", help="a verb, and a question that it has")
    suggest(words, list(VERBS))
    parser.add_argument("--all", type=Path, metavar="FOLDER", help="write the pages of all commands into this folder")


def run(arguments: argparse.Namespace) -> int:
    """Show a page, or write all.

    Raises:
        UsageError: `unknown-verb`; two answers were asked for.
        SondeError: `cannot-write`.
    """
    from sonde.cli.main import overview  # which loads this module

    commands, asked = tuple(all_commands()), " ".join(arguments.words)
    if arguments.all is not None:
        if asked:
            raise UsageError(
                "cannot both show a page and write all: --all stands alone", slug="two-outputs", hint="leave out --all"
            )
        return _write_all(commands, overview(), arguments.all)
    found = next((each for each in commands if each.words == asked), None)
    if asked and found is None:
        raise UsageError(
            f"cannot show '{asked}': there is no such verb", slug="unknown-verb", hint="sonde --help lists the verbs"
        )
    page = main_page(commands, overview()) if found is None else command_page(found, _related(found, commands))
    reader = shutil.which("man")
    if reader is not None and sys.stdout.isatty():
        return subprocess.run([reader, "-l", "-"], input=page, text=True, encoding="utf-8", check=False).returncode
    sys.stdout.write(page)
    return EXIT_OK


def _write_all(commands: tuple[Command, ...], overview: str, folder: Path) -> int:
    pages = {page_name(each.words): command_page(each, _related(each, commands)) for each in commands}
    pages[page_name()] = main_page(commands, overview)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, page in pages.items():
            (folder / f"{name}.1").write_text(page, encoding="utf-8")
    except OSError as error:
        raise SondeError(
            f"cannot write '{folder}': {error.strerror}", slug="cannot-write", hint="name another folder"
        ) from error
    print(f"sonde: wrote {len(pages)} pages into '{folder}'", file=sys.stderr)
    return EXIT_OK


def _related(command: Command, commands: tuple[Command, ...]) -> list[str]:
    """The verb of a question and its questions; of others, the page of all."""
    verb = command.words.split()[0]
    near = [each.words for each in commands if each.words.split()[0] == verb and each.words != command.words]
    return [page_name(), *map(page_name, near)]
