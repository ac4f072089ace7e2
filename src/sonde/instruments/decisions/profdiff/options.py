"""What profdiff can be asked to do differently."""

from dataclasses import dataclass, field

from sonde.instruments.decisions.experiments import CompareOptions, HeatPolicy, TreeOptions


@dataclass(frozen=True, slots=True)
class ProfdiffOptions:
    """The options of profdiff, with its defaults."""

    heat: HeatPolicy = field(default_factory=HeatPolicy)
    tree: TreeOptions = field(default_factory=TreeOptions)
    context_tree: bool = False
    """Show optimization-context trees instead of inlining trees and optimization trees."""
    diff_compilations: bool = True
    """Compare compilations; else show those of both sides."""
    long_bci: bool = False
    """Show all methods and bytecode indices of a position."""
    prune_identities: bool = True
    """Of a comparison show only what differs, and what it is in."""
    create_fragments: bool = True
    """Cut hot methods out of the units into which they were inlined."""
    inliner_reasoning: bool = False
    """Show what the inliner said of every call."""

    @property
    def compare(self) -> CompareOptions:
        """How compilations are compared."""
        return CompareOptions(tree=self.tree, prune=self.prune_identities, context=self.context_tree)
