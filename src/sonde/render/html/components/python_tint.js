// Quiet colours for Python source: comments, strings, keywords. A scanner of lines, not a parser:
// where it is wrong, a line has the wrong tint and nothing else.

const PYTHON_TOKEN = new RegExp(
  "[rRbBuUfF]{0,2}(\"\"\"|'''|\"|')|(#.*)|\\b(" +
    "False|None|True|and|as|assert|async|await|break|case|class|continue|def|del|elif|else|except|finally|for|from|" +
    "global|if|import|in|is|lambda|match|nonlocal|not|or|pass|raise|return|try|while|with|yield)\\b",
  "g",
);

/** @param {string} line @param {number} from @param {string} quote @returns {number} index behind the next quote that is not escaped, or -1 */
function endOfString(line, from, quote) {
  for (let at = from; at < line.length; at++) {
    if (line[at] === "\\") at++;
    else if (line.startsWith(quote, at)) return at + quote.length;
  }
  return -1;
}

/**
 * Split a line into `[class, text]` parts. `open` is the triple quote that the line starts inside
 * of, or ""; the answer's `open` is that for the next line.
 * @param {string} line @param {string} open
 * @returns {{parts: [string, string][], open: string}}
 */
export function tintLine(line, open) {
  /** @type {[string, string][]} */
  const parts = [];
  let at = 0;
  const take = (/** @type {string} */ className, /** @type {number} */ end) => {
    if (end > at) parts.push([className, line.slice(at, end)]);
    at = end;
  };
  if (open) {
    const end = endOfString(line, 0, open);
    if (end < 0) return { parts: [["string", line]], open };
    take("string", end);
  }
  for (;;) {
    PYTHON_TOKEN.lastIndex = at;
    const token = PYTHON_TOKEN.exec(line);
    if (!token) break;
    take("", token.index);
    const [text, quote, comment] = token;
    if (!quote) {
      take(comment ? "comment" : "keyword", token.index + text.length);
      continue;
    }
    const end = endOfString(line, token.index + text.length, quote);
    take("string", end < 0 ? line.length : end);
    if (end < 0) return { parts, open: quote.length === 3 ? quote : "" };
  }
  take("", line.length);
  return { parts, open: "" };
}

/** @param {string[]} lines @returns {string[]} for each line, the triple quote that it starts inside of, or "" */
export function openStrings(lines) {
  let open = "";
  return lines.map((line) => {
    const before = open;
    open = tintLine(line, open).open;
    return before;
  });
}
