"""Names of types, as advice asks for them: `type.is_("Entry")`."""

MOST_NAMES = 63
"""That one tool asks for; SN_TYPE_NAMES of native/core/advice/advice_runtime.h."""


def type_is(name: str, asked: str) -> bool:
    """Whether a type of that name is what is asked for: by its whole name, or a part that tells it apart.

    A class that the program makes is known by its last part while it runs, by all of them in the end.

    >>> [type_is(name, "Entry") for name in ("Entry", "app.Entry", "app.LogEntry", "Entry.Part")]
    [True, True, False, False]
    >>> [type_is("stack: main thread", asked) for asked in ("stack", "main thread", "stack: main thread", "main")]
    [True, True, True, False]
    """
    return asked in (name, *name.split(": ", 1)) or name.endswith(f".{asked}")


def has_module(asked: str) -> bool:
    """Whether a name is that of a class with its module: `app.Entry`."""
    return "." in asked and all(part.isidentifier() for part in asked.split("."))
