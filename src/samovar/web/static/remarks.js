// Whether the bots' remarks are shown: each person's own choice, kept in their browser.
"use strict";

function show_remarks() {
  const are_shown = recall("remarks") !== "off";
  document.body.dataset.remarks = are_shown ? "on" : "off";
  document.getElementById("remarks")?.setAttribute("aria-pressed", String(are_shown));
}

document.addEventListener("click", (event) => {
  if (!event.target.closest("#remarks")) return;
  keep("remarks", recall("remarks") === "off" ? "on" : "off");
  show_remarks();
});
document.getElementById("remarks")?.removeAttribute("hidden");
show_remarks();
