// A sign in its colour, as soon as either is chosen; without this script it is seen when the page is saved.
"use strict";

const form_of_mine = document.querySelector(".me-form");

function chosen(name) {
  return form_of_mine.querySelector(`[name=${name}]:checked`)?.closest(".chip").querySelector(".mark");
}

function show_sign() {
  const shape = chosen("mark").querySelector("path").getAttribute("d");
  const colour = chosen("colour").getAttribute("class");
  for (const sign of form_of_mine.querySelectorAll(".colours .mark path")) sign.setAttribute("d", shape);
  for (const sign of form_of_mine.querySelectorAll(".marks .mark")) sign.setAttribute("class", colour);
  const own = document.querySelector(".me-title .mark");
  own.setAttribute("class", colour);
  own.querySelector("path").setAttribute("d", shape);
}

form_of_mine.addEventListener("change", show_sign);
addEventListener("pageshow", show_sign); // a browser that comes back fills in what was chosen
