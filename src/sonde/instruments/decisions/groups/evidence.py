"""Why: what the inliner said, and what calls were made on, typical of each group."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from sonde.instruments.decisions.groups.finding import Finding, GroupReason
from sonde.instruments.decisions.groups.hot_code import HotCode
from sonde.instruments.decisions.groups.subject import CallSubject, ContextSubject
from sonde.instruments.decisions.model import CallSite

ASKED = 3
"""Runs of each group whose reasons are collected, and findings are many: it reads trees anew."""
_MOST_REASONS = 3
_NUMBER = re.compile(r"\d+(\.\d+)?")
"""Reasons that differ in numbers only are one; the first is shown."""
_Site = tuple[str, int, str]


def add_reasons(
    findings: Iterable[Finding], fast: Sequence[HotCode], slow: Sequence[HotCode], name: Callable[[str], str]
) -> None:
    """Set the reasons of findings about calls."""
    wanted: dict[_Site, list[Finding]] = {}
    for finding in findings:
        site = _site_of(finding)
        if site is not None:
            wanted.setdefault(site, []).append(finding)
    if not wanted:
        return
    enclosing = {site[0] for site in wanted}
    for codes, is_fast in ((fast[:ASKED], True), (slow[:ASKED], False)):
        said: dict[_Site, Counter[str]] = {site: Counter() for site in wanted}
        examples: dict[str, str] = {}
        for code in codes:
            for site, reasons in _reasons_of(code, wanted, enclosing, name).items():
                said[site].update({_NUMBER.sub("#", reason) for reason in reasons})
                for reason in sorted(reasons):
                    examples.setdefault(_NUMBER.sub("#", reason), reason)
        for site, counts in said.items():
            reasons_of_group = tuple(
                GroupReason(examples[text], runs, len(codes)) for text, runs in counts.most_common(_MOST_REASONS)
            )
            for finding in wanted[site]:
                if is_fast:
                    finding.fast_reasons = reasons_of_group
                else:
                    finding.slow_reasons = reasons_of_group


def _site_of(finding: Finding) -> _Site | None:
    subject = finding.subject
    if isinstance(subject, CallSubject):
        return (subject.enclosing, subject.at, subject.callee)
    if isinstance(subject, ContextSubject):
        return (subject.path[-2].method, subject.path[-1].at, subject.path[-1].method)
    return None


def _reasons_of(
    code: HotCode, wanted: dict[_Site, list[Finding]], enclosing: set[str], name: Callable[[str], str]
) -> dict[_Site, set[str]]:
    """What one run says; a reason counts once for a run."""
    found: dict[_Site, set[str]] = {}
    for unit in sorted(code.units, key=lambda unit: -unit.period):
        stack: list[tuple[CallSite, str]] = [(unit.load().inlining, name(unit.method))]
        while stack:
            node, within = stack.pop()
            for site in node.children:
                callee = name(site.method) if site.method is not None else "unknown"
                if within in enclosing and (within, site.at, callee) in wanted:
                    texts = found.setdefault((within, site.at, callee), set())
                    texts.update(_said(site))
                stack.append((site, callee if site.inlined else within))
    return found


def _said(site: CallSite) -> Iterable[str]:
    if site.reasons:
        yield site.reasons[-1]
    if site.receivers is not None and site.receivers.types:
        types = sorted(site.receivers.types, key=lambda each: -each.probability)
        shown = ", ".join(f"{each.probability:.0%} {each.type_name}" for each in types[:3])
        yield f"called on {shown}" + (f" and {len(types) - 3} more" if len(types) > 3 else "")
