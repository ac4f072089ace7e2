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
  const isSet = (/** @type {Wish} */ wish) => !wish.isFlexible;
  const rest = Math.max(0, room - sum((wish) => (isSet(wish) ? wish.least : 0)));
  const flexible = sum((wish) => (isSet(wish) ? 0 : wish.natural));
  return wishes.map((wish, i) => {
    if (!isThere[i]) return 0;
    return isSet(wish) ? wish.least : Math.max(wish.least, Math.floor((rest * wish.natural) / flexible));
  });
}
