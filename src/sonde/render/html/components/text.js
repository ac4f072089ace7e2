// How quantities are written.

const GROUPED = new Intl.NumberFormat("en-US"); // made once: making one takes longer than writing many numbers
const EXACT = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 15 });

const STEPS = {
  duration: /** @type {[number, string][]} */ ([[1e9, " s"], [1e6, " ms"], [1e3, " \u00b5s"]]),
  bytes: /** @type {[number, string][]} */ ([[2 ** 40, " TiB"], [2 ** 30, " GiB"], [2 ** 20, " MiB"], [2 ** 10, " KiB"]]),
  count: /** @type {[number, string][]} */ ([[1e9, " G"], [1e6, " M"], [1e3, " k"]]),
};
const LEAST_SHORTENED = { duration: 1e3, bytes: 2 ** 10, count: 1e4 };
const MOST_DECIMALS = 9;
const MOST_RATIO_DECIMALS = 5;
const SMALLEST = { duration: " ns", bytes: " B", count: "" };

/** @param {number} value @returns {string} three significant digits, all of them before the point */
function threeDigits(value) {
  if (value >= 99.95) return GROUPED.format(Math.round(value));
  return value >= 9.995 ? value.toFixed(1) : value.toFixed(2);
}

/** @param {number} value @returns {string} `12`, `0.125`, `1.23e-7` */
function plainNumber(value) {
  if (value === 0) return "0";
  if (value < 1e-4 || value >= 1e15) return value.toExponential(2);
  if (Number.isInteger(value)) return GROUPED.format(value);
  return value >= 99.95 ? threeDigits(value) : String(Number(value.toPrecision(3)));
}

/** @param {number} value @param {"duration" | "bytes" | "count"} unit @returns {string} `1.23 s`, `32 KiB`, `12.3 k`, `9,876` */
function stepped(value, unit) {
  if (value >= LEAST_SHORTENED[unit]) {
    for (const [step, name] of STEPS[unit]) {
      if (value >= step) return (unit === "bytes" && value % step === 0 ? GROUPED.format(value / step) : threeDigits(value / step)) + name;
    }
  }
  return (Number.isInteger(value) ? GROUPED.format(value) : plainNumber(value)) + SMALLEST[unit];
}

/** @param {number} fraction @returns {string} `12.3%`; `<0.1%` for what would be rounded to nothing */
export function formatFraction(fraction) {
  if (!Number.isFinite(fraction)) return Number.isNaN(fraction) ? "-" : "\u221e";
  if (fraction !== 0 && Math.abs(fraction) < 0.0005) return fraction < 0 ? ">\u22120.1%" : "<0.1%";
  return `${fraction < 0 ? "\u2212" : ""}${(100 * Math.abs(fraction)).toFixed(1)}%`;
}

/** @param {number} part @param {number | null} whole @returns {string} `12.3%`; `-` when the whole is zero */
export function formatShare(part, whole) {
  return whole ? formatFraction(part / whole) : "-";
}

/** @param {number} count @returns {string} `1,234,567` */
export function formatCount(count) {
  return GROUPED.format(count);
}

/**
 * An amount of a unit, short enough for a column.
 * @param {number} value @param {string} unit @param {boolean} [isSigned]
 * @param {number} [decimals] of a ratio or a number
 * @returns {string}
 */
export function formatAmount(value, unit, isSigned = false, decimals = -1) {
  if (Number.isNaN(value)) return "-";
  const sign = value < 0 ? "\u2212" : isSigned && value > 0 ? "+" : "";
  const size = Math.abs(value);
  if (size === Infinity) return `${sign}\u221e`;
  switch (unit) {
    case "duration":
    case "bytes":
    case "count":
      return sign + stepped(size, unit);
    case "share":
      return value < 0 ? formatFraction(value) : sign + formatFraction(size);
    case "points":
      return `${sign}${(100 * size).toFixed(1)} pp`;
    case "p-value":
      return value < 0.001 ? "< 0.001" : value.toFixed(3);
    case "ratio":
      return `${sign}${fixed(size, decimals < 0 ? ratioDecimals(size) : decimals)}\u00d7`;
    default:
      return sign + (decimals < 0 ? plainNumber(size) : fixed(size, decimals));
  }
}

/** @param {number} value @param {number} decimals @returns {string} */
function fixed(value, decimals) {
  return value.toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

/** Per mill, as changes of a percent are what is looked for; fewer for large ratios. @param {number} size @returns {number} */
function ratioDecimals(size) {
  return size < 10 ? 3 : size < 100 ? 2 : 1;
}

/**
 * How many decimals a ratio or a number needs, so that its interval can be told from it; -1 for what has its own rule.
 * @param {string} unit @param {{amount: number, low: number, high: number}} interval
 * @returns {number}
 */
export function decimalsFor(unit, { amount, low, high }) {
  const half = (high - low) / 2;
  if ((unit !== "ratio" && unit !== "number") || !(half > 0 && Number.isFinite(half) && Number.isFinite(amount))) return -1;
  if (unit === "ratio") return Math.max(ratioDecimals(Math.abs(amount)), Math.min(Math.ceil(-Math.log10(half)), MOST_RATIO_DECIMALS));
  const usual = amount ? Math.max(0, 2 - Math.floor(Math.log10(Math.abs(amount)))) : 0;
  return Math.min(Math.max(usual, Math.ceil(-Math.log10(half / 3))), MOST_DECIMALS);
}

/**
 * The same with all digits, for tooltips and details.
 * @param {number} value @param {string} unit @param {boolean} [isSigned]
 * @returns {string}
 */
export function formatExactly(value, unit, isSigned = false) {
  if (!Number.isFinite(value)) return formatAmount(value, unit, isSigned);
  const sign = value < 0 ? "\u2212" : isSigned && value > 0 ? "+" : "";
  const size = Math.abs(value);
  if (unit === "count" || unit === "number") return sign + EXACT.format(size);
  if (unit === "ratio" || unit === "share" || unit === "points") {
    const digits = Number((unit === "ratio" ? size : 100 * size).toPrecision(6)).toLocaleString("en-US", { maximumFractionDigits: 9 });
    return `${sign}${digits}${unit === "ratio" ? "\u00d7" : unit === "share" ? "%" : " pp"}`;
  }
  if (unit === "p-value") return String(Number(value.toPrecision(6)));
  if (unit === "bytes" && size >= 1024) return `${formatAmount(value, unit, isSigned)} (${formatCount(size)} B)`;
  return formatAmount(value, unit, isSigned);
}

/** @param {number} count @param {string} noun @returns {string} a count with its noun: `1 row`, `2 rows` */
export function counted(count, noun) {
  return `${formatCount(count)} ${noun}${count === 1 || noun.endsWith("s") ? "" : "s"}`;
}

/** @param {string} path @returns {string} what stands behind the last slash */
export function baseName(path) {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** @param {number} value @param {number} low @param {number} high @returns {number} */
export function clamp(value, low, high) {
  return Math.min(Math.max(value, low), high);
}
