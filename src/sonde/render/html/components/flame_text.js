// Names in frames: without their middle where they have no room, for both ends of a qualified name tell something.

const FEWEST_LETTERS = 4; // fewer say nothing

/** @type {Map<string, number>} */
const widths = new Map();

/** @param {CanvasRenderingContext2D} context @param {string} text @param {number} room in pixels @returns {string} */
export function fitText(context, text, room) {
  let width = widths.get(text);
  if (width === undefined) widths.set(text, (width = context.measureText(text).width));
  if (width <= room) return text;
  let [low, high] = [0, Math.min(text.length - 1, Math.ceil(room / 3))];
  const shortened = (/** @type {number} */ length) => {
    const head = Math.ceil(length / 2);
    return `${text.slice(0, head)}\u2026${length > head ? text.slice(head - length) : ""}`;
  };
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (context.measureText(shortened(middle)).width <= room) low = middle;
    else high = middle - 1;
  }
  return low >= FEWEST_LETTERS ? shortened(low) : "";
}
