"""Environments of random size, so that what their size does to a program is sampled and not mistaken for something."""

from random import Random

_MOST_BYTES = 4096
"""Beyond a page the stack lies as before, but for the page that it starts in."""


def draw_padding(random: Random) -> int:
    """How many bytes to add to the environment of one invocation.

    The environment lies above the stack, so its size moves every variable on it; programs were seen to become some per
    cent faster or slower by that alone. Where memory is laid out at random this is done by the kernel anyway.

    Source: Mytkowicz, Diwan, Hauswirth, Sweeney, Producing Wrong Data Without Doing Anything Obviously Wrong!,
        ASPLOS 2009, who vary it from 0 to 4096 bytes.

    >>> 0 <= draw_padding(Random(1)) <= 4096
    True
    """
    return random.randint(0, _MOST_BYTES)
