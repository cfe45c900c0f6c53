// Arrows on a board on which moves are marked, from each place of a move to the next. The marks themselves are there without this script.
"use strict";

const HEAD = 18; // pixels from the tip of an arrow to where its line ends, less where it is short
const BEND = { "is-made": -0.14, "is-better": 0.14 }; // of its length: so that two which lead the same way lie side by side

const PLACES = ["mark", "name", "key"]; // what names a place: of marks, of choices, of pieces on their way
const board_of = (drawing) => drawing.closest(".page-board") || drawing.parentElement;
function marked(drawing, name) {
  const board = board_of(drawing);
  const found = PLACES.map((kind) => board.querySelector(`[data-${kind}="${CSS.escape(name)}"]`));
  return found.find(Boolean);
}

// A field that scrolls may hide what it holds.
function is_seen({ x, y }, spot) {
  const frame = spot.closest("[data-lens]")?.getBoundingClientRect();
  return !frame || (x > frame.left && x < frame.right && y > frame.top && y < frame.bottom);
}

function middle_of(spot) {
  const { left, top, width, height } = spot.getBoundingClientRect();
  return { x: left + width / 2, y: top + height / 2, size: Math.min(width, height) };
}

function draw_arrow(arrow, origin, start, end) {
  const [from, to] = [middle_of(start), middle_of(end)];
  const [right, down] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(right, down);
  arrow.toggleAttribute("hidden", !length || !from.size || !to.size || !is_seen(from, start) || !is_seen(to, end));
  const bend = BEND[arrow.getAttribute("class")] || 0;
  const middle = { x: (from.x + to.x) / 2 - bend * down, y: (from.y + to.y) / 2 + bend * right };
  const towards = (one, other, by) => {
    const way = Math.hypot(other.x - one.x, other.y - one.y) || 1;
    return { x: one.x + ((other.x - one.x) * by) / way, y: one.y + ((other.y - one.y) * by) / way };
  };
  const first = towards(from, middle, Math.min(from.size, length) / 4);
  const tip = towards(to, middle, Math.min(to.size, length) * 0.3);
  const neck = towards(tip, middle, Math.min(HEAD, length / 4));
  const [across, along] = [(tip.y - neck.y) / 2, (tip.x - neck.x) / 2];
  const at = ({ x, y }) => `${(x - origin.left).toFixed(1)},${(y - origin.top).toFixed(1)}`;
  const line = `M${at(first)} Q${at(middle)} ${at(neck)}`;
  const head = `M${at(tip)} L${at({ x: neck.x - across, y: neck.y + along })} L${at({ x: neck.x + across, y: neck.y - along })} Z`;
  for (const path of arrow.children) path.setAttribute("d", path.matches(".arrow-head") ? head : line);
}

// A place that is marked by hand, and leads nowhere.
function draw_ring(ring, origin, spot) {
  const { x, y, size } = middle_of(spot);
  ring.toggleAttribute("hidden", !size || !is_seen({ x, y }, spot));
  const [left, top, radius] = [x - origin.left, y - origin.top, size * 0.56];
  const way = `M${left - radius},${top} a${radius},${radius} 0 1 0 ${2 * radius},0 a${radius},${radius} 0 1 0 ${-2 * radius},0`;
  for (const path of ring.children) path.setAttribute("d", way);
}

function draw_arrows() {
  for (const drawing of document.querySelectorAll(".arrows")) {
    const origin = drawing.getBoundingClientRect();
    for (const arrow of drawing.children) {
      const start = marked(drawing, arrow.dataset.start);
      const end = arrow.dataset.end && marked(drawing, arrow.dataset.end);
      if (start && end) draw_arrow(arrow, origin, start, end);
      else if (start && !arrow.dataset.end) draw_ring(arrow, origin, start);
    }
  }
}

// What changes its size may move, also within its frame.
const sizes = new ResizeObserver(draw_arrows);
function follow_board() {
  sizes.disconnect();
  for (const drawing of document.querySelectorAll(".arrows")) {
    const board = board_of(drawing);
    for (const place of [board, ...board.querySelectorAll("[data-mark], [data-key]")]) sizes.observe(place);
  }
}

document.addEventListener("samovar:shown", follow_board);
document.addEventListener("scroll", draw_arrows, { capture: true, passive: true });
follow_board();
