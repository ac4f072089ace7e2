"""A notebook in place of a script: only its kernel runs it, and what helps depends on the kernel's language."""

import json
from pathlib import Path
from shlex import quote

from sonde.base.errors import UsageError


def refuse_notebook(path: str) -> None:
    """Refuse a file that is one.

    Raises:
        UsageError: `no-program`.
    """
    if not path.endswith(".ipynb"):
        return
    language = _language(Path(path))
    if language.lower() != "python":
        raise UsageError(
            f"cannot run '{path}': it is a notebook, and its language is {language}",
            slug="no-program",
            hint="sonde measures Python in notebooks; of other programs, sonde bench COMMAND times any",
        )
    raise UsageError(
        f"cannot run '{path}': it is a notebook, not a script",
        slug="no-program",
        hint=f"%load_ext sonde and %%sonde in it; or: jupyter nbconvert --to script {quote(path)}",
    )


def _language(path: Path) -> str:
    """What it says; "python" if it says nothing that can be read."""
    try:
        metadata = json.loads(path.read_bytes())["metadata"]
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return "python"
    for part, key in (("kernelspec", "language"), ("language_info", "name")):
        found = metadata.get(part) if isinstance(metadata, dict) else None
        if isinstance(found, dict) and isinstance(found.get(key), str):
            return str(found[key])
    return "python"
