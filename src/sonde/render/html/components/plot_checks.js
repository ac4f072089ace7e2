// What methods take for granted, to be seen: that values are normal, and independent of those before them.

/** @import { PlottedSample } from "./plot_sample.js" */
import { svg } from "./elements.js";
import { axisBeside, dotsPath, drawing, lineOf, linear, quantileOf, textAt, withMargin } from "./plot_frame.js";

const CHECK_HEIGHT = 180;
const CHECK_LEFT = 62;
const MOST_LAGS = 20;
const QUARTILE = 0.6744898; // of a standard normal variable
let clips = 0;

/** The value below which a standard normal variable falls with this probability: Abramowitz and Stegun, 26.2.23; off by less than 0.00045, which no plot shows. @param {number} probability @returns {number} */
export function normalQuantile(probability) {
  const t = Math.sqrt(-2 * Math.log(Math.min(probability, 1 - probability)));
  const z = t - (2.515517 + 0.802853 * t + 0.010328 * t * t) / (1 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t * t * t);
  return probability < 0.5 ? -z : z;
}

/** Values in their order of size against those that a normal distribution would have: on a line where it is one. @param {PlottedSample} sample @param {number} width @returns {SVGSVGElement} */
export function normalPlot(sample, width) {
  const sorted = [...sample.values].sort((a, b) => a - b);
  const expected = sorted.map((_, i) => normalQuantile((i + 0.5) / sorted.length));
  const bottom = CHECK_HEIGHT - 22;
  const right = width - 4;
  const reach = expected[expected.length - 1] * 1.05;
  const limits = withMargin(sorted[0], sorted[sorted.length - 1]);
  const x = linear(-reach, reach, CHECK_LEFT + 6, right - 6);
  const y = linear(...limits, bottom, 14);
  // Through the quartiles, as R's qqline.
  const [low, high] = [quantileOf(sorted, 0.25), quantileOf(sorted, 0.75)];
  const lineAt = (/** @type {number} */ z) => y((low + high) / 2 + ((high - low) / (2 * QUARTILE)) * z);
  const clip = `clip-${clips++}`;
  const line = lineOf("expected", x(-reach), lineAt(-reach), x(reach), lineAt(reach));
  line.setAttribute("clip-path", `url(#${clip})`);
  return drawing(width, CHECK_HEIGHT, `Normal quantiles of ${sample.label}`, [
    svg("clipPath", { id: clip }, [svg("rect", { x: CHECK_LEFT, y: 6, width: Math.max(right - CHECK_LEFT, 0), height: bottom })]),
    ...axisBeside(limits, y, CHECK_LEFT, right, sample.unit),
    line,
    dotsPath(sorted.map((value, i) => [x(expected[i]), y(value)]), "value"),
    textAt((CHECK_LEFT + right) / 2, CHECK_HEIGHT - 4, "standard deviations of a normal", "middle"),
  ]);
}

/** How alike values are that stand so far apart, from 1 on. @param {number[]} values @returns {number[]} */
export function autocorrelations(values) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const off = values.map((value) => value - mean);
  const whole = off.reduce((sum, value) => sum + value * value, 0);
  return Array.from({ length: Math.min(MOST_LAGS, Math.floor(values.length / 2)) }, (_, i) => {
    let sum = 0;
    for (let k = i + 1; k < off.length; k++) sum += off[k] * off[k - i - 1];
    return whole > 0 ? sum / whole : 0;
  });
}

/** Of independent values 19 in 20 are between the dashed lines. @param {PlottedSample} sample @param {number} width @returns {SVGSVGElement} */
export function autocorrelationPlot(sample, width) {
  const found = autocorrelations(sample.values);
  const bottom = CHECK_HEIGHT - 22;
  const right = width - 4;
  const y = linear(-1, 1, bottom, 10);
  const step = (right - CHECK_LEFT - 12) / found.length;
  const band = 1.96 / Math.sqrt(sample.values.length);
  return drawing(width, CHECK_HEIGHT, `Autocorrelation of ${sample.label}`, [
    ...axisBeside([-1, 1], y, CHECK_LEFT, right, ""),
    lineOf("axis", CHECK_LEFT, y(0), right, y(0)),
    ...[-band, band].map((at) => lineOf("expected", CHECK_LEFT, y(at), right, y(at))),
    ...found.map((value, i) => {
      const x = CHECK_LEFT + 8 + (i + 0.5) * step;
      const spike = lineOf(Math.abs(value) > band ? "spike beyond" : "spike", x, y(0), x, y(value));
      spike.append(svg("title", {}, [`${i + 1} apart: ${value.toFixed(2)}`]));
      return spike;
    }),
    textAt((CHECK_LEFT + right) / 2, CHECK_HEIGHT - 4, `1 to ${found.length} apart`, "middle"),
  ]);
}
