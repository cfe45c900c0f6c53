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
  bring_end_into_sight();
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return show_sum();
  document.querySelector(".page-podium").classList.add("is-rising");
  count_when_seen();
});

// Whoever has scrolled to their cards, or moved by keyboard, is led there; not whoever is saying something.
function bring_end_into_sight() {
  if (document.activeElement?.matches("input[type=text]")) return;
  scrollTo({ top: 0, behavior: "instant" });
  document.querySelector(".page-podium").focus({ preventScroll: true });
}

// The sum is what one looks for first, if not all of a sheet is in its frame.
function show_sum() {
  const frame = document.querySelector(".end-sheet");
  if (frame) frame.scrollTop = frame.scrollHeight;
}

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
    const row = rows.shift();
    row?.classList.remove("is-uncounted");
    row?.scrollIntoView({ block: "nearest" });
    if (!rows.length) skip();
  };
  counting = setInterval(show_next, pause);
}

function skip() {
  if (!counting) return;
  clearInterval(counting);
  counting = 0;
  for (const row of end_rows()) row.classList.remove("is-uncounted");
  show_sum();
  const button = document.querySelector("[data-skip]");
  if (!button) return;
  if (button === document.activeElement) document.querySelector(".page-podium").focus();
  button.hidden = true;
}

document.addEventListener("click", skip);
document.addEventListener("keydown", (event) => { if (["Escape", "Enter"].includes(event.key)) skip(); });

// ---- Closed once is closed: who comes again sees the board

function keep_closed() {
  const end = document.querySelector(".page-end");
  if (!end || end.dataset.kept) return;
  end.dataset.kept = "yes";
  if (recall("closed-end") === page.dataset.table) end.open = false;
  else if (!counting && !document.querySelector(".is-uncounted")) show_sum();
  end.addEventListener("toggle", () => keep("closed-end", end.open ? "" : page.dataset.table));
}
document.addEventListener("DOMContentLoaded", keep_closed);
document.addEventListener("samovar:shown", keep_closed);

// ---- Sending it to others: a text that tells nothing of how it ended, and the picture where that can be sent, too

function offer_sharing() {
  const button = document.querySelector("[data-share-end]");
  if (button) button.hidden = !navigator.share;
}
document.addEventListener("DOMContentLoaded", offer_sharing);
document.addEventListener("samovar:shown", offer_sharing);
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-share-end]");
  if (!button) return;
  const told = { text: button.dataset.shareEnd, url: location.origin + base };
  const drawn = await fetch(button.dataset.picture).then((answer) => answer.blob()).catch(() => new Blob());
  const files = [new File([drawn], "samovar.svg", { type: "image/svg+xml" })];
  navigator.share(navigator.canShare?.({ files }) ? { ...told, files } : told).catch(() => {}); // they thought better of it
});
