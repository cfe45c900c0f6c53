// The one script of the site. Everything works without it: it only saves page loads, tells of changes at once and lets things move.
"use strict";

const page = document.querySelector("[data-table]");
const still = matchMedia("(prefers-reduced-motion: reduce)");

// ---- Swapping parts of the page

const shown = new Map(); // part -> the HTML that came last

function swap(parts) {
  for (const [name, html] of Object.entries(parts)) {
    const place = document.querySelector(`[data-part="${name}"]`);
    if (!place || shown.get(name) === html) continue;
    shown.set(name, html);
    const kept = [...place.querySelectorAll("[data-keep]")].map((field) => [field.id, field.value]);
    const open = new Set([...place.querySelectorAll("details[open] > summary")].map((summary) => summary.textContent));
    place.innerHTML = html;
    for (const [id, value] of kept) {
      const field = document.getElementById(id);
      if (field) field.value = value;
    }
    for (const summary of place.querySelectorAll("details > summary")) if (open.has(summary.textContent)) summary.parentElement.open = true;
  }
  enhance();
}

// What has a key moves from where it was to where it is: an element that says `data-from` comes from the one that had that key.
function name_movers(root, old) {
  const named = new Map();
  for (const element of root.querySelectorAll("[data-key]")) named.set(element.dataset.key, element);
  const pairs = [];
  for (const [key, element] of named) {
    const before = old.get(element.dataset.from || key);
    if (before && (element.dataset.from || before.moved !== undefined)) pairs.push([element, element.dataset.from || key]);
  }
  return pairs.slice(0, 40);
}

function show(parts, then) {
  const focus = describe_focus();
  const update = () => {
    swap(parts);
    restore_focus(focus);
    if (then) then();
  };
  const board = document.querySelector(".page-board");
  if (!document.startViewTransition || still.matches || document.hidden || !board) return update();
  const old = new Map();
  for (const element of board.querySelectorAll("[data-key]")) {
    const box = element.getBoundingClientRect();
    old.set(element.dataset.key, { element, x: box.x, y: box.y });
  }
  // Which of them move is known from the new parts before the picture of the old ones is taken.
  const sketch = document.createElement("template");
  sketch.innerHTML = Object.values(parts).join("");
  const moving = [...sketch.content.querySelectorAll("[data-from]")].map((element) => [element.dataset.from, element.dataset.key]).slice(0, 20);
  moving.forEach(([from], number) => {
    const before = old.get(from);
    if (before) before.element.style.viewTransitionName = `mover-${number}`;
  });
  const transition = document.startViewTransition(() => {
    update();
    moving.forEach(([from, key], number) => {
      const after = document.querySelector(`.page-board [data-key="${CSS.escape(key)}"]`);
      if (after && old.has(from)) after.style.viewTransitionName = `mover-${number}`;
    });
  });
  transition.finished.finally(() => {
    for (const element of document.querySelectorAll(".page-board [data-key]")) element.style.viewTransitionName = "";
  });
}

// ---- Focus stays where it was, as far as that is still there

function describe_focus() {
  const active = document.activeElement;
  if (!active || active === document.body) return null;
  return { id: active.id, name: active.dataset.name, value: active.value, part: active.closest("[data-part]")?.dataset.part };
}

function restore_focus(was) {
  if (!was || document.activeElement !== document.body) return;
  const same = (was.id && document.getElementById(was.id)) || (was.name && document.querySelector(`[data-name="${CSS.escape(was.name)}"]`));
  const place = same && !same.disabled ? same : was.part && document.querySelector(`[data-part="${was.part}"]`);
  if (!place) return;
  if (place !== same) place.tabIndex = -1;
  place.focus({ preventScroll: true });
}

// ---- Asking the server

async function ask(address, options = {}) {
  document.body.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(address, { ...options, headers: { "X-Samovar-Parts": "1", ...options.headers }, credentials: "same-origin" });
    const told = await answer.json();
    if (told.go) return void location.assign(told.go);
    tell_problem(told.problem || "");
    if (told.parts) take(told, true);
    else if (answer.status === 409 && page) await ask(location.pathname);
  } catch {
    tell_problem(page ? page.dataset.lost : "…");
  } finally {
    document.body.removeAttribute("aria-busy");
  }
}

function tell_problem(sentence) {
  const place = document.getElementById("problem");
  if (!place) return;
  place.textContent = sentence;
  place.hidden = !sentence;
}

// A snapshot of the table. One that comes by the stream leaves a board alone that shows the same state: somebody may be choosing there.
function take(told, asked) {
  const parts = { ...told.parts };
  if (!asked && page && page.dataset.state === told.state) delete parts.board;
  if (!asked && page && page.dataset.state === told.state && page.dataset.hinted) delete parts.status;
  const turned = page && told.turn && page.dataset.turn !== "yes";
  show(parts, () => {
    if (told.title) document.title = told.title;
    if (!page) return;
    page.dataset.state = told.state;
    page.dataset.turn = told.turn ? "yes" : "no";
    page.dataset.hinted = document.querySelector(".page-hint") ? "yes" : "";
  });
  if (turned) notify();
}

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-pick]");
  if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey && event.button === 0) {
    event.preventDefault();
    const address = new URL(link.href);
    history.replaceState(null, "", address);
    ask(address);
  }
  const copy = event.target.closest("[data-copy]");
  if (copy) navigator.clipboard.writeText(copy.dataset.copy).then(() => { copy.textContent = "✓"; });
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (!form.matches("[data-live]")) return;
  event.preventDefault();
  const content = new URLSearchParams(new FormData(form, event.submitter));
  history.replaceState(null, "", location.pathname);
  ask(form.action, { method: "POST", body: content }).then(() => { if (form.matches("[data-clear]")) form.reset(); });
});

// ---- Choosing several cards

function count_chosen(field) {
  const wanted = Number(field.dataset.several);
  const boxes = [...field.querySelectorAll("input[type=checkbox]")];
  const chosen = boxes.filter((box) => box.checked).length;
  const told = field.querySelector(".several-count");
  if (told && page) told.textContent = page.dataset.chosen.replace("{chosen}", chosen).replace("{wanted}", wanted);
  for (const button of field.querySelectorAll("button[name=move]")) button.disabled = chosen !== wanted;
}
document.addEventListener("change", (event) => {
  const field = event.target.closest("[data-several]");
  if (field) count_chosen(field);
});

// ---- Records

let playing = 0;
function step() {
  const next = document.querySelector('[data-next="yes"]');
  if (!next) return stop();
  ask(next.href).then(() => { if (playing) playing = setTimeout(step, 900); });
}
function stop() {
  clearTimeout(playing);
  playing = 0;
  enhance();
}
document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-play]");
  if (!button) return;
  if (playing) return stop();
  playing = 1;
  enhance();
  step();
});
document.addEventListener("change", (event) => {
  const form = event.target.closest("[data-reel-form]");
  if (form) {
    const address = `${form.action}?${new URLSearchParams(new FormData(form))}`;
    history.replaceState(null, "", address);
    ask(address);
  }
});

// ---- What only a script can offer

function enhance() {
  for (const button of document.querySelectorAll("[data-copy]")) button.hidden = !(navigator.clipboard && isSecureContext);
  for (const field of document.querySelectorAll("[data-several]")) count_chosen(field);
  for (const button of document.querySelectorAll("[data-play]")) {
    button.hidden = false;
    if (playing) button.textContent = button.dataset.stop;
  }
  const button = document.getElementById("notify");
  if (button) button.hidden = !("Notification" in window) || !isSecureContext || Notification.permission !== "default";
}
document.getElementById("notify")?.addEventListener("click", async () => {
  await Notification.requestPermission();
  enhance();
});
function notify() {
  if (document.hidden && "Notification" in window && Notification.permission === "granted") {
    const note = new Notification(document.querySelector("h1").firstChild.textContent.trim(), { body: page.dataset.yourTurn, icon: "/static/icon.svg", tag: page.dataset.table });
    note.onclick = () => { window.focus(); note.close(); };
  }
}

// ---- Live: one stream for all tabs of a browser, through a worker they share; where there is none, one for each tab

function listen() {
  const heard = (message) => {
    if (message.lost) return tell_problem(page.dataset.lost);
    if (message.found) return tell_problem("");
    if (message.told && message.told.table === page.dataset.table) take(message.told, false);
  };
  if (window.SharedWorker) {
    const worker = new SharedWorker("/static/live.js", { name: "samovar" });
    worker.port.onmessage = (event) => heard(event.data);
    worker.port.start();
    worker.port.postMessage({ watch: page.dataset.table });
    addEventListener("pagehide", () => worker.port.postMessage({ leave: true }));
    addEventListener("pageshow", (event) => { if (event.persisted) worker.port.postMessage({ watch: page.dataset.table }); });
    setInterval(() => worker.port.postMessage({ alive: true }), 10000);
  } else {
    const source = new EventSource(`/live?table=${encodeURIComponent(page.dataset.table)}`);
    source.onmessage = (event) => heard({ told: JSON.parse(event.data) });
    source.onerror = () => heard({ lost: true });
    source.onopen = () => heard({ found: true });
  }
}

enhance();
if (page) listen();
