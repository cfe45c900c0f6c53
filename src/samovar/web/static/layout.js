// What stays in sight at a table: the last sentence and unread remarks at the top, and choices that come as a drawer at the lower edge.
"use strict";

// ---- The last sentence of what happened

const table_page = document.querySelector("[data-table]");
const last_sentence = document.querySelector(".last-sentence");

function show_last_sentence() {
  last_sentence.textContent = document.querySelector(".page-news li")?.textContent.trim() || "";
  last_sentence.hidden = !last_sentence.textContent;
}

// ---- Remarks since the talk was last seen: this browser remembers which one that was

const unread = document.querySelector(".unread");
const talk = document.querySelector('[data-part="talk"]');
const last_seen = `seen:${table_page.dataset.table}`;
let is_talk_in_sight = false;

function remarks_of_others() {
  return [...talk.querySelectorAll("[data-remark]")].filter((line) => !table_page.dataset.seat || line.dataset.by !== table_page.dataset.seat);
}

function count_unread() {
  const numbers = remarks_of_others().map((line) => Number(line.dataset.remark));
  if (is_talk_in_sight && !document.hidden && numbers.length) keep(last_seen, Math.max(...numbers));
  const count = numbers.filter((number) => number > Number(recall(last_seen) ?? -1)).length;
  const sentence = unread.dataset.says.replace("{count}", count);
  unread.hidden = !count;
  unread.textContent = `✉ ${count}`;
  unread.title = sentence;
  unread.setAttribute("aria-label", sentence);
}

new IntersectionObserver(([entry]) => {
  is_talk_in_sight = entry.isIntersecting;
  count_unread();
}, { threshold: 0.5 }).observe(talk);
unread.addEventListener("click", () => { talk.closest("details").open = true; });
document.addEventListener("visibilitychange", count_unread);

// ---- Drawers: where one lies over the page, it gets the focus when it opens

let is_drawer_open = false;

function enter_drawer() {
  const drawer = document.querySelector(".drawer");
  const is_over = Boolean(drawer) && getComputedStyle(drawer).position === "fixed";
  if (is_over && drawer.dataset.drawer !== is_drawer_open) drawer.focus({ preventScroll: true });
  is_drawer_open = is_over && drawer.dataset.drawer;
}

document.addEventListener("samovar:shown", (event) => {
  if (event.detail.parts.includes("news")) show_last_sentence();
  if (event.detail.parts.includes("talk")) count_unread();
  if (event.detail.parts.includes("board")) enter_drawer();
});
show_last_sentence();
count_unread();
enter_drawer();
