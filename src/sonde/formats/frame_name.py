"""Names of functions, short enough for a flame and distinct enough to be added up by."""

from sonde.instruments.contexts.profile import Function

NOT_LISTED = "(not listed)"
"""The leaf that stands for contexts which were measured but are not in the output one by one."""


def qualified_name(function: Function) -> str:
    """The label with its module: `json.decoder.JSONDecoder.decode`, `builtins.len`, `<module app>`.

    Readers of collapsed stacks and `pprof -top` add up by this text alone, so two functions
    of the same name in different modules must differ; there is no line in it, so that the
    same function matches before and after an edit.
    """
    label = function.label or "(no name)"
    if not function.module or label.startswith(("<", f"{function.module}.")):
        return plain_text(label)
    return plain_text(f"{function.module}.{label}")


def plain_text(text: str) -> str:
    r"""Text that every UTF-8 reader accepts.

    A file name that is not UTF-8 reaches Python as lone surrogates; they are written out,
    as `\udc80`, where encoding would otherwise fail.
    """
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
