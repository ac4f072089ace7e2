"""Names of Rust as their source has them."""

import re
from collections.abc import Callable
from functools import cache

_LEGACY = re.compile(r"_ZN(\d.*)17h[0-9a-f]{16}E(?:\..*)?", re.DOTALL)
_ESCAPES = {
    "SP": "@", "BP": "*", "RF": "&", "LT": "<", "GT": ">", "LP": "(", "RP": ")", "C": ",",
}  # fmt: skip
_ESCAPE = re.compile(r"\$(u[0-9a-f]+|[A-Z]+)\$|\.\.")
_BASIC = {
    "a": "i8", "b": "bool", "c": "char", "d": "f64", "e": "str", "f": "f32", "h": "u8", "i": "isize", "j": "usize",
    "l": "i32", "m": "u32", "n": "i128", "o": "u128", "p": "_", "s": "i16", "t": "u16", "u": "()", "v": "...",
    "x": "i64", "y": "u64", "z": "!",
}  # fmt: skip
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_DEEPEST = 200
"""A symbol may refer back to itself without end; names of real programs nest some ten deep."""
_LONGEST = 100_000
"""Letters: back references make names longer than their symbols, and a made-up symbol can make them huge."""


@cache
def rust_name(symbol: str) -> str | None:
    """The name in the source, without the hashes of crates; None: it is no mangled name of Rust.

    Args:
        symbol: of either mangling: the older `_ZN...17h<hash>E`, or `_R...`.
    Cost: linear in the length of the answer.
    Source: Rust RFC 2603 for `_R`; the older kind from what rustc writes.
    Differs: constants that are not numbers, characters or truth values are `_`; lifetimes are left out.

    >>> rust_name("_RNvCskK7mfDs1mzF_1m5weigh")
    'm::weigh'
    >>> rust_name("_ZN4core3ptr8non_null16NonNull$LT$T$GT$3new17h0123456789abcdefE")
    'core::ptr::non_null::NonNull<T>::new'
    """
    if symbol.startswith("_R"):
        try:
            return _Reader(re.split(r"[.$]", symbol[2:], maxsplit=1)[0]).whole()
        except (ValueError, IndexError, RecursionError, OverflowError):
            return None
    match = _LEGACY.fullmatch(symbol)
    return _older(match[1]) if match else None


def _older(text: str) -> str | None:
    parts, at = [], 0
    while at < len(text):
        digits = re.match(r"\d{1,9}", text[at:])
        if digits is None:
            return None
        begin = at + digits.end()
        at = begin + int(digits[0])
        part = text[begin:at]
        parts.append(_ESCAPE.sub(_unescaped, part[1:] if part.startswith("_$") else part))
    return "::".join(parts) if at == len(text) else None


def _unescaped(match: "re.Match[str]") -> str:
    word = match[1]
    if word is None:
        return "::"
    if word.startswith("u") and int(word[1:], 16) < 0x110000:
        return chr(int(word[1:], 16))
    return _ESCAPES.get(word, match[0])


class _Reader:
    """Reads one symbol; ValueError or IndexError where it is not as the RFC says."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0
        self.written = 0

    def whole(self) -> str:
        if self.text[0].isdigit():
            raise ValueError("a later version of the mangling")
        name = self.path(value=True)
        if self.at < len(self.text):
            self.path(value=False)  # the crate that made the copy
        if self.at != len(self.text):
            raise ValueError("something follows")
        return name

    def take(self) -> str:
        self.at += 1
        return self.text[self.at - 1]

    def takes(self, letter: str) -> bool:
        if self.text[self.at : self.at + 1] == letter:
            self.at += 1
            return True
        return False

    def number(self) -> int:
        """In base 62: `_` is 0, others are one more than their digits say."""
        if self.takes("_"):
            return 0
        value = 0
        while (letter := self.take()) != "_":
            value = value * 62 + _DIGITS.index(letter)
        return value + 1

    def optional_number(self, mark: str) -> int:
        return self.number() + 1 if self.takes(mark) else 0

    def identifier(self) -> tuple[int, str]:
        """Which of those with the same name it is, and the name."""
        which = self.optional_number("s")
        coded = self.takes("u")
        match = re.compile(r"0|[1-9]\d*").match(self.text, self.at)
        if match is None:
            raise ValueError("no length")
        self.at = match.end()
        self.takes("_")
        begin, self.at = self.at, self.at + int(match[0])
        if self.at > len(self.text):
            raise ValueError("cut off")
        name = self.text[begin : self.at]
        if coded:
            head, _, tail = name.rpartition("_")
            name = (f"{head}-{tail}" if head else tail).encode("ascii").decode("punycode")
        return which, name

    def nested(self, read: Callable[[], str]) -> str:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise ValueError("nested too deep")
        text = read()
        self.depth -= 1
        self.written += len(text)
        if self.written > _LONGEST:
            raise ValueError("too long")
        return text

    def back(self, read: Callable[[], str]) -> str:
        """What stands earlier in the symbol, again."""
        here = self.at - 1
        target = self.number()
        if target >= here:
            raise ValueError("a reference forwards")
        after, self.at = self.at, target
        text = self.nested(read)
        self.at = after
        return text

    def path(self, *, value: bool) -> str:
        return self.nested(lambda: self._path(value=value))

    def _path(self, *, value: bool) -> str:
        tag = self.take()
        if tag == "C":
            return self.identifier()[1]
        if tag == "B":
            return self.back(lambda: self._path(value=value))
        if tag in "MX":
            self.optional_number("s")
            self.path(value=False)  # where the `impl` stands
        if tag == "M":
            return f"<{self.type()}>"
        if tag in "XY":
            own = self.type()
            return f"<{own} as {self.path(value=False)}>"
        if tag == "N":
            return self._member(self.take(), value=value)
        if tag == "I":
            name = self.path(value=value)
            generics = [each for each in self._until_end(self._generic) if each]
            return f"{name}{'::' if value else ''}<{', '.join(generics)}>" if generics else name
        raise ValueError(f"no path begins with {tag}")

    def _member(self, space: str, *, value: bool) -> str:
        outer = self.path(value=value)
        which, name = self.identifier()
        if space.isupper():
            kind = {"C": "closure", "S": "shim"}.get(space, space)
            return f"{outer}::{{{kind}{':' + name if name else ''}#{which}}}"
        return f"{outer}::{name}" if name else outer

    def _until_end(self, read: Callable[[], str]) -> list[str]:
        found = []
        while not self.takes("E"):
            found.append(read())
        return found

    def _generic(self) -> str:
        if self.takes("L"):
            self.number()
            return ""
        return self.constant() if self.takes("K") else self.type()

    def type(self) -> str:
        return self.nested(self._type)

    def _type(self) -> str:
        tag = self.take()
        if tag in _BASIC:
            return _BASIC[tag]
        if tag in "RQ":
            self.optional_number("L")
            return f"&{'mut ' if tag == 'Q' else ''}{self.type()}"
        if tag in "PO":
            return f"*{'const' if tag == 'P' else 'mut'} {self.type()}"
        if tag == "S":
            return f"[{self.type()}]"
        if tag == "A":
            element = self.type()
            return f"[{element}; {self.constant()}]"
        if tag == "T":
            parts = self._until_end(self.type)
            return f"({parts[0]},)" if len(parts) == 1 else f"({', '.join(parts)})"
        if tag == "F":
            return self._function()
        if tag == "D":
            self.optional_number("G")
            bounds = self._until_end(self._bound)
            if not self.takes("L"):
                raise ValueError("no lifetime")
            self.number()
            return f"dyn {' + '.join(bounds)}"
        if tag == "B":
            return self.back(self._type)
        self.at -= 1
        return self._path(value=False)

    def _function(self) -> str:
        self.optional_number("G")
        unsafe = "unsafe " if self.takes("U") else ""
        abi = ""
        if self.takes("K"):
            abi = f'extern "{"C" if self.takes("C") else self.identifier()[1].replace("_", "-")}" '
        parameters = self._until_end(self.type)
        result = self.type()
        return f"{unsafe}{abi}fn({', '.join(parameters)})" + ("" if result == "()" else f" -> {result}")

    def _bound(self) -> str:
        name = self.path(value=False)
        bindings = []
        while self.takes("p"):
            bound = self.identifier()[1]
            bindings.append(f"{bound} = {self.type()}")
        if not bindings:
            return name
        return f"{name[:-1]}, {', '.join(bindings)}>" if name.endswith(">") else f"{name}<{', '.join(bindings)}>"

    def constant(self) -> str:
        return self.nested(self._constant)

    def _constant(self) -> str:
        tag = self.take()
        if tag == "B":
            return self.back(self._constant)
        if tag == "p":
            return "_"
        kind = _BASIC.get(tag)
        if kind is None or tag in "efdpuvz":
            raise ValueError("a constant of another kind")
        sign = "-" if self.takes("n") else ""
        end = self.text.index("_", self.at)
        number = int(self.text[self.at : end] or "0", 16)
        self.at = end + 1
        if kind == "bool":
            return "true" if number else "false"
        return repr(chr(number)) if kind == "char" else f"{sign}{number}"
