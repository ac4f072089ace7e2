// A table body of which only the rows in sight exist.

const ROWS_BEYOND = 12; // rows kept above and below the sight, so that scrolling does not flash

class VirtualRows {
  /** `fillRow(row, index)` fills an empty `tr`; all rows are `rowHeight` pixels high. */
  constructor(scroller, body, rowHeight, fillRow) {
    Object.assign(this, { scroller, body, rowHeight, fillRow, count: 0 });
    scroller.addEventListener("scroll", () => this.update());
    new ResizeObserver(() => this.update()).observe(scroller);
  }

  /** Show `count` rows anew. */
  show(count) {
    this.count = count;
    this.first = -1;
    this.update();
  }

  update() {
    const seen = Math.ceil(this.scroller.clientHeight / this.rowHeight) + 2 * ROWS_BEYOND;
    const top = Math.floor(this.scroller.scrollTop / this.rowHeight) - ROWS_BEYOND;
    // An even step keeps the stripes, and saves work on small scrolls.
    const first = Math.max(0, Math.min(top - (top % 4), this.count - seen));
    const last = Math.min(this.count, first + seen + 4);
    if (first === this.first && last === this.last) return;
    this.first = first;
    this.last = last;
    const rows = [this.spacer(first)];
    for (let index = first; index < last; index++) {
      const row = document.createElement("tr");
      row.setAttribute("aria-rowindex", index + 2); // the heading is row 1
      this.fillRow(row, index);
      rows.push(row);
    }
    rows.push(this.spacer(this.count - last));
    const focused = this.body.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
    this.body.replaceChildren(...rows);
    if (focused !== undefined) this.body.querySelector(`[data-key="${focused}"]`)?.focus({ preventScroll: true });
  }

  spacer(rows) {
    const spacer = element("tr", "spacer");
    spacer.setAttribute("aria-hidden", "true");
    spacer.style.height = `${rows * this.rowHeight}px`;
    return spacer;
  }

  /** Scroll so that row `index` stands at `share` of the height, unless it is in sight and `lazy`. */
  reveal(index, share, lazy = false) {
    const y = index * this.rowHeight;
    const { scrollTop, clientHeight } = this.scroller;
    if (lazy && y >= scrollTop && y + 2 * this.rowHeight <= scrollTop + clientHeight) return;
    this.scroller.scrollTop = Math.max(0, y - share * clientHeight);
    this.update();
  }
}
