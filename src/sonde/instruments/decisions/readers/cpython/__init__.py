"""Reader of what CPython's specialising interpreter decided.

A unit is a code object that ran; its calls are its inlining tree (CPython inlines no Python function: a call is direct
where the interpreter specialised it to one callee), its optimization tree has a phase for each kind of instruction.
"""

from sonde.instruments.decisions.readers.cpython.run import CPYTHON

__all__ = ["CPYTHON"]
