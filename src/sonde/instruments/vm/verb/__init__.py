"""`sonde vm` on the command line."""
