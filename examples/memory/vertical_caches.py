"""Cache misses by type of object, and by method and line.

sonde memory --tool vertical_caches.py program.py

The caches are those of the document; those of this machine are in `lscpu -C`.
Source: document 001, Figure 2.7, Tables 2.2 and 2.3.
"""

from sonde.instruments.memory.toolkit import Cache, Counts, Tool, before


class VerticalCaches(Tool):
    cache = Cache(l1="32K,4,32", l2="1M,8,128")
    by_type = Counts("accesses", "l1", "l2")
    by_line = Counts("accesses", "l1", "l2")

    @before("object:access")
    def on_object(self, loc, type):
        missed = self.simulate(loc)
        row = self.by_type[type]
        row.accesses += 1
        row.l1 += missed >= 1
        row.l2 += missed >= 2

    @before("nonobject:access")
    def elsewhere(self, loc):
        self.simulate(loc)

    def simulate(self, loc):
        missed = self.cache.access(loc)
        row = self.by_line[loc.method, loc.line]
        row.accesses += 1
        row.l1 += missed >= 1
        row.l2 += missed >= 2
        return missed

    def report(self):
        l1, l2 = self.cache.misses
        print(f"{self.cache.accesses:,} accesses, {l1:,} miss L1, {l2:,} miss L2")
        self.show("type", self.by_type, str)
        self.show("line", self.by_line, lambda key: f"{key[0]}:{key[1]}")

    def show(self, title, table, name):
        print(f"\n{'accesses':>14} {'L1 misses':>22} {'L2 misses':>22}  {title}")
        for key, row in table.top("l2", 5):
            l1, l2 = row.l1 / max(row.accesses, 1), row.l2 / max(row.l1, 1)
            print(f"{row.accesses:14,} {row.l1:14,} ({l1:5.1%}) {row.l2:14,} ({l2:5.1%})  {name(key)}")
