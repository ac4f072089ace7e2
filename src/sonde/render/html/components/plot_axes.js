// Samples that are looked at together: in one unit, and on one axis where that shows all of them.

/** @import { RawSample } from "./report_data.js" */
import { axisLimits } from "./plot_frame.js";
import { PlottedSample } from "./plot_sample.js";

const UNFIT = 4; // times as wide an axis as a sample needs, for each sample: the axis is not shared

/** Samples of one unit, in the unit that fits all of them. @param {RawSample[]} samples @returns {PlottedSample[]} */
export function onOneScale(samples) {
  const largest = samples.reduce((best, one) => (one.scale[0] > best[0] ? one.scale : best), samples[0].scale);
  return samples.map((sample) => new PlottedSample(sample, largest));
}

/**
 * Samples of a group, with the ends of their axis; each has its own where one for all would press it flat.
 * @param {RawSample[]} samples
 * @returns {{sample: PlottedSample, limits: [number, number]}[]} in their order
 */
export function sharedAxes(samples) {
  /** @type {Map<string, RawSample[]>} */
  const groups = new Map();
  for (const sample of samples) {
    const members = groups.get(sample.group);
    if (members) members.push(sample);
    else groups.set(sample.group, [sample]);
  }
  const made = [...groups.values()].flatMap((members) => {
    const together = onOneScale(members);
    const own = together.map((sample) => axisLimits(sample.values));
    const shared = /** @type {[number, number]} */ ([Math.min(...own.map(([low]) => low)), Math.max(...own.map(([, high]) => high))]);
    const isClear = own.every(([low, high]) => UNFIT * own.length * (high - low) >= shared[1] - shared[0]);
    return together.map((sample) => (isClear ? { sample, limits: shared } : { sample: new PlottedSample(sample.raw), limits: axisLimits(new PlottedSample(sample.raw).values) }));
  });
  return samples.map((raw) => made[made.findIndex(({ sample }) => sample.raw === raw)]);
}
