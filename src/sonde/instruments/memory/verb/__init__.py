"""`sonde memory`, and what `sonde view`, `diff` and `merge` do with its profiles on the command line."""
