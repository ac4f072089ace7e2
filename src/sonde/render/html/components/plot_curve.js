// Means against a parameter, with their intervals: a line for each group of samples, named at its end; or dots alone, with
// the names of groups beside them.

/** @import { RawSample } from "./report_data.js" */
/** @import { Placing } from "./plot_frame.js" */
/** @import { PlottedSample } from "./plot_sample.js" */
import { svg } from "./elements.js";
import { onOneScale } from "./plot_axes.js";
import { drawing, linear, lineOf, textAt, ticks, withMargin } from "./plot_frame.js";
import { middleCut } from "./plot_intervals.js";
import { clamp } from "./text.js";

const CURVE_HEIGHT = 280; // pixels
const LOGARITHMIC_FROM = 30; // times as much at one end as at the other: what is small would not be seen
const LEAST_BETWEEN_TICKS = 46; // pixels
const LINE_NAME = 170;
const NAME_HEIGHT = 17;
const LINE_LETTER = 6.4;

/** Round numbers on a logarithmic axis: powers of ten, or between them too where these are few. @param {number} low @param {number} high @returns {number[]} */
export function logarithmicTicks(low, high) {
  const found = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++) {
    for (const factor of [1, 2, 5]) {
      const value = Number(`${factor}e${power}`);
      if (value >= low && value <= high) found.push(value);
    }
  }
  const decades = found.filter((value) => Number.isInteger(Math.log10(value)));
  return decades.length > 2 ? decades : found;
}

/** An axis for values: linear, or logarithmic where the largest is many times the least. @param {number[]} values @param {number} from @param {number} to @returns {{place: Placing, limits: [number, number], isLogarithmic: boolean}} */
export function axisFor(values, from, to) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const isLogarithmic = low > 0 && high >= LOGARITHMIC_FROM * low;
  const scaled = isLogarithmic ? Math.log10 : Number;
  const ends = withMargin(scaled(low), scaled(high));
  const along = linear(ends[0], ends[1], from, to);
  const limits = /** @type {[number, number]} */ (isLogarithmic ? ends.map((end) => 10 ** end) : ends);
  return { place: (value) => (isLogarithmic && value <= 0 ? from : along(scaled(value))), limits, isLogarithmic };
}

/** @param {number} value @returns {string} */
function shortNumber(value) {
  return Math.abs(value) >= 1e7 || (value && Math.abs(value) < 1e-4) ? Number(value.toPrecision(3)).toExponential() : Number(value.toPrecision(6)).toLocaleString("en-US", { maximumFractionDigits: 6 });
}

/** Those with room between them. @param {number[]} values ascending @param {Placing} place @returns {number[]} */
function spaced(values, place) {
  let last = -Infinity;
  return values.filter((value) => {
    const isFar = Math.abs(place(value) - last) >= LEAST_BETWEEN_TICKS;
    if (isFar) last = place(value);
    return isFar;
  });
}

/** @param {RawSample[]} raw @param {string} axis what is along the axis below @param {number} width @param {boolean} [isScatter] dots without lines, of values that may be negative @returns {SVGSVGElement | null} nothing where no mean is known */
export function curvePlot(raw, axis, width, isScatter = false) {
  const samples = onOneScale(raw).filter(({ mean, raw: { x } }) => mean !== null && x !== undefined);
  if (!samples.length) return null;
  /** @type {Map<string, PlottedSample[]>} */
  const lines = new Map();
  for (const sample of samples) lines.set(sample.raw.group, [...(lines.get(sample.raw.group) ?? []), sample]);
  const left = 70;
  const right = width - (lines.size > 1 || isScatter ? Math.min(LINE_NAME, width * 0.3) : 20);
  const [top, bottom] = [14, CURVE_HEIGHT - 36];
  const xs = [...new Set(samples.map(({ raw: { x } }) => x ?? 0))].sort((a, b) => a - b);
  const across = axisFor(xs, left, right);
  const isSigned = isScatter || samples.every(({ mean }) => (mean ?? 0) <= 0);
  const up = axisFor(samples.flatMap(({ ends }) => ends).filter((end) => end > 0 || isSigned), bottom, top);
  const levels = up.isLogarithmic ? logarithmicTicks(...up.limits) : ticks(...up.limits, 5);
  const parts = [
    ...levels.flatMap((value) => [lineOf("grid", left, up.place(value), right, up.place(value)), textAt(left - 6, up.place(value) + 3.5, shortNumber(value), "end")]),
    textAt(left - 6, 9, samples[0].unit, "end"),
    lineOf("axis", left, bottom, right, bottom),
    ...spaced(xs, across.place).flatMap((x) => [lineOf("axis", across.place(x), bottom, across.place(x), bottom + 4), textAt(across.place(x), bottom + 15, shortNumber(x), "middle")]),
    textAt(right, bottom + 31, axis, "end"),
  ];
  [...lines].forEach(([name, members], i) => {
    const colour = `hsl(${Math.round((i * 360) / lines.size + 205) % 360} 60% 48%)`;
    const points = members.sort((a, b) => (a.raw.x ?? 0) - (b.raw.x ?? 0)).map((sample) => ({ sample, x: across.place(sample.raw.x ?? 0), y: up.place(sample.mean ?? 0) }));
    const line = svg("path", { class: "curve", stroke: colour, d: points.map(({ x, y }, at) => `${at ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("") });
    const marks = points.map(({ sample, x, y }) => {
      const dot = svg("circle", { fill: colour, cx: x, cy: y, r: 3.5 });
      const ends = (sample.interval ?? []).map((end) => clamp(Number.isFinite(end) ? up.place(end) : end > 0 ? top : bottom, top, bottom));
      const interval = ends.length ? [svg("path", { class: "curve", stroke: colour, d: `M${x} ${ends[0]}V${ends[1]}M${x - 4} ${ends[0]}h8M${x - 4} ${ends[1]}h8` })] : [];
      return svg("g", {}, [svg("title", {}, [`${sample.name}: ${sample.meanText}`]), ...interval, dot]);
    });
    const end = points[points.length - 1];
    const called = lines.size > 1 ? [textAt(end.x + 8, end.y + 4, middleCut(name, Math.floor((width - end.x - 10) / LINE_LETTER)), "start", "row-name")] : [];
    const beside = [svg("circle", { fill: colour, cx: right + 14, cy: top + i * NAME_HEIGHT, r: 3.5 }), textAt(right + 24, top + i * NAME_HEIGHT + 4, middleCut(name, Math.floor((width - right - 26) / LINE_LETTER)), "start", "row-name")];
    parts.push(svg("g", {}, isScatter ? [...marks, ...beside] : [line, ...marks, ...called]));
  });
  return drawing(width, CURVE_HEIGHT, `Means against ${axis}: ${samples.map((sample) => `${sample.name} ${sample.meanText}`).join("; ")}`, parts);
}
