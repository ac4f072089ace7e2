import assert from "node:assert/strict";
import { test } from "node:test";
import { counted, decimalsFor, formatAmount, formatExactly, formatFraction, formatShare } from "./components/text.js";

test("amounts have three digits and the unit that is next", () => {
  const written = [[0, "duration"], [789, "duration"], [45_600_000, "duration"], [1.234e12, "duration"], [9_999, "count"], [12_345, "count"], [1023, "bytes"], [1536, "bytes"], [1.5, "ratio"], [0.123, "share"], [0.00012, "number"], [1234567, "number"], [0.5, "count"]].map(([value, unit]) => formatAmount(Number(value), String(unit)));
  assert.deepEqual(written, ["0 ns", "789 ns", "45.6 ms", "1,234 s", "9,999", "12.3 k", "1,023 B", "1.50 KiB", "1.500\u00d7", "12.3%", "0.00012", "1,234,567", "0.5"]);
});

test("changes have signs, nothing has none", () => {
  assert.deepEqual([5, -5, 0].map((value) => formatAmount(value, "count", true)), ["+5", "\u22125", "0"]);
  assert.equal(formatAmount(-1_500_000, "duration"), "\u22121.50 ms");
  assert.equal(formatAmount(-0.02, "share"), "\u22122.0%");
});

test("what is not finite is told", () => {
  assert.deepEqual([Infinity, -Infinity, NaN].map((value) => formatAmount(value, "ratio")), ["\u221e", "\u2212\u221e", "-"]);
  assert.equal(formatFraction(Infinity), "\u221e");
});

test("small shares are not nothing, shares of nothing are none", () => {
  assert.deepEqual([formatShare(1, 1e6), formatShare(0, 5), formatShare(5, 0), formatShare(5, null)], ["<0.1%", "0.0%", "-", "-"]);
});

test("all digits are told where there is room", () => {
  assert.equal(formatExactly(945_775_974, "count"), "945,775,974");
  assert.equal(formatExactly(2049, "bytes"), "2.00 KiB (2,049 B)");
  assert.deepEqual([[1.0231456, "ratio"], [0.123456, "share"], [-0.0123, "points"], [0.0000123, "p-value"]].map(([value, unit]) => formatExactly(Number(value), String(unit))), ["1.02315\u00d7", "12.3456%", "\u22121.23 pp", "0.0000123"]);
});

test("sizes that are whole are written so", () => {
  assert.deepEqual([32768, 32769, 2 ** 40, 3 * 2 ** 20].map((size) => formatAmount(size, "bytes")), ["32 KiB", "32.0 KiB", "1 TiB", "3 MiB"]);
});

test("points and p-values are written as in papers", () => {
  assert.deepEqual([formatAmount(0.0123, "points", true), formatAmount(-0.5, "points"), formatAmount(0.0123, "p-value"), formatAmount(1e-9, "p-value")], ["+1.2 pp", "\u221250.0 pp", "0.012", "< 0.001"]);
});

test("an interval has the decimals by which its ends differ", () => {
  assert.equal(decimalsFor("ratio", { amount: 1.0231, low: 1.0112, high: 1.0349 }), 3);
  assert.equal(decimalsFor("ratio", { amount: 41, low: 30, high: 52 }), 2);
  assert.equal(decimalsFor("ratio", { amount: 1, low: 0.998, high: 1.002 }), 3);
  assert.equal(decimalsFor("number", { amount: 1.0234, low: 1.0154, high: 1.0314 }), 3);
  assert.equal(decimalsFor("duration", { amount: 1, low: 0, high: 2 }), -1);
  assert.equal(decimalsFor("number", { amount: 1, low: -Infinity, high: Infinity }), -1);
  assert.equal(formatAmount(1.0231, "ratio", false, 3), "1.023\u00d7");
});

test("counts have their noun", () => {
  assert.deepEqual([counted(1, "row"), counted(2000, "row")], ["1 row", "2,000 rows"]);
});
