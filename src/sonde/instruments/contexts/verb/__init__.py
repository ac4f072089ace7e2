"""`sonde contexts` and `sonde replay` on the command line."""
