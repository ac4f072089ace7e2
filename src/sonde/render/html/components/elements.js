// Elements. What was measured enters the document as text only, and isolated: it may run from right to left.

/** @typedef {string | Node} Content */

/** @param {string} id @returns {HTMLElement} the element with this id */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no element '${id}'`);
  return found;
}

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag @param {string} [className] @param {Content | Content[]} [content]
 * @returns {HTMLElementTagNameMap[Tag]} a new element
 */
export function element(tag, className = "", content = []) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  made.append(...(Array.isArray(content) ? content : [content]));
  return made;
}

/** @param {string} text @param {string} [className] @returns {HTMLElement} a name or a text of the program */
export function said(text, className = "") {
  return element("bdi", className, text);
}

/** @param {string} className @param {Content | Content[]} content @param {(event: MouseEvent) => void} onClick @returns {HTMLButtonElement} */
export function button(className, content, onClick) {
  const made = element("button", className, content);
  made.type = "button";
  made.addEventListener("click", onClick);
  return made;
}

/** @param {string} tag @param {{[name: string]: string | number}} attributes @param {Content[]} [content] @returns {SVGElement} */
export function svg(tag, attributes, content = []) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, String(value));
  made.append(...content);
  return /** @type {SVGElement} */ (made);
}

/** @param {HTMLButtonElement[]} buttons @param {number} chosen which of them is pressed */
export function showChosen(buttons, chosen) {
  buttons.forEach((made, i) => made.setAttribute("aria-pressed", String(i === chosen)));
}
