// A field that may grow past its frame: it scrolls by itself; here it can also be dragged, brought closer, or shown whole. The view stays when the field changes.
"use strict";

const STEP = 1.3;
const CLOSEST = 4;
const FARTHEST = 0.2;
const lens_view = {
  zoom: 1, // what the game's style multiplies the size of its pieces by, as `--zoom`
  is_whole: matchMedia("(min-width: 48rem)").matches, // all of it, as large as that is possible
  anchor: null, // the piece nearest to the middle, and how far it is from there
};

const lens_box = () => document.querySelector("[data-lens]");
const is_for_eyes = (box) => Boolean(box.closest(":disabled")); // as in a review, where all that is marked is to be seen
const is_shown_whole = (box) => lens_view.is_whole || is_for_eyes(box);

function distance_to_middle(box, piece) {
  const [frame, place] = [box.getBoundingClientRect(), piece.getBoundingClientRect()];
  return [
    place.left + place.width / 2 - frame.left - box.clientWidth / 2,
    place.top + place.height / 2 - frame.top - box.clientHeight / 2,
  ];
}

function remember_view(box) {
  const pieces = [...box.querySelectorAll("[data-key]")].map((piece) => [piece.dataset.key, distance_to_middle(box, piece)]);
  lens_view.anchor = pieces.sort(([, one], [, other]) => Math.hypot(...one) - Math.hypot(...other))[0] || null;
}

function bring_to(box, piece, [right, down] = [0, 0]) {
  const [from_left, from_top] = distance_to_middle(box, piece);
  box.scrollBy({ left: from_left - right, top: from_top - down, behavior: "instant" });
}

function zoom_to(box, zoom) {
  lens_view.zoom = Math.min(CLOSEST, Math.max(FARTHEST, zoom));
  box.style.setProperty("--zoom", lens_view.zoom);
}

function show_whole(box) {
  zoom_to(box, 1);
  if (box.scrollWidth <= box.clientWidth && box.scrollHeight <= box.clientHeight) return;
  const field = box.firstElementChild;
  const style = getComputedStyle(box);
  const room = (size, before, after) => size - parseFloat(style[before]) - parseFloat(style[after]);
  const wide = room(box.clientWidth, "paddingLeft", "paddingRight") / field.offsetWidth;
  zoom_to(box, Math.min(wide, room(box.clientHeight, "paddingTop", "paddingBottom") / field.offsetHeight));
}

// As it was; what somebody should see first is brought into sight where there is nothing to go by, or something to choose.
function restore_view(box) {
  if (is_shown_whole(box)) return show_whole(box);
  zoom_to(box, lens_view.zoom);
  const [key, distance] = lens_view.anchor || [];
  const piece = key && box.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (piece) bring_to(box, piece, distance);
  const aim = box.querySelector(".is-aim");
  if (aim && (!piece || (aim.matches(".choice") && !is_in_sight(box, aim)))) bring_to(box, aim);
}

function is_in_sight(box, piece) {
  const [right, down] = distance_to_middle(box, piece);
  return Math.abs(right) < box.clientWidth / 2 && Math.abs(down) < box.clientHeight / 2;
}

function zoom_by(box, factor) {
  remember_view(box);
  lens_view.is_whole = false;
  const [key, [right, down]] = lens_view.anchor || ["", [0, 0]];
  const before = lens_view.zoom;
  zoom_to(box, before * factor);
  const piece = key && box.querySelector(`[data-key="${CSS.escape(key)}"]`);
  if (piece) bring_to(box, piece, [(right * lens_view.zoom) / before, (down * lens_view.zoom) / before]);
  remember_view(box);
}

const ZOOMS = {
  in: (box) => zoom_by(box, STEP),
  out: (box) => zoom_by(box, 1 / STEP),
  whole: (box) => { lens_view.is_whole = true; show_whole(box); },
};
const ZOOM_KEYS = { "+": "in", "-": "out", 0: "whole" };

document.addEventListener("click", (event) => {
  const button = event.target.closest("[data-zoom]");
  if (button) ZOOMS[button.dataset.zoom](lens_box());
});

document.addEventListener("keydown", (event) => {
  if (event.target !== lens_box() || event.ctrlKey || event.metaKey || !(event.key in ZOOM_KEYS)) return;
  event.preventDefault();
  ZOOMS[ZOOM_KEYS[event.key]](event.target);
});

// ---- By mouse and by two fingers; one finger scrolls as everywhere

// The click at the end of a drag, which was no choice.
function swallow(event) {
  event.preventDefault();
  event.stopPropagation();
}

function drag_from(start) {
  const box = start.currentTarget;
  if (start.pointerType !== "mouse" || start.button !== 0) return;
  const [left, top] = [box.scrollLeft, box.scrollTop];
  let is_dragged = false;
  const drag = (event) => {
    const [right, down] = [event.clientX - start.clientX, event.clientY - start.clientY];
    is_dragged ||= Math.hypot(right, down) > 6;
    if (!is_dragged) return;
    box.scrollTo(left - right, top - down);
    remember_view(box); // at once: a new board may come before the browser tells that it was scrolled
  };
  const drop = () => {
    removeEventListener("pointermove", drag);
    if (is_dragged) addEventListener("click", swallow, true);
    setTimeout(() => removeEventListener("click", swallow, true));
  };
  addEventListener("pointermove", drag);
  addEventListener("pointerup", drop, { once: true });
}

const fingers_apart = ([one, other]) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
let pinched = 0;
function pinch(event) {
  if (event.touches.length !== 2) return;
  event.preventDefault();
  const now = fingers_apart(event.touches);
  if (pinched) zoom_by(event.currentTarget, now / pinched);
  pinched = now;
}

function set_up_lens() {
  const box = lens_box();
  if (!box || box.dataset.lens === "ready") return;
  box.dataset.lens = "ready";
  document.querySelector(".lens-tools").hidden = is_for_eyes(box); // before anything is measured: they take some room
  restore_view(box);
  box.addEventListener("scroll", () => remember_view(box), { passive: true });
  box.addEventListener("pointerdown", drag_from);
  box.addEventListener("dragstart", (event) => event.preventDefault()); // links are not carried away
  box.addEventListener("touchmove", pinch, { passive: false });
  box.addEventListener("touchend", () => { pinched = 0; });
  box.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoom_by(box, event.deltaY < 0 ? 1.1 : 1 / 1.1);
  }, { passive: false });
}

document.addEventListener("samovar:shown", set_up_lens);
addEventListener("resize", () => { if (lens_box() && is_shown_whole(lens_box())) show_whole(lens_box()); });
set_up_lens();
