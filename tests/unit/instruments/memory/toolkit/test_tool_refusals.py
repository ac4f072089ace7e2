"""What is not of the tool language is refused with a message that points at it."""

from pathlib import Path

import pytest

from sonde.base.errors import InputError
from sonde.instruments.memory.toolkit import compile_tool

HEAD = "from sonde.instruments.memory.toolkit import Cache, Counts, Histogram, Output, Set, Tool, after, before\n\n\n"
HEAD += "class Mine(Tool):\n"
FIELDS = '    counts = Counts("hits", "misses")\n    lives = Histogram()\n    cache = Cache(l1="32K,8,64")\n'
FIELDS += '    out = Output("o.txt")\n    names = {"a": 1}\n    seen = Set()\n    share = 0.5\n    clock = 0\n'
METHOD = '    @before("object:access")\n    def used(self, loc, type, obj):\n'


def refused(tmp_path: Path, text: str) -> InputError:
    path = tmp_path / "tool.py"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        compile_tool(path)
    assert caught.value.slug == "bad-tool"
    return caught.value


def pointed_at(error: InputError) -> str:
    """What the carets are below of."""
    _, source, carets = error.message.split("\n")
    return source[carets.index("^") : len(carets)]


BODIES = {
    "self.clock += lok.size": ("lok", "'lok' is not known here", "'loc'"),
    "self.clock = loc.adress": ("loc.adress", "a location has no 'adress'", "'address'"),
    "self.clock = self.klock": ("self.klock", "no field 'klock': nothing is ever assigned to it", "'clock'"),
    "self.clock = obj.birth": ("obj.birth", "no field 'birth': nothing is ever assigned to it", "assigned"),
    "self.clock = 0.5": ("self.clock", "'clock' is an int by line 12, and gets a float here", "int(...)"),
    "self.share = 1": ("self.share", "'share' is a float by line 11, and gets an int here", "float"),
    "self.clock += self.share": ("self.clock += self.share", "an int would become a float", "int(...)"),
    "x = 1\n        x = 2.0": ("x", "'x' is a float here, and an int in line 15", "int(...)"),
    "if loc.size:\n            x = 1\n        self.clock = x": ("x", "'x' may have no value here", "before the if"),
    "for i in range(3):\n            pass\n        self.clock = i": ("i", "'i' may have no value here", "loop"),
    "self.clock += type": ("self.clock += type", "+ of a type: numbers only", "key"),
    'self.clock = type == "Node"': ('"Node"', "advice has no texts that it could compare", 'type.is_("Node")'),
    "self.clock = loc.method.name": ("loc.method.name", "a method has no 'name' in advice", "report()"),
    'x = type.is_("app.Node")': ('"app.Node"', "the module of a class is not known", 'is_("Node")'),
    'x = type.is_("")': ('""', "this is no name of a type", None),
    "x = type.is_(type)": ("type.is_(type)", "is_ takes one name in quotes", "Entry"),
    'x = loc.method.is_("f")': ('loc.method.is_("f")', "a method has no 'is_'", "types have it"),
    "self.last = obj\n        self.clock = self.last.birth": (
        "self.last.birth",
        "an object has no 'birth'",
        "only obj itself",
    ),
    "self.clock += obj": ("self.clock += obj", "+ of an object: numbers only", "key"),
    "obj = type": ("obj", "'obj' cannot be changed: it is an object with fields", None),
    "x = obj == type": ("obj == type", "an object == a type cannot be compared", "objects have =="),
    "x = type.number": ("type.number", "a type has no 'number'", None),
    'print(f"{loc.thread}")': ("loc.thread", "only ints and bools can be printed, not a thread", "loc.thread.number"),
    "self.clock = type.name": ("type.name", "a type has no 'name' in advice", '.is_("Entry")'),
    "x = type < type": ("type < type", "a type < a type cannot be compared", "=="),
    "x = type == loc.method": ("type == loc.method", "a type == a method cannot be compared", "=="),
    "if type:\n            pass": ("type", "this is a type, where a number must be", "key"),
    "self.counts[type].hit += 1": ("self.counts[type].hit", "'counts' has no column 'hit'", "'hits'"),
    "self.counts[type].hits += 0.5": ("self.counts[type].hits", "a column is an int, and this is a float", "int"),
    "self.counts[type] += 1": ("self.counts[type]", "names and fields only", "column"),
    "self.counts[0.5].hits += 1": ("0.5", "a float cannot be a key", "types"),
    "self.counts[1, 2, 3, 4].hits += 1": ("self.counts[1, 2, 3, 4]", "a key has one to three parts, not 4", None),
    "self.seen.add(loc.is_load)": ("loc.is_load", "a bool cannot be a key", "int(...)"),
    "self.used = 1": ("self.used", "'used' is a method, and cannot be changed", "something else"),
    "self.seen.add(1, 2)": ("self.seen.add(1, 2)", "add takes one key", "self.seen.add((a, b))"),
    "self.seen.add(())": ("self.seen.add(())", "a key has one to three parts, not 0", None),
    "self.seen.add(0.5)": ("0.5", "a float cannot be a key", "types"),
    "self.seen.add(1)\n        self.clock = int((1, 2) in self.seen)": (
        "(1, 2) in self.seen",
        "the key of 'seen' is int, int here, and int in line 15",
        None,
    ),
    "self.seen.discard(1)": ("self.seen.discard(1)", "a Set has no 'discard'", "key in self.seen, self.seen.add(key)"),
    "x = self.seen.add(1)": ("self.seen.add(1)", "this has no value", "line of its own"),
    "x = self.seen[1]": ("self.seen[1]", "had by key", "key in self.seen"),
    "if self.seen:\n            pass": ("self.seen", "'seen' is a Set, not a number", "len(self.seen)"),
    "for x in self.seen:\n            pass": ("self.seen", "advice counts only", "report()"),
    "x = 1 in self.lives": ("1 in self.lives", "only a Set of the tool is asked with in", "seen = Set()"),
    "x = 1 in self.seen in self.seen": ("1 in self.seen in self.seen", "only a Set of the tool", "seen = Set()"),
    "self.counts[type].hits += 1\n        self.counts[1].hits += 1": (
        "self.counts[1]",
        "the key of 'counts' is int here, and type in line 15",
        None,
    ),
    "self.counts.add(1)": ("self.counts.add(1)", "'counts' has columns", "column"),
    "self.lives[type].hits += 1": ("self.lives[type].hits", "only add to 'lives'", "add"),
    "self.lives.add(0.5)": ("0.5", "this is a float, where an int must be", None),
    "self.cache.access(loc.address)": ("self.cache.access(loc.address)", "a Cache is told of locations", None),
    "self.cache = 1": ("self.cache", "'cache' is no number, and cannot be changed", None),
    "self.clock = self.cache": ("self.cache", "'cache' is a Cache, not a number", None),
    "self.clock = self.names": ("self.names", "advice cannot use 'names', which is none of its own", "Counts"),
    "self.out.write(1)": ("self.out.write(1)", "an Output has no 'write'", "print"),
    'self.out.print(f"{type}")': ("type", "only ints and bools can be printed, not a type", "report() sees names"),
    'print(f"{loc.size:f}")': ("loc.size", "numbers cannot be printed as 'f'", "d, x"),
    'print(f"{loc.size!r}")': ("loc.size", "advice has no !r", "leave"),
    'print(1, end="")': ('""', "without sep and end", None),
    'print("' + "x" * 1001 + '")': (None, "the line may have 1001 bytes, more than 1000", "several"),
    "loc.size = 1": ("loc.size", "a location cannot be changed", None),
    "loc = 1": ("loc", "'loc' cannot be changed: it is a location", None),
    "x = loc": ("loc", "a location cannot be kept in a local name", None),
    "x = 1 << 2 ** 3": ("2 ** 3", "no such operator", "<<"),
    "x = 2.5 // 2": ("2.5 // 2", "// of a float: ints only", "int(...)"),
    "x = 99999999999999999999": ("99999999999999999999", "does not fit into 64 bits", None),
    "x = [1]": ("[1]", "advice cannot have a list", "numbers"),
    "x = [i for i in range(3)]": ("[i for i in range(3)]", "advice cannot have a comprehension", "numbers"),
    "x = lambda: 1": ("lambda: 1", "advice cannot have a lambda", "numbers"),
    "x = len(type)": ("len(type)", "only a Set of the tool has a len", "len(self.seen)"),
    "x = mun(1, 2)": ("mun(1, 2)", "advice cannot call 'mun'", "'min'"),
    "x = min(1, 2.0)": ("min(1, 2.0)", "min takes ints only, or floats only", "int(...)"),
    "x = int(1, 2)": ("int(1, 2)", "int takes one value, not 2", None),
    "x = 1 if loc.size else 2.0": ("1 if loc.size else 2.0", "this is either an int or a float", "around one"),
    "x = 1 in (1, 2)": ("1 in (1, 2)", "only a Set of the tool is asked with in", "seen = Set()"),
    "x = 1 is 1": ("1 is 1", "is asks for None only", "=="),
    "x = loc.size is None": ("loc.size is None", "an int is never None", "begin with 0"),
    "x = None is obj": ("None is obj", "is asks for None only", "=="),
    "x = type in ('Entry', 'Node')": (None, "only a Set of the tool is asked", 'is_("Entry") or type.is_("Node")'),
    "x = int(loc.thread.name == 'main')": ("'main'", "advice has no texts that it could compare", ".number"),
    "x = int(loc.thread == 1)": ("loc.thread == 1", "a thread == an int cannot be compared", "loc.thread.number"),
    "x = loc.value()": ("loc.value", "'value' is no method", "loc.value without ()"),
    "x = obj.size": ("obj.size", "nothing is ever assigned", "obj.size = loc.size"),
    "x = hex(loc.ip)": ("hex(loc.ip)", "advice cannot call 'hex'", "#x"),
    "self.last = obj\n        self.last.n += 1": ("self.last.n", "a stored object has no fields", "only obj itself"),
    "self.names[type] += 1": ("self.names[type]", "names and fields only", 'declare names = Counts("hits")'),
    "self.lives[type] += 1": ("self.lives[type]", "names and fields only", "self.lives[key].add(value)"),
    "x = None": ("None", "advice has no None", "numbers"),
    "x = y = 1": ("x = y = 1", "one assignment at a time", None),
    "self.x, y = 1, 2": ("1, 2", "advice cannot have a tuple", "numbers"),
    "try:\n            pass\n        finally:\n            pass": (None, "advice cannot have try", "there are"),
    "with loc:\n            pass": (None, "advice cannot have with", "there are"),
    "import os": ("import os", "advice cannot have import", "there are"),
    "global x": ("global x", "advice cannot have global", "there are"),
    "for x in loc:\n            pass": ("loc", "advice counts only", "range"),
    "while True:\n            pass\n        else:\n            pass": ("pass", "loops of advice have no else", None),
    "return 1": ("return 1", "advice returns nothing", "by itself"),
    "return\n        self.clock = 1": ("self.clock = 1", "this is never reached", None),
    "loc.size + 1": ("loc.size + 1", "this does nothing", "there are"),
    "self.helper(1)": ("self.helper(1)", "the tool has no method 'helper'", None),
    "self.used(loc)": ("self.used(loc)", "'used' is advice, and cannot be called", None),
    "self.__x = 1": ("self.__x", "two underscores", None),
    "x = " + "(" * 70 + "loc.size" + " + 1)" * 70: (None, "nested too deeply", "line of its own"),
}


@pytest.mark.parametrize("body", BODIES)
def test_a_body_is_refused_where_it_is_wrong(tmp_path: Path, body: str) -> None:
    pointed, fact, hint = BODIES[body]

    error = refused(tmp_path, HEAD + FIELDS + METHOD + f"        {body}\n")

    assert fact in error.message
    assert str(tmp_path / "tool.py") in error.message
    assert pointed is None or pointed_at(error) == pointed
    assert hint is None or (error.hint is not None and hint in error.hint)


CLASSES = {
    '    @before("object:acess")\n    def a(self):\n        pass\n': (
        '"object:acess"',
        "there is no join point 'object:acess'",
        "'object:access'",
    ),
    "    @before\n    def a(self):\n        pass\n": ("before", "before needs one join point in quotes", "@before"),
    '    @before("gc:start")\n    def a(self, g, x):\n        pass\n': (
        "x",
        "advice 'a' has 3 parameters, before gc:start has 2 at most",
        "def a(self, generation):",
    ),
    '    @before("gc:start")\n    def a():\n        pass\n': (None, "'a' needs self", "def a(self):"),
    '    @before("gc:start")\n    def a(self, g=1):\n        pass\n': ("1", "plain names", None),
    '    @before("gc:start")\n    @before("thread:create")\n    def a(self, x):\n        pass\n': (
        None,
        "cannot be for both: gc:start has (self, generation) and thread:create has (self, thread)",
        "two methods",
    ),
    '    @before("gc:start")\n    @staticmethod\n    def a(self):\n        pass\n': (
        "staticmethod",
        "advice has no other decorators",
        None,
    ),
    '    @before("gc:start")\n    async def a(self):\n        pass\n': (None, "cannot wait", "without async"),
    "    def report(self):\n        pass\n": (None, "'Mine' has no advice", "@before"),
    '    c = Cache(l1="33K,8,64")\n': ('Cache(l1="33K,8,64")', "no power of two of sets", "32K"),
    '    c = Cache(l1="32K,8")\n': ('Cache(l1="32K,8")', "it is not SIZE,WAYS,LINE", "32K"),
    '    c = Cache(l2="32K,8,64")\n': ('Cache(l2="32K,8,64")', "it needs l1", "32K"),
    '    c = Cache(l1="32K,8,64", l4="1")\n': (None, "Cache has no argument 'l4'", None),
    '    c = Cache(l1="32K,8,64", l2="1M,8,32")\n': (None, "the level before has lines of 64 bytes", None),
    "    c = Counts()\n": ("Counts()", "Counts needs columns", "misses"),
    '    c = Counts("a", "a")\n': (None, "a column is there twice", None),
    '    c = Counts("a b")\n': (None, "'a b' cannot be the name of a column", None),
    "    c = Counts(1)\n": ("1", "must be texts in quotes", None),
    "    o = Output()\n": ("Output()", "Output takes file, not 0", None),
    '    h = Histogram("x")\n': ('Histogram("x")', "Histogram takes nothing, not 1", None),
    "    print(1)\n": ("print(1)", "fields and methods only", None),
    '    @after("gc:stop")\n    def a(self):\n        self.b()\n\n    def b(self):\n        self.c()\n\n'
    "    def c(self):\n        self.b()\n": ("self.b()", "advice cannot call itself: b calls c calls b", "loop"),
    '    @after("gc:stop")\n    def a(self):\n        x = self.b()\n\n    def b(self):\n        pass\n': (
        "self.b()",
        "this has no value",
        "return",
    ),
    '    @after("gc:stop")\n    def a(self, g):\n        x = self.b(g)\n\n    def b(self, n):\n'
    "        if n:\n            return 1\n": (None, "'b' may end here without a value", "every way"),
    '    @after("gc:stop")\n    def a(self, g):\n        self.b(g)\n        self.b(0.5)\n\n    def b(self, n):\n'
    "        pass\n": ("self.b(0.5)", "'n' of 'b' is an int, and gets a float here", "one type"),
    '    @after("gc:stop")\n    def a(self):\n        self.b(1)\n\n    def b(self):\n        pass\n': (
        "self.b(1)",
        "'b' takes 0 values, not 1",
        None,
    ),
    '    @after("gc:stop")\n    def a(self):\n        self.b()\n\n    @property\n    def b(self):\n        pass\n': (
        "property",
        "'b' is called by advice, and has a decorator",
        None,
    ),
    "    def a(self):\n        break\n": (None, "it is not Python: 'break' outside loop", None),
    "    def a(self:\n": (None, "it is not Python", None),
}


@pytest.mark.parametrize("text", CLASSES)
def test_a_class_is_refused_where_it_is_wrong(tmp_path: Path, text: str) -> None:
    pointed, fact, hint = CLASSES[text]

    error = refused(tmp_path, HEAD + text)

    assert fact in error.message
    assert pointed is None or pointed_at(error) == pointed
    assert hint is None or (error.hint is not None and hint in error.hint)


def test_a_container_that_is_not_imported_is_told(tmp_path: Path) -> None:
    error = refused(tmp_path, HEAD.replace("Set, ", "") + "    seen = Set()\n" + METHOD + "        pass\n")

    assert (pointed_at(error), "'Set' is not imported" in error.message) == ("Set", True)


def test_the_message_shows_file_line_source_and_caret(tmp_path: Path) -> None:
    error = refused(tmp_path, HEAD + METHOD + "        größe = lok.size\n")

    assert str(error) == (
        f"cannot compile tool {str(tmp_path / 'tool.py')!r}: line 7: 'lok' is not known here\n"
        "    größe = lok.size\n"
        "            ^^^\n"
        "hint: did you mean 'loc'?"
    )


@pytest.mark.parametrize(
    ("text", "class_name", "fact"),
    [
        ("x = 1\n", None, "it has no class that derives from sonde.instruments.memory.toolkit.Tool"),
        (HEAD + METHOD + "        pass\n", "Mime", "it has no tool 'Mime'"),
        (
            HEAD + METHOD + "        pass\n" + HEAD.replace("Mine", "Other") + METHOD + "        pass\n",
            None,
            "it has 2 tools: Mine, Other",
        ),
    ],
)
def test_it_is_said_when_there_is_no_such_tool(tmp_path: Path, text: str, class_name: str | None, fact: str) -> None:
    path = tmp_path / "tool.py"
    path.write_text(text)

    with pytest.raises(InputError, match=fact) as caught:
        compile_tool(path, class_name)

    assert caught.value.slug == "no-such-tool"


@pytest.mark.parametrize("name", ["absent.py", "."])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match="cannot read tool") as caught:
        compile_tool(tmp_path / name)

    assert caught.value.slug == "no-such-tool"


@pytest.mark.parametrize("raw", [b"\xff\xfe", b"a\x00b", b"# coding: klingon\n", b"x = '\xff'\n"])
def test_what_is_not_text_is_refused(tmp_path: Path, raw: bytes) -> None:
    (tmp_path / "tool.py").write_bytes(raw)

    with pytest.raises(InputError, match="it is not Python") as caught:
        compile_tool(tmp_path / "tool.py")

    assert caught.value.slug == "bad-tool"
