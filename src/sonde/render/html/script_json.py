"""JSON that a page can hold."""

import json
from typing import Any


def script_json(value: Any) -> str:
    """JSON that may stand inside a script element.

    `ensure_ascii` turns everything from U+2028 to lone surrogates into escapes; `<` is the only character left that
    could end or open markup.
    """
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
