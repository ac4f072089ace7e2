"""What tasks of asyncio are called where they count as threads of their own (`sonde sample --tasks`)."""

_GROUP = "tasks of "
_OTHERS = "other tasks"


def task_label(name: str, *, is_named: bool) -> str:
    """Of one task, by its name, or of all that asyncio has numbered, by their coroutine's; empty: of all others.

    >>> task_label("fetches", is_named=True), task_label("fetch", is_named=False), task_label("", is_named=False)
    ('task fetches', 'tasks of fetch', 'other tasks')
    """
    if not name:
        return _OTHERS
    return f"task {name}" if is_named else f"{_GROUP}{name}"


def is_group_label(label: str) -> bool:
    """Whether it stands for several.

    >>> [is_group_label(task_label(name, is_named=True)) for name in ("fetches", "")]
    [False, True]
    """
    return label == _OTHERS or label.startswith(_GROUP)
