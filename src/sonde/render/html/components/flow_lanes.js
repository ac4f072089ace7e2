// Where the edges of a control-flow graph run beside its blocks, which stand below one another. No document in here.

/** @typedef {{from: number, to: number}} Span rows */

/**
 * Short edges near the blocks, long ones outside; two that share a row never share a lane, while there are lanes.
 * @param {Span[]} spans @param {number} most lanes; what needs more is in the outermost
 * @returns {number[]} lanes from 0, by span
 */
export function lanesOf(spans, most) {
  const order = spans.map((_, i) => i).sort((a, b) => lengthOf(spans[a]) - lengthOf(spans[b]) || a - b);
  /** @type {Span[][]} */
  const taken = [];
  const lanes = new Array(spans.length).fill(0);
  for (const i of order) {
    let lane = 0;
    while (lane < most - 1 && taken[lane]?.some((other) => overlap(other, spans[i]))) lane++;
    (taken[lane] ??= []).push(spans[i]);
    lanes[i] = lane;
  }
  return lanes;
}

/** @param {Span} span @returns {number} */
function lengthOf({ from, to }) {
  return Math.abs(to - from);
}

/** @param {Span} a @param {Span} b @returns {boolean} */
function overlap(a, b) {
  return Math.min(a.from, a.to) <= Math.max(b.from, b.to) && Math.min(b.from, b.to) <= Math.max(a.from, a.to);
}
