"""What all pages on a terminal are made of: lines, columns, trees, places that fit.

Written with the standard library alone: importing this package takes a few milliseconds, where
a terminal library takes more than reading and printing a profile.
"""
