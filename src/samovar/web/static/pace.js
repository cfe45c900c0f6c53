// Looks come as fast as the table goes, and are shown no faster than somebody can follow. The pace is each person's own and stays in their browser.
"use strict";

const USUAL_PACE = 800; // ms that a look stays at least
const SCREEN_PACE = 1600; // for all in a room, who talk meanwhile
const HELD_PACES = 4; // what a game wants to be looked at stays so much longer
const LONG_QUEUE = 8; // from then on they go by quickly
const queue = []; // looks that came and are not shown yet, each with what has changed since the one before
let shown_at = 0; // when a move was shown last
let held_until = 0; // 0: nothing is held
let alarm = 0;

function pace() {
  return Number(recall("pace") ?? (is_screen ? SCREEN_PACE : USUAL_PACE));
}

// ---- What stays in this browser, where it may keep anything; else as long as the page. Whoever has a page of their own keeps it there

const SHARED = ["pace", "sound", "second_look"];
const remembered = {};
const own_choices = () => document.querySelector(".comfort")?.dataset ?? {};
function recall(name) {
  try {
    return own_choices()[name] ?? localStorage.getItem(`samovar:${name}`) ?? remembered[name];
  } catch {
    return remembered[name];
  }
}

function keep(name, value) {
  remembered[name] = value;
  if (own_choices().own && SHARED.includes(name)) keep_for_all_devices(name, value);
  try {
    localStorage.setItem(`samovar:${name}`, value);
  } catch {
    // it is remembered above
  }
}

function keep_for_all_devices(name, value) {
  own_choices()[name] = value;
  const body = new URLSearchParams({ _csrf_token: document.querySelector("[name=_csrf_token]").value, [name]: value });
  fetch(own_choices().own, { method: "POST", body }).catch(() => {}); // it stays in this browser
}

// ---- The looks of the stream

function await_showing(told) {
  const last = queue.at(-1);
  if (last && last.state === told.state) queue.push(joined([queue.pop(), told])); // talk, or somebody came
  else queue.push(told);
  go_on_showing();
}

// A message holds what has changed since the one before, so none can be left out.
function joined(looks) {
  return { ...looks.at(-1), parts: Object.assign({}, ...looks.map((told) => told.parts)) };
}

// Whoever is to act sees at once how things are, and so does whoever comes back, or waits for others to sit down.
function go_on_showing() {
  clearTimeout(alarm);
  if (is_held) return;
  if (document.hidden || taken.turn || !document.querySelector("[data-part=board] [name=ply]")) catch_up();
  if (held_until && held_until <= Date.now()) settle();
  while (queue.length && (queue[0].state === taken.state || next_at() <= Date.now())) show_look(queue.shift());
  if (queue.length || held_until) alarm = setTimeout(go_on_showing, next_at() - Date.now());
}

function next_at() {
  return held_until || shown_at + pace() / (queue.length > LONG_QUEUE ? 5 : 1);
}

function show_look(told) {
  if (told.state !== taken.state) shown_at = Date.now();
  take(told, false);
}

// Shows at once all that has come.
function catch_up() {
  if (queue.length) show_look(joined(queue.splice(0)));
}

function has_come(number) {
  return queue.some((told) => told.number >= number);
}

document.addEventListener("visibilitychange", go_on_showing);

// ---- What a game wants to be looked at before it is gone: such a board brings along what takes the places of its pieces

const board_to_come = () => document.querySelector("[data-part=board] template[data-after]");

function hold() {
  held_until = board_to_come() ? Date.now() + HELD_PACES * pace() : 0;
  if (queue.length || held_until) go_on_showing();
}

// The way on stands in the place of the prompt.
function mark_hold() {
  part_named("status").classList.toggle("is-held", held_until > 0);
  document.getElementById("go-on")?.remove();
  if (held_until) part_named("status").append(go_on_button());
}

function go_on_button() {
  const button = document.createElement("button");
  Object.assign(button, { id: "go-on", type: "button", className: "primary", textContent: page.dataset.goOn });
  button.addEventListener("click", settle);
  return button;
}

function settle() {
  held_until = 0;
  shown_at = 0; // it was seen for long enough
  if (board_to_come()) replace_pieces(board_to_come());
  go_on_showing();
}

function replace_pieces(template) {
  due();
  const focus = describe_focus();
  for (const piece of template.content.querySelectorAll("[data-key]")) keyed(piece.dataset.key)?.replaceWith(piece);
  template.remove();
  restore_focus(focus);
  document.dispatchEvent(new CustomEvent("samovar:shown", { detail: { parts: ["board"], moved: false } }));
}

document.addEventListener("samovar:shown", ({ detail }) => {
  if (detail.parts.includes("board")) hold();
  mark_hold();
});

// ---- Choosing a pace

function show_pace() {
  const form = document.getElementById("pace");
  form.hidden = false;
  for (const choice of form.querySelectorAll("input")) choice.checked = Number(choice.value) === pace();
}
document.addEventListener("change", (event) => {
  if (event.target.name !== "pace") return;
  keep("pace", event.target.value);
  go_on_showing();
});

document.addEventListener("DOMContentLoaded", () => { // when the other scripts are there
  show_pace();
  hold();
  mark_hold();
});
