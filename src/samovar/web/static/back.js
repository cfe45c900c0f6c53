// A deal of a club evening is over: whoever saw it end and touches nothing is taken back to the standings.
"use strict";

const BACK_AFTER = 20000; // milliseconds
let going_back = 0;
let stays = Boolean(document.getElementById("sheet")); // it was over when they came: they want to look at it

function go_back_soon() {
  const note = document.querySelector(".taken-back");
  if (!note || stays) return;
  note.hidden = false;
  going_back ||= setTimeout(() => location.assign(note.parentElement.querySelector("a").href), BACK_AFTER);
}

function stay() {
  if (!going_back) return;
  clearTimeout(going_back);
  stays = true;
  const note = document.querySelector(".taken-back");
  if (note) note.hidden = true;
}

document.addEventListener("samovar:shown", go_back_soon);
for (const touch of ["pointerdown", "keydown", "wheel"]) addEventListener(touch, stay, { passive: true });
