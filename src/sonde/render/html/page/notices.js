// What to doubt, above everything else.

/** A notice: its first words stand out. */
function notice(tone, head, text) {
  return element("p", `notice ${tone}`, [element("b", "", head), ` ${text}`]);
}

/** Fill a place with the first notices, and a button for the others. */
function showFirstNotices(place, notices, most) {
  place.replaceChildren(...notices.slice(0, most));
  if (notices.length > most) {
    place.append(button("quiet more", `${formatCount(notices.length - most)} more notes`, (event) => {
      event.target.remove();
      place.append(...notices.slice(most));
    }));
  }
}
