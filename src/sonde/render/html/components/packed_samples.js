// The members of a sample: what each of its values was computed from, unpacked when it is looked at.

/** @import { RawMembers, RawReport, RawSample } from "./report_data.js" */

const LEVELS = 65535;

/** @param {number | number[]} told once, where all are alike @param {number} i @returns {number} */
function ofMember(told, i) {
  return Array.isArray(told) ? told[i] : told;
}

/** Put texts in the place of their numbers. @param {RawReport} raw */
export function nameMembers(raw) {
  for (const block of raw.blocks) {
    if (block.block !== "plot") continue;
    for (const { gaps = [], members } of block.samples) {
      for (const gap of gaps) gap[1] = raw.strings[Number(gap[1])];
      if (members) members.names = members.names.map((name) => raw.strings[Number(name)]);
    }
  }
}

/**
 * A member as a sample; of a thinned one, values are the least and the greatest of each stretch.
 * @param {RawSample} sample @param {RawMembers} members @param {number} i
 * @returns {RawSample}
 */
export function memberOf(sample, members, i) {
  const kept = (/** @type {number} */ k) => {
    const [length, step] = [ofMember(members.lengths, k), ofMember(members.steps, k)];
    return step === 1 ? length : 2 * Math.ceil(length / step);
  };
  let start = 0;
  for (let k = 0; k < i; k++) start += kept(k);
  const [length, step] = [ofMember(members.lengths, i), ofMember(members.steps, i)];
  const bytes = atob(members.data);
  const unit = (members.high - members.low) / LEVELS;
  const values = Array.from({ length: kept(i) }, (_, k) => {
    const at = 2 * (start + k);
    return members.low + unit * (bytes.charCodeAt(at) + 256 * bytes.charCodeAt(at + 1));
  });
  const to = members.to === undefined ? length : ofMember(members.to, i);
  return { name: members.names[i], group: "", scale: sample.scale, count: length, values, outliers: [], far: 0, counted: [ofMember(members.from ?? 0, i), to], ...(step > 1 && { stretch: step }) };
}
