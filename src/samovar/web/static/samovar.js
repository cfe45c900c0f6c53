// The one script of the site. Everything works without it: it only saves page loads, tells of changes at once and lets things move.
"use strict";

const base = document.documentElement.dataset.base ?? ""; // where the site lies on its host
const page = document.querySelector("[data-table]");
const is_screen = page?.dataset.frame === "screen"; // a large one, which nobody touches
const still = matchMedia("(prefers-reduced-motion: reduce)");
const part_named = (name) => document.querySelector(`[data-part="${name}"]`);

function parsed(html) {
  const made = document.createElement("template");
  made.innerHTML = html;
  return made;
}

// ---- Swapping parts of the page

const shown = new Map(); // part -> the HTML that came last: a part that has not changed is left alone
for (const place of document.querySelectorAll("[data-part]")) shown.set(place.dataset.part, place.innerHTML);

function swap(parts) {
  for (const [name, html] of Object.entries(parts)) {
    const place = part_named(name);
    const wanted = parsed(html).innerHTML;
    if (!place || shown.get(name) === wanted) continue;
    shown.set(name, wanted);
    const put_back = remember(place);
    place.innerHTML = html;
    put_back();
  }
  enhance();
}

// What somebody has typed, ticked or opened stays so. Boxes: as long as the same number of cards is asked for.
function remember(place) {
  const typed = [...place.querySelectorAll("[data-keep]")].map((field) => [field.id, field.value]);
  const open = new Set([...place.querySelectorAll("details[open] > summary")].map((summary) => summary.textContent));
  const asked = place.querySelector("[data-several]")?.dataset.several;
  const ticked = new Map([...place.querySelectorAll("[data-several] input")].map((box) => [box.value, box.checked]));
  return () => {
    for (const [id, value] of typed) {
      const field = document.getElementById(id);
      if (field) field.value = value;
    }
    for (const summary of place.querySelectorAll("details > summary")) if (open.has(summary.textContent)) summary.parentElement.open = true;
    for (const box of place.querySelectorAll(`[data-several="${asked}"] input`)) box.checked = ticked.get(box.value) ?? box.checked;
  };
}

// An element that says `data-from` moves there from the one that had that key before. Browsers take a picture before they let a page change:
// a change that waits for its picture is `due`, and is made at once when the next one comes.
let due = () => {};
function show(parts, moves, then) {
  due();
  const update = () => {
    if (due !== update) return;
    due = () => {};
    const focus = describe_focus();
    swap(parts);
    restore_focus(focus);
    if (then) then();
    document.dispatchEvent(new CustomEvent("samovar:shown", { detail: { parts: Object.keys(parts), moved: moves } })); // for the other scripts
  };
  due = update;
  const found = moves ? movers(parts) : [];
  if (!found.length || !document.startViewTransition || still.matches || document.hidden) return update();
  found.forEach(([element], number) => name_mover(element, `mover-${number}`));
  const transition = document.startViewTransition(() => {
    for (const [element] of found) name_mover(element, "");
    update();
    found.forEach(([, key], number) => name_mover(keyed(key), `mover-${number}`));
  });
  transition.ready.catch(() => {}); // the next change came before this one was seen
  transition.finished.finally(() => {
    for (const [, key] of found) name_mover(keyed(key), "");
  });
}

function name_mover(element, name) {
  if (element) Object.assign(element.style, { viewTransitionName: name, viewTransitionClass: name && "mover" });
}

function keyed(key) {
  return document.querySelector(`.page-board [data-key="${CSS.escape(key)}"]`);
}

// Elements as they are now, each with the key it will have.
function movers(parts) {
  const found = new Map();
  for (const after of parsed(Object.values(parts).join("")).content.querySelectorAll("[data-from]")) {
    const before = keyed(after.dataset.from);
    if (before) found.set(before, after.dataset.key);
  }
  return [...found].slice(0, 20);
}

// ---- Focus stays where it was, as far as that is still there

function describe_focus() {
  const active = document.activeElement;
  if (!active || active === document.body) return null;
  return { id: active.id, name: active.dataset.name, label: active.textContent, caret: active.selectionStart, part: active.closest("[data-part]") };
}

function restore_focus(was) {
  if (!was || document.activeElement !== document.body) return;
  const place = same_place(was) || was.part;
  if (!place) return;
  if (place === was.part && !place.hasAttribute("tabindex")) place.tabIndex = -1;
  place.focus({ preventScroll: true });
  if (place.id && was.caret != null && place.setSelectionRange) place.setSelectionRange(was.caret, was.caret);
}

function same_place(was) {
  if (was.id) return document.getElementById(was.id);
  if (was.name) return document.querySelector(`[data-name="${CSS.escape(was.name)}"]:not(:disabled)`);
  return was.part && [...was.part.querySelectorAll("button, summary")].find((place) => place.textContent === was.label && !place.disabled);
}

// ---- Asking the server

// `chosen`: somebody made a step on the board, so the board of the answer is what they want to see. Says whether it went well.
// What nobody answers is asked again where that does no harm: the form of a move knows the state it was chosen in, so it is made once at most.
let last_choice = 0;
async function ask(address, options = {}, chosen = false) {
  const choice = chosen ? ++last_choice : 0;
  for (let attempt = 0; ; attempt += 1) {
    if (options.method && chosen && (attempt || is_lost)) options.body.set("repeated", "yes");
    const answer = await answer_to(address, options, chosen);
    if (answer) return answer.ok;
    is_live = false;
    tell_lost(true);
    if (!page) return false;
    if (options.method && !chosen) return give_up(options.unanswered || page.dataset.undone);
    await pause(Math.min(30, 2 ** attempt));
    if (chosen && choice !== last_choice) return false; // they have chosen something else since
  }
}

let moved_to = 0; // the number of what the last move led to; its picture may come later than the answer, and later still under a finger

// Shows what the server says; null: it says nothing, or what is between here and there spoke in its place.
async function answer_to(address, options, chosen) {
  document.body.setAttribute("aria-busy", "true");
  try {
    const headers = { "X-Samovar-Parts": is_live ? "by-stream" : "1", ...options.headers };
    const asked = fetch(address, { ...options, headers, credentials: "same-origin", signal: AbortSignal.timeout?.(30000) });
    const [answer, told] = await asked.then(async (answer) => [answer, await answer.json()]).catch(() => []);
    if (!answer) return null;
    tell_lost(false);
    if (chosen && options.method && answer.ok) moved_to = Number(told.number ?? 0);
    if (told.go) return { ok: leave_for(told.go) };
    if (told.parts && page) catch_up(); // what came before is shown before
    if (told.parts) take(told, chosen);
    else if (told.number !== undefined) await come_by_stream(told.number);
    else if (page && options.method) await ask(location.href, {}, true); // it was refused: show how things are, then say why
    if (chosen || options.method) tell_problem(told.problem || "");
    return answer;
  } finally {
    document.body.removeAttribute("aria-busy");
  }
}

// For what may not be done twice. The page goes on as soon as somebody answers, and the sentence stays until the next action.
async function give_up(sentence) {
  tell_problem(sentence);
  await ask(location.href);
  return false;
}

const waiting = new Set();
function pause(seconds) {
  return new Promise((done) => {
    waiting.add(done);
    setTimeout(done, seconds * 1000);
  });
}
function wake_up() {
  for (const done of waiting) done();
  waiting.clear();
}
addEventListener("online", wake_up);

// The stream brings what has changed. One that does not is asked for no longer, and the page is.
async function come_by_stream(number) {
  for (const until = Date.now() + 2000; Date.now() < until; await new Promise((done) => setTimeout(done, 20))) {
    if (Number(page.dataset.number) >= number || has_come(number)) return;
  }
  is_live = false;
  await ask(location.href, {}, true);
}

let is_lost = false;
function tell_lost(lost) {
  is_lost = lost;
  show_problem();
  if (!lost) wake_up();
}

let problem = document.getElementById("problem")?.textContent || ""; // a page may come with one
function tell_problem(sentence) {
  problem = sentence;
  show_problem();
}

function show_problem() {
  const place = document.getElementById("problem");
  if (!place) return;
  const sentences = [is_lost ? page?.dataset.lost || "…" : "", problem].filter(Boolean).join(" ");
  if (place.textContent !== sentences) place.textContent = sentences; // or it would be read out again
  place.hidden = !sentences;
}

// A snapshot. A board that shows the same state is left alone unless somebody chose something: they may be about to.
let taken = page && { state: page.dataset.state, turn: page.dataset.turn === "yes" }; // the last one that is shown, or about to be
function take(told, chosen) {
  due();
  if (!page) return show(told.parts, true, () => { document.title = told.title; });
  const parts = { ...told.parts };
  const is_same = page.dataset.state === told.state;
  const is_old = Number(told.number) < Number(page.dataset.number); // overtaken by the stream
  if (is_old && !(is_same && chosen)) return;
  if (is_old) for (const name of Object.keys(parts)) if (name !== "board") delete parts[name];
  if (!is_old) taken = told;
  if (is_same && !chosen) delete parts.board;
  if (!is_same && location.search && !is_screen) history.replaceState(null, "", location.pathname);
  const hint = is_same && document.querySelector(".page-hint");
  const had_no_hint = !document.querySelector(".page-hint");
  const is_turn = told.turn && page.dataset.turn !== "yes";
  const may_hold = !is_same && !chosen && told.turn && document.querySelector(".page-hint"); // others made their part of a simultaneous choice
  show(parts, !is_same || is_past(), () => {
    if (hint && parts.status && !document.querySelector(".page-hint")) part_named("status").append(hint);
    if (had_no_hint) document.querySelector(".page-hint")?.scrollIntoView({ block: "nearest" });
    if (is_old) return;
    document.title = told.title;
    Object.assign(page.dataset, { state: told.state, number: told.number, turn: told.turn ? "yes" : "no", phase: told.phase });
    announce();
    bring_nonce();
  });
  if (is_turn) notify();
  if (may_hold) ask(location.href, {}, true);
}

// ---- For those who listen: what is new, and nothing twice

let heard = null;
function lines(selector) {
  return [...document.querySelectorAll(selector)].map(text_of);
}
function text_of(line) {
  return line.textContent.trim().replace(/\s+/g, " ");
}
// What is told of an earlier move may fade, so its number says whether it is new.
function moves_after(number) {
  return [...document.querySelectorAll(".page-news li")].filter((line) => Number(line.dataset.move) > number).reverse();
}
// How many lines were added at the beginning of a list that also loses some at its end.
function fresh(now, before) {
  for (let count = 0; count < now.length; count++) if (now.slice(count).every((line, number) => line === before[number])) return now.slice(0, count);
  return now;
}
function announce() {
  const now = { move: Number(moves_after(0).at(-1)?.dataset.move ?? 0), talk: lines(".page-remarks li").reverse(), asked: lines(".page-status .prompt, .page-status .asking p, .page-hint li") };
  const added = heard ? [...moves_after(heard.move).map(text_of), ...fresh(now.talk, heard.talk).reverse()] : [];
  if (heard && now.asked.join() !== heard.asked.join()) added.push(...now.asked);
  heard = now;
  if (added.length) document.getElementById("announcer").textContent = added.join(" ");
}

// ---- Choosing

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-pick]");
  if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey && event.button === 0) {
    event.preventDefault();
    const address = new URL(link.href);
    history.replaceState(null, "", address);
    ask(address, {}, true);
  }
  const copy = event.target.closest("[data-copy]");
  const share = event.target.closest("[data-share]");
  if (share && !navigator.share) copy_text(share);
  else if (share) navigator.share({ title: document.querySelector("h1").firstChild.textContent.trim(), text: share.dataset.text, url: share.dataset.share }).catch(() => {}); // they thought better of it
  if (copy) copy_text(copy);
});

function copy_text(button) {
  navigator.clipboard.writeText(button.dataset.copy || button.dataset.share).then(() => { button.textContent = "✓"; });
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!form.matches("[data-live]")) return;
  event.preventDefault();
  const is_move = form.id === "move";
  if (is_move && (document.body.hasAttribute("aria-busy") || Number(page.dataset.number) < moved_to)) return; // a double click is one move
  draw_nonce(form);
  const body = new URLSearchParams(new FormData(form, event.submitter));
  const went_well = await ask(form.action, { method: "POST", body, unanswered: form.dataset.unanswered }, is_move);
  if (went_well && form.action.endsWith("/hint")) await ask(location.href, {}, true); // it is on the board, too, with what is picked there
  if (went_well && form.matches("[data-clear]")) form.reset();
});

// ---- Nonce: a number of one's own that the deal depends on, drawn here, after the page has shown the fingerprint of the site's secret

function draw_nonce(form) {
  for (const field of form.querySelectorAll("[data-nonce]")) {
    field.value = [...crypto.getRandomValues(new Uint8Array(32))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  }
}

const brought = new Set(); // states of the table for which that was done
function bring_nonce() {
  const form = document.querySelector("[data-bring-nonce]");
  if (!form || brought.has(page.dataset.state)) return;
  brought.add(page.dataset.state);
  draw_nonce(form);
  ask(form.action, { method: "POST", body: new URLSearchParams(new FormData(form)) });
}

// ---- Choosing several cards

function count_chosen(field) {
  const wanted = Number(field.dataset.several);
  const boxes = [...field.querySelectorAll("input[type=checkbox]")];
  const chosen = boxes.filter((box) => box.checked).length;
  const told = field.querySelector(".several-count");
  const says = document.querySelector("[data-chosen]")?.dataset.chosen;
  if (told && says) told.textContent = says.replace("{chosen}", chosen).replace("{wanted}", wanted);
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
  history.replaceState(null, "", next.href);
  ask(next.href, {}, true).then(() => { if (playing) playing = setTimeout(step, 900); });
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
  if (document.querySelector('[data-next="yes"]')) step();
  else ask(document.querySelector('[data-name="first"]').href, {}, true).then(step);
});
document.addEventListener("change", (event) => {
  const form = event.target.closest("[data-replay-form]");
  if (form) {
    const address = `${form.action}?${new URLSearchParams(new FormData(form))}`;
    history.replaceState(null, "", address);
    ask(address, {}, true);
  }
});

// ---- What only a script can offer

function enhance() {
  for (const button of document.querySelectorAll("[data-copy]")) button.hidden = !(navigator.clipboard && isSecureContext);
  for (const button of document.querySelectorAll("[data-share]")) button.hidden = !navigator.share && !(navigator.clipboard && isSecureContext);
  for (const field of document.querySelectorAll("[data-several]")) count_chosen(field);
  for (const button of document.querySelectorAll("[data-play]")) {
    button.hidden = false;
    button.textContent = playing ? button.dataset.stop : button.dataset.play;
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
    const note = new Notification(document.querySelector("h1").firstChild.textContent.trim(), { body: page.dataset.yourTurn, icon: `${base}/static/icon.svg`, tag: page.dataset.table });
    note.onclick = () => { window.focus(); note.close(); };
  }
}

// ---- Live: one stream for all tabs of a browser, through a worker they share; where there is none, one for each tab

// A board does not change under a finger, or the click would be lost: what comes between press and release is shown right after.
let is_held = false;
let releasing = 0;
addEventListener("pointerdown", () => {
  is_held = true;
  clearTimeout(releasing);
  releasing = 0;
}, true);
for (const name of ["pointerup", "pointercancel", "pointermove", "contextmenu", "blur"]) addEventListener(name, release); // blur: of the window alone
function release(event) {
  if (!is_held || releasing || (event.type === "pointermove" && event.buttons)) return;
  releasing = setTimeout(() => { // after the click, which comes last
    is_held = false;
    releasing = 0;
    if (page) go_on_showing(); // see pace.js
  }, 50);
}

// Whoever called a table off is led elsewhere; for all others the page says why it is gone.
let is_leaving = false;
addEventListener("pageshow", () => { is_leaving = false; });
function leave_for(address) {
  is_leaving = true;
  location.assign(address);
}
function show_gone() {
  if (document.body.hasAttribute("aria-busy")) setTimeout(show_gone, 100);
  else if (!is_leaving) location.reload();
}

let is_live = false; // the stream is open and has brought something
function hear(message) {
  if (message.gone === page.dataset.table) return show_gone();
  if (message.lost) is_live = false;
  tell_lost(Boolean(message.lost));
  if (!message.told || message.told.table !== page.dataset.table) return;
  is_live = true;
  await_showing(message.told); // see pace.js
}

// A phone in a pocket looks at nothing, and whoever does not look may be called: its page lets go of the stream until it is seen again.
const is_phone = matchMedia("(pointer: coarse)").matches;
function when_pocketed(let_go, take_up) {
  if (is_phone) document.addEventListener("visibilitychange", () => (document.hidden ? let_go() : take_up()));
}

function listen() {
  const worker = new SharedWorker(`${base}/static/live.js`, { name: "samovar" });
  const watch = () => worker.port.postMessage({ watch: page.dataset.table, language: document.documentElement.lang });
  worker.onerror = begin_alone;
  worker.port.onmessage = (event) => hear(event.data);
  worker.port.start();
  watch();
  const leave = () => worker.port.postMessage({ leave: true });
  addEventListener("pagehide", leave);
  addEventListener("pageshow", (event) => { if (event.persisted) watch(); });
  when_pocketed(leave, watch);
  setInterval(() => worker.port.postMessage({ alive: true }), 10000);
}

let own_stream = null; // of a page that listens alone
function begin_alone() {
  listen_alone();
  when_pocketed(() => own_stream?.close(), listen_alone);
}

function listen_alone() {
  own_stream?.close();
  if (is_phone && document.hidden) return;
  const source = new EventSource(`${base}/live?table=${encodeURIComponent(page.dataset.table)}&language=${document.documentElement.lang}${is_screen ? "&screen" : ""}`);
  own_stream = source;
  source.onmessage = (event) => hear({ told: JSON.parse(event.data) });
  source.addEventListener("gone", (event) => hear({ gone: JSON.parse(event.data).table }));
  source.onopen = () => hear({ found: true });
  source.onerror = () => {
    hear({ lost: true });
    source.close(); // by itself the browser would wait for three seconds or more
    if (source === own_stream) setTimeout(() => source === own_stream && listen_alone(), 500 + 1000 * Math.random());
  };
}

enhance();
if (page) {
  announce();
  bring_nonce();
  if (window.SharedWorker && !is_screen) listen();
  else begin_alone();
  if ("joining" in page.dataset) document.querySelector('form[action$="/sit"]')?.requestSubmit();
}
