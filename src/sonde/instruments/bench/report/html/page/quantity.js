// Quantities in the unit that their sample is written in.

/** A number with about `digits` significant digits and thousands separated. */
function formatNumber(value, digits = 4) {
  if (value === 0) return "0";
  const magnitude = Math.floor(Math.log10(Math.abs(value)));
  const decimals = Math.max(0, Math.min(12, digits - 1 - magnitude));
  return value.toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

/** `41.23 ms`; `scale` is the size of the unit and its name. */
function formatQuantity(value, scale, digits = 4) {
  const [size, unit] = scale;
  return `${formatNumber(value / size, digits)}${unit ? ` ${unit}` : ""}`;
}

/** `+2.3%` for 1.023. */
function formatRatioAsChange(ratio) {
  const percent = Number((100 * (ratio - 1)).toPrecision(3));
  return `${percent > 0 ? "+" : percent < 0 ? "\u2212" : ""}${Math.abs(percent)}%`;
}

/** Round numbers within an interval, about `count` of them. */
function ticks(low, high, count) {
  const rough = (high - low) / Math.max(1, count);
  if (!(rough > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((one) => one >= rough);
  const found = [];
  for (let i = Math.ceil(low / step); i * step <= high + step * 1e-9; i++) found.push(i * step || 0); // not -0
  return found;
}

/** How tick labels are written so that all of them differ. */
function tickText(value, values) {
  const step = values.length > 1 ? Math.abs(values[1] - values[0]) : Math.abs(value) || 1;
  if (step >= 1e7 || step < 1e-7) return value.toPrecision(3);
  const decimals = Math.max(0, Math.min(12, Math.ceil(-Math.log10(step) - 1e-9)));
  return value.toLocaleString("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

function quantileOf(sorted, share) {
  const place = (sorted.length - 1) * share;
  const low = Math.floor(place);
  const high = Math.min(low + 1, sorted.length - 1);
  return sorted[low] + (place - low) * (sorted[high] - sorted[low]);
}
