// The rules beside the table: a sheet that opens where the match is now. Without this script, or for those who ask for a tab, the link opens a tab.
"use strict";

const rules_link = document.querySelector(".rules-link");
const rules_sheet = document.getElementById("rules");
const rules_room = rules_sheet.querySelector(".rules-room");

async function fetch_rules() {
  const answer = await fetch(rules_link.pathname, { credentials: "same-origin" });
  if (!answer.ok) throw new Error(answer.status);
  const text = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector(".rules-text");
  text.querySelector("h1")?.remove(); // the sheet has a head of its own
  rules_room.replaceChildren(text);
}

function show_rules() {
  if (!rules_sheet.open) rules_sheet.showModal();
  const mark = document.getElementById(`phase-${document.querySelector("[data-table]").dataset.phase}`);
  const place = mark?.parentElement || rules_room;
  if (mark) place.tabIndex = -1;
  place.focus({ preventScroll: true }); // readers begin to read there
  rules_room.scrollTop = mark ? rules_room.scrollTop + place.getBoundingClientRect().top - rules_room.getBoundingClientRect().top - 8 : 0;
}

rules_link.setAttribute("aria-haspopup", "dialog");
rules_link.addEventListener("click", (event) => {
  if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  const ready = rules_room.firstElementChild ? Promise.resolve() : fetch_rules();
  ready.then(show_rules, () => open(rules_link.href, "_blank"));
});
rules_sheet.addEventListener("click", (event) => { if (event.target === rules_sheet) rules_sheet.close(); }); // beside it
