"""How many bits a value has."""

_WIDTHS = {"ptr": 64, "half": 16, "bfloat": 16, "float": 32, "double": 64}


def bit_width(type_: str) -> int | None:
    """The width of an integer, a pointer or a floating-point number; None for all that is not one word.

    Pointers have 64 bits on every machine that sonde runs on.

    >>> bit_width("i7"), bit_width("ptr"), bit_width("<4 x i32>")
    (7, 64, None)
    """
    if type_.startswith("i") and type_[1:].isdigit():
        return int(type_[1:])
    return _WIDTHS.get(type_)
