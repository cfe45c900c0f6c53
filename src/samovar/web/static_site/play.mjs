// A table in one browser. The scripts of the site ask a server for what they show; here the page answers them itself:
// `fetch` and `EventSource` lead to the table below, which draws by the site's own templates.

import * as $ from "./runtime.mjs";
import { Game } from "./samovar.mjs";
import * as pages from "./pages.mjs";
import { Drawing, stateOf } from "./drawing.mjs";

const TOLD_MOVES = 12;
const id = document.documentElement.dataset.game;
const here = new URL(".", location.href).pathname;
const main = document.querySelector("main");

// What stays in this browser

const kept = (name) => {
  try {
    return JSON.parse(localStorage.getItem(`samovar:${name}`));
  } catch {
    return null;
  }
};
const keep = (name, value) => {
  try {
    if (value === null) localStorage.removeItem(`samovar:${name}`);
    else localStorage.setItem(`samovar:${name}`, JSON.stringify(value));
  } catch {
    // it is played all the same
  }
};

const languages = [...document.querySelector("#language").options].map((option) => option.value);
const wished = [kept("language"), ...navigator.languages.map((name) => name.slice(0, 2)), "en"];
const language = wished.find((name) => languages.includes(name));

class Table {
  #bots = new Map();
  #streams = new Set();
  #number = 0;
  #picked = [];
  #ticked = null;
  #asList = false;

  /** `about`: seats, seed, options, chairs, and the moves made so far. */
  constructor(game, drawing, about) {
    Object.assign(this, { game, drawing, about });
    this.match = game.match({ seats: about.seats, seed: BigInt(about.seed), options: about.options });
    this.states = [this.match.bytes];
    for (const [seat, move] of about.moves) this.#apply(seat, move);
    this.persons = about.chairs.flatMap((chair, seat) => (chair.level ? [] : [seat]));
    this.hand = this.persons.length > 1 && this.#hasSecrets ? null : this.persons[0];
  }

  get #hasSecrets() {
    return $.at(this.drawing.script.about, "has_secrets");
  }

  get #people() {
    return this.about.chairs.map(({ name, level }) => ({ name, level, kind: level ? "bot" : "person" }));
  }

  #apply(seat, move) {
    this.match.apply(seat, move);
    this.states.push(this.match.bytes);
  }

  /** Who of several on this device is to act and does not have it; null: nobody. */
  get #next() {
    const asked = this.match.actors.filter((seat) => this.persons.includes(seat));
    if (this.persons.length < 2 || !asked.length) return null;
    if (!this.#hasSecrets) this.hand = asked[0];
    return asked.includes(this.hand) ? null : asked[0];
  }

  /** Whether a seat was shown anything, in its last move or since then, that others are not and that it will have to
      remember: as `was_shown` in hands.py. */
  #wasShown(seat) {
    const { faded, view } = this.drawing.script;
    const last = this.match.history.map(([mover]) => mover).lastIndexOf(seat);
    if (!faded || last < 0) return false;
    const states = this.states.slice(last + 1).map((bytes) => stateOf(this.game.facts.state, bytes));
    const [own, open] = [seat, null].map((viewer) => states.flatMap((state) => [...view(state, viewer).news]));
    const now = view(states.at(-1), seat);
    return own.some((event) => !open.some((other) => $.eq(event, other)) && !$.eq(faded(event, now), event));
  }

  /** Who has to take the device before anything goes on; null: nobody, whoever has it may look. */
  get #asked() {
    const next = this.#next;
    return next === null || this.#wasShown(this.hand) ? null : next;
  }

  get #viewer() {
    if (this.#asked !== null) return null;
    return this.match.over && this.persons.length > 1 ? null : this.hand;
  }

  /** The parts of the page, as the site sends them. */
  told() {
    const { match, drawing } = this;
    const { pages: draw } = drawing;
    const [next, asked, viewer] = [this.#next, this.#asked, this.#viewer];
    const scene = drawing.scene(match, viewer, this.#people, { picked: this.#picked, ticked: this.#ticked, holds: true });
    const isTurn = $.truth(scene.choices);
    const places = $.tuple(...match.places);
    const table = { people: scene.people, success: match.success, places, team_places: places, teams: $.tuple(...game_teams(this.game, match.seats)) };
    const sheet = match.over ? $.markup(drawing.sheet(scene)) : "";
    const after = scene.before === null ? "" : $.markup(drawing.after(scene));
    const parts = {
      status: draw.status(scene, table, this.persons.length > 1 ? null : viewer, asked, next, isTurn),
      board: draw.board(scene, this.#number, $.markup(drawing.table(scene)), after, sheet, this.#asList),
      actions: draw.actions(this.#canGoBack),
      news: draw.news(this.#news(scene)),
      chairs: draw.chairs(scene),
    };
    return {
      table: "here",
      state: `${this.#number}.${viewer}`,
      number: this.#number,
      turn: isTurn,
      phase: "",
      title: `${isTurn ? "● " : ""}${this.game.name} · Samovar`,
      parts: Object.fromEntries(Object.entries(parts).map(([name, html]) => [name, String(html).trim()])),
    };
  }

  #news(scene) {
    const last = this.match.history.length;
    const lines = [];
    for (let number = last; number > Math.max(0, last - TOLD_MOVES); number--) {
      const { news } = this.drawing.script.view(stateOf(this.game.facts.state, this.states[number]), scene.viewer);
      lines.push({ number, drawn: $.markup(this.drawing.told(scene, news, number < last && !this.match.over)) });
    }
    return lines;
  }

  get #canGoBack() {
    return this.persons.length === 1 && this.match.history.some(([seat]) => seat === this.hand);
  }

  // What can be done

  /** What the site's scripts ask for. */
  answer(address, { method = "GET", body } = {}) {
    const { pathname, searchParams } = new URL(address, location.href);
    const deed = pathname.split("/").at(-1);
    try {
      if (method === "GET") this.#choose(searchParams);
      else this.#deeds[deed](new URLSearchParams(body));
      return this.#answered(this.told());
    } catch (error) {
      console.warn(error);
      return this.#answered({ problem: error.message }, false);
    }
  }

  #answered(told, ok = true) {
    return { ok, status: ok ? 200 : 400, json: async () => told };
  }

  #choose(asked) {
    this.#picked = asked.getAll("pick");
    this.#ticked = asked.has("with") ? asked.getAll("with").filter(Boolean) : null;
    this.#asList = asked.has("list");
  }

  #deeds = {
    move: (form) => {
      if (this.#asked !== null || Number(form.get("ply")) !== this.#number) return; // it was made already
      const text = [form.get("move"), ...form.getAll("with")].join(" ");
      this.#apply(this.hand, this.#moveOf(this.hand, text));
      this.#changed();
      this.goOn();
    },
    hand: (form) => {
      this.hand = form.has("seat") ? Number(form.get("seat")) : null; // who has seen enough lowers the curtain
      this.#changed();
    },
    back: () => {
      for (const bot of this.#bots.values()) bot.close();
      this.#bots.clear();
      while (this.#canGoBack) {
        const [seat] = this.match.history.at(-1);
        this.match.undo();
        this.states.pop();
        if (seat === this.hand) break;
      }
      this.#changed();
      this.goOn();
    },
    again: () => begin({ ...this.about, moves: [], seed: drawn() }),
  };

  #moveOf(seat, text) {
    const { parse_move, move_text } = this.drawing.script;
    const state = stateOf(this.game.facts.state, this.match.bytes);
    if (parse_move) return Number(parse_move(state, seat, text));
    const found = this.match.legal(seat).find((move) => move_text(state, seat, move) === text);
    if (found === undefined) throw new Error(text);
    return found;
  }

  #changed() {
    this.#picked = [];
    this.#ticked = null;
    this.#number++;
    keep(`table:${id}`, { ...this.about, moves: this.match.history });
  }

  /** Bots move until a person may, or nobody. */
  async goOn() {
    const turn = this.#number;
    for (;;) {
      const seat = this.match.actors.find((actor) => this.about.chairs[actor].level);
      if (seat === undefined) break;
      if (!this.#bots.has(seat)) this.#bots.set(seat, this.game.bot(this.about.chairs[seat].level, { seed: BigInt(this.about.seed) + BigInt(seat) }));
      const bot = this.#bots.get(seat);
      const moment = this.match.history.length;
      let chosen;
      try {
        chosen = await bot.choose(this.match, seat);
      } catch (error) {
        if (bot === this.#bots.get(seat)) throw error;
        return; // it was sent away while it thought
      }
      if (bot !== this.#bots.get(seat) || moment !== this.match.history.length) return;
      this.#apply(seat, chosen.move);
      this.#changed();
      this.#tell();
    }
    if (turn !== this.#number) this.#tell();
  }

  #tell() {
    const told = JSON.stringify(this.told());
    for (const stream of this.#streams) stream.onmessage?.({ data: told });
  }

  listen(stream) {
    this.#streams.clear();
    this.#streams.add(stream);
  }
}

const game_teams = (game, seats) => game.facts.teams[seats];
const drawn = () => String(crypto.getRandomValues(new BigUint64Array(1))[0] >> 1n);

// The page answers its scripts

let table = null;
const fetched = window.fetch.bind(window);
window.fetch = async (address, options) => {
  const { pathname } = new URL(address, location.href);
  const isOurs = table && pathname.startsWith(here) && (options?.method === "POST" || options?.headers?.["X-Samovar-Parts"]);
  return isOurs ? table.answer(address, options) : fetched(address, options);
};
window.SharedWorker = undefined;
window.EventSource = class {
  constructor() {
    table.listen(this);
    setTimeout(() => this.onopen?.());
  }
  addEventListener() {}
  close() {}
};

// Before and after

const load = (name) =>
  new Promise((done, failed) => {
    const script = document.createElement("script");
    Object.assign(script, { src: `../static/${name}.js`, async: false, onload: done, onerror: () => failed(new Error(`${name}.js`)) });
    document.head.append(script);
  });

let game = null;
let drawing = null;

async function begin(about) {
  keep(`table:${id}`, about);
  location.href = here;
}

function optionsOf(usual) {
  return Object.fromEntries($.list($.at(drawing.script.about, "options")).map((option) => [$.at(option, "name"), usual?.[$.at(option, "name")] ?? $.at(option, "usual")]));
}

function chairsOf(seats, known = []) {
  const levels = gameFacts().levels;
  const usual = levels.includes("medium") ? "medium" : levels[0];
  const names = [...pages.bot_names];
  return Array.from({ length: seats }, (_, seat) => known[seat] ?? (seat ? { name: names[(seat - 1) % names.length], level: usual } : { name: kept("name") ?? drawing.tell("Guest"), level: "" }));
}

function gameFacts() {
  const { about } = drawing.script;
  const options = $.list($.at(about, "options")).map((option) => Object.fromEntries($.pairs(option)));
  return { id, name: game.name, seats: $.tuple(...game.seats), levels: $.list($.at(about, "levels")), options };
}

function setUp(seats = game.seats[0], known = undefined) {
  main.className = "";
  main.innerHTML = drawing.pages.setup(gameFacts(), seats, chairsOf(seats, known), $.dict(Object.entries(optionsOf())));
  const form = main.querySelector("form");
  form.addEventListener("change", ({ target }) => {
    if (target.name === "seats") setUp(Number(target.value), read(form).chairs);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const about = read(form);
    keep("name", about.chairs[0].name);
    begin({ ...about, chairs: about.chairs.slice(0, about.seats), seed: drawn(), moves: [] });
  });
}

function read(form) {
  const given = new FormData(form);
  const seats = Number(given.get("seats"));
  const bots = chairsOf(5);
  const own = given.get("name-0").trim() || drawing.tell("Guest");
  const chairs = [{ name: own, level: "" }];
  for (let seat = 1; given.has(`chair-${seat}`); seat++) {
    const chosen = given.get(`chair-${seat}`);
    const level = chosen === "here" ? "" : chosen;
    const name = given.get(`name-${seat}`).trim();
    chairs.push({ level, name: level ? bots[seat].name : name || `${drawing.tell("Guest")} ${seat + 1}` });
  }
  const options = Object.fromEntries(gameFacts().options.map(({ name, kind }) => [name, kind === "switch" ? given.has(name) : kind === "number" ? Number(given.get(name)) : given.get(name)]));
  return { seats, chairs, options };
}

async function sitDown(about) {
  table = new Table(game, drawing, about);
  main.className = `table game-${id}`;
  main.innerHTML = drawing.pages.page(gameFacts());
  const told = table.told();
  for (const [name, html] of Object.entries(told.parts)) main.querySelector(`[data-part="${name}"]`).innerHTML = html;
  const page = main.querySelector(".table-page");
  Object.assign(page.dataset, { state: told.state, number: told.number, turn: told.turn ? "yes" : "no" });
  document.title = told.title;
  main.addEventListener("click", (event) => {
    if (!event.target.closest("#fresh")) return;
    event.preventDefault();
    keep(`table:${id}`, null);
    location.href = here;
  });
  for (const name of pages.site_scripts) await load(name);
  if (table.persons.length > 1) await load("curtain");
  document.dispatchEvent(new Event("DOMContentLoaded")); // some wait for it, and it was before them
  table.goOn();
}

function resumed() {
  try {
    const about = kept(`table:${id}`);
    return about && new Table(game, drawing, about) && about; // what an earlier version kept may not be playable now
  } catch (error) {
    console.warn(error);
    return null;
  }
}

async function start() {
  if (!window.WebAssembly) return; // the page has said so
  const [loaded, script, said] = await Promise.all([
    Game.load(new URL(`${id}.wasm`, import.meta.url)),
    import(`./${id}.table.mjs`),
    import(`./${id}.${language}.mjs`),
  ]);
  game = loaded;
  drawing = new Drawing(game.facts, pages, script, said, language);
  document.documentElement.lang = language;
  const about = resumed();
  if (about) await sitDown(about);
  else setUp();
}

const choice = document.querySelector("#language");
choice.value = language;
choice.addEventListener("change", () => {
  keep("language", choice.value);
  location.reload();
});
navigator.serviceWorker?.register("../offline.js").catch(() => {}); // it is played all the same, with a network
start().catch((error) => {
  console.error(error);
  main.textContent = error.message;
});
