"""What the one benchmark of a command line is called, where nobody has named it."""

COMMANDS, FUNCTIONS = "commands", "functions"
"""What its alternatives are; where there is one alone, that one's name tells more."""
