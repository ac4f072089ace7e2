"""Names of Java methods, written as Graal writes them: `pkg.Outer$Inner.method(int, String[])`."""

import re
from functools import lru_cache

_PRIMITIVES = {
    "B": "byte",
    "C": "char",
    "D": "double",
    "F": "float",
    "I": "int",
    "J": "long",
    "S": "short",
    "V": "void",
    "Z": "boolean",
}

_RECORDED_HIDDEN = re.compile(r"\+(0x[0-9a-f]+)(?:[./]\d+)?$")
"""Hidden classes as recordings of JDK 17 call them: with another sign and a number more than everywhere else."""


@lru_cache(maxsize=1 << 16)
def java_method_name(holder: str, name: str, descriptor: str) -> str:
    """Name a method.

    Args:
        holder: its class, with dots or slashes.
        descriptor: of its types, as class files have it; what is none is kept as it is.

    >>> java_method_name("java/util/List", "of", "(I[Ljava/lang/Object;)V")
    'java.util.List.of(int, Object[])'
    """
    return f"{java_class_name(holder)}.{name}({', '.join(_parameters(descriptor))})"


def java_class_name(text: str) -> str:
    """Name a class with its package; arrays, which are named as in class files, become readable.

    >>> java_class_name("[Ljava/lang/Object;"), java_class_name("java/util/Map$Entry")
    ('java.lang.Object[]', 'java.util.Map$Entry')
    >>> java_class_name("App$$Lambda$85+0x00007fe9740350c0.1043351526")
    'App$$Lambda$85/0x00007fe9740350c0'
    """
    text = _RECORDED_HIDDEN.sub(r"/\1", text)
    element = text.lstrip("[")
    dimensions = len(text) - len(element)
    if dimensions:
        element = element[1:-1] if element.endswith(";") else _PRIMITIVES.get(element, element)
    head, slash, tail = element.partition("/0x")
    return head.replace("/", ".") + slash + tail + "[]" * dimensions


def java_type_name(text: str) -> str:
    """Name a type without its package; from a descriptor (`[Ljava/lang/Object;`), or a class name with dots.

    >>> java_type_name("[Ljava.lang.Object;"), java_type_name("[[I"), java_type_name("java.util.Map$Entry")
    ('Object[]', 'int[][]', 'Map$Entry')
    """
    element = text.lstrip("[")
    dimensions = len(text) - len(element)
    if dimensions or element.endswith(";"):
        if element.startswith("L") and element.endswith(";"):
            element = element[1:-1]
        else:
            element = _PRIMITIVES.get(element, element)
    # What comes after the slash of a hidden class is a part of its name: pkg.C$$Lambda/0x00007f0a.
    head, slash, tail = element.partition("/0x")
    return head.replace("/", ".").rpartition(".")[2] + slash + tail + "[]" * dimensions


def _parameters(descriptor: str) -> list[str]:
    if not descriptor.startswith("("):
        return [descriptor] if descriptor else []
    found: list[str] = []
    at, end = 1, descriptor.rfind(")")
    while at < end:
        start = at
        while descriptor[at] == "[":
            at += 1
        at = descriptor.find(";", at) + 1 if descriptor[at] == "L" else at + 1
        if at == 0:  # cut short
            return [*found, descriptor[start:end]]
        word = descriptor[start:at]
        found.append(java_type_name(word) if len(word) > 1 else _PRIMITIVES.get(word, word))
    return found
