"""Functions as a module of their own, with declarations of all that they use."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sonde.ir.edits.block_addresses import move_block_addresses
from sonde.ir.edits.clone_function import copy_blocks
from sonde.ir.edits.linkage import (
    declaration_of,
    declared_alias,
    declared_global,
    global_with_linkage,
    is_exact,
    is_local,
    linkage_of,
    with_linkage,
    without_comdat,
)
from sonde.ir.edits.own_metadata import metadata_roots, references
from sonde.ir.function import Function
from sonde.ir.global_value import GlobalValue
from sonde.ir.module import Module
from sonde.ir.names import globals_in, rename_globals
from sonde.ir.signature import Signature
from sonde.ir.types import referenced_types

_KEPT_LISTS = ("!llvm.module.flags", "!llvm.ident", "!llvm.errno.tbaa")
_UNITS = "!llvm.dbg.cu"
_LISTS_OF_UNIT = re.compile(r", (?:enums|retainedTypes|globals|imports|macros): !\d+")
_GROUP = re.compile(r'"[^"]*"|#(\d+)')
_LONGEST_CONSTANT = 4_000
"""Constants with longer texts are only declared: to read a large table with each function costs more than it gains."""


def extract_functions(
    module: Module,
    names: Sequence[str],
    *,
    renamed: Mapping[str, str] | None = None,
    inlinable: Collection[str] = (),
) -> Module:
    """Copy functions into a new module, from which they can be compiled and linked with the rest.

    What the functions use is declared there; small constants are given with their values as well, where the value is
    certain, so that LLVM may compute with them (`available_externally`). Local constants whose address does not
    matter, and tables of block addresses, are copied. The new module's debug information leads from instructions and
    variables to files and types; its lists of all globals and imports are left out.

    Args:
        names: become definitions of external linkage and default visibility, in no comdat.
        renamed: name -> the name that the definition gets, `suffixed(name, ".1")` say. Mentions of the old name,
            recursive calls included, stay mentions of the old name, which is declared.
        inlinable: definitions that the functions use directly or through one another are given with their bodies,
            which LLVM may inline and does not generate code for; what may be replaced at link time is not.
    Raises:
        ValueError: a function is not defined here, a new name is taken, something used is local to the module and not
            promoted (see `promote_internals`), or a table holds the addresses of blocks of other functions too.
    Guarantee: `module` is not changed, and shares nothing with the result that can change.
    Cost: some 4 us for each instruction and metadata node that is taken along, however large the module.
    """
    extraction = _Extraction(module, dict(renamed or {}), frozenset(inlinable))
    for name in names:
        extraction.define(name)
    extraction.follow()
    return extraction.finish()


@dataclass(slots=True)
class _Extraction:
    source: Module
    renamed: dict[str, str]
    inlinable: frozenset[str]
    result: Module = field(default_factory=Module)
    wanted: list[str] = field(default_factory=list)
    """Names that were mentioned and are not looked at yet."""
    groups: set[int] = field(default_factory=set)
    roots: set[int] = field(default_factory=set)
    type_texts: set[str] = field(default_factory=set)
    moved: dict[str, str] = field(default_factory=dict)
    """Functions that are defined here -> their names here."""

    def define(self, name: str) -> None:
        function = self.source.functions.get(name)
        if function is None or function.is_declaration:
            raise ValueError(f"{name} is not defined in the module")
        new_name = self.renamed.get(name, name)
        if new_name != name and (new_name in self.source.functions or new_name in self.source.globals):
            raise ValueError(f"{new_name} is taken")
        self.moved[name] = new_name
        self._add_body(function, new_name, "external")

    def follow(self) -> None:
        """Declare, or give, whatever is mentioned, until nothing new is."""
        while self.wanted:
            name = self.wanted.pop()
            if name in self.result.functions or name in self.result.globals:
                continue
            if name in self.source.functions:
                self._use_function(self.source.functions[name])
            elif name in self.source.globals:
                self._use_global(self.source.globals[name])
            else:
                raise ValueError(f"{name} is mentioned and not in the module")

    def finish(self) -> Module:
        source, result = self.source, self.result
        if any(old != new for old, new in self.moved.items()):
            for function in result.defined_functions():
                for instruction in function.instructions():
                    for at in range(0, len(instruction.pieces), 2):
                        instruction.pieces[at] = move_block_addresses(instruction.pieces[at], self.moved)
        result.header = [line for line in source.header if line.startswith(("source_filename", "target "))]
        self._take_metadata()
        result.types = referenced_types(" ".join(self.type_texts), source.types)
        result.attribute_groups = {each: source.attribute_groups[each] for each in sorted(self.groups)}
        return result

    def _use_function(self, function: Function) -> None:
        linkage = linkage_of(function.signature)
        if (
            function.name in self.inlinable
            and function.blocks
            and function.name not in self.moved
            and is_exact(linkage)
            and not self._has_block_addresses(function)
        ):
            self._refuse_local(function.name, linkage)
            self._add_body(function, function.name, "available_externally")
            return
        if function.blocks:
            self._refuse_local(function.name, linkage)
        self._declare(declaration_of(function.signature))

    def _use_global(self, value: GlobalValue) -> None:
        if value.kind in ("alias", "ifunc"):
            self._refuse_local(value.name, value.linkage)
            behind = self.source.functions.get(next(iter(globals_in(value.text)), ""))
            declared = declared_alias(value, behind.signature if behind and value.kind == "alias" else None)
            if isinstance(declared, Signature):
                self._declare(declared)
            else:
                self._add_global(value.name, declared)
        elif "blockaddress(" in value.text:
            self._take_table(value)
        elif is_local(value.linkage):
            if value.kind != "constant" or " unnamed_addr " not in value.text:
                self._refuse_local(value.name, value.linkage)
            self._add_global(value.name, global_with_linkage(value, "private"))
        elif (
            len(value.text) <= _LONGEST_CONSTANT
            and value.kind == "constant"
            and not value.is_declaration
            and is_exact(value.linkage)
            and not value.is_thread_local
            and "externally_initialized" not in value.text
        ):
            self._add_global(value.name, global_with_linkage(value, "available_externally"))
        else:
            self._add_global(value.name, declared_global(value))

    def _take_table(self, value: GlobalValue) -> None:
        text = move_block_addresses(global_with_linkage(value, "private"), self.moved)
        here = set(self.moved.values())
        for function in re.findall(r'blockaddress\((@(?:[-\w.$]+|"[^"]*")), ', text):
            if function not in here:
                raise ValueError(f"{value.name} holds block addresses of {function}: extract them together")
        self._add_global(value.name, text)

    def _add_body(self, function: Function, name: str, linkage: str) -> None:
        signature = with_linkage(function.signature, linkage).named(name)
        signature = replace(signature, suffix=without_comdat(signature.suffix))
        copy = Function(signature, copy_blocks(function))
        self.result.functions[name] = copy
        self._note_signature(signature)
        self.roots |= metadata_roots(copy)
        for instruction in copy.instructions():
            for piece in instruction.pieces[::2]:
                self._note(piece)
            for record in instruction.records:
                for piece in record.pieces[::2]:
                    self._note(piece)

    def _has_block_addresses(self, function: Function) -> bool:
        """Whether it names blocks, here or in a table: such a function is never inlined, and has one place to be."""
        for instruction in function.instructions():
            for piece in instruction.pieces[::2]:
                if "@" in piece:
                    tables = (self.source.globals.get(name) for name in globals_in(piece))
                    if "blockaddress(" in piece or any(each and "blockaddress(" in each.text for each in tables):
                        return True
        return False

    def _refuse_local(self, name: str, linkage: str) -> None:
        if is_local(linkage):
            raise ValueError(f"{name} is {linkage}: promote it first, so that other modules can use it")

    def _declare(self, signature: Signature) -> None:
        self.result.functions[signature.name] = Function(signature)
        self._note_signature(signature)

    def _add_global(self, name: str, text: str) -> None:
        self.result.add_global(name, text)
        self._note(text)

    def _note_signature(self, signature: Signature) -> None:
        self._note(str(signature.type))
        for parameter in signature.parameters:
            self._note(parameter.attributes)
        self._note(signature.prefix)
        self._note(signature.suffix)

    def _note(self, text: str) -> None:
        """Remember what a text mentions."""
        if "@" in text:
            self.wanted += globals_in(_without_addresses(text))
        if "%" in text and self.source.types:
            self.type_texts.add(text)
        if "#" in text:
            self.groups.update(int(match.group(1)) for match in _GROUP.finditer(text) if match.group(1))

    def _take_metadata(self) -> None:
        source = self.source.metadata
        taken: dict[int, str] = {}
        lists = {name: self.source.named_metadata[name] for name in _KEPT_LISTS if name in self.source.named_metadata}
        if "!llvm.module.flags" in lists:
            flags = references(lists["!llvm.module.flags"])
            kept = [
                flag for flag in flags if not any("@" in source[each] for each in (flag, *references(source[flag])))
            ]
            lists["!llvm.module.flags"] = _listed(kept)
        for text in lists.values():
            self.roots.update(references(text))
        waiting = [*self.roots]
        while waiting:
            node = waiting.pop()
            if node in taken or node not in source:
                continue
            text = source[node]
            if "!DICompileUnit(" in text:
                text = _LISTS_OF_UNIT.sub("", text)
            taken[node] = text
            waiting += references(text)
        if _UNITS in self.source.named_metadata:
            units = [unit for unit in references(self.source.named_metadata[_UNITS]) if unit in taken]
            if units:
                lists[_UNITS] = _listed(units)
        self.result.named_metadata = lists
        self.result.metadata = {node: self._only_known(taken[node]) for node in sorted(taken)}

    def _only_known(self, text: str) -> str:
        """Metadata may mention what nothing else mentions, and what other modules cannot name."""
        if "@" not in text:
            return text
        known = {*self.result.functions, *self.result.globals}
        return rename_globals(text, {name: "poison" for name in globals_in(text) if name not in known})


def _listed(nodes: Iterable[int]) -> str:
    return "!{" + ", ".join(f"!{node}" for node in nodes) + "}"


def _without_addresses(text: str) -> str:
    return re.sub(r'blockaddress\(@(?:[-\w.$]+|"[^"]*"), ', "blockaddress(", text)
