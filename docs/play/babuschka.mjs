// Babuschka, as its table on the site is drawn (games/babuschka/table.html): the same art, style and words.

const WIDTH = 8;
const COLUMNS = "abcdefgh";
const SIZES = ["small", "medium", "large"];
const DOLLS = 12; // of a player
// Where the sign goes on the apron of each size: x, y, width.
const APRONS = { large: [39, 56.5, 22], medium: [40, 60.2, 20], small: [40.25, 58.3, 19.5] };
const ENDS = { decided: 1, blocked: 2, patience: 3 };

const nameOf = (square) => COLUMNS[square % WIDTH] + (Math.floor(square / WIDTH) + 1);
const fill = (text, facts) => text.replace(/\{(\w+)\}/g, (_, name) => facts[name]);

const sign = (seat, x, y, width) =>
  `<use class="sign" href="#babuschka-sign-${seat}" x="${x}" y="${y}" width="${width}" height="${width}"/>`;
const figure = ({ size, seat }) =>
  `<svg class="doll of-${seat}" viewBox="0 0 100 100" aria-hidden="true" focusable="false"><use href="#babuschka-${size}"/>${sign(seat, ...APRONS[size])}</svg>`;
const mini = ({ size, seat }) =>
  `<svg class="mini size-${size} of-${seat}" viewBox="0 0 20 26" aria-hidden="true" focusable="false"><use href="#babuschka-pip"/>${sign(seat, 4.6, 11.6, 10.8)}</svg>`;

/** The dolls of a field, from the top down. */
function stack(state, square) {
  const found = [];
  for (let size = SIZES.length - 1; size >= 0; size--) {
    for (let seat = 0; seat < 2; seat++) {
      if ((state.dolls[SIZES.length * seat + size] >> BigInt(square)) & 1n) found.push({ size: SIZES[size], seat });
    }
  }
  return found;
}

export function draw(match, table) {
  const { state } = match;
  const { you, words, picked, canPlay } = table;
  const moves = (canPlay ? match.legal(you) : []).map((move) => ({ move, start: nameOf(Math.floor(move / 64)), end: nameOf(move % 64) }));
  const ends = new Map(moves.filter(({ start }) => start === picked).map(({ end, move }) => [end, move]));
  const starts = new Set(moves.map(({ start }) => start));
  const dollName = ({ size, seat }) => words[`table.doll.${size}.${seat}`];

  function cell(square) {
    if (!table.fields.includes(square)) return '<div class="gap" role="cell"></div>';
    const name = nameOf(square);
    const [top, ...under] = stack(state, square);
    const goal = table.goals.findIndex((fields) => fields.includes(square));
    const wasLeft = state.last_start === square;
    const wasReached = state.last_end === square;
    const classes = ["cell", goal >= 0 && `is-goal of-${goal}`, wasLeft && "was-left", wasReached && "was-reached"].filter(Boolean);
    const rosette = goal < 0 ? "" : `<svg class="goal" viewBox="0 0 100 100" aria-hidden="true" focusable="false"><use href="#babuschka-goal"/>${sign(goal, 32, 32, 36)}${
      top ? `<circle class="tack" cx="14" cy="14" r="13"/>${sign(goal, 5, 5, 18)}` : ""}</svg>`;
    const inside = (top ? figure(top) : "") + (under.length ? `<span class="under">${under.map(mini).join("")}</span>` : "");
    return `<div class="${classes.join(" ")}" role="cell">${rosette}${spot(name, inside, label(name, top, under, goal, wasLeft, wasReached), top, goal)}</div>`;
  }

  function spot(name, inside, label, top, goal) {
    const attributes = `type="button" data-name="${name}"`;
    if (ends.has(name)) return `<button ${attributes} class="spot field choice" data-move="${ends.get(name)}" aria-label="${going(name, top, goal)}">${inside}</button>`;
    if (starts.has(name)) {
      const take = fill(words["table.take"], { doll: words[`table.bare.${top.size}`], field: name });
      const isPicked = name === picked;
      return `<button ${attributes} class="spot field choice ${isPicked ? "picked" : "is-start"}" data-pick="${name}" aria-pressed="${isPicked}" aria-label="${take}">${inside}</button>`;
    }
    return `<div class="spot field"${label ? ` role="img" aria-label="${label}"` : ""}>${inside}</div>`;
  }

  /** What the picked doll does on a field, in words. */
  function going(end, covered, goal) {
    const [doll] = stack(state, squareOf(picked));
    const isPull = Math.max(Math.abs(picked.charCodeAt(0) - end.charCodeAt(0)), Math.abs(picked[1] - end[1])) === 1;
    const told = fill(words[isPull ? "table.pull" : "table.jump"], { doll: words[`table.bare.${doll.size}`], start: picked, end });
    if (goal === you) return told + words["table.bringing_home"];
    if (!covered) return told;
    return covered.seat === you
      ? told + fill(words["table.covering_own"], { doll: words[`table.bare.${covered.size}`] })
      : told + fill(words["table.covering"], { doll: dollName(covered) });
  }

  function label(field, top, under, goal, wasLeft, wasReached) {
    const whose = (seat) => (seat === you ? "yours" : "the bot");
    const told = top
      ? `${field}: ${dollName(top)}${goal === top.seat ? ", home" : ""}` +
        (under.length ? fill(words["table.under"], { dolls: under.map(dollName).join(", ") }) : "") +
        (wasReached ? words["table.reached"] : "")
      : goal >= 0
        ? `${field}: empty, goal field, ${whose(goal)}`
        : wasLeft ? field : "";
    return told + (wasLeft ? words["table.left"] : "");
  }

  function chair(seat, side, name) {
    const goal = table.goals[seat];
    const home = goal.flatMap((square) => stack(state, square)).filter((doll) => doll.seat === seat).length;
    const isTurn = match.actors.includes(seat);
    const pips = Array.from({ length: DOLLS }, (_, k) => `<svg class="pip${k < home ? " is-home" : ""}" viewBox="0 0 20 26"><use href="#babuschka-pip"/></svg>`);
    return `<section class="chair side-${side} of-${seat}${isTurn ? " is-turn" : ""}${seat === you ? " is-own" : ""}">${figure({ size: "large", seat })}
      <div class="chair-facts"><h3>${name}</h3>
      <p class="home"><span class="pips" aria-hidden="true">${pips.join("")}</span> <span class="count">${fill(words["table.home"], { home, dolls: DOLLS })}</span></p>
      </div></section>`;
  }

  const labels = Array.from(COLUMNS, (name) => `<span class="label" role="columnheader">${name}</span>`).join("");
  const rows = Array.from({ length: WIDTH }, (_, from) => {
    const row = WIDTH - 1 - from;
    const cells = Array.from({ length: WIDTH }, (_, column) => cell(WIDTH * row + column)).join("");
    return `<div class="rank" role="row"><span class="label" role="rowheader">${row + 1}</span>${cells}<span class="label right" aria-hidden="true">${row + 1}</span></div>`;
  });
  const limit = state.patience * 2;
  return `<div class="seating"><div class="round seats-2">
    ${chair(1, "far", table.bot)}
    <div class="board${picked ? " has-pick" : ""}" role="table" aria-label="${words["table.board"]}">
      <svg class="panel-art" viewBox="0 0 800 800" aria-hidden="true" focusable="false"><use href="#babuschka-panel"/></svg>
      ${trail(state)}
      <div class="rank labels below" role="row"><span role="cell"></span>${labels}</div>
      <div class="rank labels above" aria-hidden="true"><span></span>${labels}</div>
      ${rows.join("")}
    </div>
    ${chair(0, "own", "You")}
    <section class="progress">
      <p class="sizes"><span class="sizes-row" aria-hidden="true">${SIZES.map((size) => figure({ size, seat: you })).join("<span>‹</span>")}</span> ${words["table.sizes"]}</p>
      <p class="patience"><label>${fill(words["table.quiet"], { quiet: state.quiet, limit })}<meter min="0" max="${limit}" value="${state.quiet}"></meter></label></p>
    </section>
  </div></div>`;
}

function squareOf(name) {
  return COLUMNS.indexOf(name[0]) + WIDTH * (name[1] - 1);
}

/** The last move, from where it began to where it ended. */
function trail(state) {
  if (state.last_start < 0) return "";
  const middle = (square) => `${100 * (square % WIDTH) + 50},${100 * (WIDTH - 1 - Math.floor(square / WIDTH)) + 50}`;
  const points = `points="${middle(state.last_start)} ${middle(state.last_end)}"`;
  return `<svg class="panel-art trail" viewBox="0 0 800 800" aria-hidden="true" focusable="false"><polyline class="casing" ${points}/><polyline ${points} marker-end="url(#babuschka-arrow)"/></svg>`;
}

export function lastMove({ state }, name, words) {
  const [{ size }] = stack(state, state.last_end);
  const facts = { seat: name(state.last_seat), size, start: nameOf(state.last_start), end: nameOf(state.last_end) };
  const told = fill(words.moves, facts).replace("You moves", "You move");
  const passed = [0, 1].filter((seat) => (state.passed >> seat) & 1);
  return [told, ...passed.map((seat) => (seat === 0 ? "You cannot move and pass." : fill(words.passes, { seat: name(seat) })))].join(" ");
}

export function prompt(picked) {
  return picked ? `Where shall the doll on ${picked} go? Choose it once more to put it back.` : "Your turn: choose one of your dolls.";
}

export function ending(match, you) {
  const { ended } = match.state;
  const places = match.places;
  const result = places[0] === places[1] ? "You share the first place." : places[you] === 1 ? "You win!" : "The bot wins.";
  if (ended === ENDS.decided) return places[you] === 1 ? "All your dolls are home: you win!" : "All dolls of the bot are home: it wins.";
  return `${ended === ENDS.blocked ? "Nobody can move any more." : "Too many moves without progress: the match is counted out."} ${result}`;
}
