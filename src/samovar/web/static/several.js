// Choosing several at once: no more than are wanted, each in its place, and what they are worth, as the server counts it.
"use strict";

function box_chosen(event) {
  const field = event.target.closest?.("[data-several]");
  if (!field) return;
  const wanted = Number(field.dataset.several);
  const is_too_many = field.querySelectorAll("input:checked").length > wanted;
  if (is_too_many) event.target.checked = false;
  field.querySelector(".several-note").textContent = is_too_many ? document.querySelector("[data-enough]").dataset.enough.replace("{wanted}", wanted) : "";
  if (is_too_many) return;
  lay(field, event.target);
  count_worth(field);
}

// Where a game has two places for a box, `data-home` and `data-slot`, it lies in the one or the other. What is moved loses the focus.
function lay(field, box) {
  const place = field.querySelector(`[data-${box.checked ? "slot" : "home"}="${CSS.escape(box.value)}"]`);
  const label = box.closest("label");
  if (!place || place.contains(label)) return false;
  const has_focus = box === document.activeElement;
  place.append(label);
  if (has_focus) box.focus({ preventScroll: true });
  return true;
}

// A browser remembers ticks that the server does not know.
function lay_all() {
  for (const field of document.querySelectorAll("[data-several]")) {
    const moved = [...field.querySelectorAll("input")].filter((box) => lay(field, box));
    if (moved.length) count_worth(field);
  }
}

let asking_worth = new AbortController();
async function count_worth(field) {
  const place = field.querySelector(".several-worth");
  if (!place) return;
  asking_worth.abort();
  asking_worth = new AbortController();
  const ticked = [...field.querySelectorAll("input:checked")].map((box) => ["with", box.value]);
  const address = `${location.pathname}?${new URLSearchParams(ticked.length ? ticked : [["with", ""]])}`;
  try {
    const answer = await fetch(address, { headers: { "X-Samovar-Parts": "1" }, credentials: "same-origin", signal: asking_worth.signal });
    const counted = parsed((await answer.json()).parts.board).content.querySelector("[data-several]");
    if (counted?.dataset.several === field.dataset.several) show_worth(field, counted);
  } catch {
    // somebody has ticked on, or nobody answers: the next tick asks again
  }
}

// The boxes stay as they are: somebody may be about to tick the next one.
function show_worth(field, counted) {
  field.querySelector(".several-worth").textContent = counted.querySelector(".several-worth").textContent;
  const now = counted.querySelectorAll("[data-counted]");
  field.querySelectorAll("[data-counted]").forEach((place, number) => { place.className = now[number].className; });
  const sums = counted.querySelectorAll("[data-sum]");
  field.querySelectorAll("[data-sum]").forEach((place, number) => place.replaceWith(sums[number]));
}

function count_by_itself() {
  lay_all();
  for (const button of document.querySelectorAll(".several-ask")) button.hidden = true;
}

document.addEventListener("change", box_chosen, true); // before the boxes are counted
document.addEventListener("samovar:shown", count_by_itself);
count_by_itself();
