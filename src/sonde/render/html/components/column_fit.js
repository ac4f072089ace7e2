// Which columns have room, and how wide they are.

/**
 * @typedef {object} Wish
 * @property {number} natural pixels that the widest cell takes
 * @property {number} least pixels that it must have
 * @property {number} priority where there is no room, the highest goes first; 0 stays
 * @property {boolean} isFlexible whether it takes more than it needs
 */

/**
 * Pixels for each column; 0 for those that have no room. They may take more than there is.
 * @param {Wish[]} wishes @param {number} room
 * @returns {number[]}
 */
export function fitColumns(wishes, room) {
  const isThere = wishes.map(() => true);
  const sum = (/** @type {(wish: Wish) => number} */ of) => wishes.reduce((total, wish, i) => total + (isThere[i] ? of(wish) : 0), 0);
  while (sum((wish) => wish.least) > room) {
    let last = -1;
    wishes.forEach((wish, i) => {
      if (isThere[i] && wish.priority > 0 && (last < 0 || wish.priority >= wishes[last].priority)) last = i;
    });
    if (last < 0) break;
    isThere[last] = false;
  }
  const widths = wishes.map((wish, i) => (isThere[i] && !wish.isFlexible ? wish.least : 0));
  const flexible = wishes.map((_, i) => i).filter((i) => isThere[i] && wishes[i].isFlexible);
  // What needs more than its part of the rest gets what it needs, and the others share what is left then.
  for (let isDone = false; !isDone; ) {
    const open = flexible.filter((i) => !widths[i]);
    const rest = Math.max(0, room - widths.reduce((total, width) => total + width, 0));
    const natural = open.reduce((total, i) => total + wishes[i].natural, 0);
    const part = (/** @type {number} */ i) => Math.floor((rest * wishes[i].natural) / natural);
    const needy = open.filter((i) => part(i) < wishes[i].least);
    for (const i of needy.length ? needy : open) widths[i] = needy.length ? wishes[i].least : part(i);
    isDone = !needy.length;
  }
  return widths;
}
