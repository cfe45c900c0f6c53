// Looking at a record together: what who leads shows comes by a stream, and marks are drawn by hand. All of it works by forms, too.
"use strict";

const tour = document.querySelector("[data-tour]");

// ---- Following

let tour_stream = null;
let streamed_parts = {}; // as they came last: what has not changed is left alone, for somebody may be choosing
let streamed_place = null;

// Where somebody looks around, as the address says it; what is picked on the board is theirs alone.
function place_now() {
  const asked = new URLSearchParams(location.search);
  const place = new URLSearchParams([...asked].filter(([name]) => name === "at" || name === "eyes"));
  return asked.has("at") ? `?${place}` : "";
}

function follow() {
  tour_stream?.close();
  streamed_place = place_now();
  const source = new EventSource(`${base}/tour/${tour.dataset.tour}/live${streamed_place}`);
  tour_stream = source;
  source.onopen = () => tell_lost(false);
  source.onmessage = (event) => take_tour(JSON.parse(event.data));
  source.addEventListener("gone", () => location.reload());
  source.onerror = () => {
    source.close(); // by itself the browser would wait for three seconds or more
    if (source !== tour_stream) return;
    problem_of_stream();
    setTimeout(() => source === tour_stream && follow(), 500 + 1000 * Math.random());
  };
}

function problem_of_stream() {
  const place = document.getElementById("problem");
  place.textContent = tour.dataset.lost;
  place.hidden = false;
}

function take_tour(told) {
  const parts = Object.fromEntries(Object.entries(told.parts).filter(([name, html]) => streamed_parts[name] !== html));
  streamed_parts = { ...streamed_parts, ...told.parts };
  if (!told.around && new URLSearchParams(location.search).has("at")) history.replaceState(null, "", location.pathname); // all are led to a question
  if (parts.board && new URLSearchParams(location.search).has("pick")) history.replaceState(null, "", location.pathname);
  const talk = part_named("talk");
  show(parts, true, () => {
    document.title = told.title;
    if (parts.talk) talk.scrollTop = talk.scrollHeight;
  });
}

document.addEventListener("samovar:shown", () => {
  if (place_now() !== streamed_place) follow();
  show_drawing();
});

// ---- Drawing by hand: from place to place an arrow, on one place a ring; once more, and it goes

let is_drawing = false;
let began_at = null;

function show_drawing() {
  const button = document.querySelector("[data-draw]");
  if (button) {
    button.hidden = false;
    button.setAttribute("aria-pressed", String(is_drawing));
  }
  document.getElementById("move").classList.toggle("is-drawing", is_drawing && Boolean(button));
}

function place_at(event) {
  const spot = document.elementFromPoint(event.clientX, event.clientY)?.closest("#move [data-mark], #move [data-key]");
  return spot && (spot.dataset.mark || spot.dataset.key);
}

document.addEventListener("click", (event) => {
  if (!event.target.closest("[data-draw]")) return;
  is_drawing = !is_drawing;
  show_drawing();
});

const drawn_on = document.getElementById("move");
drawn_on.addEventListener("pointerdown", (event) => {
  if (!drawn_on.classList.contains("is-drawing") || event.button !== 0) return;
  began_at = place_at(event);
  event.preventDefault();
  event.stopPropagation();
}, true);
addEventListener("pointerup", (event) => {
  const [start, end] = [began_at, began_at && place_at(event)];
  began_at = null;
  if (start && end) send_mark(start, end);
});

function send_mark(start, end) {
  const form = document.querySelector("[data-mark-form]");
  if (!form) return;
  const body = new URLSearchParams(new FormData(form));
  body.set("start", start);
  body.set("end", end === start ? "" : end);
  ask(form.action, { method: "POST", body });
}

// When all scripts are there: this one needs `samovar.js`.
addEventListener("DOMContentLoaded", () => {
  show_drawing();
  follow();
});
