// Through the last moves: the links work without this, which adds the arrow keys, tells what is seen, and points to them after an absence.
"use strict";

const is_past = () => new URLSearchParams(location.search).has("at");
const steps = () => document.querySelector(".steps");

document.addEventListener("keydown", (event) => {
  const name = { ArrowLeft: "step-back", ArrowRight: "step-on" }[event.key];
  if (!name || !event.target.closest(".steps")) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  steps().querySelector(`[data-name=${name}]`)?.click();
}, true);

let moves_missed = 0;
document.addEventListener("samovar:shown", ({ detail }) => {
  if (document.hidden && detail.moved) moves_missed += 1;
  if (is_past()) document.getElementById("announcer").textContent = steps()?.textContent.trim().replace(/\s+/g, " ") ?? "";
});
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && moves_missed) steps()?.classList.add("is-offered");
  moves_missed = 0;
});
