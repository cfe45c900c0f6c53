// The end of a match: the podium rises, and the score sheet is counted row by row, for those who saw the match end and like things to move.
"use strict";

const LONGEST_COUNT = 6000; // milliseconds for all rows
const LONGEST_PAUSE = 450; // after each
let is_over = has_ended() || is_past(); // see steps.js
let counting = 0;

function has_ended() {
  return Boolean(document.querySelector(".page-podium"));
}

function end_rows() {
  return [...document.querySelectorAll(".page-sheet :is(tbody, tfoot) tr")];
}

document.addEventListener("samovar:shown", () => {
  if (is_over || !has_ended()) return;
  is_over = true; // once: who steps back through the match and comes here again has seen it
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  document.querySelector(".page-podium").classList.add("is-rising");
  count_when_seen();
});

// Nobody misses it: it begins when the sheet comes into sight.
function count_when_seen() {
  const rows = end_rows();
  if (!rows.length) return;
  for (const row of rows) row.classList.add("is-uncounted");
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    count(rows, Math.min(LONGEST_PAUSE, LONGEST_COUNT / rows.length));
  });
  observer.observe(rows[0]);
}

function count(rows, pause) {
  const button = document.querySelector("[data-skip]");
  if (button) button.hidden = false;
  const show_next = () => {
    rows.shift()?.classList.remove("is-uncounted");
    if (!rows.length) skip();
  };
  counting = setInterval(show_next, pause);
}

function skip() {
  if (!counting) return;
  clearInterval(counting);
  counting = 0;
  for (const row of end_rows()) row.classList.remove("is-uncounted");
  const button = document.querySelector("[data-skip]");
  if (!button) return;
  if (button === document.activeElement) document.querySelector(".page-podium").focus();
  button.hidden = true;
}

document.addEventListener("click", skip);
document.addEventListener("keydown", (event) => { if (["Escape", "Enter"].includes(event.key)) skip(); });
