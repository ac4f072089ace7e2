"""What runs in other people's interpreters: one file (`worker.py`) that imports nothing but the standard library.

It is executed, never imported, by any CPython from 3.6 on and by PyPy; `invocations` starts it and reads the memory
that it writes to.
"""
