"""CPython programs: paths of functions of the running interpreter, as graphs of its bytecode."""
