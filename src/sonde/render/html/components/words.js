// What a report says in words: facts, notices, findings, notes.

/** @import { Column, RawFact, RawFacts, RawFindings, RawNote, RawNotices, RawNotice, ReportData } from "./report_data.js" */
import { cellInFull, cellTexts } from "./cell_text.js";
import { copyButton } from "./copy_text.js";
import { button, element, said } from "./elements.js";
import { counted, formatCount, formatExactly } from "./text.js";

const NOTICES_AT_FIRST = 4;

/** @param {ReportData} report @param {RawFact} fact @returns {HTMLElement} a fact: its words, and its value below them */
function factOf(report, fact) {
  const cell = report.cell(fact.value);
  const words = cell === 1 && fact.one ? fact.one : fact.words;
  const key = fact.key.replace(/[_-]\d+$/, "").replace(/[_-]/g, " "); // of several, each has a number
  if (!words.includes("{}")) return element("div", "", [element("dt", "", said(key)), element("dd", "", said(words))]);
  const isPart = typeof cell !== "number" && cell?.kind === "part";
  /** @type {Column} */
  const column = { key: fact.key, title: "", unit: fact.unit, whole: null, form: "mixed", ...(fact.unit === "share" && isPart ? { shown: "share" } : {}), values: [] };
  const [text, beside] = cellTexts(report, cell, column);
  const value = typeof cell === "number" && fact.unit === "count" ? formatExactly(cell, fact.unit) : text;
  const [before, behind = ""] = words.split("{}");
  const [glued] = /^\S*/.exec(behind) ?? [""];
  const after = behind.slice(glued.length);
  const dd = element("dd", "", [said(before.trim() && after.trim() ? `${before}${value}${behind}` : value + glued)]);
  if (beside) dd.append(element("small", "", said(beside)));
  dd.title = cellInFull(report, cell, column);
  const about = (before.trim() && after.trim() ? "" : (before + after).replace(/^[\s,:]+|[\s,:]+$/g, "")) || key;
  return element("div", "", [element("dt", "", said(about)), dd]);
}

/** @param {ReportData} report @param {RawFacts} block @returns {HTMLElement} */
export function factsOf(report, block) {
  const list = element("dl", "facts", block.facts.map((fact) => factOf(report, fact)));
  if (!block.secondary) return list;
  return element("details", "more-facts", [element("summary", "", ["More: ", said(block.key.replace(/[_-]/g, " "))]), list]);
}

/** @param {RawNotice} notice @returns {HTMLElement} */
function noticeOf(notice) {
  const parts = [said(notice.text)];
  if (notice.kind) parts.unshift(element("b", "", `${notice.kind}${notice.amount ? ` (${formatCount(notice.amount)})` : ""}: `));
  if (notice.examples) parts.push(element("span", "examples", said(notice.examples)));
  if (notice.hint) parts.push(element("span", "hint", ["hint: ", said(notice.hint)]));
  return element("p", notice.weight === "remark" ? "notice" : `notice ${notice.weight}`, parts);
}

/** The first notices, what is only a remark last, and a button for the others. @param {RawNotices} block @returns {HTMLElement} */
export function noticesOf(block) {
  const isRemark = (/** @type {RawNotice} */ notice) => notice.weight === "remark";
  const ordered = [...block.notices.filter((one) => !isRemark(one)), ...block.notices.filter(isRemark)];
  const all = ordered.map(noticeOf);
  if (block.more) all.push(element("p", "notice", `${counted(block.more, "note")} beyond these are not in this page.`));
  const place = element("div", "notices", all.slice(0, NOTICES_AT_FIRST));
  if (all.length > NOTICES_AT_FIRST) {
    const more = button("quiet more", counted(all.length - NOTICES_AT_FIRST, "more note"), () => more.replaceWith(...all.slice(NOTICES_AT_FIRST)));
    place.append(more);
  }
  return place;
}

/** @param {RawFindings} block @returns {HTMLElement} */
export function findingsOf(block) {
  const list = element("ul", "sentences", block.sentences.map((text) => element("li", "", said(text))));
  return element("div", "", block.title ? [element("h3", "", said(block.title)), list] : [list]);
}

/** @param {RawNote} block @returns {HTMLElement} */
export function noteOf(block) {
  if (!block.title) return element("p", "soft note", said(block.text));
  const head = element("div", "note-head", [element("h2", "", said(block.title)), ...copyButton(block.text)]);
  return element("section", "card words-card", [head, element("p", "", said(block.text))]);
}
