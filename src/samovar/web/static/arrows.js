// Arrows on a board on which moves are marked, from each place of a move to the next. The marks themselves are there without this script.
"use strict";

const HEAD = 18; // pixels from the tip of an arrow to where its line ends, less where it is short
const BEND = { "is-made": -0.14, "is-better": 0.14 }; // of its length: so that two which lead the same way lie side by side

const marked = (drawing, name) => drawing.parentElement.querySelector(`[data-mark="${CSS.escape(name)}"]`);

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

function draw_arrows() {
  for (const drawing of document.querySelectorAll(".arrows")) {
    const origin = drawing.getBoundingClientRect();
    for (const arrow of drawing.children) {
      const [start, end] = [marked(drawing, arrow.dataset.start), marked(drawing, arrow.dataset.end)];
      if (start && end) draw_arrow(arrow, origin, start, end);
    }
  }
}

// What changes its size may move, also within its frame.
const sizes = new ResizeObserver(draw_arrows);
function follow_board() {
  sizes.disconnect();
  for (const { parentElement: board } of document.querySelectorAll(".arrows")) {
    for (const place of [board, ...board.querySelectorAll("[data-mark]")]) sizes.observe(place);
  }
}

document.addEventListener("samovar:shown", follow_board);
document.addEventListener("scroll", draw_arrows, { capture: true, passive: true });
follow_board();
