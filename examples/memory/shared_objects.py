"""Which objects more than one thread touches, and who writes to them.

sonde memory --tool shared_objects.py program.py

An object belongs to the thread that was the first to touch it, until another one does. In Python every use of an object
writes its count of references, so what is only read there is written, too.
"""

from sonde.instruments.memory.toolkit import Counts, Set, Tool, before


class SharedObjects(Tool):
    shared = Set()
    uses = Counts("reads", "writes")

    @before("object:access")
    def used(self, loc, type, obj):
        if not obj.is_known:
            obj.is_known = True
            obj.owner = loc.thread
        if obj.owner != loc.thread and not obj.is_shared:
            obj.is_shared = True
            self.shared.add(obj)
            row = self.uses[obj, obj.owner]
            row.reads = obj.reads
            row.writes = obj.writes
        if obj.is_shared:
            row = self.uses[obj, loc.thread]
            row.reads += int(loc.is_load)
            row.writes += int(loc.is_store)
        else:
            obj.reads += int(loc.is_load)
            obj.writes += int(loc.is_store)

    def report(self):
        print(f"{len(self.shared):,} objects were touched by more than one thread")
        print(f"\n{'reads':>14} {'writes':>14}  by, of")
        for (thread, name), row in self.rows(20):
            print(f"{row.reads:14,} {row.writes:14,}  {thread}, {name}")

    def rows(self, count):
        """Those of the objects with the most writes, each object's beside one another."""
        writes = {}
        for (name, _), row in self.uses.items():
            writes[name] = writes.get(name, 0) + row.writes
        ordered = sorted(self.uses.items(), key=lambda each: (-writes[each[0][0]], *each[0]))
        return [((thread, name), row) for (name, thread), row in ordered[:count]]
