// Babuschka, as its table on the site is drawn (games/babuschka/table.html): the same art, style and words.

const WIDTH = 8;
const FIELDS = WIDTH * WIDTH;
const COLUMNS = "abcdefgh";
const SIZES = ["small", "medium", "large"];
const DOLLS = 12; // of a player
// Where the sign goes on the apron of each size: x, y, width.
const APRONS = { large: [39, 56.5, 22], medium: [40, 60.2, 20], small: [40.25, 58.3, 19.5] };
const [DECIDED, BLOCKED] = [1, 2]; // why a match ended; else it was patience

const HIDDEN = 'aria-hidden="true" focusable="false"'; // a picture whose field says what it is
const nameOf = (square) => COLUMNS[square % WIDTH] + (Math.floor(square / WIDTH) + 1);
const squareOf = (name) => COLUMNS.indexOf(name[0]) + WIDTH * (name[1] - 1);
const fill = (text, facts) => text.replace(/\{(\w+)\}/g, (_, name) => facts[name]);

const sign = (seat, x, y, width) =>
  `<use class="sign" href="#babuschka-sign-${seat}" x="${x}" y="${y}" width="${width}" height="${width}"/>`;
const figure = ({ size, seat }) => `<svg class="doll of-${seat}" viewBox="0 0 100 100" ${HIDDEN}>
  <use href="#babuschka-${size}"/>${sign(seat, ...APRONS[size])}</svg>`;
const mini = ({ size, seat }) => `<svg class="mini size-${size} of-${seat}" viewBox="0 0 20 26" ${HIDDEN}>
  <use href="#babuschka-pip"/>${sign(seat, 4.6, 11.6, 10.8)}</svg>`;
const rosette = (goal, isCovered) =>
  `<svg class="goal" viewBox="0 0 100 100" ${HIDDEN}><use href="#babuschka-goal"/>${sign(goal, 32, 32, 36)}${
    isCovered ? `<circle class="tack" cx="14" cy="14" r="13"/>${sign(goal, 5, 5, 18)}` : ""
  }</svg>`;

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
  const moves = canPlay ? match.legal(you) : [];
  const startOf = (move) => nameOf(Math.floor(move / FIELDS));
  const starts = new Set(moves.map(startOf));
  const ends = new Map(moves.filter((move) => startOf(move) === picked).map((move) => [nameOf(move % FIELDS), move]));
  const dollName = ({ size, seat }) => words[`table.doll.${size}.${seat}`];

  function cell(square) {
    if (!table.fields.includes(square)) return '<div class="gap" role="cell"></div>';
    const name = nameOf(square);
    const [top, ...under] = stack(state, square);
    const goal = table.goals.findIndex((fields) => fields.includes(square));
    const wasLeft = state.last_start === square;
    const wasReached = state.last_end === square;
    const marks = [goal >= 0 && `is-goal of-${goal}`, wasLeft && "was-left", wasReached && "was-reached"];
    const minis = under.length ? `<span class="under">${under.map(mini).join("")}</span>` : "";
    const field = { name, top, under, goal, wasLeft, wasReached, inside: (top ? figure(top) : "") + minis };
    const below = goal < 0 ? "" : rosette(goal, Boolean(top));
    return `<div class="cell ${marks.filter(Boolean).join(" ")}" role="cell">${below}${spot(field)}</div>`;
  }

  /** A button where the field can be chosen, else just what it shows. */
  function spot(field) {
    const { name, top, inside } = field;
    const button = (kind, does, told) => `<button type="button" data-name="${name}" class="spot field choice ${kind}" ${does}
      aria-label="${told}">${inside}</button>`;
    if (ends.has(name)) return button("", `data-move="${ends.get(name)}"`, going(field));
    if (starts.has(name)) {
      const isPicked = name === picked;
      const take = fill(words["table.take"], { doll: words[`table.bare.${top.size}`], field: name });
      return button(isPicked ? "picked" : "is-start", `data-pick="${name}" aria-pressed="${isPicked}"`, take);
    }
    const told = label(field);
    return `<div class="spot field"${told ? ` role="img" aria-label="${told}"` : ""}>${inside}</div>`;
  }

  /** What the picked doll does on a field, in words. */
  function going({ name: end, top: covered, goal }) {
    const [doll] = stack(state, squareOf(picked));
    const isPull = Math.max(Math.abs(picked.charCodeAt(0) - end.charCodeAt(0)), Math.abs(picked[1] - end[1])) === 1;
    const facts = { doll: words[`table.bare.${doll.size}`], start: picked, end };
    const told = fill(words[isPull ? "table.pull" : "table.jump"], facts);
    if (goal === you) return told + words["table.bringing_home"];
    if (!covered) return told;
    return covered.seat === you
      ? told + fill(words["table.covering_own"], { doll: words[`table.bare.${covered.size}`] })
      : told + fill(words["table.covering"], { doll: dollName(covered) });
  }

  /** What stands there, for fields that cannot be chosen; nothing for an empty field like any other. */
  function label({ name: field, top, under, goal, wasLeft, wasReached }) {
    const nameOfSeat = (seat) => (seat === you ? "you" : "the bot");
    let told = wasLeft ? field : "";
    if (top) {
      const kind = goal === top.seat ? "table.field.home" : "table.field.doll";
      told = fill(words[kind], { field, doll: dollName(top), name: nameOfSeat(top.seat) });
      if (under.length) told += fill(words["table.under"], { dolls: under.map(dollName).join(", ") });
      if (wasReached) told += words["table.reached"];
    } else if (goal >= 0) {
      told = fill(words["table.field.goal"], { field, name: nameOfSeat(goal) });
    }
    return told + (wasLeft ? words["table.left"] : "");
  }

  function chair(seat, side, name) {
    const goal = table.goals[seat];
    const home = goal.flatMap((square) => stack(state, square)).filter((doll) => doll.seat === seat).length;
    const isTurn = match.actors.includes(seat);
    const marks = [isTurn && "is-turn", seat === you && "is-own"].filter(Boolean).join(" ");
    const pip = (isHome) =>
      `<svg class="pip ${isHome ? "is-home" : ""}" viewBox="0 0 20 26" ${HIDDEN}><use href="#babuschka-pip"/></svg>`;
    const pips = Array.from({ length: DOLLS }, (_, number) => pip(number < home)).join("");
    return `<section class="chair side-${side} of-${seat} ${marks}">${figure({ size: "large", seat })}
      <div class="chair-facts"><h3>${name}</h3>
      <p class="home"><span class="pips" aria-hidden="true">${pips}</span>
      <span class="count">${fill(words["table.home"], { home, dolls: DOLLS })}</span></p>
      </div></section>`;
  }

  const labels = Array.from(COLUMNS, (name) => `<span class="label" role="columnheader">${name}</span>`).join("");
  const rows = Array.from({ length: WIDTH }, (_, from) => {
    const row = WIDTH - 1 - from;
    const cells = Array.from({ length: WIDTH }, (_, column) => cell(WIDTH * row + column)).join("");
    return `<div class="rank" role="row"><span class="label" role="rowheader">${row + 1}</span>${cells}
      <span class="label right" aria-hidden="true">${row + 1}</span></div>`;
  });
  const limit = state.patience * 2;
  const sizes = SIZES.map((size) => figure({ size, seat: you })).join("<span>‹</span>");
  return `<div class="seating"><div class="round seats-2">
    ${chair(1, "far", table.bot)}
    <div class="board${picked ? " has-pick" : ""}" role="table" aria-label="${words["table.board"]}">
      <svg class="panel-art" viewBox="0 0 800 800" ${HIDDEN}><use href="#babuschka-panel"/></svg>
      ${trail(state)}
      <div class="rank labels below" role="row"><span role="cell"></span>${labels}</div>
      <div class="rank labels above" aria-hidden="true"><span></span>${labels}</div>
      ${rows.join("")}
    </div>
    ${chair(0, "own", "You")}
    <section class="progress">
      <p class="sizes"><span class="sizes-row" aria-hidden="true">${sizes}</span> ${words["table.sizes"]}</p>
      <p class="patience"><label>${fill(words["table.quiet"], { quiet: state.quiet, limit })}
      <meter min="0" max="${limit}" value="${state.quiet}"></meter></label></p>
    </section>
  </div></div>`;
}

/** The last move, from where it began to where it ended. */
function trail(state) {
  if (state.last_start < 0) return "";
  const middle = (square) => `${100 * (square % WIDTH) + 50},${100 * (WIDTH - 1 - Math.floor(square / WIDTH)) + 50}`;
  const points = `points="${middle(state.last_start)} ${middle(state.last_end)}"`;
  return `<svg class="panel-art trail" viewBox="0 0 800 800" ${HIDDEN}><polyline class="casing" ${points}/>
    <polyline ${points} marker-end="url(#babuschka-arrow)"/></svg>`;
}

export function news({ state }, { you, words }) {
  const bot = { seat: "The bot" };
  const told = [];
  if (state.last_seat !== you) {
    const [{ size }] = stack(state, state.last_end);
    told.push(fill(words.moves, { ...bot, size, start: nameOf(state.last_start), end: nameOf(state.last_end) }));
  }
  if ((state.passed >> you) & 1) told.push("You cannot move and pass.");
  if ((state.passed >> (1 - you)) & 1) told.push(fill(words.passes, bot));
  return told.join(" ");
}

export function prompt(picked) {
  return picked ? `Where shall the doll on ${picked} go? Or put it back.` : "Your turn: choose one of your dolls.";
}

export function ending({ state, places }, { you, words }) {
  const youWin = places[you] === 1;
  if (state.ended === DECIDED) return youWin ? "All your dolls are home: you win!" : "All its dolls are home: it wins.";
  const end = words[state.ended === BLOCKED ? "end.blocked" : "end.patience"];
  return `${end} ${places[0] === places[1] ? "You share the first place." : youWin ? "You win!" : "The bot wins."}`;
}
