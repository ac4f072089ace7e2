"""Memory: which line, type and object misses which caches, seen by a tool under Valgrind."""
