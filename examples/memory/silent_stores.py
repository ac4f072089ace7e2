"""Which lines store what is there already: stores that could be left out, or made only after a comparison.

sonde memory --tool silent_stores.py program.py

Stores of more than 8 bytes are left out: their first 8 bytes alone do not tell.
"""

from sonde.instruments.memory.toolkit import Counts, Tool, after, before


class SilentStores(Tool):
    by_place = Counts("stores", "silent")

    @before("any:access")
    def about_to_store(self, loc):
        self.old = loc.value

    @after("any:access")
    def stored(self, loc):
        if not loc.is_store:
            return
        if loc.size > 8:
            self.wider += 1
            return
        row = self.by_place[loc.place]
        row.stores += 1
        row.silent += int(loc.value == self.old)

    def report(self):
        stores, silent = self.by_place.total("stores"), self.by_place.total("silent")
        print(f"{silent:,} of {stores:,} stores ({silent / max(stores, 1):.1%}) write what is there already;")
        print(f"{self.wider:,} stores of more than 8 bytes were not looked at")
        print(f"\n{'silent':>14} {'of stores':>14} {'':>6}  line")
        for place, row in self.by_place.top("silent", 20):
            print(f"{row.silent:14,} {row.stores:14,} {row.silent / row.stores:6.1%}  {place}")
