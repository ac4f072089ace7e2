// How long objects were in use: a histogram over powers of two, both axes by logarithm if one asks for it.

const LIFE_HEIGHT = 160;
const LIFE_SPACE = { left: 50, right: 10, top: 24, bottom: 34 };

/** The accesses below which the lives of a bin end. */
function binText(bin) {
  return bin === 0 ? "unused" : bin === 1 ? "<2" : `<2^${bin}`;
}

/** Bins and counts of a row: an array by bin. */
function lifeCounts(row) {
  const sparse = row.get("lives");
  const counts = [];
  for (let i = 0; i < sparse.length; i += 2) counts[sparse[i]] = sparse[i + 1];
  return Array.from(counts, (count) => count ?? 0);
}

function quantileBin(counts, share) {
  const whole = counts.reduce((sum, count) => sum + count, 0);
  let seen = 0;
  return counts.findIndex((count) => count && (seen += count) >= share * whole);
}

/** Ticks of counts: powers of ten on a logarithmic axis, else quarters of the largest. */
function countTicks(most, isLogarithmic) {
  if (!isLogarithmic) return most < 4 ? [0, most] : [0, Math.round(most / 2), most];
  const ticks = [];
  for (let value = 1; value <= most; value *= 10) ticks.push(value);
  const step = Math.ceil(ticks.length / 5);
  return ticks.filter((_, i) => i % step === 0);
}

function lifetimePlot(counts, width, name, isLogarithmic) {
  const { left, right, top, bottom } = LIFE_SPACE;
  const most = Math.max(...counts);
  const whole = counts.reduce((sum, count) => sum + count, 0);
  const scaled = (count) => (isLogarithmic ? Math.log10(count + 1) / Math.log10(most + 1) : count / most);
  const ground = LIFE_HEIGHT - bottom;
  const y = (count) => ground - scaled(count) * (ground - top);
  const bins = Math.max(counts.length, 12);
  const step = (width - left - right) / bins;
  const parts = countTicks(most, isLogarithmic).flatMap((value) => [
    svg("line", { class: "grid", x1: left, x2: width - right, y1: y(value), y2: y(value) }),
    svg("text", { class: "tick", x: left - 6, y: y(value) + 3.5, "text-anchor": "end" }, formatShortCount(value)),
  ]);
  counts.forEach((count, bin) => {
    if (!count) return;
    const height = Math.max(1.5, ground - y(count));
    const range = bin === 0 ? "never accessed after birth" : `in use for ${bin === 1 ? "1 access" : `2^${bin - 1} to 2^${bin} accesses`}`;
    parts.push(svg("rect", { class: bin === 0 ? "bar unused" : "bar", x: left + bin * step + 0.5, y: ground - height, width: Math.max(1, step - 1), height }, [
      svg("title", {}, `${counted(count, "object")} (${formatShare(count, whole)}) ${range}`),
    ]));
  });
  parts.push(svg("line", { class: "axis", x1: left, x2: width - right, y1: ground, y2: ground }));
  const every = Math.max(1, Math.ceil(34 / step));
  for (let bin = 0; bin < bins; bin++) {
    const isTold = bin === 0 || (bin % every === 0 && bin * step > 44);
    if (isTold) parts.push(svg("text", { class: "tick", x: left + (bin + 0.5) * step, y: ground + 14, "text-anchor": "middle" }, bin === 0 ? "unused" : `<2^${bin}`));
  }
  parts.push(svg("text", { class: "tick", x: width - right, y: ground + 29, "text-anchor": "end" }, "data accesses of the run, from birth to last use"));
  parts.push(svg("text", { class: "tick", x: left - 6, y: 8, "text-anchor": "end" }, "objects"));
  return drawing(width, LIFE_HEIGHT, `How long ${counted(whole, "object")} of ${name} were in use`, parts);
}

let isLifeLogarithmic = false;

/** The histogram of a row with its figures and a choice of scale; nothing when no object's life was counted. */
function lifetimeFigure(row, width, name) {
  const counts = lifeCounts(row);
  const whole = counts.reduce((sum, count) => sum + count, 0);
  if (!whole) return [];
  const used = whole - (counts[0] ?? 0);
  const facts = [
    `${formatShare(counts[0] ?? 0, whole)} unused`,
    `median ${binText(quantileBin(counts, 0.5))}`,
    `90% ${binText(quantileBin(counts, 0.9))}`,
    `longest ${binText(counts.length - 1)}`,
    ...(used ? [`mean ${formatShortCount(Math.round(row.get("life_sum") / whole))}`] : []),
  ];
  const place = element("div", "plot");
  const draw = () => place.replaceChildren(lifetimePlot(counts, width, name, isLifeLogarithmic));
  const toggle = button("toggle", "Logarithm of counts", () => {
    isLifeLogarithmic = !isLifeLogarithmic;
    toggle.setAttribute("aria-pressed", String(isLifeLogarithmic));
    draw();
  });
  toggle.setAttribute("aria-pressed", String(isLifeLogarithmic));
  draw();
  return [
    element("div", "head", [element("h3", "", "Lifetimes"), element("span", "soft", facts.join(" \u00b7 ")), toggle]),
    place,
  ];
}
