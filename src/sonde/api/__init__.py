"""sonde within a program: blocks, functions, and servers from one moment to another.

What counts is loaded with the first block, what analyses and tells with the first report. Nothing third-party is
imported, neither here nor there.
"""

from sonde.api.asked import start_if_asked
from sonde.api.block import Block, profile
from sonde.api.decorated import block_of, profiled
from sonde.api.process_block import start, stop

__all__ = ["Block", "block_of", "profile", "profiled", "start", "start_if_asked", "stop"]
