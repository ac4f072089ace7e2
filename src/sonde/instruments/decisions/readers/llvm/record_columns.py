"""What is taken from the columns of remarks in bulk: where functions begin, and lines that are known to be in them."""

from collections.abc import Callable, Mapping, Sequence

from sonde.instruments.decisions.readers.llvm.call_chain import AT_CALL_SITE, INLINERS, PROMOTION, signed_line
from sonde.instruments.decisions.readers.llvm.remark_decisions import RemarkDecisions
from sonde.instruments.decisions.readers.llvm.source_places import SourceFunctions, SourceStart
from sonde.instruments.decisions.remarks import Remarks

_NONE = 0xFFFFFFFF
"""No place."""
_CODE_PASSES = frozenset({"prologepilog", "asm-printer", "stack-frame-layout", "size-info"})
"""Passes with a remark on the whole of each function: its place is where the function begins, in column 0."""


class RecordColumns:
    """The columns of remarks, with what their numbered strings mean looked up once."""

    def __init__(self, remarks: Remarks) -> None:
        self.remarks = remarks
        self.decisions = RemarkDecisions(remarks)
        self._is_inliner = _Once(lambda number: remarks.text(number) in INLINERS)
        self._is_about_calls = _Once(lambda number: remarks.text(number) in (*INLINERS, PROMOTION))
        self._is_code_pass = _Once(lambda number: remarks.text(number) in _CODE_PASSES)
        self._is_function = _Once(lambda number: remarks.text(number) in ("Callee", "Caller"))
        self._is_line = _Once(lambda number: remarks.text(number) == "Line")
        self._is_call_site = _Once(lambda number: AT_CALL_SITE in remarks.text(number))

    def is_about_calls(self, row: int) -> bool:
        """Whether a remark is of a pass that decides on calls."""
        return self._is_about_calls[self.remarks.passes[row]]

    def functions_in(self, rows: Mapping[str, Sequence[int]]) -> SourceFunctions:
        """Where the functions of an object file begin, and lines of calls in them.

        Where they begin is told of callers, of callees, and of the code that LLVM made. Of functions that a front end
        inlined only the line of their declaration is known, which has to do.

        Args:
            rows: the remarks about each function, by its symbol.
        Cost: O(remarks + arguments of remarks about calls).
        """
        begins: dict[str, SourceStart] = {}
        declared: dict[str, SourceStart] = {}
        calls: list[tuple[str, SourceStart]] = []
        passes = self.remarks.passes
        is_inliner, is_code_pass = self._is_inliner, self._is_code_pass
        for symbol, own in rows.items():
            for row in own:
                which = passes[row]
                if is_inliner[which]:
                    self._read_call(row, begins, declared, calls)
                elif is_code_pass[which] and symbol not in begins:
                    place = self.remarks.places[row]
                    if place != _NONE and not self.remarks.place_columns[place]:
                        self._begin(symbol, place, begins)
        for name, begin in declared.items():
            begins.setdefault(name, begin)
        inside: dict[SourceStart, set[int]] = {}
        for name, (file, line) in calls:
            if name in begins and begins[name][0] == file:
                inside.setdefault(begins[name], set()).add(line)
        return SourceFunctions(begins, declared, inside)

    def _read_call(
        self,
        row: int,
        begins: dict[str, SourceStart],
        declared: dict[str, SourceStart],
        calls: list[tuple[str, SourceStart]],
    ) -> None:
        remarks = self.remarks
        keys, values, places = remarks.argument_keys, remarks.argument_values, remarks.argument_places
        is_function, is_call_site = self._is_function, self._is_call_site
        end = remarks.first_arguments[row + 1]
        for at in range(remarks.first_arguments[row], end):
            if places[at] != _NONE:
                if is_function[keys[at]]:
                    self._begin(remarks.text(values[at]), places[at], begins)
            elif is_call_site[values[at]] and remarks.places[row] != _NONE:
                # function, colon, line: the function that has the call, and the line from its declaration
                if at + 3 < end and self._is_line[keys[at + 3]]:
                    name, place = remarks.text(values[at + 1]), remarks.places[row]
                    file, line = remarks.text(remarks.place_files[place]), remarks.place_lines[place]
                    declared.setdefault(name, (file, line - signed_line(remarks.text(values[at + 3]))))
                    calls.append((name, (file, line)))
                return

    def _begin(self, symbol: str, place: int, begins: dict[str, SourceStart]) -> None:
        line = self.remarks.place_lines[place]
        if line:  # of functions that are only declared here it is 0
            begins.setdefault(symbol, (self.remarks.text(self.remarks.place_files[place]), line))


class _Once(dict[int, bool]):
    """Answers about numbered strings; each is asked once."""

    def __init__(self, ask: Callable[[int], bool]) -> None:
        super().__init__()
        self._ask = ask

    def __missing__(self, number: int) -> bool:
        answer = self[number] = self._ask(number)
        return answer
