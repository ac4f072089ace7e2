"""Reports on a terminal; pages, lines, tables and trees, which are made of them.

Written with the standard library alone: importing this package takes a few milliseconds, where
a terminal library takes more than reading and printing a profile.
"""
