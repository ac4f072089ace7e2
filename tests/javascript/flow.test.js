// Where the edges of a control-flow graph run.

import assert from "node:assert/strict";
import { test } from "node:test";
import { lanesOf } from "./components/flow_lanes.js";

/** @param {import("./components/flow_lanes.js").Span} a @param {import("./components/flow_lanes.js").Span} b */
function meet(a, b) {
  for (let row = Math.min(a.from, a.to); row <= Math.max(a.from, a.to); row++) {
    if (row >= Math.min(b.from, b.to) && row <= Math.max(b.from, b.to)) return true;
  }
  return false;
}

test("spans that share a row have lanes of their own, however they are nested", () => {
  let seed = 7;
  const next = (/** @type {number} */ most) => (seed = (seed * 48271) % 2147483647) % most;
  for (let round = 0; round < 50; round++) {
    const spans = Array.from({ length: 12 }, () => ({ from: next(20), to: next(20) }));
    const lanes = lanesOf(spans, 12);
    spans.forEach((a, i) => spans.forEach((b, j) => assert.ok(i === j || lanes[i] !== lanes[j] || !meet(a, b))));
  }
});

test("short edges are near the blocks, and lanes are used again", () => {
  assert.deepEqual(lanesOf([{ from: 0, to: 9 }, { from: 1, to: 3 }, { from: 5, to: 7 }], 5), [1, 0, 0]);
});

test("there are only so many lanes", () => {
  const spans = Array.from({ length: 9 }, () => ({ from: 4, to: 0 }));
  assert.deepEqual([...lanesOf(spans, 3)].sort(), [0, 1, 2, 2, 2, 2, 2, 2, 2]);
});
