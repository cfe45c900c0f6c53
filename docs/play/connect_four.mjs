// Connect Four: a column is a button; its men lie from below.

const COLUMNS = "abcdefg";
const HEIGHT = 6;
const MEN = [
  { sign: '<circle cx="50" cy="50" r="13"/>', name: "your man" },
  { sign: '<path d="M50 35 67 64H33Z"/>', name: "a man of the bot" },
];
// The steps of a line: up, right, and both ways aslant.
const WAYS = [[0, 1], [1, 0], [1, 1], [1, -1]]; // prettier-ignore

const man = (seat) => `<svg class="man of-${seat}" viewBox="0 0 100 100" aria-hidden="true" focusable="false">
  <circle class="rim" cx="50" cy="50" r="45"/><circle class="pearls" cx="50" cy="50" r="36"/>
  <circle class="heart" cx="50" cy="50" r="26"/><g class="sign">${MEN[seat].sign}</g></svg>`;

/** Who has a man in a cell; undefined where nobody has. */
function owner({ men }, column, row) {
  return [0, 1].find((seat) => (men[seat] >> BigInt(7 * column + row)) & 1n);
}

/** The cells of lines of four, as texts "column row". */
function lines(state) {
  const cells = new Set();
  for (let column = 0; column < COLUMNS.length; column++) {
    for (let row = 0; row < HEIGHT; row++) {
      for (const [right, up] of WAYS) {
        const line = [0, 1, 2, 3].map((k) => [column + k * right, row + k * up]);
        if (line.some(([c, r]) => c >= COLUMNS.length || r < 0 || r >= HEIGHT)) continue;
        const owners = new Set(line.map(([c, r]) => owner(state, c, r)));
        if (owners.size === 1 && !owners.has(undefined)) for (const cell of line) cells.add(cell.join(" "));
      }
    }
  }
  return cells;
}

export function draw(match, { you, bot, canPlay }) {
  const { state } = match;
  const legal = new Set(canPlay ? match.legal(you) : []);
  const won = lines(state);
  const columns = Array.from(COLUMNS, (name, column) => {
    const owners = Array.from({ length: HEIGHT }, (_, row) => owner(state, column, row));
    const count = owners.filter((seat) => seat !== undefined).length;
    const cells = owners.map((seat, row) => {
      const isLast = state.last === column && row === count - 1;
      const isTheirs = isLast && match.history.at(-1)[0] !== you;
      const marks = [isLast && "is-last", isTheirs && "is-theirs", won.has(`${column} ${row}`) && "is-line"];
      return `<span class="hole ${marks.filter(Boolean).join(" ")}">${seat === undefined ? "" : man(seat)}</span>`;
    });
    const holds = count ? owners.slice(0, count).map((seat) => MEN[seat].name).join(", ") : "empty";
    const inside = `<span class="holes">${cells.reverse().join("")}</span>
      <span class="column-name" aria-hidden="true">${name}</span>`;
    const label = `olumn ${name}, from below: ${holds}.`;
    return legal.has(column)
      ? `<button type="button" class="column choice" data-move="${column}" data-name="${name}"
          aria-label="Drop a man into c${label}">${inside}</button>`
      : `<div class="column" role="img" aria-label="C${label}">${inside}</div>`;
  });
  return `<div class="rack">${columns.join("")}</div>
    <p class="men"><span>${man(you)} You</span> <span>${man(1 - you)} ${bot}</span></p>`;
}

export function news(match, { you, words }) {
  const [seat, column] = match.history.at(-1);
  return seat === you ? "" : words.drops.replace("{seat}", "The bot").replace("{column}", COLUMNS[column]);
}

export function prompt() {
  return "Your turn: choose a column.";
}

export function ending(match, { you }) {
  if (!match.state.won) return "The board is full: a draw.";
  return match.places[you] === 1 ? "Four in a row: you win!" : "Four in a row: the bot wins.";
}
