"""What a form of a call instruction means: which way the interpreter takes to what is called."""

from typing import NamedTuple

CALLS = ("CALL", "CALL_KW", "CALL_FUNCTION_EX")
"""Instructions that call what the program says; PRECALL of 3.11 is the first half of CALL."""
HIDDEN_CALLS = {
    "LOAD_ATTR_PROPERTY": "fget of the property",
    "LOAD_ATTR_GETATTRIBUTE_OVERRIDDEN": "__getattribute__",
    "BINARY_SUBSCR_GETITEM": "__getitem__",
    "BINARY_OP_SUBSCR_GETITEM": "__getitem__",
    "FOR_ITER_GEN": "resumption of the generator",
    "SEND_GEN": "resumption of the generator",
}
"""Specialised forms that enter Python code where the program spells no call -> what they call."""
_IN_PLACE = ("LEN", "ISINSTANCE", "TYPE_1", "STR_1", "TUPLE_1", "LIST_APPEND")
"""Ends of forms that do what the builtin would, without a call."""
_ANY_CALLABLE = "NON_PY_GENERAL"


class CallMeaning(NamedTuple):
    """Which way a call takes."""

    inlined: bool
    indirect: bool
    says: str


def meaning_of(form: str) -> CallMeaning:
    """Understand a specialised form of a call.

    >>> meaning_of("CALL_PY_EXACT_ARGS")
    CallMeaning(inlined=False, indirect=False, says='enters one Python function')
    """
    if form.endswith(_IN_PLACE):
        return CallMeaning(True, False, "the builtin is done in place")
    if _ANY_CALLABLE in form:
        return CallMeaning(False, True, "any callable that is not a Python function")
    if "ALLOC_AND_ENTER_INIT" in form:
        return CallMeaning(False, False, "makes an object of one class and enters its __init__")
    if "BOUND_METHOD" in form:
        return CallMeaning(False, False, "enters a bound method of one Python function")
    if "_PY_" in form or form.endswith("PYFUNC"):
        return CallMeaning(False, False, "enters one Python function")
    if "METHOD_DESCRIPTOR" in form:
        return CallMeaning(False, False, "calls a method of a builtin type")
    if "BUILTIN_CLASS" in form:
        return CallMeaning(False, False, "calls a builtin type")
    return CallMeaning(False, False, "calls a function written in C")
