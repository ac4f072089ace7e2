"""Sources: the times of all calls of a run, and the counters of those that are phases in another."""
