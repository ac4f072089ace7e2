// A field in which something is looked for: `/` leads to it from everywhere, Escape empties it.

/** `search(text)`: look for this; empty: for nothing. */
function searchBy(field, search) {
  field.addEventListener("input", () => search(field.value));
  document.addEventListener("keydown", (event) => {
    const isSearching = document.activeElement === field;
    if (event.key === "/" && !isSearching && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      field.focus();
      field.select();
    } else if (event.key === "Escape" && isSearching) {
      field.value = "";
      search("");
    }
  });
}
