"""Types, kept as LLVM prints them: two types are one exactly if their texts are equal.

LLVM prints a type in one way only, so text is enough to compare types, to declare values of them, and to walk into
aggregates; a tree of type objects would have to be made for every instruction and would say nothing more.
"""

import re
from collections.abc import Mapping
from functools import lru_cache

_WORD_TYPE = re.compile(
    r"(?:void|half|bfloat|float|double|x86_fp80|fp128|ppc_fp128|label|metadata|token|x86_amx|ptr|i[0-9]+)(?![\w.$-])"
)
_NAMED = re.compile(r'%(?:[-a-zA-Z$._0-9]+|"[^"]*")')
_ADDRESS_SPACE = re.compile(r' addrspace\((?:[0-9]+|"[^"]*")\)')
_CLOSING = {"[": "]", "{": "}", "<": ">", "(": ")"}


def matching(text: str, start: int) -> int:
    """The place after the bracket that closes the one at `start`; what stands in quotes does not count.

    Raises:
        ValueError: nothing closes it.
    """
    depth, at = 0, start
    while at < len(text):
        character = text[at]
        if character == '"':
            at = text.index('"', at + 1)
        elif character in "([{<":
            depth += 1
        elif character in ")]}>":
            depth -= 1
            if depth == 0:
                return at + 1
        at += 1
    raise ValueError(f"nothing closes '{text[start]}' of '{text[start:]}'")


def type_end(text: str, start: int = 0) -> int:
    """The place after the type that begins at `start`, or `start` when none does.

    >>> text = "[4 x { i8, ptr }] %x"
    >>> text[:type_end(text)]
    '[4 x { i8, ptr }]'
    >>> text = "i32 (ptr, ...) @printf"
    >>> text[:type_end(text)]
    'i32 (ptr, ...)'
    """
    end = _simple_type_end(text, start)
    while end > start and text.startswith(" (", end):  # a function type
        end = matching(text, end + 1)
    return end


def _simple_type_end(text: str, start: int) -> int:
    if match := _WORD_TYPE.match(text, start) or _NAMED.match(text, start):
        space = _ADDRESS_SPACE.match(text, match.end())
        return space.end() if space else match.end()
    if text.startswith("target(", start):
        return matching(text, start + 6)
    if start < len(text) and text[start] in "[{<":
        return matching(text, start)
    return start


def split_list(text: str) -> list[str]:
    """Cut at the commas that are in no bracket and no quotes.

    >>> split_list('i32 1, { i8, i8 } zeroinitializer, ptr @"a,b"')
    ['i32 1', '{ i8, i8 } zeroinitializer', 'ptr @"a,b"']
    >>> split_list("")
    []
    """
    if not text:
        return []
    if not any(bracket in text for bracket in '([{<"'):
        return text.split(", ")
    parts, begin, at = [], 0, 0
    while at < len(text):
        character = text[at]
        if character == '"':
            at = text.index('"', at + 1)
        elif character in _CLOSING:
            at = matching(text, at) - 1
        elif character == ",":
            parts.append(text[begin:at])
            begin = at + 2
        at += 1
    return [*parts, text[begin:]]


def struct_members(type_: str, named_types: Mapping[str, str]) -> tuple[str, ...] | None:
    """The types of a struct's members; None for what is no struct, or is not known.

    >>> struct_members("%T", {"%T": "<{ i8, { i8, ptr } }>"}), struct_members("{}", {}), struct_members("[2 x i8]", {})
    (('i8', '{ i8, ptr }'), (), None)
    """
    body = named_types.get(type_, type_)
    return _members(body) if body.startswith(("{", "<{")) else None


@lru_cache(maxsize=4096)
def _members(body: str) -> tuple[str, ...]:
    return tuple(split_list(body[3:-3] if body.startswith("<") else body[2:-2]))


def element_type(aggregate: str, indices: list[int], named_types: Mapping[str, str]) -> str:
    """The type of a member of an aggregate.

    Args:
        aggregate: a struct, array or vector type, or the name of a struct.
        indices: the path to the member, outermost first.
        named_types: name of a struct -> its body, of the module.
    Raises:
        ValueError: the type has no such member.

    >>> element_type("{ i8, [4 x %T] }", [1, 2, 0], {"%T": "{ ptr, i32 }"})
    'ptr'
    """
    for index in indices:
        members, body = struct_members(aggregate, named_types), named_types.get(aggregate, aggregate)
        if members is not None:
            if index >= len(members):
                raise ValueError(f"'{aggregate}' has no member {index}")
            aggregate = members[index]
        elif body[:1] in ("[", "<"):
            aggregate = body[1:-1].removeprefix("vscale x ").partition(" x ")[2]
        else:
            raise ValueError(f"'{aggregate}' has no members")
    return aggregate


def with_same_shape(vector: str, element: str) -> str:
    """`element`, or a vector of it as long as `vector` when that is a vector.

    >>> with_same_shape("<4 x i32>", "i1"), with_same_shape("i32", "i1"), with_same_shape("<vscale x 2 x i8>", "i1")
    ('<4 x i1>', 'i1', '<vscale x 2 x i1>')
    """
    if not vector.startswith("<") or vector.startswith("<{"):
        return element
    length = re.match(r"<(?:vscale x )?[0-9]+ x ", vector)
    assert length
    return f"{length.group(0)}{element}>"


def members_of(type_: str, named_types: Mapping[str, str]) -> int | None:
    """How many members an aggregate or vector has; None for a scalar.

    >>> members_of("[3 x i8]", {}), members_of("%T", {"%T": "{ ptr, i32 }"}), members_of("ptr", {})
    (3, 2, None)
    """
    if (members := struct_members(type_, named_types)) is not None:
        return len(members)
    body = named_types.get(type_, type_)
    if body.startswith(("[", "<")) and "vscale" not in body:
        return int(body[1:].partition(" x ")[0])
    return None


def referenced_types(text: str, named_types: Mapping[str, str]) -> dict[str, str]:
    """The named types that a text mentions, directly or through others.

    >>> referenced_types("ptr byval(%A)", {"%A": "{ %B }", "%B": "{ i8 }", "%C": "{ i16 }"})
    {'%A': '{ %B }', '%B': '{ i8 }'}
    """
    found: dict[str, str] = {}
    waiting = [text]
    while waiting:
        for name in _NAMED.findall(waiting.pop()):
            if name in named_types and name not in found:
                found[name] = named_types[name]
                waiting.append(named_types[name])
    return found
