// A device that several people share: what stands around the parts of a page goes with the hand, and no hand stays in the history of the browser.
"use strict";

const shared_page = document.querySelector("[data-table]");
let is_curtain_down = Boolean(document.querySelector(".curtain"));

// Talk is said by whoever the board is shown to.
function follow_hand() {
  const hand = document.querySelector("[data-part=board] [name=hand]")?.value;
  if (!hand) return;
  for (const field of document.querySelectorAll(".page-talk [name=hand]")) field.value = hand;
  if (hand === "None") delete shared_page.dataset.seat;
  else shared_page.dataset.seat = hand;
}

// The curtain itself gets the focus, not its button: who presses a key twice must not lift it.
function meet_curtain() {
  const curtain = document.querySelector(".curtain");
  if (curtain && !is_curtain_down) {
    document.getElementById("say")?.form.reset();
    curtain.focus({ preventScroll: true });
    scrollTo({ top: 0 });
  }
  is_curtain_down = Boolean(curtain);
}

document.addEventListener("samovar:shown", () => {
  follow_hand();
  meet_curtain();
});

addEventListener("pagehide", () => {
  shared_page.replaceChildren();
  document.querySelector(".sprites")?.remove();
});
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });
