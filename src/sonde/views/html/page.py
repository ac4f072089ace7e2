"""The page as a file: the parts in `page/` and the profile's data, inlined into one document.

Everything the page says about the profile is data, in one JSON block; the script writes it
into the document as text, never as markup. The document is pure ASCII, so that it survives
any stream encoding. Its Content-Security-Policy names the hashes of our own style and script:
nothing else runs, and nothing is fetched.
"""

import hashlib
import html
import json
import re
from base64 import b64encode
from pathlib import Path
from typing import Any, TextIO

from sonde.errors import InternalError
from sonde.profiles import ContextProfile
from sonde.views.html.page_data import MAX_CONTEXTS, page_data

MAX_PAGE_BYTES = 5_000_000
"""What a browser opens without a pause, and a mail server still delivers."""

_PARTS = Path(__file__).with_name("page")
_SCRIPTS = (
    "text.js",
    "tree.js",
    "aggregates.js",
    "palette.js",
    "virtual_rows.js",
    "flame_graph.js",
    "function_table.js",
    "python_tint.js",
    "function_detail.js",
    "masthead.js",
    "main.js",
)
"""In order of dependence; they share one scope."""


def write_html(profile: ContextProfile, stream: TextIO, *, title: str) -> None:
    """Write a profile as one self-contained page.

    The page shows at most `MAX_CONTEXTS` contexts, the heaviest, and says what it leaves out.
    Given a whole profile its function table is exact even so; given a pruned one (read with
    `heaviest=MAX_CONTEXTS`: faster) it counts the contexts given.

    Args:
        profile: a valid profile.
        stream: receives ASCII text; not closed.
        title: shown as heading and in the browser's tab.
    Raises:
        OSError: the stream cannot be written.
    Guarantee: at most `MAX_PAGE_BYTES` bytes; the same profile and title give the same bytes.
    Cost: O(n log n) time, O(n) space for n contexts given.
    """
    style = _part("page.css")
    script = "(() => {\n" + "\n".join(_part(name) for name in _SCRIPTS) + "\n})();\n"
    fixed = {
        "TITLE": html.escape(title[:200]).encode("ascii", "xmlcharrefreplace").decode("ascii"),
        "STYLE": style,
        "STYLE_HASH": _policy_hash(style),
        "SCRIPT": script,
        "SCRIPT_HASH": _policy_hash(script),
    }
    template = _part("page.html")
    limit = MAX_CONTEXTS
    while limit > 0:
        data = _as_script_json(page_data(profile, title=title, max_contexts=limit))
        page = _fill(template, {**fixed, "DATA": data})
        if len(page) <= MAX_PAGE_BYTES:
            stream.write(page)
            return
        # Only unusual names get here: tens of thousands of functions, each as long as allowed.
        limit //= 2
    raise InternalError(
        f"cannot write the page: one context alone takes more than {MAX_PAGE_BYTES:,} bytes", slug="page-too-large"
    )


def _part(name: str) -> str:
    return (_PARTS / name).read_text(encoding="ascii")


def _fill(template: str, values: dict[str, str]) -> str:
    """Replace every `{{NAME}}` in one pass: what is filled in is not looked at again."""
    return re.sub(r"\{\{([A-Z_]+)\}\}", lambda match: values[match[1]], template)


def _as_script_json(value: dict[str, Any]) -> str:
    """JSON that may stand inside a script element.

    `ensure_ascii` turns everything from U+2028 to lone surrogates into escapes; `<` is the
    only character left that could end or open markup.
    """
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def _policy_hash(text: str) -> str:
    return "sha256-" + b64encode(hashlib.sha256(text.encode("ascii")).digest()).decode("ascii")
