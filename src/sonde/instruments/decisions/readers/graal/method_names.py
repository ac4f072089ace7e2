"""Names of methods: what tells the variants of one method apart stands within the name."""

from functools import lru_cache

_MARK = "%%"
"""Between the name and the key of a variant, as Native Image writes it."""


@lru_cache(maxsize=1 << 14)
def split_variant(name: str) -> tuple[str, str | None]:
    """Part a name from the key of its variant; a name that is not well formed is left whole.

    >>> split_variant("java.util.HashMap.size%%runtime()")
    ('java.util.HashMap.size()', 'runtime')
    >>> split_variant("java.util.HashMap.size()")
    ('java.util.HashMap.size()', None)
    """
    mark = name.find(_MARK)
    if mark < 0:
        return name, None
    parameters = name.rfind("(")
    if parameters < mark + len(_MARK):
        return name, None
    return name[:mark] + name[parameters:], name[mark + len(_MARK) : parameters]
