// The name at the top of the games goes along with whichever game is begun.
"use strict";

const name_field = document.getElementById("my-name");

function take_name_along() {
  for (const field of document.querySelectorAll("[data-name-here]")) field.value = name_field.value;
}

name_field.addEventListener("input", take_name_along);
addEventListener("pageshow", take_name_along); // a browser that comes back fills in what was typed
