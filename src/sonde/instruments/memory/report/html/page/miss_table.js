// A table of counts: sorted by a click on a heading, filtered by words, walked with the arrow keys; only rows in sight exist.

const ROW_HEIGHT = 27;
const MOST_ROWS_IN_SIGHT = 15;

class MissTable {
  /** `columns`: each with key, title, className, value, text, and a tip or a bar; `onPick(row)`: a row was chosen. */
  constructor(part, onPick) {
    Object.assign(this, { part, onPick, search: "", all: [], columns: [], sorting: null, picked: null, rows: [] });
    this.scroller = part.querySelector(".scroller");
    this.body = part.querySelector("tbody");
    this.virtual = new VirtualRows(this.scroller, this.body, ROW_HEIGHT, (row, index) => this.fillRow(row, index));
    this.scroller.addEventListener("keydown", (event) => this.walk(event));
    const field = part.querySelector("input");
    field.addEventListener("input", () => this.find(field.value));
    field.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      field.value = "";
      this.find("");
    });
  }

  /** Show other rows, with columns of their own. */
  give(rows, columns, textOf, label) {
    Object.assign(this, { all: rows, columns, textOf });
    this.part.querySelector("table").setAttribute("aria-label", label);
    if (!columns.some(({ key }) => key === this.sorting?.key)) this.sorting = { key: LEVELS[LAST] ?? "accesses", isDown: true };
    this.scroller.scrollTop = 0;
    this.showHeader();
    this.show();
  }

  find(words) {
    this.search = words;
    this.scroller.scrollTop = 0;
    this.show();
  }

  showHeader() {
    const cells = this.columns.map((column) => {
      const cell = element("th", column.className);
      cell.scope = "col";
      const isSorted = this.sorting.key === column.key;
      cell.setAttribute("aria-sort", isSorted ? (this.sorting.isDown ? "descending" : "ascending") : "none");
      cell.append(button("", column.title, () => this.sort(column)));
      return cell;
    });
    this.part.querySelector("thead tr").replaceChildren(...cells);
  }

  sort(column) {
    const { key, isDown } = this.sorting;
    this.sorting = { key: column.key, isDown: key === column.key ? !isDown : Boolean(column.startsDown) };
    this.showHeader();
    this.show();
    [...this.part.querySelectorAll("thead button")].find((one) => one.textContent === column.title)?.focus();
  }

  show() {
    const words = this.search.toLowerCase().split(/\s+/).filter(Boolean);
    const column = this.columns.find(({ key }) => key === this.sorting.key);
    const sign = this.sorting.isDown ? -1 : 1;
    const matching = words.length ? this.all.filter((row) => words.every((word) => this.textOf(row).toLowerCase().includes(word))) : [...this.all];
    this.rows = matching.sort((a, b) => sign * compareValues(column.value(a), column.value(b)) || b.missesOf(LAST) - a.missesOf(LAST) || b.accesses - a.accesses || a.number - b.number);
    this.part.querySelector("table").setAttribute("aria-rowcount", this.rows.length + 1);
    this.part.querySelector(".empty").hidden = this.rows.length > 0;
    this.part.querySelector(".found").textContent = this.rows.length === this.all.length ? formatCount(this.all.length) : `${formatCount(this.rows.length)} of ${formatCount(this.all.length)}`;
    this.scroller.style.height = `${Math.min(this.rows.length, MOST_ROWS_IN_SIGHT) * ROW_HEIGHT + 32}px`;
    this.virtual.show(this.rows.length);
  }

  fillRow(row, index) {
    const shown = this.rows[index];
    if (shown === this.picked) row.setAttribute("aria-current", "true");
    for (const column of this.columns) {
      const cell = element("td", column.className);
      if (column.key === "name") {
        const name = button("", column.text(shown), () => this.pick(shown));
        name.dataset.key = String(index);
        name.title = column.tip ? column.tip(shown) : column.text(shown);
        cell.append(name);
        if (column.after) cell.append(element("span", "after", column.after(shown)));
      } else {
        cell.append(column.text(shown));
        if (column.tip) cell.title = column.tip(shown);
        if (column.bar) {
          cell.classList.add("barred");
          cell.style.setProperty("--share", column.bar(shown).toFixed(4));
        }
      }
      row.append(cell);
    }
    row.addEventListener("click", (event) => event.target.closest("button") || this.pick(shown));
  }

  pick(row) {
    this.picked = row;
    for (const made of this.body.querySelectorAll("tr[aria-rowindex]")) {
      if (this.rows[Number(made.getAttribute("aria-rowindex")) - 2] === row) made.setAttribute("aria-current", "true");
      else made.removeAttribute("aria-current");
    }
    this.onPick(row);
  }

  /** Arrow keys move between rows; Enter picks, as it does on any button. */
  walk(event) {
    const key = document.activeElement?.dataset.key;
    const at = key === undefined ? -1 : Number(key);
    const page = Math.max(1, Math.floor(this.scroller.clientHeight / ROW_HEIGHT) - 2);
    const steps = { ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: this.rows.length - 1 };
    if (at < 0 || !(event.key in steps)) return;
    event.preventDefault();
    const to = clamp(steps[event.key], 0, this.rows.length - 1);
    this.virtual.reveal(to, 0.4, true);
    this.body.querySelector(`[data-key="${to}"]`)?.focus({ preventScroll: true });
  }
}

function compareValues(a, b) {
  if (typeof a === "string") return a.localeCompare(b, "en", { numeric: true });
  return a === b ? 0 : a < b ? -1 : 1;
}

/** A small table that is not sorted: `cells(row)` gives texts and elements; the first column stands left. */
function plainTable(titles, rows, cells, label) {
  const head = element("tr", "", titles.map((title, i) => {
    const cell = element("th", i ? "number" : "", title);
    cell.scope = "col";
    return cell;
  }));
  const body = rows.map((row) => element("tr", "", cells(row).map((cell, i) => element("td", i ? "number" : "name", cell))));
  const table = element("table", "plain", [element("thead", "", [head]), element("tbody", "", body)]);
  table.setAttribute("aria-label", label);
  return element("div", "scrolls", [table]);
}
