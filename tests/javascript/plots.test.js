import assert from "node:assert/strict";
import { test } from "node:test";
import { onOneScale, sharedAxes } from "./components/plot_axes.js";
import { axisFor, logarithmicTicks } from "./components/plot_curve.js";
import { binCount } from "./components/plot_distribution.js";
import { axisLimits, beyondAxis, linear, quantileOf, tickText, ticks } from "./components/plot_frame.js";
import { middleCut } from "./components/plot_intervals.js";
import { PlottedSample } from "./components/plot_sample.js";

/** @param {number[]} values @param {object} [others] @returns {any} */
function raw(values, others = {}) {
  return { name: "a", group: "", scale: [0.001, "ms"], count: values.length, values, outliers: [], far: 0, ...others };
}

test("ticks are round numbers, all different", () => {
  assert.deepEqual(ticks(0.3, 10.2, 5), [2, 4, 6, 8, 10]);
  assert.deepEqual(ticks(-1, 1, 4), [-1, -0.5, 0, 0.5, 1]);
  assert.deepEqual(ticks(5, 5, 4), [5]);
  assert.ok(ticks(1e300, 1e300 * (1 + 1e-15), 4).length <= 100);
  assert.deepEqual(ticks(41.07, 41.23, 3).map((value, _, all) => tickText(value, all)), ["41.1", "41.2"]);
  assert.equal(tickText(2_000_000, [1_000_000, 2_000_000]), "2,000,000");
});

test("an axis shows all values but those far out, and what else must be seen", () => {
  const values = [10, 11, 12, 13, 1000];
  const limits = axisLimits(values);
  assert.ok(limits[0] < 10 && limits[1] > 13 && limits[1] < 20);
  assert.deepEqual(beyondAxis(values, limits), { above: "1 beyond", below: "" });
  assert.ok(axisLimits(values, [-50])[0] < -50);
  assert.ok(axisLimits([7, 7])[0] < 7 && axisLimits([7, 7])[1] > 7);
});

test("an axis is logarithmic where the least would not be seen beside the largest", () => {
  const plain = axisFor([1, 2, 20], 0, 100);
  assert.ok(!plain.isLogarithmic && plain.limits[0] < 1 && plain.limits[1] > 20);
  const wide = axisFor([1, 10, 100, 1000], 0, 100);
  assert.ok(wide.isLogarithmic);
  const places = [1, 10, 100, 1000].map((value) => Math.round(wide.place(value)));
  assert.equal(places[1] - places[0], places[3] - places[2]);
  assert.equal(wide.place(0), 0);
  assert.ok(!axisFor([0, 1000], 0, 1).isLogarithmic && !axisFor([-5, 1000], 0, 1).isLogarithmic);
  assert.ok(Number.isFinite(axisFor([7], 0, 100).place(7)));
  assert.deepEqual(logarithmicTicks(0.9, 1100), [1, 10, 100, 1000]);
  assert.deepEqual(logarithmicTicks(3, 90), [5, 10, 20, 50]);
  assert.deepEqual(logarithmicTicks(0.0002, 0.003), [0.0002, 0.0005, 0.001, 0.002]);
});

test("quantiles lie between values", () => {
  assert.equal(quantileOf([0, 1, 2, 3], 0.25), 0.75);
  assert.equal(quantileOf([4], 0.75), 4);
  assert.equal(linear(0, 10, 100, 200)(5), 150);
});

test("there are as many bins as can be seen", () => {
  assert.equal(binCount([1], 1), 1);
  assert.equal(binCount([1, 1, 1, 9], 8), 4);
  assert.equal(binCount([1, 1, 1, 1, 1, 9], 8), 30);
  assert.equal(binCount(Array.from({ length: 100_000 }, (_, i) => i), 100_000), 47);
});

test("a sample is in its unit and says what is to be seen", () => {
  const sample = new PlottedSample(raw([0.01, 0.0123456], { mean: [0.011, 0.0105, null], median: 0.0112, at: [0, 7], count: 8, outliers: [1] }));
  assert.equal(sample.values[0], 10);
  assert.equal(sample.told(1), "8: 12.346 ms, far from the others");
  assert.equal(sample.label, "8 values of a, mean 11 ms [10.5 ms, \u221e], median 11.2 ms");
  assert.deepEqual(sample.interval, [10.5, Infinity]);
  assert.equal(new PlottedSample(raw([1], { mean: [1, null, null] })).interval, null);
});

test("samples of a group share an axis, unless that would press one flat", () => {
  const near = sharedAxes([raw([0.01, 0.011], { group: "g" }), raw([0.012, 0.013], { group: "g" })]);
  assert.deepEqual(near[0].limits, near[1].limits);
  const apart = sharedAxes([raw([0.01, 0.011], { group: "g" }), raw([5, 9], { group: "g", scale: [1, "s"] }), raw([1, 2])]);
  assert.ok(apart[0].limits[1] < 20 && apart[0].sample.unit === "ms");
  assert.ok(apart[1].limits[0] > 4 && apart[1].sample.unit === "s");
});

test("what is on one axis is in one unit", () => {
  const [first, second] = onOneScale([raw([0.01]), raw([5], { scale: [1, "s"] })]);
  assert.deepEqual([first.unit, second.unit, first.values[0]], ["s", "s", 0.01]);
});

test("a long name keeps its ends", () => {
  assert.equal(middleCut("interpreter", 5), "in\u2026er");
  assert.equal(middleCut("short", 5), "short");
});
