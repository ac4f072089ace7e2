"""How long objects live: memory accesses from the birth of an object to its last use, by type.

sonde memory --tool object_lifetimes.py program.py

Objects that were there before the window opened are left out: when they were born is not known.
Source: document 001, Figures 2.8 and 2.9.
"""

from sonde.instruments.memory.toolkit import Histogram, Tool, after, before


class ObjectLifetimes(Tool):
    lives = Histogram()

    @after("object:create")
    def born(self, loc, type, obj):
        obj.birth = self.clock
        obj.last = self.clock

    @before("object:access")
    def used(self, loc, type, obj):
        self.clock += 1
        obj.last = self.clock

    @before("nonobject:access")
    def other(self, loc):
        self.clock += 1

    @before("object:delete")
    def gone(self, loc, type, obj):
        if not loc.was_there:
            self.lives[type].add(obj.last - obj.birth)

    def report(self):
        every = self.lives.all()
        print(f"{every.count:,} objects in {self.clock:,} accesses; lifetimes in accesses:")
        for lowest, highest, objects in every.ranges():
            print(f"{lowest:14,} to {highest:14,}  {objects:12,}  {every.share_below(highest + 1):7.1%}")
        print(f"\n{'objects':>12} {'below 64':>9} {'mean':>14}  type")
        for name, bins in sorted(self.lives.items(), key=lambda each: -each[1].count)[:20]:
            print(f"{bins.count:12,} {bins.share_below(64):9.1%} {bins.mean:14,.1f}  {name}")
