// A large screen: everything has room on it, it goes on by itself, and a touch gives it all of the glass, and a voice.
"use strict";

const TURN_AFTER = 20000; // milliseconds, of several pages in turn
const SMALLEST = 0.2, LARGEST = 3; // times as large as it is without a frame

const framed = document.querySelector(".on-screen .page-board");

// The board is as large as its frame lets it be. It may grow taller as it becomes narrower, so the size is looked for.
function fit() {
  if (!framed) return;
  let low = SMALLEST, high = LARGEST;
  for (let step = 0; step < 8; step += 1) {
    const size = (low + high) / 2;
    make(size);
    if (has_room()) low = size;
    else high = size;
  }
  make(low);
  if (lens_box()) show_whole(lens_box()); // see lens.js
}

function make(size) {
  framed.style.setProperty("--fit", size);
  framed.style.setProperty("--room", `${framed.clientHeight / size}px`); // for what is as tall as there is room
}

function has_room() {
  return framed.scrollHeight <= framed.clientHeight && framed.scrollWidth <= framed.clientWidth;
}

// The next game of the same people, or the next page.
function go_on() {
  if (document.querySelector("[data-again]")) location.reload();
}

const next = document.querySelector("link[rel=next]");
if (next) setTimeout(() => location.assign(next.href), TURN_AFTER);
addEventListener("resize", fit);
document.addEventListener("samovar:shown", () => {
  fit();
  go_on();
});
document.addEventListener("pointerup", () => document.documentElement.requestFullscreen?.().catch(() => {}));
document.fonts.ready.then(fit);
fit();
