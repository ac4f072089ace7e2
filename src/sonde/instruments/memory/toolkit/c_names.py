"""How names, types and texts of a tool are written in C."""

from sonde.instruments.memory.toolkit.value_types import Kind, RowOf, ValueType

_TYPES = {
    Kind.BOOL: "bool ",
    Kind.FLOAT: "double ",
    Kind.LOCATION: "const struct sn_location *",
    Kind.INSTANCE: "int64_t *",
}


def c_name(name: str) -> str:
    """A name of the tool's author; two names never become one, nor one of C's or ours.

    >>> c_name("clock"), c_name("größe")
    ('u_clock', 'x_6772c3b6c39f65')
    """
    return f"u_{name}" if name.isascii() else f"x_{name.encode().hex()}"


def c_type(kind: ValueType) -> str:
    """The type, with what separates it from a name."""
    return "int64_t *" if isinstance(kind, RowOf) else _TYPES.get(kind, "int64_t ")


def c_constant(number: int | float | bool) -> str:
    """A number, which gets the type that it has in Python."""
    if isinstance(number, bool):
        return "true" if number else "false"
    return c_float(number) if isinstance(number, float) else c_integer(number)


def c_integer(number: int) -> str:
    if number == -(1 << 63):
        return "INT64_MIN"
    return str(number) if -(1 << 31) < number < 1 << 31 else f"INT64_C({number})"


def c_float(number: float) -> str:
    """The same bits; infinity is what 1e999 is."""
    if number in (float("inf"), float("-inf")):
        return "__builtin_inf()" if number > 0 else "(-__builtin_inf())"
    return number.hex()


def c_text(text: str) -> str:
    r"""A literal.

    >>> print(c_text('a"b\n'))
    "a\042b\012"
    """
    written = (
        chr(byte) if 0x20 <= byte < 0x7F and chr(byte) not in '"\\?' else f"\\{byte:03o}" for byte in c_bytes(text)
    )
    return f'"{"".join(written)}"'


def c_bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def c_comment(text: str) -> str:
    """Text within a comment, which must not end or open one."""
    shown = "".join(each if each.isascii() and each.isprintable() else "." for each in text)
    return f"/* {shown.replace('*/', '* /').replace('/*', '/ *')} */"
