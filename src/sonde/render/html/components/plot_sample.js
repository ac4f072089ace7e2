// A sample in the unit that it is written in.

/** @import { RawSample } from "./report_data.js" */
import { counted, formatAmount, formatCount } from "./text.js";

/** A sample whose amounts are divided by the size of its unit. */
export class PlottedSample {
  /** @param {RawSample} raw @param {[number, string]} [scale] the unit, if it shares an axis with others */
  constructor(raw, scale = raw.scale) {
    this.raw = raw;
    this.name = raw.name;
    this.size = scale[0];
    this.unit = scale[1];
    this.values = raw.values.map((value) => value / this.size);
    this.far = new Set(raw.outliers);
    const [mean = null, low = null, high = null] = (raw.mean ?? []).map((end) => (end === null ? null : end / this.size));
    this.mean = mean;
    /** Ends of the interval of the mean. */
    this.low = low;
    this.high = high;
    this.median = raw.median === undefined ? null : raw.median / this.size;
    /** Places without a value, and why there is none. */
    this.gaps = new Map(raw.gaps);
  }

  /** How many values were measured. */
  get count() {
    return this.raw.count - (this.raw.missing ?? 0);
  }

  /** What an axis has to show besides values. */
  get ends() {
    return [this.mean, this.low, this.high].filter((end) => end !== null);
  }

  /** The interval of the mean, which may be open on one side. @returns {[number, number] | null} */
  get interval() {
    return this.low === null && this.high === null ? null : [this.low ?? -Infinity, this.high ?? Infinity];
  }

  /** @param {number} i @returns {number} its place in the order of measuring, from 0 on */
  placeOf(i) {
    if (this.raw.stretch) return Math.min((Math.floor(i / 2) + (i % 2) / 2) * this.raw.stretch, this.raw.count - 1);
    return this.raw.at ? this.raw.at[i] : i;
  }

  /** @param {number} i @returns {string} */
  placeText(i) {
    const { stretch, count } = this.raw;
    if (!stretch) return formatCount(this.placeOf(i) + 1);
    const first = Math.floor(i / 2) * stretch;
    return `${i % 2 ? "greatest" : "least"} of ${formatCount(first + 1)} to ${formatCount(Math.min(first + stretch, count))}`;
  }

  /** @param {number} place @returns {string} */
  gapText(place) {
    return `${formatCount(place + 1)}: ${this.gaps.get(place)}`;
  }

  /** @param {number} value in its unit @returns {string} */
  text(value) {
    if (!Number.isFinite(value)) return formatAmount(value, "number");
    return `${Number(value.toPrecision(5)).toLocaleString("en-US", { maximumSignificantDigits: 5 })}${this.unit && ` ${this.unit}`}`;
  }

  /** @param {number} i @returns {string} what is told of a value */
  told(i) {
    return `${this.placeText(i)}: ${this.text(this.values[i])}${this.far.has(i) ? ", far from the others" : ""}`;
  }

  get meanText() {
    if (this.mean === null) return "";
    return `mean ${this.text(this.mean)}${this.interval ? ` [${this.interval.map((end) => this.text(end)).join(", ")}]` : ""}`;
  }

  /** What is to be seen, in words. */
  get label() {
    return [`${counted(this.count, "value")} of ${this.name || "the sample"}`, this.meanText, this.median === null ? "" : `median ${this.text(this.median)}`].filter(Boolean).join(", ");
  }
}
