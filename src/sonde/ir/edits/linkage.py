"""What a symbol's text says of linking: taken off, or said anew, so that definitions become declarations."""

import re
from dataclasses import replace

from sonde.ir.global_value import GlobalValue
from sonde.ir.signature import Parameter, Signature, parse_signature
from sonde.ir.types import split_list, type_end

_LINKAGE = frozenset(
    (
        "private", "internal", "available_externally", "linkonce", "weak", "common", "appending", "extern_weak",
        "linkonce_odr", "weak_odr", "external",
    )
)  # fmt: skip
_LINKING = _LINKAGE | {"default", "hidden", "protected", "dso_local", "dso_preemptable", "dllimport", "dllexport"}
"""Words of linkage and visibility, and whether a symbol can be assumed to be near."""

_EXACT = ("external", "internal", "private", "linkonce_odr", "weak_odr", "available_externally")
"""Linkages of definitions that nothing else can take the place of: what they say can be relied on."""

_BEYOND_HEAD = re.compile(
    r'(?:^| )(?=(?:(?:section|partition|gc) "|comdat(?:\(|$| )|align \d|(?:prefix|prologue|personality) |!))'
)
_COMDAT = re.compile(r'(?:^|,? )comdat(?:\(\$(?:[-\w.$]+|"[^"]*")\))?(?=$|[ ,])')
_COMDAT_OF_SAME_NAME = re.compile(r"((?:^|,? )comdat)(?!\()(?=$|[ ,])")
_ALIGN = re.compile(r", (align \d+)(?:, ![-\w.$]+ !\d+)*(?: #\d+)?$")
_LONGEST_END = 1000
"""Of a variable's text, where its alignment and attachments stand: tables may be megabytes long."""
_STRING = re.compile(r'"[^"]*"')


def linkage_of(signature: Signature) -> str:
    """The linkage of a function; `external` for what says nothing."""
    return next((word for word in signature.prefix.split(" ") if word in _LINKAGE), "external")


def is_local(linkage: str) -> bool:
    """Whether other modules cannot name the symbol."""
    return linkage in ("internal", "private")


def is_exact(linkage: str) -> bool:
    """Whether the definition in this module is the one that runs, or equal to it."""
    return linkage in _EXACT


def with_linkage(signature: Signature, linkage: str) -> Signature:
    """The same function with other linkage, of default visibility; `external` is written as nothing."""
    words = [word for word in signature.prefix.split(" ") if word and word not in _LINKING]
    if linkage != "external":
        words.insert(0, linkage)
    return replace(signature, prefix=" ".join(words))


def without_comdat(suffix: str) -> str:
    """The end of a function's or global's text without the group it is linked with.

    >>> without_comdat('#0 comdat align 2'), without_comdat('#0 comdat($"a b") !dbg !7')
    ('#0 align 2', '#0 !dbg !7')
    >>> without_comdat('i32 7, comdat, align 4'), without_comdat('section "x comdat y"')
    ('i32 7, align 4', 'section "x comdat y"')
    """
    return _outside_strings(suffix, _COMDAT, "").lstrip(" ")


def with_explicit_comdat(suffix: str, name: str) -> str:
    """The same text, naming the group that has the symbol's own name: for symbols that get another name.

    >>> with_explicit_comdat("#0 comdat align 2", "@f")
    '#0 comdat($f) align 2'
    """
    return _outside_strings(suffix, _COMDAT_OF_SAME_NAME, rf"\1(${_escaped(name[1:])})")


def declaration_of(signature: Signature) -> Signature:
    """What other modules say of a function: its type, convention and attributes, nothing of its body."""
    head = _BEYOND_HEAD.split(signature.suffix, maxsplit=1)[0]
    return replace(
        with_linkage(signature, "extern_weak" if linkage_of(signature) == "extern_weak" else "external"),
        parameters=tuple(Parameter(each.type, each.attributes, "") for each in signature.parameters),
        suffix=head,
    )


def declared_global(value: GlobalValue) -> str:
    """What other modules say of a variable: the text of its declaration.

    >>> declared_global(GlobalValue("@x", "internal thread_local(localexec) global [2 x i8] undef, align 1, !dbg !4"))
    'external thread_local global [2 x i8], align 1'
    """
    linkage = "extern_weak" if value.linkage == "extern_weak" else "external"
    words = [word for word in _words_before_kind(value) if word not in _LINKING]
    words = ["thread_local" if word.startswith("thread_local") else word for word in words]
    align = _ALIGN.search(value.text[max(len(value.text) - _LONGEST_END, 0) :])
    return " ".join([linkage, *words, value.kind, value.value_type]) + (f", {align.group(1)}" if align else "")


def global_with_linkage(value: GlobalValue, linkage: str) -> str:
    """The text of a definition with other linkage and default visibility, in no comdat, without attachments."""
    words = [word for word in _words_before_kind(value) if word not in _LINKING]
    start = value.text.index(f"{value.kind} {value.value_type}")
    parts = [part for part in split_list(value.text[start:]) if not part.startswith("!")]
    body = ", ".join([parts[0], *(part for part in parts[1:] if not part.startswith("comdat"))])
    return " ".join([*([linkage] if linkage != "external" else []), *words, body])


def without_attachments(text: str) -> str:
    """A global's text without `, !dbg !7` and its like."""
    parts = split_list(text)
    return ", ".join([parts[0], *(part for part in parts[1:] if not part.startswith("!"))])


def declared_alias(value: GlobalValue, target: Signature | None) -> Signature | str:
    """What other modules say of an alias or ifunc: a signature, or the text of a variable's declaration.

    Args:
        target: of the function behind it, when it is one of this module's.
    """
    if target is not None:
        return declaration_of(target).named(value.name)
    parts = split_list(value.text[value.text.index(f"{value.kind} ") + len(value.kind) + 1 :])
    type_ = parts[0][: type_end(parts[0])]
    if type_.endswith(")") and " (" in type_:
        at = type_.index(" (")
        return parse_signature(f"{type_[:at]} {value.name}{type_[at + 1 :]}")
    return f"external global {type_}"


def _words_before_kind(value: GlobalValue) -> list[str]:
    head = value.text[: value.text.index(f"{value.kind} {value.value_type}")]
    return head.split()


def _outside_strings(text: str, pattern: re.Pattern[str], new: str) -> str:
    """Replace where no string is cut into: what matches inside quotes stays."""
    strings = [match.span() for match in _STRING.finditer(text)]

    def changed(match: re.Match[str]) -> str:
        inside = any(begin < match.start() < end for begin, end in strings)
        return match.group(0) if inside else match.expand(new)

    return pattern.sub(changed, text)


def _escaped(name: str) -> str:
    return name.replace("\\", r"\\")
