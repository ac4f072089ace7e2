// The lower half: types, allocation sites or objects, and what is known of the one that was picked.

const SUBJECTS = [
  { title: "Types", rows: typeRows, noun: "Type" },
  { title: "Allocation sites", rows: siteRows, noun: "Place and type" },
  { title: "Objects", rows: objectRows, noun: "Object" },
];

class MemorySection {
  constructor(onLine) {
    this.detail = new MemoryDetail(byId("subject"), onLine);
    this.table = new MissTable(document.querySelector("#memory .list"), (row) => this.showDetail(row));
    byId("subjects").replaceChildren(...SUBJECTS.map(({ title, rows }, i) => {
      const made = button("", [title, " ", element("span", "count", formatCount(rows.length))], () => this.show(i));
      made.disabled = !rows.length;
      return made;
    }));
    new ResizeObserver(() => this.layOut()).observe(byId("subject"));
    this.show(0);
  }

  show(subject) {
    this.subject = subject;
    [...byId("subjects").children].forEach((made, i) => made.setAttribute("aria-pressed", String(i === subject)));
    const { rows, title, noun } = SUBJECTS[subject];
    const names = [
      { text: (row) => typeText(row.get("type")) },
      { text: siteText, after: (row) => typeText(row.get("type")) },
      { text: (row) => `${typeText(row.get("type"))} #${row.get("number")}`, after: siteText },
    ][subject];
    const last = subject < 2
      ? { key: "born", title: "Born", className: "number short", startsDown: true, value: (row) => row.get("born"), text: (row) => (row.get("born") ? formatShortCount(row.get("born")) : "") }
      : { key: "bytes", title: "Bytes", className: "number short", startsDown: true, value: (row) => row.get("bytes"), text: (row) => formatShortCount(row.get("bytes")) };
    const textOf = (row) => (subject ? `${names.text(row)} ${names.after(row)}` : `${names.text(row)} ${data.type_names[row.get("type")][1]}`);
    this.table.give(rows, [{ key: "name", title: noun, className: "name", value: names.text, tip: textOf, ...names }, ...countColumns(), last], textOf, title);
    if (this.table.rows.length) this.table.pick(this.table.rows[0]);
    else byId("subject").replaceChildren(element("p", "empty", "No memory was accessed."));
  }

  showDetail(row) {
    if (this.subject === 0) this.detail.showType(row);
    else if (this.subject === 1) this.detail.showSite(row);
    else this.detail.showObject(row);
    this.laidOutFor = byId("subject").clientWidth;
  }

  /** Draw anew when the room for drawings has changed. */
  layOut() {
    if (this.table.picked && byId("subject").clientWidth !== this.laidOutFor) this.showDetail(this.table.picked);
  }

  openType(number) {
    if (this.subject !== 0) this.show(0);
    const row = typeRows.find((one) => one.get("type") === number);
    if (!row) return;
    this.table.pick(row);
    byId("memory").scrollIntoView({ block: "nearest" });
  }
}
