// Who called a function and whom it called, as tables of the details.

/** @import { FlameSum } from "./flame_sums.js" */
/** @import { FlameCard } from "./flame_card.js" */
import { button, element, said } from "./elements.js";
import { calleesOf, callersOf } from "./flame_sums.js";
import { GIVEN_UP } from "./flame_tree.js";
import { counted, formatAmount, formatCount, formatShare } from "./text.js";

const MOST_NEIGHBOURS = 200;

/** @param {FlameCard} card @param {number} owner @returns {HTMLElement[]} */
export function neighboursOf(card, owner) {
  const { tree, graph } = card;
  const callers = callersOf(tree, graph.layout, owner);
  if (!callers.length) return [];
  const total = callers.reduce((sum, each) => sum + each.total, 0);
  return [
    neighbours(card, "Called by", callers, total, "Nobody: it is where the program started."),
    neighbours(card, "Calls", calleesOf(tree, graph.layout, owner), total, "Nothing that was seen: all that it has is its own."),
  ];
}

/** @param {FlameCard} card @param {string} title @param {FlameSum[]} sums @param {number} whole @param {string} nothing @returns {HTMLElement} */
function neighbours(card, title, sums, whole, nothing) {
  const { raw, words, selection } = card;
  const counts = raw.weights.findIndex(({ unit }, i) => unit === "count" && i !== words.weight);
  const weight = raw.weights[words.weight];
  const heads = [title.toLowerCase(), ...(counts < 0 ? [] : [raw.weights[counts].title]), weight.unit === "count" ? `${weight.title}, with callees` : weight.title];
  const head = element("tr", "", heads.map((text, i) => {
    const cell = element("th", i ? "amount" : "words", i ? text.toLowerCase() : "function");
    cell.scope = "col";
    return cell;
  }));
  const rows = sums.slice(0, MOST_NEIGHBOURS).map((sum) => {
    const unnamed = sum.key === GIVEN_UP ? `(${words.nameOf(GIVEN_UP)})` : "(start of a thread)";
    const name = sum.key < 0 ? element("span", "soft", unnamed) : button("quiet", said(words.nameOf(sum.key)), () => selection.selectFunction(sum.key));
    if (sum.key >= 0) name.title = `${words.nameOf(sum.key)}\n${words.placeOf(sum.key)}`;
    const amounts = [[formatAmount(sum.total, weight.unit), formatShare(sum.total, whole)]];
    if (counts >= 0) amounts.unshift([formatAmount(sum.own[counts], "count"), ""]);
    return element("tr", "", [element("td", "words", name), ...amounts.map(([text, beside]) => element("td", "amount", [element("span", "main", text), ...(beside ? [element("span", "beside", beside)] : [])]))]);
  });
  const made = element("table", "plain", [element("thead", "", head), element("tbody", "", rows)]);
  made.setAttribute("aria-label", title);
  const more = sums.length > MOST_NEIGHBOURS ? [element("p", "soft", `and ${counted(sums.length - MOST_NEIGHBOURS, "lighter one")}`)] : [];
  return element("section", "neighbours", [
    element("h3", "", [title, " ", element("span", "count", formatCount(sums.length))]),
    ...(sums.length ? [element("div", "scrolls", made), ...more] : [element("p", "soft", nothing)]),
  ]);
}
