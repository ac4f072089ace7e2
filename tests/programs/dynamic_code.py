"""exec, eval, lambdas, nested functions, class bodies, named tuples, dataclasses, metaclasses."""
import collections
import dataclasses
import types


@dataclasses.dataclass(order=True)
class Point:
    x: int
    y: int = 0


Pair = collections.namedtuple("Pair", "a b")


class Meta(type):
    def __call__(cls, *args):
        return super().__call__(*args)

    def __prepare__(name, bases):
        return {}


class Made(metaclass=Meta):
    class Inner:
        value = (lambda: 3)()

    def method(self):
        def nested():
            return (lambda y: y + self.Inner.value)(1)

        return nested()


def outer():
    exec("def made():\n    return 5\nvalue = made()\n")
    return eval("sum(i for i in range(4)) + helper(2)", {"helper": lambda v: v * 2})


for i in range(3):
    exec(compile(f"def f{i}(): return {i}\nf{i}()", f"<made {i}>", "exec"), {})
for _ in range(5):
    exec("def again():\n    return 1\nagain()\nagain()")
print(outer(), sorted([Point(2), Point(1, 3)]), Pair(1, 2), Made().method())
module = types.ModuleType("fresh")
exec("class Thing:\n    def __init__(self): self.x = 1\nThing()", module.__dict__)
print({k: v for k, v in zip("ab", [1, 2])}, {c for c in "abc"}, [x for x in [y for y in range(3)]] and 1)
