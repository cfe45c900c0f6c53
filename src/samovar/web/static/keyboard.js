// Boards by keyboard: arrow keys go to the nearest choice in their direction, Tab leads from what is picked to where it can go, Escape puts it back.
"use strict";

const board = document.querySelector(".page-board");
const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function choices_there() {
  const places = board.querySelectorAll(".choice, [data-several] :is(input, button)");
  return [...places].filter((place) => !place.disabled && place.checkVisibility());
}

function middle(place) {
  const box = (place.closest("label") || place).getBoundingClientRect();
  return [box.left + box.width / 2, box.top + box.height / 2];
}

// What lies straight ahead is nearer than what lies aside.
function nearest(from, [right, down]) {
  const [x, y] = middle(from);
  let best = null;
  let least = Infinity;
  for (const place of choices_there()) {
    const [to_x, to_y] = middle(place);
    const ahead = (to_x - x) * right + (to_y - y) * down;
    const aside = Math.abs((to_x - x) * down) + Math.abs((to_y - y) * right);
    const distance = ahead + 3 * aside;
    if (place === from || ahead < 4 || aside > 4 * ahead || distance >= least) continue;
    [best, least] = [place, distance];
  }
  return best;
}

// Where a key leads; null: it is none of ours.
function destination(key, from) {
  const places = choices_there();
  if (key === "Home") return places[0];
  if (key === "End") return places.at(-1);
  if (!(key in DIRECTIONS)) return null;
  return places.includes(from) ? nearest(from, DIRECTIONS[key]) : places[0];
}

// What has the focus when a choice is gone is the board itself; a field that scrolls keeps its keys.
function is_on_board(place) {
  return place === board.querySelector('[data-part="board"]') || choices_there().includes(place);
}

document.addEventListener("keydown", (event) => {
  const place = document.activeElement;
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  if (document.querySelector("dialog[open]")) return; // its keys are its own
  if (event.key === "Escape" && (place === document.body || board.contains(place))) return put_back();
  if (event.key === "Tab" && place === start) return lead_on(event);
  if (!is_on_board(place)) return;
  const next = destination(event.key, place);
  if (next === null && !(event.key in DIRECTIONS)) return;
  event.preventDefault(); // at an edge, too: the page must not begin to scroll there
  next?.focus();
});

function put_back() {
  const picked = [...board.querySelectorAll(".picked")].at(-1);
  const link = board.querySelector('[data-name="put-back"]');
  if (!picked || !link) return;
  picked.focus(); // it is still there afterwards
  link.click();
}

// ---- After a pick

let start = null; // what was picked just now: from there Tab leads on once, so that nobody is caught in a circle

function steps_of(link) {
  return new URL(link.href).searchParams.getAll("pick").length;
}

function is_target(place, picked) {
  return place.matches("button") || (place.matches("a") && steps_of(place) > picked.length);
}

function lead_on(event) {
  const picked = [...board.querySelectorAll(".picked")];
  const target = choices_there().find((place) => is_target(place, picked) && !picked.includes(place));
  start = null;
  if (!target) return;
  event.preventDefault();
  target.focus();
}

// What would be picked instead is passed over by Tab; arrow keys and readers still find it.
function pass_over() {
  const picked = [...board.querySelectorAll(".picked")];
  start = picked.find((place) => place === document.activeElement) || null;
  if (!picked.length) return;
  for (const place of board.querySelectorAll("a.choice:not(.picked)")) if (!is_target(place, picked)) place.tabIndex = -1;
}

document.addEventListener("samovar:shown", pass_over);
pass_over();
document.getElementById("keys").hidden = false;
