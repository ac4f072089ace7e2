// A table body of which only the rows in sight exist.

import { element } from "./elements.js";

const ROWS_BEYOND = 12; // rows kept above and below the sight, so that scrolling does not flash
const MOST_ON_PAPER = 400;

export class VirtualRows {
  /**
   * @param {HTMLElement} scroller @param {HTMLElement} body @param {number} rowHeight all rows have it, in pixels
   * @param {(row: HTMLTableRowElement, index: number) => void} fillRow
   */
  constructor(scroller, body, rowHeight, fillRow) {
    this.scroller = scroller;
    this.body = body;
    this.rowHeight = rowHeight;
    this.fillRow = fillRow;
    this.count = 0;
    this.first = this.last = -1;
    this.isOnPaper = false;
    scroller.addEventListener("scroll", () => this.update());
    new ResizeObserver(() => this.update()).observe(scroller);
    for (const [name, isOnPaper] of /** @type {[string, boolean][]} */ ([["beforeprint", true], ["afterprint", false]])) {
      window.addEventListener(name, () => {
        this.isOnPaper = isOnPaper;
        this.show(this.count);
      });
    }
  }

  /** @param {number} count show so many rows anew */
  show(count) {
    this.count = count;
    this.first = -1;
    this.update();
  }

  update() {
    const seen = Math.ceil(this.scroller.clientHeight / this.rowHeight) + 2 * ROWS_BEYOND;
    const top = Math.floor(this.scroller.scrollTop / this.rowHeight) - ROWS_BEYOND;
    // A step of four saves work on small scrolls.
    const first = this.isOnPaper ? 0 : Math.max(0, Math.min(top - (top % 4), this.count - seen));
    const last = Math.min(this.count, this.isOnPaper ? MOST_ON_PAPER : first + seen + 4);
    if (first === this.first && last === this.last) return;
    this.first = first;
    this.last = last;
    const rows = [this.spacer(first)];
    for (let index = first; index < last; index++) {
      const row = element("tr");
      row.setAttribute("aria-rowindex", String(index + 2)); // the heading is row 1
      this.fillRow(row, index);
      rows.push(row);
    }
    rows.push(this.spacer(this.isOnPaper ? 0 : this.count - last));
    const focused = this.body.contains(document.activeElement) ? document.activeElement?.getAttribute("data-key") : null;
    this.body.replaceChildren(...rows);
    if (focused) this.rowOf(focused)?.focus({ preventScroll: true });
  }

  /** @param {string | number} key @returns {HTMLTableRowElement | null} */
  rowOf(key) {
    return this.body.querySelector(`[data-key="${key}"]`);
  }

  /** @param {number} rows @returns {HTMLElement} */
  spacer(rows) {
    const spacer = element("tr", "spacer");
    spacer.setAttribute("aria-hidden", "true");
    spacer.style.height = `${rows * this.rowHeight}px`;
    return spacer;
  }

  /** Scroll so that row `index` stands at `share` of the height, unless it is in sight and `isLazy`.
   * @param {number} index @param {number} share @param {boolean} [isLazy] */
  reveal(index, share, isLazy = false) {
    const y = index * this.rowHeight;
    const { scrollTop, clientHeight } = this.scroller;
    if (isLazy && y >= scrollTop && y + 2 * this.rowHeight <= scrollTop + clientHeight) return;
    this.scroller.scrollTop = Math.max(0, y - share * clientHeight);
    this.update();
  }
}
