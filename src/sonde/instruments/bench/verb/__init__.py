"""`sonde bench` on the command line."""
