"""How wrong are miss rates when only objects are looked at?

sonde memory --tool heap_alone.py program.py

Two simulations side by side: of all data accesses, and of those to objects only, as a tool inside a virtual machine
sees them. The caches are those of the document.
Source: document 001, section 2.3.1, Figures 2.5 and 2.6.
Differs: a block of Python's allocator is an object from the moment on when its type is stored; tables and buffers that
belong to objects count as such. What an allocator keeps for itself does not, nor do objects that lie in C libraries.
"""

from sonde.instruments.memory.toolkit import Cache, Tool, before


class HeapAlone(Tool):
    everything = Cache(l1="32K,4,32", l2="1M,8,128")
    objects = Cache(l1="32K,4,32", l2="1M,8,128")

    @before("object:access")
    def on_object(self, loc):
        self.everything.access(loc)
        self.objects.access(loc)

    @before("nonobject:access")
    def elsewhere(self, loc):
        self.everything.access(loc)

    def report(self):
        print(f"{'accesses':>16} {'L1 misses':>23} {'L2 misses':>23}")
        for name, cache in (("all", self.everything), ("objects alone", self.objects)):
            shares = (f"{missed:14,} ({missed / max(cache.accesses, 1):6.2%})" for missed in cache.misses)
            print(f"{cache.accesses:16,} {' '.join(shares)}  {name}")
