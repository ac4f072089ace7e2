"""How sonde says no: one error type, four families, a stable exit code for each.

A message has the form *what could not be done, with the offending thing quoted*: *the
fact observed*; the hint is *one thing to type or change*. Every slug has an entry in
`docs/messages.md`.
"""

from typing import ClassVar

EXIT_OK = 0
EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_MISSING_CAPABILITY = 3
EXIT_CANNOT_SAY = 4
"""Of what compares: there is too little to say whether anything differs."""
EXIT_BUG = 70


class SondeError(Exception):
    """Something sonde was asked to do cannot be done.

    Args:
        message: one sentence; see the form above.
        slug: stable kebab-case name, documented in `docs/messages.md`.
        hint: what to type or change, when there is such a thing.
    """

    exit_code: ClassVar[int] = EXIT_FAILED

    def __init__(self, message: str, *, slug: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.slug = slug
        self.hint = hint

    def __str__(self) -> str:
        return self.message if self.hint is None else f"{self.message}\nhint: {self.hint}"


class UsageError(SondeError):
    """The command line asks for something that does not exist or does not fit together."""

    exit_code = EXIT_USAGE


class InputError(SondeError):
    """A file given to sonde is missing, broken, or not what it should be."""


class NotCompared(SondeError):
    """A comparison that could not be made: told apart, by its exit code, from one that found a difference."""

    exit_code = EXIT_USAGE

    def __init__(self, cause: SondeError) -> None:
        super().__init__(cause.message, slug=cause.slug, hint=cause.hint)


class MissingCapability(SondeError):
    """This machine, interpreter or user lacks what the request needs."""

    exit_code = EXIT_MISSING_CAPABILITY


class InternalError(SondeError):
    """A promise that sonde makes to itself was broken: a bug in sonde."""

    exit_code = EXIT_BUG
