"""Leave a function in the middle of its loop, for code into which the comparator was inlined meanwhile.

    python examples/inline_at_a_transition.py examples/vm/isord.c [ELEMENTS]

The running example of D'Elia's thesis (Figures 4.4 to 4.8): `isord` says whether an array is in order. After 1000
turns of its loop a dynamic inliner makes a version for the comparator at hand, and the call goes on there. Then a
chain: a call that goes through three versions, and back to the first. Printed are the function that is left, its
continuation, the machine code, and which code ran.
"""

import sys
from dataclasses import dataclass, field

from sonde import osr
from sonde.machine import Workbench


@dataclass
class DynamicInliner:
    """A generator: inlines what a pointer points to as the point fires, and remembers what that was."""

    pointer: str
    inlined: list[str] = field(default_factory=list)

    def __call__(self, firing: osr.Firing) -> osr.Landing:
        functions = firing.code.machine.functions.values()
        self.inlined += [each.name[1:].partition(".")[0] for each in functions if each.stub == firing.value]
        return osr.inline(self.pointer)(firing)


def main(source: str, elements: int = 5000) -> None:
    bench = Workbench()
    bench.load(source)
    bench.optimize("isord", "sroa,simplifycfg", version="ssa")
    points = osr.Points(bench.machine)
    f = points.code("isord", "ssa")
    compare = f.body.parameters[2].name
    array = f"i64{[*range(elements)]}"

    inliner = DynamicInliner(compare)
    point = points.insert_open(f, "%for.body", osr.Counter(1000), inliner, value=compare, version="from")
    bench.switch("isord", "from")
    print(bench.ir("isord@from"))
    print(f"in order: {bench.call('is_ascending', [array, str(elements)]).text}")
    print(f"left {point.fired} times; inlined: {', '.join(inliner.inlined) or 'nothing'}")
    for part in point.parts.values():
        print(part.text())
        print(bench.assembly("isord@from"))
        where = bench.locate(part.code.address)
        print(f"{part.code.size_bytes} bytes of machine code, known as {where.function if where else 'nothing'}")

    at = next(each.result for each in f.body.block("%for.cond").phis())
    chain = [
        points.insert_resolved(f, "%for.body", f, "%for.body", osr.Expression(f"{at} == 3000"), version="third"),
        points.insert_open(f, "%for.body", osr.Expression(f"{at} == 2000"), lambda _: go_on("third"), version="second"),
        points.insert_open(f, "%for.body", osr.Counter(1000), lambda _: go_on("second"), version="first"),
    ]

    def go_on(version: str) -> osr.Landing:
        return osr.landing(points.code("isord", version), "%for.body")

    bench.switch("isord", "first")
    print(f"in order: {bench.call('is_ascending', [array, str(elements)]).text}")
    left = ", ".join(f"{each.version.name} {each.fired}" for each in reversed(chain))
    print(f"times that each was left: {left}")
    bench.close()


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:3]))
