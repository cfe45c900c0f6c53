// The drawing of a table, as the site draws it: from what one viewer sees, in words, by the same templates.

import * as $ from "./runtime.mjs";
import { made } from "./templates.mjs";

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
  /** `script`: GAME.table.mjs, `said`: GAME.LANGUAGE.mjs. */
  constructor(facts, script, said, language) {
    this.script = script;
    this.said = said;
    this.language = language;
    this.game = {
      id: facts.game,
      name: facts.name,
      face: script.face,
      tell_move: script.tell_move,
      words: $.dict([["en", said.words], [language, said.words]]),
    };
    const gettext = $.by_name((given, text) => this.sentence(text, given));
    this.macros = made(script.table, {
      templates: { "kit.html": script.kit },
      _: gettext,
      gettext,
      tell: (text) => this.tell(text),
      say: $.by_name((given, key) => $.method_by_name($.at(said.words, key), "format", [], given)),
      words: said.words,
      face: script.face,
      choosers: script.choosers,
      kept: (macro) => macro,
      each: (macro, things) => $.markup([...$.iter(things)].map(macro).join("\n")),
      range: $.range_,
      dict: $.dict_,
    });
  }

  /** A sentence of the site as it is. */
  tell(text) {
    return $.has(this.said.sentences, text) ? $.at(this.said.sentences, text) : text;
  }

  /** A sentence of the site, filled in. */
  sentence(text, given = {}) {
    const facts = $.dict(Object.entries(given));
    facts.made = (name) => {
      const [, rule, fact] = /^([^_]+)_(.*)$/.exec(name);
      return $.at(this.said.rules, rule)($.str($.at(facts, fact)));
    };
    return $.filled($.markup(this.tell(text)), facts);
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
