// Several values of each of several samples, as dots on one axis, a line for each sample.

import { svg } from "./elements.js";
import { formatAmount } from "./text.js";

const WIDTH = 420;
const NAME_WIDTH = 90;
const MARGIN = 8;
const LINE = 20;

/** @param {[string, number[]][]} samples names and values @returns {SVGElement} */
export function dotsOf(samples) {
  const all = samples.flatMap(([, values]) => values);
  const areShares = all.every((value) => value >= 0 && value <= 1);
  const [low, high] = areShares ? [0, 1] : [Math.min(...all), Math.max(...all)];
  const room = WIDTH - NAME_WIDTH - 2 * MARGIN;
  const x = (/** @type {number} */ value) => NAME_WIDTH + MARGIN + (high > low ? (room * (value - low)) / (high - low) : room / 2);
  const text = (/** @type {number} */ value) => (areShares ? formatAmount(value, "share") : formatAmount(value, "number"));
  const lines = samples.flatMap(([name, values], i) => {
    const y = LINE * (i + 0.5);
    return [
      svg("text", { x: 0, y: y + 4 }, [name]),
      svg("path", { class: "base", d: `M${NAME_WIDTH} ${y}h${WIDTH - NAME_WIDTH}` }),
      ...values.map((value) => svg("circle", { class: "bars", cx: x(value).toFixed(1), cy: y, r: 4, "fill-opacity": 0.6 }, [svg("title", {}, [text(value)])])),
    ];
  });
  const bottom = LINE * samples.length;
  const label = samples.map(([name, values]) => `${name}: ${values.map(text).join(", ")}`).join("; ");
  return svg("svg", { class: "figure", viewBox: `0 0 ${WIDTH} ${bottom + 18}`, role: "img", "aria-label": label }, [
    ...lines,
    svg("text", { x: NAME_WIDTH, y: bottom + 12 }, [text(low)]),
    svg("text", { x: WIDTH, y: bottom + 12, "text-anchor": "end" }, [text(high)]),
  ]);
}
