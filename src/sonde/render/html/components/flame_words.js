// What is said of a frame: who it is, who called it, its amounts with their shares and doubts.

/** @import { FlameTree } from "./flame_tree.js" */
/** @import { ReportData } from "./report_data.js" */
import { marginText } from "./cell_text.js";
import { element, said } from "./elements.js";
import { GIVEN_UP } from "./flame_tree.js";
import { formatAmount, formatShare } from "./text.js";

export class FlameWords {
  /** @param {ReportData} report @param {FlameTree} tree */
  constructor(report, tree) {
    this.report = report;
    this.tree = tree;
    /** By which frames are wide. */
    this.weight = 0;
  }

  /** @param {number} owner a function, or what stands for one @returns {string} */
  nameOf(owner) {
    if (owner === GIVEN_UP) return `${this.tree.raw.noun}s not kept`;
    return owner < 0 ? "whole program" : this.report.functionText(owner);
  }

  /** @param {number} node @returns {string} */
  name(node) {
    return this.nameOf(this.tree.owner[node]);
  }

  /** The name as frames have it: with a mark, or with how much there is in all. @param {number} node @returns {string} */
  label(node) {
    if (node) return this.heat(node) === "possibly hot" ? `${this.name(node)} ?` : this.name(node);
    const { unit, title } = this.tree.raw.weights[this.weight];
    return `${this.name(node)} \u00b7 ${formatAmount(this.whole, unit)}${unit === "count" ? ` ${title.toLowerCase()}` : ""}`;
  }

  get whole() {
    return this.tree.total[this.weight][0];
  }

  /** Whether a frame is hot as far as one can tell; empty when nobody has said what is hot. @param {number} node @returns {string} */
  heat(node) {
    const judged = this.tree.raw.weights.find(({ hot_from: from }) => from > 0);
    if (!judged || !this.tree.isFrame(node)) return "";
    const own = judged.own[node - 1];
    if (own >= judged.hot_from) return "hot";
    return own + (judged.above[node - 1] ?? 0) >= judged.hot_from ? "possibly hot" : "cold";
  }

  /** @param {number} owner @returns {string} where a function begins */
  placeOf(owner) {
    const [, module, file, line, kind] = this.report.raw.functions[owner];
    if (this.report.raw.files[file]) return `${this.report.raw.files[file]}${line ? `:${line}` : ""}`;
    return this.report.homeOf(owner) || `(${this.report.raw.strings[kind]}) ${this.report.raw.strings[module]}`;
  }

  /** All that is known of a frame. @param {number} node @param {number} zoomed @returns {Node[]} */
  describe(node, zoomed) {
    const { tree } = this;
    const above = tree.parent[node];
    const places = [];
    if (tree.owner[node] === GIVEN_UP) places.push([`below ${this.name(above)}`, tree.raw.not_kept].filter(Boolean).join("; "));
    if (tree.isFrame(node)) places.push(this.placeOf(tree.owner[node]));
    if (tree.isFrame(node) && above > 0) places.push(`called from ${tree.callLine[node] > 0 ? `line ${tree.callLine[node]} of ` : ""}${this.name(above)}`);
    const rows = [...(tree.raw.change.length ? this.changes(node) : this.amounts(node)), ...this.doubts(node)];
    const inZoomed = zoomed > 0 && node !== zoomed && tree.layout(this.weight).covers(zoomed, node);
    if (inZoomed) rows.push(["of the zoomed frame", "", formatShare(tree.total[this.weight][node], tree.total[this.weight][zoomed])]);
    const cells = rows.map(([name, ...texts]) => element("tr", "", [element("th", "", name), ...texts.map((text) => element("td", "", text))]));
    return [element("div", "title", said(this.name(node))), ...places.map((text) => element("div", "soft", said(text))), element("table", "", element("tbody", "", cells))];
  }

  /** @param {number} node @returns {string[][]} the total, what it has itself, and what is counted besides */
  amounts(node) {
    const { tree, weight, whole } = this;
    const chosen = tree.raw.weights[weight];
    const rows = [["total", formatAmount(tree.total[weight][node], chosen.unit), formatShare(tree.total[weight][node], whole)]];
    if (!node) return rows;
    tree.raw.weights.forEach((each, i) => {
      const isCount = each.unit === "count";
      if (!isCount && (i !== weight || !tree.isFrame(node))) return;
      const own = tree.own[i][node];
      const half = each.around[node - 1];
      const margin = half === undefined || !(own || half) ? "" : ` ${marginText({ kind: "margin", amount: own, around: half, above: null, mayCross: false })}`;
      rows.push([isCount ? each.title.toLowerCase() : "self", formatAmount(own, each.unit) + margin, i === weight ? formatShare(own, whole) : ""]);
    });
    return rows;
  }

  /** @param {number} node @returns {string[][]} the totals of both sides, and the change */
  changes(node) {
    const { raw, total, own } = this.tree;
    const rows = raw.weights.map(({ title, unit }, i) => [title.toLowerCase(), formatAmount(total[i][node], unit), formatShare(total[i][node], total[i][0])]);
    if (node) rows.push(["change", formatAmount(raw.change[node - 1], raw.change_unit, true), ""]);
    if (node) rows.push(...raw.weights.map(({ title, unit }, i) => [`self ${title.toLowerCase()}`, formatAmount(own[i][node], unit), formatShare(own[i][node], total[i][0])]));
    return rows;
  }

  /** @param {number} node @returns {string[][]} */
  doubts(node) {
    const rows = this.heat(node) ? [[`${this.tree.raw.noun} is`, this.heat(node), ""]] : [];
    for (const { above, title, unit, whole } of this.tree.raw.weights) {
      const more = above[node - 1] ?? 0;
      if (more > 0) rows.push([`${unit === "count" ? title.toLowerCase() : "self"} may be more by`, `\u2264 ${formatAmount(more, unit)}`, formatShare(more, whole)]);
    }
    return rows;
  }
}
