// The page of a club evening: who comes and who leads, without loading it again, and a number of one's own for the deals.

const LOOK_AGAIN = 6000; // milliseconds; a whole club may sit behind one address

function club_part() {
  return document.getElementById("club-now");
}

async function look_again() {
  if (document.hidden || is_choosing() || club_part().dataset.club !== "on") return;
  const answer = await fetch(location.href, { headers: { accept: "text/html" } }).catch(() => null);
  if (!answer || !answer.ok) return;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html");
  const part = fresh.getElementById("club-now");
  if (!part || is_same(part, club_part())) return;
  if (has_begun(fresh) !== has_begun(document)) location.reload();
  else show_fresh(part);
}

// Whoever is about to choose or write something is left alone.
function is_choosing() {
  return club_part().contains(document.activeElement) && document.activeElement.matches("select, input, textarea");
}

function is_same(one, other) {
  return plain(one) === plain(other);
}

// What people have opened stays open, and where they are stays theirs.
function show_fresh(part) {
  const open = [...club_part().querySelectorAll("details")].map((details) => details.open);
  const focused = address_of(document.activeElement);
  club_part().replaceWith(document.adoptNode(part));
  club_part()
    .querySelectorAll("details")
    .forEach((details, number) => (details.open = Boolean(open[number])));
  follow_call();
  if (focused) [...club_part().querySelectorAll("a, button, summary")].find((place) => address_of(place) === focused)?.focus();
}

function plain(part) {
  const copy = part.cloneNode(true);
  for (const details of copy.querySelectorAll("details")) details.removeAttribute("open");
  for (const token of copy.querySelectorAll("[name=_csrf_token]")) token.remove();
  return copy.innerHTML;
}

function address_of(place) {
  return place && club_part().contains(place) ? place.getAttribute("href") || place.form?.action || place.textContent : "";
}

function has_begun(page) {
  return !page.querySelector(".club-invite");
}

// Whoever was on this page when their table was called is taken there. What was called when they came does not hold them up: they want to see the standings.
const called_key = `samovar:called:${location.pathname}`;
function follow_call() {
  const form = document.querySelector("[data-called]");
  const called = form?.dataset.called ?? "";
  const was_waiting = sessionStorage.getItem(called_key) === "";
  sessionStorage.setItem(called_key, called);
  if (called && was_waiting) form.submit();
}

function show_timer() {
  const timer = document.querySelector(".wall-timer");
  if (!timer) return;
  const seconds = Math.floor((Number(timer.dataset.now) - Number(timer.dataset.since) + performance.now()) / 1000);
  const minutes = Math.floor(seconds / 60) % 60, hours = Math.floor(seconds / 3600);
  const parts = hours ? [hours, String(minutes).padStart(2, "0")] : [minutes];
  timer.textContent = [...parts, String(seconds % 60).padStart(2, "0")].join(":");
}

document.addEventListener("submit", (event) => {
  if (event.target.matches("[data-draw-nonce]")) draw_nonce(event.target);
});
setInterval(look_again, LOOK_AGAIN);
setInterval(show_timer, 1000);
follow_call();
show_timer();
