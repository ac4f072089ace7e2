// How misses are written: with their share of the accesses that reached the cache.

const BYTE_STEPS = [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]];

/** Accesses that reach a level: all reach the first, and what misses one reaches the next. */
function reaching(row, level) {
  return level === 0 ? row.accesses : row.missesOf(level - 1);
}

function rateText(misses, accesses) {
  if (!accesses) return "-";
  if (misses && misses / accesses < 0.0005) return "<0.1%";
  return `${((100 * misses) / accesses).toFixed(1)}%`;
}

/** `1,234 (5.6%)`, the rate in its own element so that columns align. */
function missCell(row, level) {
  const misses = row.missesOf(level);
  return element("span", "misses", [formatShortCount(misses), " ", element("span", "rate", rateText(misses, reaching(row, level)))]);
}

function missTip(row, level) {
  return `${formatCount(row.missesOf(level))} of ${counted(reaching(row, level), "access", "accesses")} that reached ${LEVELS[level]}`;
}

function formatBytes(bytes) {
  for (const [step, unit] of BYTE_STEPS) if (bytes >= step) return `${threeDigits(bytes / step)} ${unit}`;
  return `${formatCount(bytes)} B`;
}

/** All misses of a level, or all accesses for -1. */
function wholeOf(level) {
  return level < 0 ? data.accesses : (data.totals[`misses${level + 1}`] ?? 0);
}

function weightOf(row, level) {
  return level < 0 ? row.accesses : row.missesOf(level);
}

/** The columns that every table of counts has. */
function countColumns() {
  return [
    { key: "accesses", title: "Accesses", className: "number short", startsDown: true, value: (row) => row.accesses, text: (row) => formatShare(row.accesses, data.accesses), tip: (row) => counted(row.accesses, "data access", "data accesses") },
    ...LEVELS.map((name, level) => ({
      key: name,
      title: `${name} misses`,
      className: "number",
      startsDown: true,
      value: (row) => row.missesOf(level),
      text: (row) => missCell(row, level),
      tip: (row) => missTip(row, level),
      bar: (row) => row.missesOf(level) / (wholeOf(level) || 1),
    })),
  ];
}
