// A small report as the page gets it: a tree of functions, lines with parts, names of types.

/** @returns {any} */
export function rawReport() {
  const text = ["run", "app.py", "sort", "function", "Entry", "read"];
  return {
    version: 1,
    kind: "toy",
    title: "t",
    changed: null,
    strings: [...text, "libx.so", "str"],
    files: ["/src/app.py", ""],
    functions: [[0, 1, 0, 3, 3, 6], [2, 1, 0, 9, 3, 6], [5, 1, 1, 0, 3, 6]],
    names: [[0, 0], [2, 1], [4, -1], [5, 2], [7, -1]],
    places: [[0, 10, 1, []], [0, 4, 0, [0]], [1, 0, 2, []]],
    sources: { 0: "a\nb\n" },
    sources_left_out: 0,
    blocks: [
      { block: "note", key: "note", text: "n" },
      table("tree", [
        { key: "name", title: "name", unit: "name", whole: null, form: "name", values: [0, 1, 1, 3, 2] },
        { key: "time", title: "time", unit: "duration", whole: 100, hot: true, shown: "both", form: "number", values: [100, 30, 60, 5, 7] },
      ], { depth: [0, 1, 1, 2, 0], weight: 1 }),
      table("lines", [
        { key: "line", title: "line", unit: "place", whole: null, form: "place", values: [0, 1, 0, 2] },
        { key: "misses", title: "misses", unit: "count", whole: 50, form: "part", values: [4, 9, 6, null], wholes: [40, 9, 60, 0] },
        { key: "rate", title: "rate", unit: "ratio", whole: null, form: "number", values: [1.5, null, 2, 3] },
      ], { weight: 1 }),
      table("types", [
        { key: "type", title: "type", unit: "name", whole: null, form: "name", values: [2, 4] },
        { key: "odd", title: "odd", unit: "number", whole: null, form: "mixed", values: [["x", "-inf"], ["c", 2, ["p", 5, 10]]] },
      ], { weight: -1 }),
    ],
  };
}

/** @param {string} key @param {any[]} columns @param {object} others */
function table(key, columns, others) {
  return { block: "table", key, title: key, notes: [], noun: "row", most: 0, left_out: 0, cut: 0, legend: "", rest: "", grouped: false, secondary: false, rows: columns[0].values.length, columns, ...others };
}
