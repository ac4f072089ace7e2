"""Random tools of the tool language, and random events for them.

Made from a seed rather than from Hypothesis' choices, which would keep programs and streams small.
"""

import random

from compiled_advice import POINTS
from sonde.instruments.memory.toolkit.host import Event, Location

HEAD = """from sonde.instruments.memory.toolkit import Cache, Counts, Histogram, Output, Set, Tool, after, before

WORD = 1 << 32
HALF = 0.5


class Random(Tool):
    i0 = 3
    f0 = -0.5
    b0 = True
    counts = Counts("n", "m")
    pairs = Counts("n")
    triples = Counts("n")
    seen = Set()
    places = Set()
    met = Set()
    pairs_met = Set()
    owned = Counts("n")
    steps = Set()
    all = Counts("n")
    spread = Histogram()
    lives = Histogram()
    cache = Cache(l1="512,2,16", l2="2K,4,32")
    out = Output("out.txt")

    def helper(self, x, y):
        self.i1 += 1
        if x > y:
            return x - self.i1
        return self.divides(y) + 1

    def same(self, one, other):
        one.a += 1
        return one == other

    def divides(self, x):
        self.i0 = self.i0 ^ x
        return self.i1 // (x % 3 - 1)

    @after("object:create")
    def born(self, loc, type, obj):
        obj.a = loc.size
        obj.x = 1.5
        obj.t = type
        self.h = type
        self.w = loc.thread
        self.o = obj
        obj.o = self.o
        self.f1 = 0.25
        self.b1 = loc.is_store
"""
EDGES = (0, 1, 2, 3, 7, 63, 64, 65, 1 << 31, (1 << 62) + 1, (1 << 63) - 1)
REALS = ("0.0", "1.0", "0.1", "2.5", "1e18", "9.3e18", "1e308", "1e-300", "HALF")
INTS = ("self.i0", "self.i1", "obj.a", "loc.size", "loc.address", "loc.ip", "loc.line", "loc.value", "p", "q", "WORD")
SIZES = ("loc.thread.number", "self.w.number", "len(self.seen)", "len(self.places)", "len(self.steps)")
ASKED = (
    "(type.is_('Node'))",
    "(obj.t.is_('stack'))",
    "(self.h.is_('Node') == type.is_('main thread'))",
    "(self.w != loc.thread)",
    "(obj == self.o)",
    "(obj.o != (self.o if loc.is_load else obj))",
    "(obj in self.met)",
    "(obj.o is None)",
    "(obj is not None and self.w is not None)",
    "(self.h is None)",
    "(self.same(obj, self.o) and (obj, loc.line) in self.pairs_met)",
    "(type in self.seen)",
    "(obj.t not in self.seen)",
    "((loc.method, p) in self.places)",
    "((type, q, loc.line) in self.steps)",
)
HANDED = ("obj.t = type", "self.h = obj.t", "obj.o = obj", "obj.o = self.o", "self.o = obj.o")
ADDED = (
    "self.seen.add(obj.t)",
    "self.seen.add(type)",
    "self.met.add(obj.o)",
    "self.met.add(obj)",
    "self.pairs_met.add((obj.o, loc.line % ({0} | 1)))",
    "self.places.add((loc.method, {0}))",
    "self.steps.add((self.h, {0}, loc.line))",
    "self.steps.add((type, loc.size, {0}))",
)
CELLS = (
    "self.counts[type].n",
    "self.counts[obj.t].m",
    "self.pairs[loc.method, loc.line].n",
    "self.triples[type, loc.line, loc.size].n",
    "self.triples[obj.t, p, q].n",
    "self.owned[obj, loc.thread.number].n",
    "self.owned[self.o, p].n",
    "self.all.n",
    "row.m",
)


RISK = 0.02
"""Of a division, shift or conversion that may fault: most tools should get to the end of the stream."""


class RandomTool:
    """Writes one tool."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def text(self) -> str:
        lines = ["p = loc.size", "q = 1", "r = 0.0", "t = False", "row = self.counts[type]"]
        for _ in range(self._random.randint(4, 12)):
            lines += self._statement(2, loop=False)
        method = ["", '    @before("object:access")', "    def used(self, loc, type, obj):"]
        other = [
            "",
            '    @before("any:access")',
            "    def any(self, loc, type, obj):",
            "        self.cache.access(loc)",
        ]
        other += ["        self.i1 += 1", "        obj.a += 1", "        self.spread.add(obj.a)"]
        other += ["        self.i1 += loc.value", "        if loc.line == 1:", "            self.met.add(obj)"]
        return HEAD + "\n".join([*method, *(f"        {line}" for line in lines), *other, ""])

    def _one(self, *choices: str) -> str:
        return self._random.choice(choices)

    def _chance(self, probability: float) -> bool:
        return self._random.random() < probability

    def _whole(self, depth: int = 3) -> str:
        """An int."""
        if depth == 0 or self._chance(0.25):
            edges = tuple(map(str, EDGES))
            return self._one(self._one(*INTS), self._one(*edges), self._one(*CELLS), self._one(*SIZES))
        a, b = self._whole(depth - 1), self._whole(depth - 1)
        match self._random.randrange(11):
            case 0 | 1 | 2:
                return f"({a} {self._one('+', '-', '*', '&', '|', '^')} {b})"
            case 3:
                return self._risky(a, self._one("//", "%", "<<", ">>"), b)
            case 4:
                return f"({self._one('-', '~', '+')}{a})"
            case 5:
                return f"{self._one('min', 'max')}({a}, {b}, {self._whole(depth - 1)})"
            case 6:
                return f"abs({a})"
            case 7:
                real = self._real(depth - 1)
                return f"int({real if self._chance(RISK) else self._truth(depth - 1)})"
            case 8:
                return f"({a} if {self._truth(depth - 1)} else {b})"
            case 9:
                return f"({a} {self._one('and', 'or')} {b})"
        return self._one(f"self.helper({a}, {b})", "self.cache.access(loc)")

    def _risky(self, a: str, operator: str, b: str) -> str:
        if self._chance(RISK):
            return f"({a} {operator} {b})"
        return f"({a} {operator} ({b} {'| 1' if operator in ('//', '%', '/') else '& 127'}))"

    def _real(self, depth: int = 3) -> str:
        """A float."""
        if depth == 0 or self._chance(0.25):
            return self._one(*REALS, "self.f0", "self.f1", "obj.x", "r")
        a, b, n = self._real(depth - 1), self._real(depth - 1), self._whole(depth - 1)
        match self._random.randrange(6):
            case 0 | 1:
                return f"({self._one(a, n)} {self._one('+', '-', '*')} {b})"
            case 2:
                return f"({a} / {b})" if self._chance(RISK) else f"({a} / {self._one('3', '0.7', '-1e10')})"
            case 3:
                return f"float({self._one(n, self._truth(depth - 1))})"
            case 4:
                return f"{self._one('min', 'max')}({a}, {b})"
        return self._one(f"-({a})", f"abs({a})", self._risky(n, "/", self._whole(depth - 1)))

    def _truth(self, depth: int = 3) -> str:
        """A bool."""
        if depth == 0 or self._chance(0.25):
            handles = "(type == obj.t)", "(type != self.h)", "(loc.method == loc.method)"
            return self._one(
                "self.b0", "self.b1", "loc.is_load", "loc.is_store", "loc.was_there", "t", *handles, *ASKED
            )
        a, b, c = (self._one(self._whole(depth - 1), self._real(depth - 1)) for _ in range(3))
        signs = ("<", "<=", ">", ">=", "==", "!=")
        match self._random.randrange(5):
            case 0 | 1:
                return f"({a} {self._one(*signs)} {b})"
            case 2:
                return f"({a} {self._one(*signs)} {b} {self._one(*signs)} {c})"
            case 3:
                operator = self._one("and", "or", "&", "|", "^")
                return f"({self._truth(depth - 1)} {operator} {self._truth(depth - 1)})"
        return f"(not {self._one(self._truth(depth - 1), a)})"

    def _block(self, depth: int, *, loop: bool) -> list[str]:
        lines = [line for _ in range(self._random.randint(1, 3)) for line in self._statement(depth, loop=loop)]
        return [f"    {line}" for line in lines]

    def _statement(self, depth: int, *, loop: bool) -> list[str]:
        """Lines of one statement."""
        target = self._one("self.i0", "self.i1", "obj.a", "p", "q", *CELLS)
        match self._random.randrange(13 if depth else 8):
            case 0 | 1:
                return [f"{target} = {self._whole()}"]
            case 2:
                operator, value = self._one("+", "-", "*", "&", "|", "^", "//", "%", "<<", ">>"), self._whole(2)
                guard = "| 1" if operator in ("//", "%") else "& 127"
                guarded = value if operator in "+-*&|^" or self._chance(RISK) else f"({value} {guard})"
                return [f"{target} {operator}= {guarded}"]
            case 3:
                name = self._one("self.f0", "self.f1", "obj.x", "r")
                return [f"{name} {self._one('=', '+=', '-=', '*=')} {self._real()}"]
            case 4:
                return [f"{self._one('self.b0', 'self.b1', 't')} = {self._truth()}"]
            case 5:
                keyed = f"self.lives[{self._one('type', 'self.h', 'obj.t')}]"
                return [f"{self._one(keyed, 'self.spread')}.add({self._whole(2)})"]
            case 6:
                form = self._one("", ":d", ":x", ":#x", ":08x", ":12d", ":#018X")
                printed = f'(f"a{{{self._whole(1)}{form}}}\\t%{{{self._truth(1)}}}", {self._whole(1)})'
                return [f"{self._one('print', 'self.out.print')}{printed}"]
            case 7:
                if loop and self._chance(0.5):
                    return [f"if {self._truth(1)}:", f"    {self._one('break', 'continue', 'return')}"]
                added = self._one(*ADDED).format(self._whole(1))
                return [self._one(f"self.helper({self._whole(1)}, 3)", *HANDED, added, added)]
            case 8 | 9:
                lines = [f"if {self._truth()}:", *self._block(depth - 1, loop=loop)]
                return [*lines, "else:", *self._block(depth - 1, loop=loop)] if self._chance(0.5) else lines
            case 10 | 11:
                bounds = ("5", "2, 4", "4, 0, -1", "p, p + 3", "0, 9, q | 1", "9223372036854775805, WORD << 31")
                return [
                    f"for {self._one('p', 'q')} in range({self._one(*bounds)}):",
                    *self._block(depth - 1, loop=True),
                ]
        return ["q = 6", f"while q > 0 and {self._truth(1)}:", "    q -= 1", *self._block(depth - 1, loop=True)]


def random_events(seed: int, count: int) -> list[Event]:
    """Mostly accesses, to few places, of few objects."""
    made = random.Random(seed)
    return [_event(made) for _ in range(count)]


def _event(made: random.Random) -> Event:
    small = [made.randrange(4) for _ in range(3)]
    address = made.getrandbits(12) if made.random() < 0.9 else made.randrange((1 << 64) - 65)
    location = Location(
        ip=made.getrandbits(made.choice((12, 47, 64))),
        address=address,
        size=made.choice((1, 2, 4, 8, 16, 64)),
        is_load=made.random() < 0.6,
        is_store=made.random() < 0.5,
        thread=made.randint(1, 3),
        place=small[0],
        method=small[1],
        line=small[2],
        was_there=made.random() < 0.3,
        value=made.getrandbits(made.choice((3, 64))),
        new_value=made.getrandbits(made.choice((3, 64))),
    )
    common = ("object:access", "nonobject:access", "object:create", "object:delete")
    point = made.choice(common) if made.random() < 0.9 else made.choice(POINTS)
    return Event(point, location, type=made.randrange(4), object=made.randrange(5), other=made.randrange(10))
