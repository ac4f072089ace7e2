"""The first line of a function: what it takes, what it returns, and all that is said about it."""

import re
from dataclasses import dataclass, replace

from sonde.ir.types import matching, split_list, type_end

_QUOTED = re.compile(r'@?"[^"]*"')
_NAME = re.compile(r'@(?:[-a-zA-Z$._0-9]+|"[^"]*")')


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter."""

    type: str
    attributes: str
    """`noundef align 8`; empty when there are none."""
    name: str
    """With sigil; empty in a declaration."""

    def __str__(self) -> str:
        return " ".join(part for part in (self.type, self.attributes, self.name) if part)


@dataclass(frozen=True, slots=True)
class Signature:
    """`prefix return_type name(parameters) suffix`.

    >>> signature = parse_signature("internal i32 @f(ptr noundef %0, ...) #3 !dbg !7")
    >>> signature.prefix, signature.return_type, signature.name, signature.is_varargs, signature.suffix
    ('internal', 'i32', '@f', True, '#3 !dbg !7')
    >>> signature.parameters[0]
    Parameter(type='ptr', attributes='noundef', name='%0')
    >>> signature.type
    'i32 (ptr, ...)'
    """

    prefix: str
    """Linkage, visibility, calling convention, attributes of the result."""
    return_type: str
    name: str
    parameters: tuple[Parameter, ...]
    is_varargs: bool
    suffix: str
    """Attributes, section, comdat, personality, attachments; without the `{`."""

    def __str__(self) -> str:
        listed = ", ".join([*map(str, self.parameters), *(["..."] if self.is_varargs else [])])
        head = f"{self.prefix} {self.return_type}" if self.prefix else self.return_type
        return f"{head} {self.name}({listed})" + (f" {self.suffix}" if self.suffix else "")

    @property
    def type(self) -> str:
        """The type of the function."""
        listed = [parameter.type for parameter in self.parameters] + (["..."] if self.is_varargs else [])
        return f"{self.return_type} ({', '.join(listed)})"

    def named(self, name: str) -> "Signature":
        """The same under another name."""
        return replace(self, name=name)


def parse_signature(text: str) -> Signature:
    """Read what stands between `define` or `declare` and the `{`.

    Raises:
        ValueError: this is no signature.
    """
    name = _NAME.search(_without_strings(text))
    if name is None:
        raise ValueError(f"'{text}' names no function")
    head = text[: name.start()].rstrip()
    end = matching(text, name.end())
    listed = split_list(text[name.end() + 1 : end - 1])
    is_varargs = bool(listed) and listed[-1] == "..."
    parameters = tuple(_parse_parameter(part) for part in (listed[:-1] if is_varargs else listed))
    begin = _return_type_begin(head)
    return Signature(
        head[:begin].rstrip(), head[begin:], text[name.start() : name.end()], parameters, is_varargs, text[end:].strip()
    )


def _without_strings(text: str) -> str:
    """Text with the quoted parts blanked that are no names, places kept."""
    if '"' not in text:
        return text
    return _QUOTED.sub(lambda match: match.group(0) if match.group(0)[0] == "@" else " " * len(match.group(0)), text)


def _return_type_begin(head: str) -> int:
    """Where the return type begins: the first type that reaches to the end."""
    at = 0
    while at < len(head):
        end = type_end(head, at)
        if end == len(head):
            return at
        space = head.find(" ", at)
        bracket = head.find("(", at)
        if 0 <= bracket < space or (bracket >= 0 and space < 0):  # an attribute with an argument
            at = matching(head, bracket)
        elif space < 0:
            break
        else:
            at = space
        at += head[at:].startswith(" ")
    raise ValueError(f"'{head}' ends in no type")


def _parse_parameter(text: str) -> Parameter:
    end = type_end(text)
    rest = text[end:].strip()
    if rest.endswith('"') and '%"' in rest:
        at = rest.rindex('%"')
    else:
        at = rest.rfind(" ") + 1
        if not rest.startswith("%", at):
            return Parameter(text[:end], rest, "")
    return Parameter(text[:end], rest[:at].rstrip(), rest[at:])
