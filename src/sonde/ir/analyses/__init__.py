"""What is true of a function's control flow and values: computed once, asked often, valid until one edits."""

from sonde.ir.analyses.block_counts import BlockCounts
from sonde.ir.analyses.block_frequencies import BlockFrequencies, branch_weights, entry_count
from sonde.ir.analyses.branch_guesses import guessed_frequencies
from sonde.ir.analyses.call_graph import Call, CallGraph
from sonde.ir.analyses.control_flow import ControlFlow, Edge
from sonde.ir.analyses.cost_regions import CostRegion, cost_regions, counted_costs, guessed_costs
from sonde.ir.analyses.def_use import DefUse, RecordUse, Use
from sonde.ir.analyses.dominators import DominatorTree, dominators, post_dominators
from sonde.ir.analyses.global_uses import GlobalUse, GlobalUses
from sonde.ir.analyses.instruction_costs import InstructionCost, instruction_cost
from sonde.ir.analyses.liveness import Liveness
from sonde.ir.analyses.loops import IrreduciblePart, Loop, LoopForest
from sonde.ir.analyses.place import Place
from sonde.ir.analyses.reaching_definitions import ReachingDefinitions
from sonde.ir.analyses.reaching_stores import ReachingStores
from sonde.ir.analyses.strongly_connected import strongly_connected_parts
from sonde.ir.analyses.unit_costs import DividedCycles, InlinedPart, UnitCosts

__all__ = [
    "BlockCounts",
    "BlockFrequencies",
    "Call",
    "CallGraph",
    "ControlFlow",
    "CostRegion",
    "DefUse",
    "DividedCycles",
    "DominatorTree",
    "Edge",
    "GlobalUse",
    "GlobalUses",
    "InlinedPart",
    "InstructionCost",
    "IrreduciblePart",
    "Liveness",
    "Loop",
    "LoopForest",
    "Place",
    "ReachingDefinitions",
    "ReachingStores",
    "UnitCosts",
    "RecordUse",
    "Use",
    "branch_weights",
    "cost_regions",
    "counted_costs",
    "dominators",
    "guessed_costs",
    "guessed_frequencies",
    "entry_count",
    "instruction_cost",
    "post_dominators",
    "strongly_connected_parts",
]
