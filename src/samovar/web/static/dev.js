// The workshop of a game in work: when something has changed, what stands on the page is fetched again, and the boards as well if they are new.
"use strict";

const found = document.getElementById("found");

async function look_again() {
  const answer = await fetch("/");
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const now = page.getElementById("found");
  found.replaceChildren(...now.childNodes);
  if (now.dataset.boards === found.dataset.boards) return;
  found.dataset.boards = now.dataset.boards;
  const tools = document.getElementById("tools");
  const opened = [...tools.querySelectorAll("details")].map((one) => one.open);
  tools.replaceChildren(...page.getElementById("tools").childNodes);
  tools.querySelectorAll("details").forEach((one, number) => { one.open = Boolean(opened[number]); });
  show_boards([...page.querySelectorAll("#seats iframe")]);
}

// A frame that stays is asked to look again, so that nothing jumps.
function show_boards(wanted) {
  const seats = document.getElementById("seats");
  const frames = [...seats.querySelectorAll("iframe")];
  if (frames.length !== wanted.length) {
    seats.replaceChildren(...wanted);
    wanted.forEach(fit);
    return;
  }
  frames.forEach((frame, number) => {
    frame.className = wanted[number].className;
    frame.contentWindow.location.replace(wanted[number].getAttribute("src"));
  });
}

function fit(frame) {
  frame.addEventListener("load", () => {
    frame.style.height = `${frame.contentDocument.documentElement.scrollHeight + 8}px`;
  });
}

document.querySelectorAll("#seats iframe").forEach((frame) => {
  fit(frame);
  if (frame.contentDocument?.readyState === "complete") frame.dispatchEvent(new Event("load"));
});

document.addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = event.target;
  await fetch(form.action, { method: "POST", body: new URLSearchParams(new FormData(form, event.submitter)) });
});

new EventSource("/changes").addEventListener("message", look_again);
