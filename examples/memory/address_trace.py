"""Write every memory access to a file: the address of the instruction, of the memory, and the size.

sonde memory --tool address_trace.py program.py    writes addresses.txt

Source: document 001, Figure 2.4.
"""

from sonde.instruments.memory.toolkit import Output, Tool, before


class AddressTrace(Tool):
    out = Output("addresses.txt")

    @before("any:access")
    def access(self, loc):
        self.out.print(f"access by insn @ {loc.ip:#x} to memory location {loc.address:#x} of size {loc.size}")
