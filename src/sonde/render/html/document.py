"""A page that holds everything it shows: shell, body, style, scripts and data in one document of pure ASCII.

Everything the page says is data, in one JSON block; the scripts write it into the document as text, never as markup.
The Content-Security-Policy of the shell names the hashes of our own style and script: nothing else runs, and
nothing is fetched.
"""

import hashlib
import html
import json
import re
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sonde.base.whole_file import written_whole

_LONGEST_TITLE = 200
"""Letters."""

SHARED_PARTS = Path(__file__).with_name("page")
"""Styles and scripts that several pages have."""

_SHELL = SHARED_PARTS / "shell.html"
"""What all pages have around their bodies."""


def self_contained(
    body: Path, styles: Sequence[Path], scripts: Sequence[Path], data: dict[str, Any], *, title: str
) -> str:
    """Put a page together.

    Args:
        body: HTML with `{{TITLE}}` as heading and `{{DATA}}` in its script element; `shell.html` is put around it.
        styles: CSS; later ones win.
        scripts: JavaScript in order of dependence; they share one scope.
        data: what JSON can hold, without NaN or infinity.
        title: shown as heading and in the browser's tab; cut if it is very long.
    Guarantee: the same arguments give the same text, which is ASCII.
    """
    style_text = "\n".join(style.read_text(encoding="ascii") for style in styles)
    script = "(() => {\n" + "\n".join(path.read_text(encoding="ascii") for path in scripts) + "\n})();\n"
    values = {
        "TITLE": html.escape(title[:_LONGEST_TITLE]).encode("ascii", "xmlcharrefreplace").decode("ascii"),
        "STYLE": style_text,
        "STYLE_HASH": _policy_hash(style_text),
        "SCRIPT": script,
        "SCRIPT_HASH": _policy_hash(script),
        "DATA": script_json(data),
    }
    template = _SHELL.read_text(encoding="ascii").replace("{{BODY}}\n", body.read_text(encoding="ascii"))
    # One pass: what is filled in is not looked at again.
    return re.sub(r"\{\{([A-Z_]+)\}\}", lambda match: values[match[1]], template)


def write_page(page: str, path: Path) -> None:
    """Write a page to a file, which gets its name when the page is whole; or into a pipe or a device.

    Raises:
        SondeError: `cannot-write`.
    """
    with written_whole(path) as stream:
        stream.write(page.encode("ascii"))


def script_json(value: Any) -> str:
    """JSON that may stand inside a script element.

    `ensure_ascii` turns everything from U+2028 to lone surrogates into escapes; `<` is the only character left that
    could end or open markup.
    """
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def _policy_hash(text: str) -> str:
    return "sha256-" + b64encode(hashlib.sha256(text.encode("ascii")).digest()).decode("ascii")
