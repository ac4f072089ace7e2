"""What runs inside the interpreter that is recorded. Nothing here is imported by sonde: it is found by its path."""
