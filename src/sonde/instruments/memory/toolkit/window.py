"""Where `sonde memory --window manual` counts, said by the program itself.

    from sonde.instruments.memory.toolkit import close_window, open_window

    open_window()
    what_is_to_be_measured()
    close_window()

Opening twice is opening once. Without sonde's tool around the program, both do nothing.
"""

from sonde._memory_agent import close_window, open_window

__all__ = ["close_window", "open_window"]
