// What the page was given: tables in columns, and how their rows are named.

const data = JSON.parse(byId("profile").textContent);
const LAYERS = ["python", "native"];
const LEVELS = data.levels;
const LAST = LEVELS.length - 1;

function clamp(value, low, high) {
  return Math.min(Math.max(value, low), high);
}

function baseName(path) {
  return path.slice(path.lastIndexOf("/") + 1);
}

function functionName(number) {
  return data.functions[number][0] || "(no name)";
}

/** The file of a function, else its library. */
function homeOf(number) {
  const [, file, , library] = data.functions[number];
  return data.files[file] || library;
}

/** `records.py:12`; the library where there is no file. */
function placeText(number, line) {
  if (number < 0) return "";
  const [, file, , library] = data.functions[number];
  const path = data.files[file];
  if (!path) return baseName(library) || functionName(number);
  return line ? `${baseName(path)}:${line}` : baseName(path);
}

/** What was inlined where a row's objects were made, and made them: `file:line` behind an arrow. */
function inlinedText(row) {
  const place = placeText(row.get("inlined_function"), row.get("inlined_line"));
  return place ? `\u2192 ${place}` : "";
}

/** Where a row's objects were made. Instances of a template are told by their names. */
function siteText(row) {
  const number = row.get("function");
  const place = row.get("by_name") ? functionName(number) : placeText(number, row.get("line"));
  return [place, inlinedText(row)].filter(Boolean).join(" ");
}

function typeText(number) {
  return data.type_names[number][0];
}

/** One row of a table: numbers by their column. */
class Row {
  constructor(table, number) {
    this.table = table;
    this.number = number;
  }

  get(name) {
    return this.table[name][this.number];
  }

  get accesses() {
    return this.table.accesses ? this.table.accesses[this.number] : this.table.loads[this.number] + this.table.stores[this.number];
  }

  missesOf(level) {
    return this.table.misses[level]?.[this.number] ?? 0;
  }
}

/** All rows of a table; `key` is the column that every table of its sort has. */
function rowsOf(table, key) {
  return table[key].map((_, number) => new Row(table, number));
}

const lineRows = LAYERS.map((layer) => rowsOf(data.code[layer].lines, "line"));
const functionRows = LAYERS.map((layer) => rowsOf(data.code[layer].functions, "function"));
const typeRows = rowsOf(data.types, "type");
const siteRows = rowsOf(data.sites, "type");
const objectRows = rowsOf(data.objects, "type");
const lineTypeRows = rowsOf(data.line_types, "type");

function grouped(rows, keyOf) {
  const groups = new Map();
  for (const row of rows) {
    const key = keyOf(row);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(row);
  }
  return groups;
}

/** Which layer and file a line belongs to; code without a file stands together by library. */
function unitOf(layer, number) {
  return `${layer} ${data.functions[number][1]} ${data.files[data.functions[number][1]] ? "" : data.functions[number][3]}`;
}

const linesByUnit = new Map();
lineRows.forEach((rows, layer) => {
  for (const [unit, lines] of grouped(rows, (row) => unitOf(layer, row.get("function")))) linesByUnit.set(unit, lines);
});
const typesOfLine = grouped(lineTypeRows, (row) => `${row.get("layer")} ${row.get("row")}`);
const linesOfType = grouped(lineTypeRows, (row) => row.get("type"));
const sitesOfType = grouped(siteRows, (row) => row.get("type"));
const sitesAtLine = grouped(siteRows, (row) => `${data.functions[row.get("function")][1]} ${row.get("line")}`);
