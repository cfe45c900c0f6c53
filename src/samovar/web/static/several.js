// Choosing several at once: no more than are wanted, and what they are worth, as the server counts it.
"use strict";

function box_chosen(event) {
  const field = event.target.closest?.("[data-several]");
  if (!field) return;
  const wanted = Number(field.dataset.several);
  const is_too_many = field.querySelectorAll("input:checked").length > wanted;
  if (is_too_many) event.target.checked = false;
  field.querySelector(".several-note").textContent = is_too_many ? document.querySelector("[data-enough]").dataset.enough.replace("{wanted}", wanted) : "";
  if (!is_too_many) count_worth(field);
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
    const counted = parsed((await answer.json()).parts.board).content.querySelector(".several-worth");
    if (counted) place.textContent = counted.textContent;
  } catch {
    // somebody has ticked on, or nobody answers: the next tick asks again
  }
}

function count_by_itself() {
  for (const button of document.querySelectorAll(".several-ask")) button.hidden = true;
}

document.addEventListener("change", box_chosen, true); // before the boxes are counted
document.addEventListener("samovar:shown", count_by_itself);
count_by_itself();
