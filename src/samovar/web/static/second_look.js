// A second look before what cannot be taken back. The server asks where a move may show something; this script says on what device somebody is,
// leads the focus to the question, and back to where it was.
"use strict";

const is_small = matchMedia("(pointer: coarse), (max-width: 47.99rem)");
const question = () => document.querySelector(".unsure");

function second_look() {
  const own = recall("second_look");
  return own || (is_small.matches && "byPost" in own_choices() ? "always" : "never");
}

document.addEventListener("formdata", ({ target, formData }) => {
  if (target.id === "move") formData.set("asks", second_look());
});

let asked_at = ""; // the name of the choice that was asked about
document.addEventListener("submit", ({ target, submitter }) => {
  if (target.id === "move" && submitter?.name !== "sure") asked_at = submitter?.dataset.name ?? "";
}, true); // before it is sent

document.addEventListener("samovar:shown", ({ detail }) => {
  if (!detail.parts.includes("board")) return;
  if (question()) question().querySelector("[name=sure]").focus({ preventScroll: true });
});

document.addEventListener("click", ({ target }) => {
  if (target.closest("[data-name=not-sure]")) document.addEventListener("samovar:shown", back_to_choice, { once: true });
});

function back_to_choice() {
  if (asked_at) document.querySelector(`.page-board [data-name="${CSS.escape(asked_at)}"]`)?.focus();
}

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !question()) return;
  event.preventDefault();
  question().querySelector("[data-name=not-sure]").click();
}, true); // before the board puts back what is picked

// ---- Choosing when to be asked

function show_second_look() {
  const form = document.getElementById("second-look");
  form.hidden = false;
  for (const choice of form.querySelectorAll("input")) choice.checked = choice.value === (recall("second_look") ?? "");
}
document.addEventListener("change", (event) => {
  if (event.target.name === "second_look") keep("second_look", event.target.value);
});
document.addEventListener("DOMContentLoaded", show_second_look);
