"""What each test of a profile did, by functions of the program."""

import re
from dataclasses import dataclass, field
from typing import Literal

from sonde.code import Function
from sonde.code.origin import is_import_machinery, origin_of
from sonde.instruments.contexts.profile import NO_PARENT, ContextProfile
from sonde.pytest_plugin.named_test import MODULE

_TOOLS = re.compile(
    r"(?:_?pytest|pluggy|py|_?hypothesis|xdist|execnet|sonde: test|sonde\.api|sonde\.pytest_plugin)(?:[._]|$)"
)
_Whose = Literal["program", "caller", "tool", "nobody"]
_RANDOM = re.compile(r"_?hypothesis[._]")


@dataclass(slots=True)
class TestTotals:
    """One test, in the thread that ran it, without its fixtures."""

    __test__ = False  # for pytest

    total_ns: int = 0
    """In functions of the program, with what they call; nanoseconds."""
    calls: dict[Function, int] = field(default_factory=dict)
    """Of functions of the program, outside of imports."""
    own_ns: dict[Function, int] = field(default_factory=dict)
    """Nanoseconds of functions of the program, each with what it calls of others, such as the standard library."""
    is_random: bool = False
    """Whether its inputs are drawn at random, so that two runs have different calls."""

    def hottest(self) -> Function | None:
        """The function with the most time; None: none of the program's ran."""
        if not self.own_ns:
            return None
        return min(self.own_ns, key=lambda each: (-self.own_ns[each], each.module, each.name, each.first_line))


def whose(function: Function) -> _Whose:
    """Whose a function is: a tool for tests is pytest, its plugins (`pytest_...`) and hypothesis.

    An installed package is that of who calls it: of the program or of a tool.
    """
    if _TOOLS.match(function.module):
        return "tool"
    match origin_of(function):
        case "own":
            return "program"
        case "installed":
            return "caller"
        case _:
            return "nobody"


_State = tuple[TestTotals | None, Function | None, bool, bool]


def totals_of_tests(profile: ContextProfile) -> dict[str, TestTotals]:
    """By test, what ran below the function that stands for it, see `named_test`.

    Time in which no function of the program was on the stack is left out: it is the tools'.

    Guarantee: each nanosecond below a test counts for at most one function, the nearest of the program above it.
    Cost: O(n) for n contexts.
    """
    functions, tree = profile.functions, profile.contexts
    owners = [whose(each) for each in functions]
    imports = [is_import_machinery(each) for each in functions]
    random = [bool(_RANDOM.match(each.module)) for each in functions]
    found: dict[str, TestTotals] = {}
    # By row: its test, the nearest function of the program, whether an import goes on, whether a tool has called it.
    outside: _State = (None, None, False, True)
    state = [outside] * len(tree)
    for row, (above, number) in enumerate(zip(tree.parent, tree.function, strict=True)):
        test, nearest, in_import, in_tool = state[above] if above != NO_PARENT else outside
        function = functions[number]
        if test is None:
            if function.module != MODULE:
                continue
            test = found.setdefault(function.name, TestTotals())
        in_import = in_import or imports[number]
        test.is_random = test.is_random or random[number]
        owner = owners[number]
        in_tool = owner == "tool" or (in_tool and owner != "program")
        if not in_import and (owner == "program" or (owner == "caller" and not in_tool)):
            nearest = function
            test.calls[function] = test.calls.get(function, 0) + tree.calls[row]
        if nearest is not None:
            test.own_ns[nearest] = test.own_ns.get(nearest, 0) + tree.self_ns[row]
            test.total_ns += tree.self_ns[row]
        state[row] = (test, nearest, in_import, in_tool)
    return found
