// A match between a person and a bot, on a page without a server. What a game looks like is said by the module of its
// name beside this one:
//
//   draw(match, table)    the table as HTML; what can be chosen is a button with `data-move` (a move by its number) or
//                         `data-pick` (the first step of one), and `data-name`, by which the focus finds it again
//   news(match, table)    what happened since the person chose
//   prompt(picked)        what the person can do now
//   ending(match, table)  how the match ended
//
// A table is { you, bot, picked, canPlay } with what docs/play.py says about the game: { words, ... }.

import { Game } from "./samovar.mjs";

const YOU = 0;
const BOT = 1;
const LEVELS = ["easy", "medium", "hard", "expert"];
const PAUSE = 250; // milliseconds: a bot that answers at once cannot be followed
const BEGINS = { you: YOU, bot: BOT, chance: null };

const place = document.querySelector(".play");
const here = new URL(place.dataset.files, document.baseURI);

class Refused extends Error {} // said to the person as it is

// What is on the page

function frame(games) {
  const choose = (label, name, pairs) => {
    const options = pairs.map(([value, text]) => `<option value="${value}">${text}</option>`);
    return `<label>${label} <select name="${name}">${options.join("")}</select></label>`;
  };
  const known = Object.entries(games).map(([id, { name }]) => [id, name]);
  place.innerHTML = `
    <form class="play-setup">
      ${choose("Game", "game", known)}
      ${choose("Bot", "level", LEVELS.map((level) => [level, level]))}
      ${choose("Who begins", "begins", [["you", "you"], ["bot", "the bot"], ["chance", "chance decides"]])}
      <button class="play-primary">New game</button>
    </form>
    <p class="play-status" role="status"></p>
    <div class="play-table" role="group" tabindex="-1" aria-label="The table"></div>
    <p class="play-tools">
      <button type="button" name="back">Take back your last move</button>
      <a class="play-save" hidden>Save the game</a>
    </p>
    <p class="play-offline" hidden>This page is kept: it also works without a network.</p>
    <div hidden>${Object.values(games).map(({ art }) => art).join("")}</div>`;
}

const part = (selector) => place.querySelector(selector);
const say = (sentence) => void (part(".play-status").textContent = sentence);

// One match

const loaded = new Map();

/** A game and its drawing, each fetched once. */
async function fetched(id) {
  if (!loaded.has(id)) loaded.set(id, Promise.all([Game.load(new URL(`${id}.wasm`, here)), import(`./${id}.mjs`)]));
  try {
    return await loaded.get(id);
  } catch (error) {
    loaded.delete(id); // the next try may find it
    throw error;
  }
}

class Play {
  #bot = null;
  #picked = null;
  #isClosed = false;

  constructor(game, drawing, facts, level, first) {
    Object.assign(this, { game, drawing, facts, level });
    this.match = game.match({ seats: 2, options: { first } });
  }

  close() {
    this.#isClosed = true;
    this.#forgetBot();
  }

  /** A bot is one for a match as it went: after a move is taken back another one takes over. */
  #forgetBot() {
    this.#bot?.close();
    this.#bot = null;
  }

  get isYourTurn() {
    return this.match.actors.includes(YOU);
  }

  get canTakeBack() {
    return this.match.history.some(([seat]) => seat === YOU);
  }

  /** The bot moves until the person may, or nobody. */
  async goOn() {
    this.show();
    while (this.match.actors.includes(BOT)) {
      const bot = (this.#bot ??= this.game.bot(this.level));
      const pause = new Promise((resolve) => setTimeout(resolve, PAUSE));
      let chosen;
      try {
        [chosen] = await Promise.all([bot.choose(this.match, BOT), pause]);
      } catch (error) {
        if (this.#isClosed || bot !== this.#bot) return; // it was sent away while it thought
        this.#forgetBot();
        throw error;
      }
      if (this.#isClosed || bot !== this.#bot) return;
      this.match.apply(BOT, chosen.move);
      this.show();
    }
    if (this.match.over) this.#forgetBot();
  }

  /** Picks a piece up, or puts it back; the keyboard goes on from where it can go. */
  pick(name) {
    this.#picked = name === this.#picked ? null : name;
    this.show();
    part(this.#picked ? "[data-move]" : `[data-pick="${name}"]`).focus({ preventScroll: true });
  }

  move(number) {
    this.#picked = null;
    this.match.apply(YOU, number);
    return this.goOn();
  }

  takeBack() {
    this.#forgetBot();
    this.#picked = null;
    let seat;
    do {
      seat = this.match.history.at(-1)[0];
      this.match.undo();
    } while (seat !== YOU);
    return this.goOn();
  }

  #sentence(scene) {
    const { match, drawing } = this;
    if (!match.over && !this.isYourTurn) return "The bot is thinking …";
    if (this.#picked) return drawing.prompt(this.#picked);
    const news = match.history.length ? drawing.news(match, scene) : "";
    return `${news} ${match.over ? drawing.ending(match, scene) : drawing.prompt(null)}`.trim();
  }

  /** Draws all anew; the focus stays where it was, or goes to the table. */
  show() {
    const table = part(".play-table");
    const focused = table.contains(document.activeElement) ? document.activeElement.dataset.name : null;
    const who = { you: YOU, bot: `Bot · ${this.level}` };
    const scene = { ...this.facts, ...who, picked: this.#picked, canPlay: this.isYourTurn };
    table.className = `play-table game-${this.game.id}`;
    table.innerHTML = this.drawing.draw(this.match, scene);
    if (focused) (table.querySelector(`button[data-name="${focused}"]`) ?? table).focus({ preventScroll: true });
    say(this.#sentence(scene));
    part("[name=back]").disabled = !this.canTakeBack;
    this.#offerRecord();
  }

  #offerRecord() {
    const link = part(".play-save");
    link.hidden = !this.match.over;
    if (link.hidden) return;
    URL.revokeObjectURL(link.href);
    link.href = URL.createObjectURL(new Blob([this.match.record()], { type: "application/json" }));
    link.download = `${this.game.id}.json`;
  }
}

// The page

let play = null;
let wanted = 0; // counts the matches that were asked for

async function start(games) {
  const { game, level, begins } = Object.fromEntries(new FormData(part(".play-setup")));
  const own = ++wanted;
  const [loadedGame, drawing] = await fetched(game);
  if (own !== wanted) return; // another was asked for meanwhile
  play?.close();
  play = new Play(loadedGame, drawing, games[game], level, BEGINS[begins]);
  await play.goOn();
}

/** Whatever fails is said in a sentence. */
async function attempt(deed) {
  try {
    await deed();
  } catch (error) {
    console.warn(error);
    say(error instanceof Refused ? error.message : `That did not work: ${error.message} Reload the page to try again.`);
  }
}

function listen(games) {
  const setup = part(".play-setup");
  setup.addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(() => start(games));
  });
  // A match that has not begun, or is over, makes room at once; else only the button ends it.
  setup.addEventListener("change", () => {
    if (!play || play.match.over || !play.canTakeBack) attempt(() => start(games));
  });
  part("[name=back]").addEventListener("click", () => attempt(() => play.takeBack()));
  const table = part(".play-table");
  table.addEventListener("click", ({ target }) => {
    const button = target.closest("button");
    if (button?.dataset.pick) play.pick(button.dataset.pick);
    else if (button?.dataset.move) attempt(() => play.move(Number(button.dataset.move)));
  });
  table.addEventListener("keydown", ({ key }) => {
    const picked = table.querySelector("[aria-pressed=true]");
    if (key === "Escape" && picked) play.pick(picked.dataset.pick);
  });
}

/** Later visits need no network, and the page can be installed. Without it all else works. */
async function keepForLater() {
  const manifest = document.createElement("link");
  Object.assign(manifest, { rel: "manifest", href: new URL("play.webmanifest", here) });
  document.head.append(manifest);
  if (!navigator.serviceWorker) return;
  try {
    await navigator.serviceWorker.register("offline.js");
    await navigator.serviceWorker.ready;
    part(".play-offline").hidden = false;
  } catch (error) {
    console.info(`The page is not kept for later: ${error.message}`);
  }
}

await attempt(async () => {
  if (!globalThis.WebAssembly) throw new Refused("The games need WebAssembly, which this browser does not have.");
  const answer = await fetch(new URL("games.json", here)).catch(() => null);
  if (!answer?.ok) throw new Refused("The games could not be fetched: the file games.json is missing.");
  const { games, problem } = await answer.json();
  if (problem) throw new Refused(`The games could not be built when this site was made. ${problem}`);
  frame(games);
  const linked = location.hash.slice(1);
  if (linked in games) part("[name=game]").value = linked;
  listen(games);
  keepForLater();
  await start(games);
});
