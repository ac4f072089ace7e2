"""LLVM IR as a small editable model: parse what LLVM prints, look, edit, print, let LLVM verify.

Names are text as LLVM writes it: `%x` is a value, a block or a named type, `@f` a global. An instruction is its text
cut at the local names it uses, so that whatever the model does not know is carried verbatim.
"""

from sonde.ir.block import Block
from sonde.ir.call_site import CALLS, Argument, CallSite, call_site
from sonde.ir.debug_location import SourceFrame, SourceFrames
from sonde.ir.function import Function
from sonde.ir.global_value import GlobalValue
from sonde.ir.instruction import TERMINATORS, DebugRecord, Instruction
from sonde.ir.module import Module
from sonde.ir.names import is_number
from sonde.ir.numbering import number_all_anew
from sonde.ir.operand_bundles import add_bundle, bundle_of, drop_bundles, has_bundles
from sonde.ir.operands import Operand, operands_of, result_type, value_types
from sonde.ir.parse import parse_module
from sonde.ir.phi import Incoming, incoming_of, make_phi, phi_type, set_incoming
from sonde.ir.print import print_function, print_module
from sonde.ir.purity import flags_of, is_plain_load, is_pure
from sonde.ir.signature import Parameter, Signature, parse_signature
from sonde.ir.source_functions import SourceFunction, source_function, source_functions
from sonde.ir.types import element_type, members_of, referenced_types, split_list

__all__ = [
    "CALLS",
    "TERMINATORS",
    "Argument",
    "Block",
    "CallSite",
    "DebugRecord",
    "Function",
    "GlobalValue",
    "Incoming",
    "Instruction",
    "Module",
    "Operand",
    "Parameter",
    "Signature",
    "SourceFrame",
    "SourceFrames",
    "SourceFunction",
    "add_bundle",
    "bundle_of",
    "call_site",
    "drop_bundles",
    "element_type",
    "flags_of",
    "has_bundles",
    "incoming_of",
    "is_number",
    "is_plain_load",
    "is_pure",
    "make_phi",
    "members_of",
    "number_all_anew",
    "operands_of",
    "parse_module",
    "parse_signature",
    "phi_type",
    "referenced_types",
    "print_function",
    "print_module",
    "result_type",
    "set_incoming",
    "source_function",
    "source_functions",
    "split_list",
    "value_types",
]
