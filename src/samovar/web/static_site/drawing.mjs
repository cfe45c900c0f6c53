// The drawing of a table, as the site draws it: from what one viewer sees, in words, by the same templates.

import * as $ from "./runtime.mjs";
import { FILTERS, made } from "./templates.mjs";

const NUMBERS = { int8: Int8Array, int16: Int16Array, int32: Int32Array, int64: BigInt64Array };
const MOST = BigInt(Number.MAX_SAFE_INTEGER);
const small = (number) => (typeof number === "bigint" && -MOST <= number && number <= MOST ? Number(number) : number);

/** A state as the functions of Python know it. */
export function stateOf(layout, bytes) {
  const state = {};
  for (const { name, type, offset, shape } of layout) {
    const count = shape.reduce((product, size) => product * size, 1);
    const kind = NUMBERS[type];
    const numbers = new kind(bytes.slice(offset, offset + count * kind.BYTES_PER_ELEMENT).buffer);
    state[name] = shape.length ? $.grid(numbers, shape) : small(numbers[0]);
  }
  return state;
}

/** A match of `samovar.mjs` as `make_scene` asks it. */
class Seen {
  constructor(drawing, match) {
    this.game = drawing.game;
    this.match = match;
    this.drawing = drawing;
    this.seats = match.seats;
  }
  get state() {
    return (this.known ??= stateOf(this.match.game.facts.state, this.match.bytes));
  }
  get actors() {
    return $.tuple(...this.match.actors);
  }
  get over() {
    return this.match.over;
  }
  get scores() {
    return $.tuple(...this.match.scores);
  }
  get places() {
    return $.tuple(...this.match.places);
  }
  get success() {
    return this.match.success;
  }
  get history() {
    return this.match.history;
  }
  legal(seat) {
    return this.match.legal(seat);
  }
  view(seat) {
    return this.drawing.script.view(this.state, seat);
  }
  view_before(seat) {
    const before = this.match.copy();
    before.undo();
    return new Seen(this.drawing, before).view(seat);
  }
  move_text(seat, move) {
    return this.drawing.script.move_text(this.state, seat, move);
  }
}
$.opened(Seen);

export class Drawing {
  /** `pages`: pages.mjs, `script`: the game's table.mjs, `said`: its words in a language. */
  constructor(facts, pages, script, said, language) {
    this.script = script;
    this.said = said;
    this.language = language;
    this.game = {
      id: facts.game,
      name: facts.name,
      face: script.face,
      tell_move: script.tell_move,
      draw: script.draw,
      words: $.dict([["en", said.words], [language, said.words]]),
    };
    const gettext = $.by_name((given, text) => this.sentence(text, given));
    const known = {
      templates: { "kit.html": pages.kit, "choices.html": pages.choices, "outcome.html": pages.outcome },
      imported: {},
      _: gettext,
      gettext,
      ngettext: $.by_name((given, one, _many, count) => this.sentence(one, { num: count, ...given }, Math.min(count, 2))),
      tell: (text) => this.tell(text),
      listed: (names) => this.listed([...$.iter(names)]),
      say: $.by_name((given, key) => $.method_by_name($.at(said.words, key), "format", [], given)),
      words: said.words,
      face: script.face,
      choosers: script.choosers,
      kept: (macro) => macro,
      each: (macro, things) => $.markup([...$.iter(things)].map(macro).join("\n")),
      range: $.range_,
      dict: $.dict_,
    };
    FILTERS.percent_of = pages.percent_of;
    this.macros = made(script.table, known);
    this.pages = made(pages.pages, known);
  }

  /** A sentence of the site as it is. */
  tell(text) {
    return $.has(this.said.sentences, text) ? $.at(this.said.sentences, text) : text;
  }

  /** `Emelya, Olga and Yann`. */
  listed(names) {
    if (names.length < 2) return names.join("");
    return String($.filled(this.tell("%(names)s and %(name)s"), $.dict([["names", names.slice(0, -1).join(", ")], ["name", names.at(-1)]])));
  }

  /** A sentence of the site, filled in; `form`: for how many. */
  sentence(text, given = {}, form = null) {
    const facts = $.dict(Object.entries(given));
    facts.made = (name) => {
      const [, rule, fact] = /^([^_]+)_(.*)$/.exec(name);
      return $.at(this.said.rules, rule)($.str($.at(facts, fact)));
    };
    const told = this.tell(text);
    return $.filled($.markup(form === null ? told : told[form]), facts);
  }

  /** What one viewer sees; null is a spectator. `picked` are the steps made so far. */
  scene(match, viewer, people, { picked = [], mayMove = true, helps = false, isOpen = false, holds = false, ticked = null } = {}) {
    const sitting = people.map(({ name, kind = "person", level = "" }) => this.script.Person(name, kind, level));
    const scene = $.call_by_name(this.script.make_scene, [new Seen(this, match), viewer, this.language, sitting], {
      picked: $.tuple(...picked),
      may_move: mayMove,
      helps_memory: helps,
      is_open: isOpen,
      holds,
    });
    if (ticked) scene.ticked = $.tuple(...ticked);
    return scene;
  }

  /** A move in the words of its events, as far as they are still told to somebody who sees `view`. */
  told(scene, events, fades) {
    const kept = fades && this.script.faded ? [...events].map((event) => this.script.faded(event, scene.view)).filter((event) => event !== null) : [...events];
    const pictures = this.macros.told;
    return kept.map((event) => $.escaped(this.script.tell_event(this.said.words, scene.people, event)) + (pictures ? String(pictures(event)) : "")).join(" ");
  }

  table(scene) {
    return String(this.macros.table(scene));
  }

  sheet(scene) {
    return String(this.macros.sheet(scene));
  }

  after(scene) {
    return String(this.macros.after(scene));
  }
}
