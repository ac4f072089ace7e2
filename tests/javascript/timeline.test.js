// Spans of a timeline: unpacked, and drawn no more often than there are pixels.

import assert from "node:assert/strict";
import { test } from "node:test";
import { lanesOfTimeline, lowerBound, spanAt, visitSpans } from "./components/timeline_spans.js";

const LAST_TICK = 2 ** 32 - 1;

/** @param {[number, number, number, number][]} spans start, length, count, name @returns {import("./components/report_data.js").RawTimeline} */
function packed(spans) {
  const view = new DataView(new ArrayBuffer(14 * spans.length));
  spans.forEach(([start, length, count, name], i) => {
    view.setUint32(4 * i, start, true);
    view.setUint32(4 * (spans.length + i), length, true);
    view.setUint32(4 * (2 * spans.length + i), count, true);
    view.setUint16(12 * spans.length + 2 * i, name, true);
  });
  const data = btoa(String.fromCharCode(...new Uint8Array(view.buffer)));
  return { block: "timeline", key: "when", title: "", notes: [], names: [0], duration: LAST_TICK, apart: 0, spans: spans.length, left_out: 0, lanes: [["main", 0, 1], ["main", 1, spans.length - 1]], marks: [], data };
}

test("lanes are unpacked one after the other", () => {
  const [outer, inner] = lanesOfTimeline(packed([[0, LAST_TICK, 1, 3], [5, 10, 1, 2], [100, 50, 7, 1]]));
  assert.deepEqual([[...outer.starts], [...outer.ends], [...outer.names]], [[0], [LAST_TICK], [3]]);
  assert.deepEqual([[...inner.starts], [...inner.ends], [...inner.counts]], [[5, 100], [15, 150], [1, 7]]);
});

test("of a million spans no more are drawn than there are pixels, and the work does not depend on them", () => {
  const n = 1_000_000;
  const lane = { group: "main", depth: 0, starts: Float64Array.from({ length: n }, (_, i) => 10 * i), ends: Float64Array.from({ length: n }, (_, i) => 10 * i + 6), names: new Uint16Array(n), counts: new Uint32Array(n) };
  for (const [from, to] of [[0, 10 * n], [5_000_000, 5_100_000], [77, 177]]) {
    let drawn = 0;
    visitSpans(lane, from, to, 1000, (span, left, right) => {
      assert.ok(lane.starts[span] < to && lane.ends[span] >= from && left >= 0 && right <= 1000);
      drawn++;
    });
    assert.ok(drawn > 0 && drawn <= 1001, String(drawn));
  }
});

test("every span that is a pixel wide is drawn", () => {
  const lane = { group: "main", depth: 0, starts: Float64Array.of(0, 10, 40, 90), ends: Float64Array.of(4, 30, 80, 99), names: new Uint16Array(4), counts: new Uint32Array(4) };
  /** @type {number[]} */
  const drawn = [];
  visitSpans(lane, 5, 95, 90, (span) => drawn.push(span));
  assert.deepEqual(drawn, [1, 2, 3]);
});

test("what is at a time, or next to it within a pixel", () => {
  const lane = { group: "main", depth: 0, starts: Float64Array.of(10, 40), ends: Float64Array.of(30, 80), names: new Uint16Array(2), counts: new Uint32Array(2) };
  assert.deepEqual([5, 12, 33, 39, 60, 90].map((time) => spanAt(lane, time, 2)), [-1, 0, -1, 1, 1, -1]);
  assert.equal(lowerBound(Float64Array.of(1, 3, 5), 4), 2);
});
