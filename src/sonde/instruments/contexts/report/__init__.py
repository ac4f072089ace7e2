"""Profiles of calling contexts for human eyes, in a terminal or a browser."""
