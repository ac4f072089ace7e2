"""Reports: an answer as a value, which `sonde.render` writes for a terminal, a browser, a program or a pull request.

A report is made of blocks. Tables have columns that know their unit, what they are a share of and what may go when it
gets narrow; cells are values, never text that was formatted before. Names and places in cells are `sonde.code`'s, so
that a page can show everything that is known of a function when it is selected anywhere.
"""

from sonde.report.cells import (
    Amount,
    Bins,
    Cell,
    Change,
    Estimated,
    Margin,
    Named,
    Part,
    Quantity,
    Record,
    Unit,
    Values,
    weight_of,
)
from sonde.report.change_words import amount_text, short_name, times_text, total_change
from sonde.report.flame import FlameGraph, FrameWeights
from sonde.report.flow_chart import FlowBlock, FlowChart, FlowEdge, FlowWay
from sonde.report.joined import function_of, joined_report
from sonde.report.plot import Plot, PlotKind, Sample
from sonde.report.report import Block, Report
from sonde.report.side_by_side import SideBySide
from sonde.report.table import DISPENSABLE, Axis, Column, LazyRows, Listing, MoreOf, Row, Shown, Table, Tone
from sonde.report.timeline import Timeline, TimelineLane
from sonde.report.words import Fact, Facts, Findings, Note, Notices

__all__ = [
    "DISPENSABLE",
    "Amount",
    "Axis",
    "Bins",
    "Block",
    "Cell",
    "Change",
    "Column",
    "Fact",
    "Facts",
    "Findings",
    "Estimated",
    "FlameGraph",
    "FlowBlock",
    "FlowChart",
    "FlowEdge",
    "FlowWay",
    "FrameWeights",
    "LazyRows",
    "Listing",
    "Margin",
    "MoreOf",
    "Named",
    "Note",
    "Notices",
    "Part",
    "Plot",
    "PlotKind",
    "Quantity",
    "Record",
    "Report",
    "Row",
    "Sample",
    "Shown",
    "SideBySide",
    "Table",
    "Timeline",
    "TimelineLane",
    "Tone",
    "Unit",
    "Values",
    "amount_text",
    "function_of",
    "joined_report",
    "short_name",
    "times_text",
    "total_change",
    "weight_of",
]
