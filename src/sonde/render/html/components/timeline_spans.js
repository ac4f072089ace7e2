// The spans of a timeline: unpacked, and which of them can be seen. No document in here.

/** @import { RawTimeline } from "./report_data.js" */

const LAST_TICK = 2 ** 32 - 1;

/** @typedef {{group: string, depth: number, starts: Float64Array, ends: Float64Array, names: Uint16Array, counts: Uint32Array}} Lane times in nanoseconds */

/** @param {RawTimeline} raw @returns {Lane[]} */
export function lanesOfTimeline(raw) {
  const text = atob(raw.data);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  const view = new DataView(bytes.buffer);
  const count = raw.lanes.reduce((sum, [, , spans]) => sum + spans, 0);
  const unit = raw.duration / LAST_TICK;
  let first = 0;
  return raw.lanes.map(([group, depth, spans]) => {
    const lane = { group, depth, starts: new Float64Array(spans), ends: new Float64Array(spans), names: new Uint16Array(spans), counts: new Uint32Array(spans) };
    for (let i = 0; i < spans; i++) {
      const at = first + i;
      const start = view.getUint32(4 * at, true);
      lane.starts[i] = start * unit;
      lane.ends[i] = (start + view.getUint32(4 * (count + at), true)) * unit;
      lane.counts[i] = view.getUint32(4 * (2 * count + at), true);
      lane.names[i] = view.getUint16(12 * count + 2 * at, true);
    }
    first += spans;
    return lane;
  });
}

/** @param {Float64Array} values ascending @param {number} wanted @param {number} [from] @returns {number} the first that is not less */
export function lowerBound(values, wanted, from = 0) {
  let [low, high] = [from, values.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The spans that can be seen: of those that share a pixel, the first. So the number of pixels bounds the work, however many
 * spans there are.
 * @param {Lane} lane @param {number} from nanoseconds @param {number} to @param {number} pixels between them
 * @param {(span: number, left: number, right: number) => void} draw
 */
export function visitSpans(lane, from, to, pixels, draw) {
  const scale = pixels / (to - from);
  let i = lowerBound(lane.ends, from);
  while (i < lane.starts.length && lane.starts[i] < to) {
    const left = (lane.starts[i] - from) * scale;
    const right = (lane.ends[i] - from) * scale;
    draw(i, Math.max(left, 0), Math.min(Math.max(right, left + 1), pixels));
    i = right - left >= 1 ? i + 1 : lowerBound(lane.starts, from + (Math.floor(left) + 1) / scale, i + 1);
  }
}

/** @param {Lane} lane @param {number} time @param {number} slack nanoseconds of a pixel @returns {number} the span at a time; -1: none is */
export function spanAt(lane, time, slack) {
  const i = lowerBound(lane.ends, time);
  if (i < lane.starts.length && lane.starts[i] <= time + slack) return i;
  return i > 0 && lane.ends[i - 1] >= time - slack ? i - 1 : -1;
}
