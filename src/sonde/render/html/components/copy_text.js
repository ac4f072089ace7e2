// What is quoted elsewhere: a button that puts a text on the clipboard.

import { button, element } from "./elements.js";

const TOLD_MS = 4000;

/** @param {string} text @returns {Promise<boolean>} whether it is on the clipboard; pages from disk may have to ask the old way */
async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = element("textarea", "offscreen");
    area.value = text;
    document.body.append(area);
    area.select();
    const isCopied = document.execCommand("copy");
    area.remove();
    return isCopied;
  }
}

/** @param {string} text @returns {HTMLElement[]} a button, and what became of it */
export function copyButton(text) {
  const told = element("span", "soft");
  told.setAttribute("role", "status");
  const made = button("quiet", "copy", async () => {
    told.textContent = (await copied(text)) ? "copied" : "could not copy: select the text";
    setTimeout(() => told.replaceChildren(), TOLD_MS);
  });
  return [made, told];
}
