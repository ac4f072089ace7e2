"""`sonde decisions`, and what `sonde view` does with its runs on the command line."""
