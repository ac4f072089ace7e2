// The source of a method and of what was inlined into it, and on each line what was decided there.

const LINES_AROUND = 3;

/** The lines of a file that are in the page: texts by number. */
const listings = new Map();

function listingOf(file) {
  if (!listings.has(file)) {
    const lines = new Map();
    for (const [first, texts] of data.listings[file] ?? []) texts.forEach((text, i) => lines.set(first + i, text));
    listings.set(file, lines);
  }
  return listings.get(file);
}

/** The file and the line of a place; null where it is not known. */
function lineOf(method, at) {
  const source = data.sources[method];
  if (at < 0 || !source || data.runs[0].offsets !== "line") return null;
  return [source[0], lineIn(source, at, data.runs[0])];
}

/** Whether a method is in a file whose lines are known. */
function hasSource(method) {
  return data.runs[0].offsets === "line" && data.sources[method] !== undefined;
}

class SourceRows {
  /** `trees`: names and trees of a compilation; `method`: whose file comes first. */
  constructor(trees, method, showsSame) {
    this.trees = trees;
    const files = new Map();
    for (const [name, tree] of trees) this.collect(files, name, tree, showsSame);
    const own = data.sources[method];
    if (own && !files.has(own[0])) files.set(own[0], new Map());
    const order = [...files].sort((a, b) => (b[0] === own?.[0]) - (a[0] === own?.[0]) || b[1].size - a[1].size);
    this.rows = order.flatMap(([file, lines]) => this.fileRows(file, lines, own?.[0] === file ? own[1] : 0));
    this.start = own ? Math.max(this.indexOf(`l${own[0]}.${own[1]}`), 0) : 0; // the row of the method's first line
  }

  collect(files, name, tree, showsSame) {
    for (let node = 0; node < tree.count; node++) {
      const edit = tree.editOf(node);
      if (IS_COMPARED && edit === "." && !showsSame) continue;
      const side = tree.contentOf(node, 0) >= 0 ? 0 : 1;
      const place = this.placeOf(tree, node, side);
      if (!place) continue;
      const [file, line] = place;
      if (!files.has(file)) files.set(file, new Map());
      const lines = files.get(file);
      if (!lines.has(line)) lines.set(line, new Map());
      // What was said twice, of two copies of a loop, say, is one row.
      const key = `${tree.left[node]} ${tree.right?.[node] ?? ""}`;
      const there = lines.get(line).get(key);
      if (there) there.count++;
      else lines.get(line).set(key, { said: node, tree: name, side, edit, count: 1 });
    }
  }

  placeOf(tree, node, side) {
    const content = tree.contentOf(node, side);
    if (content < 0) return null;
    if ((content & 3) === CALL) {
      const [, , at] = data.calls[content >> 2];
      return lineOf(tree.callerOf(node, side), at);
    }
    const innermost = positionOf(content)[0];
    return innermost ? lineOf(innermost.method, innermost.at) : null;
  }

  fileRows(file, items, first) {
    const texts = listingOf(file);
    const rows = [{ key: `f${file}`, file, isMissing: texts.size === 0 }];
    const wanted = new Set(first && texts.has(first) ? [first] : []);
    for (const line of items.keys()) {
      for (let at = line - LINES_AROUND; at <= line + LINES_AROUND; at++) if (at === line || texts.has(at)) wanted.add(at);
    }
    let before = 0;
    for (const line of [...wanted].sort((a, b) => a - b)) {
      if (before && line > before + 1) rows.push({ key: `s${file}.${line}`, skipped: line - before - 1 });
      before = line;
      rows.push({ key: `l${file}.${line}`, line, text: texts.get(line) ?? "", has: items.has(line) });
      let number = 0;
      for (const item of items.get(line)?.values() ?? []) rows.push({ key: `i${file}.${line}.${number++}`, ...item });
    }
    return rows;
  }

  indexOf(key) {
    return this.rows.findIndex((row) => row.key === key);
  }
}
