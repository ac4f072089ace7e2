// Drawing: SVG elements, scales from quantities to pixels, and the frame of a plot.

const SVG = "http://www.w3.org/2000/svg";
const PLOT_HEIGHT = 180;

/** A new SVG element with attributes; `content` is a text or a list of elements. */
function svg(tag, attributes = {}, content = []) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...(Array.isArray(content) ? content : [content]));
  return made;
}

/** From quantities to pixels, in a line. */
function linear(low, high, from, to) {
  const span = high - low || 1;
  return (value) => from + ((value - low) / span) * (to - from);
}

/** One path of many dots: a line of no length with round ends is a dot. */
function dots(points, className) {
  return svg("path", { class: className, d: points.map(([x, y]) => `M${x.toFixed(1)} ${y.toFixed(1)}h0`).join("") });
}

/** A drawing that says in words what is to be seen. */
function drawing(width, height, label, content) {
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label, class: "drawing" }, content);
}

/** Horizontal axis with ticks, its unit at the end. */
function axisBelow(low, high, place, y, unit, width) {
  const values = ticks(low, high, Math.max(3, Math.floor(width / 80)));
  return [
    svg("line", { class: "axis", x1: place(low), x2: place(high), y1: y, y2: y }),
    ...values.flatMap((value) => [
      svg("line", { class: "axis", x1: place(value), x2: place(value), y1: y, y2: y + 4 }),
      svg("text", { class: "tick", x: place(value), y: y + 15, "text-anchor": "middle" }, tickText(value, values)),
    ]),
    svg("text", { class: "tick unit", x: place(high), y: y + 28, "text-anchor": "end" }, unit),
  ];
}

/** Vertical axis with faint lines across the plot. */
function axisBeside(low, high, place, left, right, unit) {
  const values = ticks(low, high, 4);
  return [
    ...values.map((value) => svg("line", { class: "grid", x1: left, x2: right, y1: place(value), y2: place(value) })),
    // The highest label makes room for the unit.
    ...values.filter((value) => !unit || place(value) > 20).map((value) =>
      svg("text", { class: "tick", x: left - 6, y: place(value) + 3.5, "text-anchor": "end" }, tickText(value, values)),
    ),
    svg("text", { class: "tick unit", x: left - 6, y: 9, "text-anchor": "end" }, unit),
  ];
}

/** The ends of an axis for values: all of them, but for those so far out that they would press the others flat. */
function robustLimits(values, reach = 10) {
  const sorted = Float64Array.from(values).sort();
  const low = quantileOf(sorted, 0.25);
  const high = quantileOf(sorted, 0.75);
  const beyond = reach === Infinity ? Infinity : (high - low) * reach || Infinity;
  const within = sorted.filter((value) => value >= low - beyond && value <= high + beyond);
  const ends = [within[0], within[within.length - 1]];
  const margin = (ends[1] - ends[0]) * 0.04 || Math.abs(ends[0]) * 0.01 || 1;
  return [ends[0] - margin, ends[1] + margin];
}

/** Tell about the nearest of some points while the mouse is over a drawing. */
function tellNearest(picture, points, text) {
  const tooltip = byId("tooltip");
  const mark = svg("circle", { class: "hovered", r: 4.5, visibility: "hidden" });
  picture.append(mark);
  picture.addEventListener("pointermove", (event) => {
    const box = picture.getBoundingClientRect();
    const scale = picture.viewBox.baseVal.width / box.width;
    const x = (event.clientX - box.left) * scale;
    const y = (event.clientY - box.top) * scale;
    let nearest = -1;
    let least = 30 ** 2;
    points.forEach(([px, py], i) => {
      const distance = (px - x) ** 2 + (py - y) ** 2;
      if (distance < least) [nearest, least] = [i, distance];
    });
    tooltip.hidden = nearest < 0;
    mark.setAttribute("visibility", nearest < 0 ? "hidden" : "visible");
    if (nearest < 0) return;
    mark.setAttribute("cx", points[nearest][0]);
    mark.setAttribute("cy", points[nearest][1]);
    tooltip.textContent = text(nearest);
    const room = document.documentElement.clientWidth - tooltip.offsetWidth - 8;
    tooltip.style.left = `${Math.max(4, Math.min(event.clientX + 12, room))}px`;
    tooltip.style.top = `${event.clientY + window.scrollY + 16}px`;
  });
  picture.addEventListener("pointerleave", () => {
    tooltip.hidden = true;
    mark.setAttribute("visibility", "hidden");
  });
}
