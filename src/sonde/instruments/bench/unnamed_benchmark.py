"""What the one benchmark of a command line is called, where nobody has named it."""

COMMANDS, FUNCTIONS = "commands", "functions"
"""What its alternatives are; where there is one alone, that one's name tells more.

hyperfine and perf have no name for what their commands do alike: their files get the same, to be compared by it.
"""
