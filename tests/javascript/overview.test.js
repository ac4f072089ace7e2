import assert from "node:assert/strict";
import { test } from "node:test";
import { memberOf, nameMembers } from "./components/packed_samples.js";
import { autocorrelations, normalQuantile } from "./components/plot_checks.js";
import { medianPlace } from "./components/plot_overview.js";
import { PlottedSample } from "./components/plot_sample.js";
import { ReportData } from "./components/report_data.js";
import { filteringColumns, kindsIn } from "./components/row_filter.js";
import { findRows } from "./components/row_order.js";
import { rawReport } from "./report.js";

/** @param {number[]} levels @returns {string} */
function packed(levels) {
  return btoa(String.fromCharCode(...levels.flatMap((level) => [level & 255, level >> 8])));
}

const SAMPLE = { name: "a", group: "", scale: [0.001, "ms"], count: 2, values: [0.01, 0.02], outliers: [], far: 0 };

test("members are unpacked one by one", () => {
  const members = { low: 0.01, high: 0.02, names: ["first", "second"], lengths: [3, 2], steps: 1, from: [1, 0], to: [3, 2], data: packed([0, 65535, 0, 65535, 65535]) };
  const first = memberOf(SAMPLE, members, 0);
  assert.deepEqual([first.name, first.values, first.counted, first.scale], ["first", [0.01, 0.02, 0.01], [1, 3], SAMPLE.scale]);
  assert.deepEqual(memberOf(SAMPLE, members, 1).values, [0.02, 0.02]);
});

test("of a thinned member, a value tells of its stretch", () => {
  const members = { low: 0, high: 65535, names: ["m"], lengths: 25, steps: 10, data: packed([1, 9, 2, 8, 3, 7]) };
  const member = new PlottedSample(memberOf(SAMPLE, members, 0), [1, "s"]);
  assert.deepEqual(member.values, [1, 9, 2, 8, 3, 7]);
  assert.deepEqual([0, 1, 2, 5].map((i) => member.placeOf(i)), [0, 5, 10, 24]);
  assert.equal(member.told(0), "least of 1 to 10: 1 s");
  assert.equal(member.told(5), "greatest of 21 to 25: 7 s");
});

test("texts stand in the place of their numbers", () => {
  const raw = rawReport();
  raw.blocks.push({ block: "plot", samples: [{ gaps: [[4, 2]], members: { names: [1, 0] } }, {}] });
  nameMembers(raw);
  assert.deepEqual(raw.blocks.at(-1).samples[0], { gaps: [[4, "sort"]], members: { names: ["app.py", "run"] } });
});

test("a sample without some values counts those that it has", () => {
  const sample = new PlottedSample({ ...SAMPLE, at: [0, 2], count: 3, missing: 1, gaps: [[1, "failed"]] });
  assert.equal(sample.label, "2 values of a");
  assert.equal(sample.gapText(1), "2: failed");
  assert.equal(sample.told(1), "3: 20 ms");
});

test("quantiles of a normal distribution are off by less than a plot shows", () => {
  for (const [probability, expected] of [[0.5, 0], [0.975, 1.959964], [0.025, -1.959964], [0.001, -3.090232]]) assert.ok(Math.abs(normalQuantile(probability) - expected) < 0.00045);
});

test("neighbours that alternate are unlike, those two apart alike", () => {
  const found = autocorrelations([1, 2, 1, 2, 1, 2, 1, 2]);
  assert.equal(found.length, 4);
  assert.ok(found[0] < -0.8 && found[1] > 0.7);
  assert.deepEqual(autocorrelations([3, 3, 3, 3]), [0, 0]);
});

test("the median value is one that was measured", () => {
  assert.equal(medianPlace([5, 1, 3]), 2);
  assert.equal(medianPlace([5, 1, 3, 4]), 2);
});

test("columns of few texts filter rows, with words", () => {
  const raw = rawReport();
  const types = raw.blocks.find((/** @type {any} */ block) => block.key === "types");
  types.columns.push({ key: "kind", title: "kind", unit: "text", whole: null, category: true, form: "text", values: [0, 2] });
  const lines = raw.blocks.find((/** @type {any} */ block) => block.key === "lines");
  lines.columns.push({ key: "kind", title: "kind", unit: "text", whole: null, category: true, form: "text", values: [0, 2, 0, 2] });
  const table = new ReportData(raw).tables[2];
  assert.deepEqual(filteringColumns(new ReportData(raw).tables[1]), [3]);
  assert.deepEqual(filteringColumns(table), [], "each row is the only one of its kind");
  types.columns.at(-1).values = [0, 0];
  assert.deepEqual(filteringColumns(new ReportData(raw).tables[2]), [], "there is one kind");
  types.columns.at(-1).values = [0, 2];
  assert.deepEqual([...kindsIn(table, 2)], [["run", 1], ["sort", 1]]);
  assert.deepEqual([...findRows(table, [], (row) => row === 1)], [0, 2]);
  assert.deepEqual([...findRows(table, ["entry"], (row) => row === 1)], [0, 0]);
});
