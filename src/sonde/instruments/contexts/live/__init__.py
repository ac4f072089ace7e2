"""Stacks that are being looked at, while they are: their sums, and a page of them.

Loads little: somebody waits for it.
"""

from sonde.instruments.contexts.live.stack_sums import SeenThread, StackSums, seen_threads, stack_sums
from sonde.instruments.contexts.live.stacks_page import SUBJECTS, StacksPage, Subject

__all__ = ["SUBJECTS", "SeenThread", "StackSums", "StacksPage", "Subject", "seen_threads", "stack_sums"]
