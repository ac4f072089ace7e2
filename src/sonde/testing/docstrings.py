"""Whether a docstring says what it has to say."""


def check_sections(documented: object, *sections: str) -> None:
    """Check that a docstring has these sections, each with something in it.

    >>> def work() -> None:
    ...     '''Work.
    ...
    ...     Cost: O(1).
    ...     '''
    >>> check_sections(work, "Cost")
    """
    lines = [line.strip() for line in (documented.__doc__ or "").splitlines()]
    name = getattr(documented, "__name__", repr(documented))
    for section in sections:
        texts = [line.removeprefix(f"{section}:").strip() for line in lines if line.startswith(f"{section}:")]
        assert any(texts), f"the docstring of {name} has no section '{section}:'"
