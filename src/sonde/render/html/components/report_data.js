// The report as the page was given it: tables in columns, and how their cells are read. No document in here.

import { nameMembers } from "./packed_samples.js";
import { baseName } from "./text.js";

/** @typedef {{kind: "part", amount: number, whole: number}} PartCell */
/** @typedef {{kind: "interval", amount: number, low: number, high: number, confidence: number}} IntervalCell */
/** @typedef {{kind: "change", before: Cell, after: Cell}} ChangeCell */
/** @typedef {{kind: "bins", counts: number[]}} BinsCell */
/** @typedef {{kind: "name", name: number}} NameCell */
/** @typedef {{kind: "place", place: number}} PlaceCell */
/** @typedef {{kind: "text", text: string}} TextCell */
/** @typedef {{kind: "margin", amount: number, around: number | null, above: number | null, mayCross: boolean}} MarginCell */
/** @typedef {{kind: "quantity", amount: number, interval: IntervalCell | null, text: string, unit: string}} QuantityCell in the text, it has the unit that suits it */
/** @typedef {{kind: "values", count: number, cells: Cell[]}} ValuesCell the first of so many */
/** @typedef {{kind: "record", json: string}} RecordCell */
/** @typedef {number | PartCell | IntervalCell | ChangeCell | BinsCell | NameCell | PlaceCell | TextCell | MarginCell | QuantityCell | ValuesCell | RecordCell | null} Cell */
/**
 * @typedef {object} Column
 * @property {string} key
 * @property {string} title
 * @property {string} unit
 * @property {number | null} whole
 * @property {"share" | "both" | "below" | "details" | "data"} [shown]
 * @property {boolean} [hot]
 * @property {boolean} [signed]
 * @property {number} [priority]
 * @property {string} [meaning]
 * @property {[string, string]} [scale]
 * @property {"linear" | "log"} [axis]
 * @property {boolean} [category]
 * @property {"number" | "part" | "text" | "name" | "place" | "mixed"} form
 * @property {any[]} values
 * @property {number[]} [wholes]
 */
/**
 * @typedef {object} RawTable
 * @property {"table"} block
 * @property {string} key
 * @property {string} title
 * @property {string[]} notes
 * @property {string} noun
 * @property {number} most
 * @property {number} left_out
 * @property {number} cut
 * @property {string} legend
 * @property {string} rest
 * @property {boolean} grouped
 * @property {boolean} secondary
 * @property {number} weight
 * @property {number} rows
 * @property {Column[]} columns
 * @property {number[]} [depth]
 * @property {number[]} [tone]
 * @property {number[]} [mark]
 * @property {number[]} [led_to_by]
 * @property {number[]} [plot]
 * @property {{[row: string]: number}} [left_out_below]
 * @property {number} [file]
 * @property {string} [of] of several reports that are joined, the one that it is from: what is told of all has that before the keys of its columns
 * @property {[string, number, string]} [more_of] the key of a table, a row of it, and what is told of that
 * @property {{[row: string]: [string, number]}} [leads_to] the key of a table and a row of it
 * @property {[[string, string], [string, string]]} [sides] of two trees side by side what each is called, in short and in full; the first half of the columns is the left one's
 * @property {number[]} [right_mark]
 */
/** @typedef {{key: string, value: any, unit: string, words: string, one: string}} RawFact */
/** @typedef {{kind: string, text: string, weight: string, amount: number, examples: string, hint: string}} RawNotice */
/** @typedef {{block: "facts", key: string, facts: RawFact[], secondary: boolean}} RawFacts */
/** @typedef {{block: "notices", key: string, notices: RawNotice[], more: number}} RawNotices */
/** @typedef {{block: "findings", key: string, title: string, sentences: string[]}} RawFindings */
/** @typedef {{block: "note", key: string, text: string, title?: string}} RawNote */
/**
 * @typedef {object} RawSample
 * @property {string} name
 * @property {string} group
 * @property {[number, string]} scale how much of the measured unit is one of that which it is written in, and its name
 * @property {number} count
 * @property {number[]} values
 * @property {number[]} [at] their places, where there are not all `count` of them
 * @property {number[]} outliers places in `values`
 * @property {number} far how many outliers there are
 * @property {[number, number | null, number | null]} [mean] with the ends of its interval
 * @property {number} [median]
 * @property {number} [x] where it stands along the axis below
 * @property {[number, number]} [counted] from one value to before another
 * @property {[number, string][]} [gaps] places without a value, and why there is none; the first of them
 * @property {number} [gaps_left_out] how many more there are
 * @property {number} [missing] how many places have no value, for whatever reason
 * @property {RawMembers} [members] what each value was computed from
 * @property {number} [stretch] values are the least and the greatest of so many
 */
/**
 * @typedef {object} RawFrameWeights amounts by row
 * @property {string} key
 * @property {string} title
 * @property {string} unit
 * @property {number} whole
 * @property {number} hot_from
 * @property {number} gap_at_top
 * @property {number} all_gaps
 * @property {number[]} own
 * @property {number[]} rest beyond what the frame itself and those below it have; empty: nothing
 * @property {number[]} gap the part of it that was given up
 * @property {number[]} around half of an interval
 * @property {number[]} above so much more it may be
 */
/**
 * @typedef {object} RawFlame columns by row, those above before those below
 * @property {"flame"} block
 * @property {string} key
 * @property {string} title
 * @property {string} noun
 * @property {string} not_kept
 * @property {number} frames
 * @property {number} cut
 * @property {number[]} up how far the row above is; 0: none
 * @property {number[]} function
 * @property {number[]} line
 * @property {[string, number[]][]} groups functions by whose code they are
 * @property {number[]} change
 * @property {string} change_unit
 * @property {RawFrameWeights[]} weights
 */
/**
 * @typedef {object} RawFlow a control-flow graph
 * @property {"flow"} block
 * @property {string} key
 * @property {string} title
 * @property {string[]} notes
 * @property {number} file of the lines; -1: not known
 * @property {[number, number, number, string, string][]} blocks number, how often it was entered, its first line or 0, all of them, what is inlined there
 * @property {[number, number, number, number][]} edges from which block to which, by their places; how often or -1; 1: only exceptions lead there
 * @property {[string, number, number[]][]} ways name, how often, places of blocks
 * @property {number} left_out blocks
 */
/**
 * @typedef {object} RawTimeline
 * @property {"timeline"} block
 * @property {string} key
 * @property {string} title
 * @property {string[]} notes
 * @property {number[]} names of the report
 * @property {number} duration in nanoseconds
 * @property {number} apart spans shorter than so many nanoseconds are drawn together; 0: none are
 * @property {number} spans before that
 * @property {number} left_out lanes
 * @property {[string, number, number][]} lanes group, depth, spans
 * @property {number[]} marks in nanoseconds
 * @property {string} data base64: starts and lengths in parts of the whole, counts (32 bits each), names (16 bits)
 */

/** @typedef {RawTable | RawFacts | RawNotices | RawFindings | RawNote | RawPlot | RawFlame | RawFlow | RawTimeline} RawBlock */
/**
 * @typedef {object} RawMembers
 * @property {number} low
 * @property {number} high
 * @property {string[]} names
 * @property {number | number[]} lengths one number where all are alike
 * @property {number | number[]} steps values in a stretch; 1: all are there
 * @property {number | number[]} [from] the first that counts
 * @property {number | number[]} [to] behind the last that counts
 * @property {string} data base64 of little-endian 16-bit numbers from `low` to `high`
 */
/** @typedef {{block: "plot", key: string, kind: string, title: string, notes: string[], legend: string, secondary?: boolean, axis?: string, samples: RawSample[], without: number, left_out: number}} RawPlot */
/**
 * @typedef {object} RawReport
 * @property {number} version
 * @property {string} kind
 * @property {string} title
 * @property {boolean | null} changed
 * @property {string[]} headline
 * @property {string} [outcome] what that is called, if not as usual
 * @property {RawBlock[]} blocks
 * @property {string[]} strings
 * @property {string[]} files
 * @property {[number, number, number, number, number, number][]} functions label, module, file, line, kind, library
 * @property {[number, number][]} names text, function
 * @property {[number, number, number, number[]][]} places file, line, function, inlined into
 * @property {{[file: string]: string}} sources
 * @property {number} sources_left_out
 * @property {number} [plots_left_out]
 */

const TONES = ["", "strong", "faint", "bad", "good", "new", "gone", "notable", "first", "second"];
const AMOUNTS = ["count", "duration", "bytes", "share", "points", "ratio", "number", "margin", "p-value", "measured"];
const NUMERIC_CELLS = ["part", "interval", "change"];

/** @param {Column} column @returns {boolean} whether its cells are amounts, which stand on the right */
export function isAmount(column) {
  return AMOUNTS.includes(column.unit);
}

/** @param {Column} column @returns {boolean} whether a row may be known by it */
function isNaming(column) {
  return !isAmount(column) && column.unit !== "bins";
}

/** @param {Cell} cell @returns {number} what a cell is sorted and heated by */
export function weightOf(cell) {
  if (typeof cell === "number") return cell;
  if (cell?.kind === "part" || cell?.kind === "interval" || cell?.kind === "quantity") return cell.amount;
  if (cell?.kind === "change") return weightOf(cell.after) - weightOf(cell.before);
  return 0;
}

/** @param {Cell} cell @returns {IntervalCell | null} what can be drawn as one */
export function intervalOf(cell) {
  if (cell === null || typeof cell === "number") return null;
  if (cell.kind === "quantity") return cell.interval;
  return cell.kind === "interval" ? cell : null;
}

/** A report whose tables can be asked. */
export class ReportData {
  /** @param {RawReport} raw */
  constructor(raw) {
    this.raw = raw;
    nameMembers(raw);
    /** @type {TableData[]} */
    this.tables = [];
    for (const block of raw.blocks) if (block.block === "table") this.tables.push(new TableData(this, block, this.tables.length));
  }

  /** @param {any} written @returns {Cell} a cell as `mixed` columns have it */
  cell(written) {
    if (written === null || typeof written === "number") return written;
    const [type, ...values] = written;
    switch (type) {
      case "p": return { kind: "part", amount: this.amount(values[0]), whole: this.amount(values[1]) };
      case "i": return { kind: "interval", amount: this.amount(values[0]), low: this.amount(values[1]), high: this.amount(values[2]), confidence: values[3] };
      case "c": return { kind: "change", before: this.cell(values[0]), after: this.cell(values[1]) };
      case "b": return { kind: "bins", counts: values };
      case "n": return { kind: "name", name: values[0] };
      case "l": return { kind: "place", place: values[0] };
      case "t": return { kind: "text", text: this.raw.strings[values[0]] };
      case "m": return { kind: "margin", amount: this.amount(values[0]), around: this.amount(values[1]), above: this.amount(values[2]), mayCross: values[3] };
      case "q": return this.quantity(values);
      case "v": return { kind: "values", count: values[0], cells: values.slice(1).map((/** @type {any} */ each) => this.cell(each)) };
      case "r": return { kind: "record", json: values[0] };
      default: return this.amount(written);
    }
  }

  /** @param {any[]} written @returns {QuantityCell} */
  quantity([value, text, unit]) {
    const read = this.cell(value);
    const interval = intervalOf(read);
    return { kind: "quantity", amount: interval ? interval.amount : Number(read), interval, text: this.raw.strings[text], unit: this.raw.strings[unit] };
  }

  /** @param {any} written @returns {number} a number, of which JSON has not all */
  amount(written) {
    if (!Array.isArray(written)) return written;
    return { inf: Infinity, "-inf": -Infinity }[/** @type {string} */ (written[1])] ?? NaN;
  }

  /** @param {number} name @returns {string} */
  nameText(name) {
    return this.raw.strings[this.raw.names[name][0]] || "(no name)";
  }

  /** @param {number} name @returns {number} its function; -1: none */
  functionOfName(name) {
    return this.raw.names[name][1];
  }

  /** @param {number} number @returns {string} */
  functionText(number) {
    return this.raw.strings[this.raw.functions[number][0]] || "(no name)";
  }

  /** @param {number} number @returns {string} where a function is: its file, else its library */
  homeOf(number) {
    const [, , file, , , library] = this.raw.functions[number];
    return this.raw.files[file] || this.raw.strings[library];
  }

  /** @param {number} number @returns {string} `records.py:12`; the library where there is no file */
  functionPlace(number) {
    const [, , file, line] = this.raw.functions[number];
    const path = this.raw.files[file];
    return path ? baseName(path) + (line ? `:${line}` : "") : baseName(this.homeOf(number));
  }

  /** @param {number} place @returns {string} `records.py:12` */
  placeText(place) {
    const [file, line, owner] = this.raw.places[place];
    const path = this.raw.files[file];
    if (!path) return owner < 0 ? "(no file)" : baseName(this.homeOf(owner)) || this.functionText(owner);
    return baseName(path) + (line ? `:${line}` : "");
  }

  /** @param {number} place @returns {string} the whole path, the function, and what it was inlined into */
  placeInFull(place) {
    const [file, line, owner, outer] = this.raw.places[place];
    const path = this.raw.files[file] || (owner < 0 ? "" : this.homeOf(owner)) || "(no file)";
    const own = `${path}${line ? `:${line}` : ""}${owner < 0 ? "" : ` in ${this.functionText(owner)}`}`;
    return [own, ...outer.map((each) => `inlined into ${this.placeInFull(each)}`)].join("\n");
  }
}

/** A table whose cells are read when they are asked for. */
export class TableData {
  /** @param {ReportData} report @param {RawTable} raw @param {number} number */
  constructor(report, raw, number) {
    this.report = report;
    this.raw = raw;
    this.number = number;
    this.columns = raw.columns;
    this.count = raw.rows;
    /** Of two trees side by side, how many columns each has; else 0. */
    this.half = raw.sides ? raw.columns.length / 2 : 0;
    const isFilled = raw.columns.map((column) => column.values.some((value) => value !== null));
    const filled = raw.columns.map((_, i) => i).filter((i) => isFilled[i] || (this.half && isFilled[(i + this.half) % raw.columns.length]));
    const isInTable = (/** @type {number} */ i) => raw.columns[i].shown !== "data" && raw.columns[i].shown !== "details";
    const isForPrograms = !filled.some(isInTable); // then it has nothing else to show
    const told = filled.filter((i) => isForPrograms || isInTable(i));
    /** Columns of sentences that belong to a row. */
    this.below = told.filter((i) => raw.columns[i].shown === "below");
    const others = told.filter((i) => raw.columns[i].shown !== "below");
    if (!others.length) others.push(...this.below.splice(0, 1));
    if (this.half) others.sort((a, b) => a - b);
    /** The column of names, texts or places that a row is known by; the first one, if there is none. */
    this.lead = others.find((i) => isNaming(raw.columns[i])) ?? others[0] ?? -1;
    /** Columns that are not for programs only, and hold something; the leading one comes first. */
    this.shown = [...others.filter((i) => i === this.lead), ...others.filter((i) => i !== this.lead)];
    /** Columns that may name functions and places. */
    this.naming = raw.columns.map((_, i) => i).filter((i) => !["number", "part", "text"].includes(raw.columns[i].form));
    const depth = raw.depth;
    this.isTree = depth !== undefined;
    /** The row that each is below; -1: none. */
    this.parent = new Int32Array(this.count).fill(-1);
    if (depth) {
      /** @type {number[]} */
      const above = [];
      for (let row = 0; row < this.count; row++) {
        above[depth[row]] = row;
        if (depth[row]) this.parent[row] = above[depth[row] - 1];
      }
    }
    /** @type {(string | undefined)[]} */
    this.texts = [];
    /** @type {boolean | undefined} */
    this.areBeginnings = undefined;
  }

  /** Whether places are only where the functions of the rows begin: they tell of no line. @returns {boolean} */
  get isOfFunctions() {
    return (this.areBeginnings ??= this.hasBeginnings());
  }

  /** @returns {boolean} */
  hasBeginnings() {
    let known = 0;
    for (let row = 0; row < this.count; row++) {
      const cells = this.shown.map((at) => this.cell(row, at));
      const owners = cells.map((cell) => (cell !== null && typeof cell !== "number" && cell.kind === "name" ? this.report.functionOfName(cell.name) : -1)).filter((owner) => owner >= 0);
      for (const cell of cells) {
        if (cell === null || typeof cell === "number" || cell.kind !== "place") continue;
        const [file, line] = this.report.raw.places[cell.place];
        if (!line) continue;
        known += 1;
        const isBeginning = owners.some((owner) => this.report.raw.functions[owner][2] === file && this.report.raw.functions[owner][3] === line);
        if (!isBeginning) return false;
      }
    }
    return known > 0;
  }

  /** @param {number} row @returns {number} */
  depth(row) {
    return this.raw.depth ? this.raw.depth[row] : 0;
  }

  /** @param {number} row @returns {boolean} whether there are rows below it */
  hasBelow(row) {
    return this.depth(row + 1) > this.depth(row);
  }

  /** @param {number} row @returns {string} */
  tone(row) {
    return this.raw.tone ? TONES[this.raw.tone[row]] : "";
  }

  /** @param {number} row @returns {string} */
  mark(row) {
    return this.raw.mark ? this.report.raw.strings[this.raw.mark[row]] : "";
  }

  /** @param {number} row @returns {string} the right one's, of two trees side by side */
  rightMark(row) {
    return this.raw.right_mark ? this.report.raw.strings[this.raw.right_mark[row]] : "";
  }

  /** @param {number} row @returns {{table: TableData, row: number} | null} where it is told of at length */
  leadsTo(row) {
    const [key, at] = this.raw.leads_to?.[row] ?? ["", 0];
    const table = key ? this.report.tables.find((one) => one.raw.key === key) : undefined;
    return table && at < table.count ? { table, row: at } : null;
  }

  /** @param {number} row @returns {string} */
  ledToBy(row) {
    return this.raw.led_to_by ? this.report.raw.strings[this.raw.led_to_by[row]] : "";
  }

  /** @param {number} row @returns {string} the key of its plot */
  plotKey(row) {
    return this.raw.plot ? this.report.raw.strings[this.raw.plot[row]] : "";
  }

  /** @param {number} row @returns {number} how many rows below it are not in the report */
  leftOutBelow(row) {
    return this.raw.left_out_below?.[row] ?? 0;
  }

  /** @param {number} row @returns {{column: Column, cell: Cell}[]} the sentences that belong to a row, one by one */
  sentences(row) {
    return this.below.flatMap((at) => {
      const cell = this.cell(row, at);
      const cells = cell !== null && typeof cell !== "number" && cell.kind === "values" ? cell.cells : [cell];
      return cells.filter((each) => each !== null).map((each) => ({ column: this.columns[at], cell: each }));
    });
  }

  /** @param {number} row @param {number} at the column @returns {Cell} */
  cell(row, at) {
    const column = this.columns[at];
    const value = column.values[row];
    if (value === null || value === undefined) return null;
    switch (column.form) {
      case "number": return value;
      case "part": return { kind: "part", amount: this.report.amount(value), whole: this.report.amount(column.wholes?.[row]) };
      case "text": return { kind: "text", text: this.report.raw.strings[value] };
      case "name": return { kind: "name", name: value };
      case "place": return { kind: "place", place: value };
      default: return this.report.cell(value);
    }
  }

  /** @param {number} row @param {number} at the column; -1: none @returns {number} */
  weight(row, at) {
    return at < 0 ? 0 : weightOf(this.cell(row, at));
  }

  /** @param {Cell} cell @returns {string} what is looked through, and sorted by where there is no amount */
  wordsOf(cell) {
    if (cell === null || typeof cell === "number") return "";
    if (cell.kind === "text") return cell.text;
    if (cell.kind === "quantity") return cell.text;
    if (cell.kind === "values") return cell.cells.map((each) => this.wordsOf(each)).filter(Boolean).join("\n");
    if (cell.kind === "place") return this.report.placeInFull(cell.place);
    if (cell.kind !== "name") return "";
    const owner = this.report.functionOfName(cell.name);
    return `${this.report.nameText(cell.name)}${owner < 0 ? "" : `\n${this.report.homeOf(owner)}`}`;
  }

  /** @param {number} row @returns {string} all its words, in lower case */
  text(row) {
    return (this.texts[row] ??= this.columns.map((_, i) => this.wordsOf(this.cell(row, i))).filter(Boolean).join("\n").toLowerCase());
  }

  /** @param {number} at @returns {boolean} whether a column has amounts to be sorted by, largest first */
  startsDown(at) {
    const column = this.columns[at];
    return isAmount(column) || NUMERIC_CELLS.includes(column.form);
  }

  /** @param {number} at @returns {number} what cells of a column are heated by: its whole, else its largest cell */
  wholeOf(at) {
    const { whole } = this.columns[at];
    if (whole) return whole;
    let largest = 0;
    for (let row = 0; row < this.count; row++) largest = Math.max(largest, Math.abs(this.weight(row, at)));
    return largest || 1;
  }
}
