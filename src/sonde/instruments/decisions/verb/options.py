"""What is asked of one run, of two, and of groups of them; and how the answer is told."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, get_args

from sonde.instruments.decisions.model import CompilerKind
from sonde.instruments.decisions.options import TreeName
from sonde.options.code_filter import CodeFilter
from sonde.options.declared import Option
from sonde.options.numbers import positive

TREES: dict[str, tuple[TreeName, ...]] = {
    "inlining": ("inlining",),
    "optimizations": ("optimizations",),
    "context": ("context",),
    "both": ("inlining", "optimizations"),
    "all": ("inlining", "optimizations", "context"),
}
"""Value of `--tree` -> what is shown."""

_Wide = Annotated[bool, Option("print names whole, however long lines get")]


@dataclass(frozen=True, slots=True)
class FormOptions:
    """Whose text it is, and how wide."""

    format: Annotated[str, Option("whose text to print", choices=("sonde", "profdiff"))] = "sonde"
    wide: _Wide = False


@dataclass(frozen=True, slots=True)
class ShowRequest:
    """What of one run is shown."""

    hot: Annotated[bool, Option("hot units only (default where times are known)", excludes="which")] = False
    all: Annotated[bool, Option("all units", excludes="which")] = False
    tree: Annotated[str, Option("which trees of a unit", choices=tuple(TREES))] = "both"
    profile: Annotated[
        Path | None,
        Option("where the time went (default: what lies beside the record)", parse=Path, metavar="FILE"),
    ] = None
    reader: Annotated[str | None, Option("how to read the run (default: by what is in it)", metavar="NAME")] = None


@dataclass(frozen=True, slots=True)
class DiffRequest:
    """What of two runs is compared."""

    profile_a: Annotated[
        Path | None,
        Option("where the time of RUN_A went (default: what lies beside its record)", parse=Path, metavar="FILE"),
    ] = None
    profile_b: Annotated[
        Path | None,
        Option("where the time of RUN_B went (default: what lies beside its record)", parse=Path, metavar="FILE"),
    ] = None
    reader: Annotated[str | None, Option("how to read both runs (default: by what is in them)", metavar="NAME")] = None
    hot: Annotated[bool, Option("hot units only, even if nothing differs in them", excludes="which")] = False
    all: Annotated[bool, Option("all units, even if hot ones differ", excludes="which")] = False
    context: Annotated[bool, Option("compare optimization-context trees")] = False
    match: Annotated[
        str,
        Option(
            "whether renamed lambdas and moved lines are the same; --format profdiff is always exact",
            choices=("exact", "aligned"),
        ),
    ] = "aligned"
    why: Annotated[bool, Option("say what led to each difference")] = False
    no_fragments: Annotated[bool, Option("do not cut hot methods out of the units they were inlined into")] = False


@dataclass(frozen=True, slots=True)
class GroupsRequest(CodeFilter):
    """How the runs of two groups are read, of which code, and how much is told of what tells them apart."""

    from_: str | None = None
    """No option: records of compilers do not say who called a unit."""
    reader: Annotated[str | None, Option("how to read the runs (default: by what is in them)", metavar="NAME")] = None
    rows: Annotated[int, Option("findings shown", parse=positive, metavar="N")] = 20
    wide: _Wide = False


@dataclass(frozen=True, slots=True)
class ExplainRequest:
    """Whose words are explained."""

    compiler: Annotated[
        CompilerKind | None,
        Option("whose words (default: of all)", parse=str, choices=get_args(CompilerKind)),
    ] = None
