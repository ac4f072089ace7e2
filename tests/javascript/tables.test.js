import assert from "node:assert/strict";
import { test } from "node:test";
import { cellInFull, cellTexts, rowName, textsInRow } from "./components/cell_text.js";
import { fitColumns } from "./components/column_fit.js";
import { columnsOfFile } from "./components/line_columns.js";
import { Links } from "./components/links.js";
import { ReportData, weightOf } from "./components/report_data.js";
import { ABOVE_FOUND, FOUND, findRows, openAtFirst, visibleRows, wordsOfSearch } from "./components/row_order.js";
import { Selection } from "./components/selection.js";
import { rawReport } from "./report.js";

const report = new ReportData(rawReport());
const [tree, lines, types] = report.tables;

test("cells are read by the form of their column", () => {
  assert.deepEqual(lines.cell(0, 1), { kind: "part", amount: 4, whole: 40 });
  assert.equal(lines.cell(3, 1), null);
  assert.equal(types.cell(0, 1), -Infinity);
  assert.equal(weightOf(types.cell(1, 1)), 3);
});

test("cells are written with what is faint beside them", () => {
  const texts = (table, row, at) => cellTexts(report, table.cell(row, at), table.columns[at]);
  assert.deepEqual(texts(tree, 1, 0), ["sort", "app.py:9"]);
  assert.deepEqual(texts(tree, 1, 1), ["30 ns", "30.0%"]);
  assert.deepEqual(texts(lines, 0, 1), ["4", "10.0%"]);
  assert.deepEqual(texts(lines, 1, 0), ["app.py:4", "run \u2192 app.py:10"]);
  assert.deepEqual(texts(lines, 3, 0), ["libx.so", "read"]);
  assert.deepEqual(texts(types, 1, 1), ["2 \u2192 5", "+3"]);
  assert.equal(cellInFull(report, lines.cell(1, 0), lines.columns[0]), "/src/app.py:4 in run\ninlined into /src/app.py:10 in sort");
});

test("a tree knows what stands above each row", () => {
  assert.deepEqual([...tree.parent], [-1, 0, 0, 2, -1]);
  assert.deepEqual([0, 1, 2, 3, 4].map((row) => tree.hasBelow(row)), [true, false, true, false, false]);
});

test("rows that are open are shown, siblings are sorted", () => {
  assert.deepEqual(visibleRows(tree, null, new Set(), null), [0, 4]);
  assert.deepEqual(visibleRows(tree, { column: 1, isDown: true }, new Set([0, 2]), null), [0, 2, 3, 1, 4]);
  assert.deepEqual(visibleRows(tree, { column: 1, isDown: false }, new Set([0]), null), [4, 0, 1, 2]);
});

test("what has no cell is last, in both directions", () => {
  assert.deepEqual(visibleRows(lines, { column: 2, isDown: true }, new Set(), null), [3, 2, 0, 1]);
  assert.deepEqual(visibleRows(lines, { column: 2, isDown: false }, new Set(), null), [0, 2, 3, 1]);
});

test("names are sorted by their letters", () => {
  assert.deepEqual(visibleRows(types, { column: 0, isDown: false }, new Set(), null), [0, 1]);
  assert.deepEqual(visibleRows(types, { column: 0, isDown: true }, new Set(), null), [1, 0]);
});

test("a search finds all words, and keeps what stands above", () => {
  const found = findRows(tree, wordsOfSearch(" READ  lib"));
  assert.deepEqual([...found], [ABOVE_FOUND, 0, ABOVE_FOUND, FOUND, 0]);
  assert.deepEqual(visibleRows(tree, null, new Set(), found), [0, 2, 3]);
});

test("a pattern is found between slashes; what is none is looked for by its letters", () => {
  assert.deepEqual([...findRows(tree, wordsOfSearch("/^(sort|x)$/"))], [ABOVE_FOUND, FOUND, FOUND, 0, 0]);
  assert.deepEqual(wordsOfSearch("/(/"), ["/(/"]);
});

test("the heaviest are open at first, as many as there is room for", () => {
  assert.deepEqual([...openAtFirst(tree, 40)], [0, 2]);
  assert.deepEqual([...openAtFirst(tree, 4)], [0]);
  assert.deepEqual([...openAtFirst(tree, 2)], []);
});

test("rows of the same line, function or name belong together, by what tells most", () => {
  const links = new Links(report);
  const told = (table, row) => links.related(links.keysOf(table, row), { table, row }).map((one) => [one.table.raw.key, one.rows]);
  assert.deepEqual(told(lines, 0), [["tree", [2, 1]]]);
  assert.deepEqual(told(tree, 1), [["tree", [2]], ["lines", [2, 0]]]);
  assert.deepEqual(told(types, 0), [["tree", [4]]]);
});

test("a selection knows all rows of its function, and where its file is", () => {
  const selection = new Selection(new Links(report));
  selection.selectRow(tree, 1);
  assert.equal(selection.current?.file, 0);
  assert.deepEqual([0, 1, 2, 3].map((row) => selection.isLinked(lines, row)), [true, false, true, false]);
  selection.selectLine(0, 10);
  assert.deepEqual(selection.current?.keys.functions, ["f1"]);
  selection.clear();
  assert.equal(selection.isLinked(lines, 0), false);
});

test("rows of a line are added where that has a meaning; trees would count twice", () => {
  const columns = columnsOfFile(new Links(report), 0);
  assert.deepEqual(columns.map(({ column }) => column.key), ["misses"]);
  assert.deepEqual(columns[0].cells.get(10), { kind: "part", amount: 10, whole: 100 });
  assert.deepEqual(columns[0].cells.get(4), { kind: "part", amount: 9, whole: 9 });
});

test("columns that are alike are one: a table adds lines that none before it has", () => {
  const raw = rawReport();
  raw.blocks.push({ ...raw.blocks[2], key: "more", rows: 1, columns: raw.blocks[2].columns.map((column) => ({ ...column, values: column.values.slice(0, 1) })) });
  const columns = columnsOfFile(new Links(new ReportData(raw)), 0);
  assert.equal(columns.length, 1);
  assert.deepEqual(columns[0].cells.get(10), { kind: "part", amount: 10, whole: 100 });
});

test("columns of joined reports are one if they are of one report", () => {
  const raw = rawReport();
  const [line, misses] = raw.blocks[2].columns;
  const joined = { ...misses, key: "memory_misses" };
  raw.blocks[2].of = "memory";
  raw.blocks.push({ ...raw.blocks[2], key: "joined", of: undefined, columns: [line, joined] }, { ...raw.blocks[2], key: "others", of: "time" });
  const columns = columnsOfFile(new Links(new ReportData(raw)), 0);
  assert.deepEqual(columns.map(({ table }) => table.raw.key), ["lines", "others"]);
});

/** A report with a table of functions, whose places are where these begin. @param {boolean} hasLines whether there is one of lines, too */
function withFunctions(hasLines) {
  const raw = rawReport();
  raw.places.push([0, 3, 0, []], [0, 9, 1, []]);
  const columns = [
    { key: "misses", title: "misses", unit: "count", whole: 50, shown: "share", form: "part", values: [40, 19], wholes: [80, 20] },
    { key: "function", title: "function", unit: "name", whole: null, form: "name", values: [0, 1] },
    { key: "place", title: "", unit: "place", whole: null, form: "place", values: [3, 4] },
    { key: "below", title: "why", unit: "text", whole: null, shown: "below", form: "mixed", values: [["v", 2, ["t", 2], ["t", 5]], null] },
    { key: "none", title: "none", unit: "count", whole: null, form: "number", values: [null, null] },
  ];
  raw.blocks.push({ ...raw.blocks[2], key: "functions", rows: 2, columns, left_out_below: { 1: 5 } });
  if (!hasLines) raw.blocks = raw.blocks.filter(({ key }) => key !== "lines");
  const report = new ReportData(raw);
  return { report, functions: report.tables[report.tables.length - 1] };
}

test("where functions begin is no line that was counted, if lines were", () => {
  const { report: made, functions } = withFunctions(true);
  assert.equal(functions.isOfFunctions, true);
  assert.equal(made.tables[1].isOfFunctions, false);
  assert.deepEqual([...new Links(made).linesOf(0).keys()].sort(), [10, 4]);
  const [column] = columnsOfFile(new Links(made), 0);
  assert.equal(column.cells.has(9), false);
  const alone = withFunctions(false);
  assert.deepEqual([...new Links(alone.report).linesOf(0).keys()], [3, 9]);
});

test("a function leads to all of its lines", () => {
  const { report: made, functions } = withFunctions(true);
  const links = new Links(made);
  const told = links.related(links.keysOf(functions, 1), { table: functions, row: 1 });
  assert.deepEqual(told.map((one) => [one.table.raw.key, one.rows]), [["tree", [2, 1]], ["lines", [2, 0]]]);
});

test("a name and a place of one function are told once, and the name comes first", () => {
  const { functions } = withFunctions(true);
  assert.deepEqual(functions.shown, [1, 0, 2]);
  assert.deepEqual([0, 1, 2].map((at) => textsInRow(functions, 0, at)), [["50.0%", ""], ["run", ""], ["app.py:3", ""]]);
  assert.equal(rowName(functions, 1), "sort");
  assert.deepEqual(textsInRow(tree, 1, 0), ["sort", "app.py:9"]);
});

test("sentences belong to their row, one by one; rows left out below are counted", () => {
  const { functions } = withFunctions(true);
  assert.deepEqual(functions.sentences(0).map(({ cell }) => cell), [{ kind: "text", text: "sort" }, { kind: "text", text: "read" }]);
  assert.deepEqual(functions.sentences(1), []);
  assert.deepEqual([functions.leftOutBelow(0), functions.leftOutBelow(1)], [0, 5]);
});

test("a table for programs alone shows all that it has", () => {
  const raw = rawReport();
  for (const column of raw.blocks[2].columns) column.shown = "data";
  assert.deepEqual(new ReportData(raw).tables[1].shown, [0, 1, 2]);
});

test("places before and after have no difference", () => {
  const change = report.cell(["c", ["l", 0], ["l", 1]]);
  assert.deepEqual(cellTexts(report, change, lines.columns[0]), ["app.py:10 \u2192 app.py:4", ""]);
  assert.match(cellInFull(report, change, lines.columns[0]), /^before \/src\/app.py:10 in sort, after /);
});

test("margins are rounded up, and told when they are too large", () => {
  const margin = (around, above, mayCross = false) => cellTexts(report, { kind: "margin", amount: 1000, around, above, mayCross }, lines.columns[1])[0];
  assert.deepEqual([margin(38, 81, true), margin(null, 0), margin(10_000, null), margin(null, null)], ["\u00b14% +9%?", "+0%", "\u00b1>999%", ""]);
});

test("columns go by priority where there is no room", () => {
  const wish = (least, priority, isFlexible = false) => ({ natural: least, least, priority, isFlexible });
  const wishes = [wish(100, 0, true), wish(50, 2), wish(60, 1), wish(70, 0)];
  assert.deepEqual(fitColumns(wishes, 400), [220, 50, 60, 70]);
  assert.deepEqual(fitColumns(wishes, 250), [120, 0, 60, 70]);
  assert.deepEqual(fitColumns(wishes, 100), [100, 0, 0, 70]);
});

test("columns that need more than their part get it, and the others share what is left", () => {
  const wish = (natural, least) => ({ natural, least, priority: 0, isFlexible: true });
  assert.deepEqual(fitColumns([wish(130, 130), wish(95, 95), wish(380, 130)], 400), [130, 95, 175]);
  assert.deepEqual(fitColumns([wish(100, 60), wish(300, 60)], 400), [100, 300]);
});

test("two trees side by side are a table with a lead on either side", () => {
  const column = (key, values) => ({ key, title: key, unit: "name", whole: null, form: "name", values });
  const sides = { ...rawReport().blocks[1], key: "both", columns: [column("left_what", [0, 1, null]), column("right_what", [0, null, 2])], rows: 3, depth: [0, 1, 1], tone: [0, 8, 9], right_mark: [0, 0, 7], sides: [["A", "A  old"], ["B", "B  new"]], more_of: ["tree", 1, "inlining"] };
  const { tables } = new ReportData({ ...rawReport(), blocks: [...rawReport().blocks, sides] });
  const both = tables[3];
  assert.deepEqual([both.half, both.lead, both.shown], [1, 0, [0, 1]]);
  assert.deepEqual([0, 1, 2].map((row) => both.tone(row)), ["", "first", "second"]);
  assert.equal(both.rightMark(2), "str");
  assert.equal(both.text(2), "entry");
});

test("a row leads to one of another table, if that is there", () => {
  const [first, ...others] = rawReport().blocks;
  const leads = { ...others[0], leads_to: { 1: ["types", 1], 2: ["types", 9], 3: ["none", 0] } };
  const { tables } = new ReportData({ ...rawReport(), blocks: [first, leads, ...others.slice(1)] });
  assert.deepEqual(tables[0].leadsTo(1), { table: tables[2], row: 1 });
  assert.deepEqual([0, 2, 3].map((row) => tables[0].leadsTo(row)), [null, null, null]);
});
