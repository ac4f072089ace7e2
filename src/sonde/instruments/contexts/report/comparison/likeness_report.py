"""What sampled profiles have in common with a dense one, and with one another, as a report."""

from collections.abc import Sequence
from pathlib import PurePath

from sonde.base.units import format_share
from sonde.code import Place
from sonde.evidence import Doubt
from sonde.instruments.contexts.profile import ContextProfile
from sonde.instruments.contexts.profile.comparison import Likeness, Likenesses
from sonde.instruments.contexts.report.exactness import exactness
from sonde.report import Block, Column, Fact, Facts, Notices, Plot, Report, Row, Sample, Table

_TOLD_TOP = 0.2
"""Share of the hottest whose overlap is told in a column: what the source compares profilers by."""

_MEANINGS = (
    "weighted: sum of the lesser of both shares; unweighted: of all seen, by both\n"
    "top 20%: seen, of the dense profile's hottest fifth; first 10: first in both"
)


def likeness_report(found: Likenesses, profiles: Sequence[ContextProfile], names: Sequence[str]) -> Report:
    """How near sampled profiles come to a dense one, and how stable they are.

    Args:
        profiles: the dense one, then the others.
        names: of all of them.
    """
    blocks: list[Block] = [
        Facts((Fact("dense", names[0], words="dense {}"), *_stability(found)), "files"),
        *likeness_blocks(found, names[1:]),
        Notices(tuple(_doubts(profiles, names))),
    ]
    told = names[1] if len(names) == 2 else f"{len(names) - 1} profiles"
    return Report("likeness", f"accuracy of {told}", tuple(blocks), headline=likeness_headline(found, names[1:]))


def likeness_headline(found: Likenesses, names: Sequence[str]) -> tuple[str, ...]:
    """The weighted overlaps, and the stability of several profiles."""
    what = "time" if found.metric == "time" else "calls"
    functions, contexts = ([each.weighted for each in one.each] for one in (found.functions, found.contexts))
    if len(names) == 1:
        said = f"{names[0]} has {_percent(functions[0])} of the {what} where the dense profile has it"
        return (f"{said}, by function; {_percent(contexts[0])} by context.",)
    said = f"the {len(names)} profiles have {_range(functions)} of the {what} where the dense one has it, by function"
    stable = ""
    if found.functions.stability is not None and found.contexts.stability is not None:
        stable = (
            f"Each two of them have {_percent(found.functions.stability)} in common, by function, and"
            f" {_percent(found.contexts.stability)} by context (stability)."
        )
    return (f"{said}; {_range(contexts)} by context.", *([stable] if stable else []))


def likeness_blocks(found: Likenesses, names: Sequence[str]) -> tuple[Block, ...]:
    """The overlaps, and the curve over the hottest."""
    return _overlaps(found, names), _curve(found, names), _points(found, names)


def _overlaps(found: Likenesses, names: Sequence[str]) -> Table:
    columns = (
        Column("profile", "profile", "place"),
        Column("by", "by", "name"),
        Column("weighted", "weighted", "share"),
        Column("unweighted", "unweighted", "share"),
        Column("top_fifth", "top 20%", "share"),
        Column("first_ten", "first 10", "share", priority=1),
        Column("known", "seen", "count", priority=2),
        Column("dense", "of", "count", priority=2, meaning="seen in the dense profile"),
    )
    rows = [
        Row(
            (
                Place(name, 0),
                one.entries,
                each.weighted,
                each.unweighted,
                next(covered for share, covered in each.top if share >= _TOLD_TOP - 1e-9),
                each.first_ten,
                each.known,
                one.dense,
            )
        )
        for number, name in enumerate(names)
        for one, each in ((one, one.each[number]) for one in (found.functions, found.contexts))
    ]
    what = "self time" if found.metric == "time" else "calls"
    return Table("overlaps", "overlap with the dense profile", columns, rows, (f"by {what}",), legend=_MEANINGS)


def _curve(found: Likenesses, names: Sequence[str]) -> Plot:
    samples = [
        Sample(f"top {format_share(share, 1)}", (covered,), "1", mean=covered, group=group, at=100 * share)
        for group, _, each in _groups(found, names)
        for share, covered in each
    ]
    return Plot(
        "top",
        "curve",
        "how many of the hottest are seen",
        tuple(samples),
        ("share of the top N % of the dense profile",),
        axis="top N % of the dense profile",
        is_detail=True,
    )


def _points(found: Likenesses, names: Sequence[str]) -> Table:
    columns = (
        Column("profile", "profile", "place"),
        Column("by", "by", "name"),
        Column("top", "top", "share"),
        Column("seen", "seen", "share"),
    )
    rows = [
        Row((Place(name, 0), one.entries, share, covered))
        for number, name in enumerate(names)
        for one in (found.functions, found.contexts)
        for share, covered in one.each[number].top
    ]
    return Table("top_curve", "how many of the hottest are seen", columns, rows, is_secondary=True)


def _groups(found: Likenesses, names: Sequence[str]) -> list[tuple[str, Likeness, tuple[tuple[float, float], ...]]]:
    return [
        (f"{PurePath(name).name}, {one.entries}", one, one.each[number].top)
        for number, name in enumerate(names)
        for one in (found.functions, found.contexts)
    ]


def _stability(found: Likenesses) -> tuple[Fact, ...]:
    return tuple(
        Fact(f"stability_{one.entries}", one.stability, "share", f"stability by {one.entries} {{}}")
        for one in (found.functions, found.contexts)
        if one.stability is not None
    )


def _doubts(profiles: Sequence[ContextProfile], names: Sequence[str]) -> list[Doubt]:
    doubts = [
        Doubt("", f"{name}: {', '.join(exactness(profile))}")
        for profile, name in zip(profiles, names, strict=True)
        if profile.sampling is not None or profile.left_something_out
    ]
    if profiles[0].sampling is not None:
        detail = "the dense profile is a sample, too: it and another one like it would not have all in common either"
        doubts.insert(0, Doubt("dense-is-sampled", detail))
    return doubts


def _range(shares: Sequence[float]) -> str:
    low, high = _percent(min(shares)), _percent(max(shares))
    return low if low == high else f"{low} to {high}"


def _percent(share: float) -> str:
    return format_share(share, 1)
