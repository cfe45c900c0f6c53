// Samovar's games in browsers and in Node, without a server: rules and search run as WebAssembly, and give the same
// bytes as in Python. docs/wasm.md says how to use it, samovar.d.ts what there is. It needs no other package.
//
// In this order: errors · chance · hashes · rules (one module and its memory) · options · Match · records · the search
// · bots · Game. A state is a Uint8Array that nobody changes: each move makes another.

const threads = globalThis.process?.versions?.node ? await import("node:worker_threads") : null;

// Errors: the same kinds as in Python, with the same texts.

export class SamovarError extends Error {
  get name() {
    return this.constructor.name;
  }
}
export class NotLoaded extends SamovarError {}
export class WrongSeats extends SamovarError {}
export class UnknownOption extends SamovarError {}
export class BadOption extends SamovarError {}
export class BadPosition extends SamovarError {}
export class UnknownSeat extends SamovarError {}
export class NotAnActor extends SamovarError {}
export class MatchOver extends NotAnActor {}
export class IllegalMove extends SamovarError {}
export class NothingToUndo extends SamovarError {}
export class BadRecord extends SamovarError {}
export class RecordVersion extends BadRecord {}
export class BadBot extends SamovarError {}
export class BotFailed extends SamovarError {}

const NOT_AN_ACTOR = -1; // answers of `act`, see engine/ways/stand_ins.py
const ILLEGAL = -2;
const SHOWN_MOVES = 12;

/** A value as Python would show it. */
function shown(value) {
  if (typeof value === "string") return `'${value}'`;
  if (typeof value === "boolean") return value ? "True" : "False";
  return value === null || value === undefined ? "None" : String(value);
}

// Chance

const MAX_SEED = 2n ** 63n - 1n;
const WIDE_SEED = /^[0-9a-f]{64}$/;
const WORD = 0xffffffff;

/** The seed as a BigInt. */
function checkSeed(seed) {
  const isWhole = typeof seed === "bigint" || Number.isSafeInteger(seed);
  if (!isWhole || seed < 0 || seed > MAX_SEED) {
    throw new BadPosition(`A seed is a whole number from 0 to 2**63 - 1, not ${shown(seed)}.`);
  }
  return BigInt(seed);
}

function checkDealSeed(seed) {
  if (typeof seed !== "string") return checkSeed(seed);
  if (WIDE_SEED.test(seed)) return seed;
  throw new BadPosition(
    "A seed that is a text is a wide one: 64 digits 0-9 and a-f. Other seeds are whole numbers from 0 to 2**63 - 1.",
  );
}

function drawnSeed() {
  return crypto.getRandomValues(new BigUint64Array(1))[0] >> 1n;
}

const U64 = (1n << 64n) - 1n;
const U128 = (1n << 128n) - 1n;

/**
 * The generator that bots in Python draw from, `numpy.random.default_rng([seed, moment])`: PCG64, begun as NumPy's
 * SeedSequence says. Without it the levels that err would err otherwise than there.
 */
class Chance {
  #state = 0n;
  #step;
  #spare = null; // half of a number, for the next that needs but a half

  constructor(...numbers) {
    const [high, low, stepHigh, stepLow] = begun(numbers);
    this.#step = ((((stepHigh << 64n) | stepLow) << 1n) | 1n) & U128;
    this.#advance();
    this.#state = (this.#state + ((high << 64n) | low)) & U128;
    this.#advance();
  }

  #advance() {
    this.#state = (this.#state * 0x2360ed051fc65da44385df649fccf645n + this.#step) & U128;
  }

  #bits64() {
    this.#advance();
    const mixed = (this.#state >> 64n) ^ (this.#state & U64);
    const turn = this.#state >> 122n;
    return ((mixed >> turn) | (mixed << ((64n - turn) & 63n))) & U64;
  }

  #bits32() {
    if (this.#spare !== null) {
      const half = this.#spare;
      this.#spare = null;
      return half;
    }
    const whole = this.#bits64();
    this.#spare = whole >> 32n;
    return whole & 0xffffffffn;
  }

  /** From 0 to n - 1, a BigInt like n (Lemire, 2019). */
  below(n) {
    const bits = n > 1n << 32n ? 64n : 32n;
    const draw = () => (bits === 64n ? this.#bits64() : this.#bits32()) * n;
    const mask = (1n << bits) - 1n;
    const least = ((1n << bits) - n) % n;
    let product = draw();
    while ((product & mask) < least) product = draw();
    return product >> bits;
  }

  /** From 0 to 1. */
  random() {
    return Number(this.#bits64() >> 11n) / 2 ** 53;
  }

  shuffle(list) {
    for (let last = list.length - 1; last > 0; last--) {
      const mask = 2 ** (32 - Math.clz32(last)) - 1;
      let other;
      do other = Number(this.#bits32()) & mask;
      while (other > last);
      [list[last], list[other]] = [list[other], list[last]];
    }
  }
}

/** Four numbers of 64 bits which follow from some whole numbers (O'Neill's seed_seq, as in NumPy). */
function begun(numbers) {
  const entropy = [];
  for (const number of numbers) {
    let rest = BigInt(number);
    do entropy.push(Number(rest & 0xffffffffn));
    while ((rest >>= 32n) > 0n);
  }
  let constant = 0x43b0d7e5;
  const hashed = (value) => {
    value ^= constant;
    constant = Math.imul(constant, 0x931e8875);
    value = Math.imul(value, constant);
    return (value ^ (value >>> 16)) >>> 0;
  };
  const mixed = (x, y) => {
    const value = (Math.imul(x, 0xca01f9dd) - Math.imul(y, 0x4973f715)) >>> 0;
    return (value ^ (value >>> 16)) >>> 0;
  };
  const pool = [0, 1, 2, 3].map((k) => hashed(entropy[k] ?? 0));
  for (let from = 0; from < 4; from++) {
    for (let to = 0; to < 4; to++) if (from !== to) pool[to] = mixed(pool[to], hashed(pool[from]));
  }
  for (const more of entropy.slice(4)) {
    for (let to = 0; to < 4; to++) pool[to] = mixed(pool[to], hashed(more));
  }
  constant = 0x8b51f9dd;
  const words = Array.from({ length: 8 }, (_, k) => {
    let value = (pool[k % 4] ^ constant) >>> 0;
    constant = Math.imul(constant, 0x58f38ded);
    value = Math.imul(value, constant);
    return BigInt((value ^ (value >>> 16)) >>> 0);
  });
  return [0, 2, 4, 6].map((k) => words[k] | (words[k + 1] << 32n));
}

// Hashes: BLAKE2b (RFC 7693) for records, SHA-256 (FIPS 180-4) for wide seeds. Those of browsers can only be waited for.

/** The first 32 or 64 bits behind the point of a root of the first primes, as both hashes are made from. */
function primeBits(count, root, bits) {
  const found = [];
  for (let n = 2n; found.length < count; n++) {
    if (found.some(([prime]) => n % prime === 0n)) continue;
    const wanted = n << (root * bits);
    let low = 0n;
    let high = n << bits;
    while (low < high) {
      const middle = (low + high + 1n) >> 1n;
      if (middle ** root <= wanted) low = middle;
      else high = middle - 1n;
    }
    found.push([n, low & ((1n << bits) - 1n)]);
  }
  return found.map(([, part]) => part);
}

const BLAKE_START = primeBits(8, 2n, 64n);
const BLAKE_ORDERS = [
  "0123456789abcdef", "ea489fd61c02b753", "b8c052fdae367194", "7931dcbe265a40f8", "905724afe1bc683d",
  "2c6a0b834d75fe19", "c51fed4a0763928b", "db7ec13950f4862a", "6fe9b308c2d714a5", "a2847615fb9e3cd0",
  "0123456789abcdef", "ea489fd61c02b753",
].map((line) => Array.from(line, (digit) => parseInt(digit, 16))); // prettier-ignore
const BLAKE_MIXED = [[0, 4, 8, 12], [1, 5, 9, 13], [2, 6, 10, 14], [3, 7, 11, 15],
  [0, 5, 10, 15], [1, 6, 11, 12], [2, 7, 8, 13], [3, 4, 9, 14]]; // prettier-ignore

/** 16 bytes of BLAKE2b, as hex digits. */
function hashOf(bytes) {
  const padded = new Uint8Array(Math.max(1, Math.ceil(bytes.length / 128)) * 128);
  padded.set(bytes);
  const words = new DataView(padded.buffer);
  const hash = [...BLAKE_START];
  hash[0] ^= 0x01010010n;
  const turned = (value, by) => ((value >> by) | (value << (64n - by))) & U64;
  for (let at = 0; at < padded.length; at += 128) {
    const isLast = at + 128 === padded.length;
    const v = [...hash, ...BLAKE_START];
    v[12] ^= BigInt(isLast ? bytes.length : at + 128);
    if (isLast) v[14] ^= U64;
    for (const order of BLAKE_ORDERS) {
      BLAKE_MIXED.forEach(([a, b, c, d], k) => {
        v[a] = (v[a] + v[b] + words.getBigUint64(at + 8 * order[2 * k], true)) & U64;
        v[d] = turned(v[d] ^ v[a], 32n);
        v[c] = (v[c] + v[d]) & U64;
        v[b] = turned(v[b] ^ v[c], 24n);
        v[a] = (v[a] + v[b] + words.getBigUint64(at + 8 * order[2 * k + 1], true)) & U64;
        v[d] = turned(v[d] ^ v[a], 16n);
        v[c] = (v[c] + v[d]) & U64;
        v[b] = turned(v[b] ^ v[c], 63n);
      });
    }
    for (let k = 0; k < 8; k++) hash[k] ^= v[k] ^ v[k + 8];
  }
  const digits = new DataView(new ArrayBuffer(16));
  digits.setBigUint64(0, hash[0], true);
  digits.setBigUint64(8, hash[1], true);
  return hexOf(digits.buffer);
}

function hexOf(buffer) {
  return Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

const SHA_START = primeBits(8, 2n, 32n).map(Number);
const SHA_ROUNDS = primeBits(64, 3n, 32n).map(Number);

/** The eight words of SHA-256 of 40 bytes. */
function sha256Of40(bytes) {
  const block = new DataView(new ArrayBuffer(64));
  new Uint8Array(block.buffer).set(bytes);
  block.setUint8(40, 0x80);
  block.setUint32(60, 320);
  const turned = (value, by) => (value >>> by) | (value << (32 - by));
  const w = Array.from({ length: 16 }, (_, k) => block.getUint32(4 * k));
  for (let k = 16; k < 64; k++) {
    const s0 = turned(w[k - 15], 7) ^ turned(w[k - 15], 18) ^ (w[k - 15] >>> 3);
    const s1 = turned(w[k - 2], 17) ^ turned(w[k - 2], 19) ^ (w[k - 2] >>> 10);
    w[k] = (w[k - 16] + s0 + w[k - 7] + s1) | 0;
  }
  let [a, b, c, d, e, f, g, h] = SHA_START;
  for (let k = 0; k < 64; k++) {
    const s1 = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
    const one = (h + s1 + ((e & f) ^ (~e & g)) + SHA_ROUNDS[k] + w[k]) | 0;
    const s0 = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
    const two = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  return [a, b, c, d, e, f, g, h].map((word, k) => (word + SHA_START[k]) >>> 0);
}

/** The first words of a wide seed: see engine/chance.py. */
function wideWords(seed, count) {
  const bytes = new Uint8Array(40);
  for (let k = 0; k < 32; k++) bytes[k] = parseInt(seed.slice(2 * k, 2 * k + 2), 16);
  const words = [];
  for (let block = 0; words.length < count; block++) {
    new DataView(bytes.buffer).setUint32(36, block);
    words.push(...sha256Of40(bytes));
  }
  return words.slice(0, count);
}

// Rules: a module and its memory. Whatever is asked about a state, its bytes are laid out in the module's memory; room
// for that lies from `__heap_base` on, and what searches need beyond it is handed out anew for each search.

const FIRST_WORDS = 1024;

class Rules {
  #held = null; // the state that lies in memory

  static async start(module, facts) {
    return new Rules((await WebAssembly.instantiate(module, {})).exports, facts);
  }

  constructor(wasm, facts) {
    this.wasm = wasm;
    this.facts = facts;
    this.size = facts.state_bytes;
    this.top = wasm.__heap_base.value;
    this.state = this.room(this.size);
    this.setup = this.room(4 * (1 + facts.options.length));
    this.rng = this.room(8 * 4);
    this.out = this.room(4 * 2 * facts.out_room);
    this.seen = this.room(facts.observation.reduce((sum, part) => sum + part.size, 0));
    this.floor = this.top; // where the room for a search begins
  }

  /** So many bytes of memory. */
  room(bytes) {
    const at = (this.top + 15) & ~15;
    this.top = at + bytes;
    const missing = this.top - this.wasm.memory.buffer.byteLength;
    if (missing > 0) this.wasm.memory.grow(Math.ceil(missing / 65536));
    return at;
  }

  int8s(at, count) {
    return new Int8Array(this.wasm.memory.buffer, at, count);
  }
  int32s(at, count) {
    return new Int32Array(this.wasm.memory.buffer, at, count);
  }
  int64s(at, count) {
    return new BigInt64Array(this.wasm.memory.buffer, at, count);
  }

  lay(state, at) {
    new Uint8Array(this.wasm.memory.buffer).set(state, at);
  }

  #hold(state) {
    if (this.#held !== state) this.lay(state, this.state);
    this.#held = state;
    return this.state;
  }

  #changed() {
    this.#held = new Uint8Array(this.wasm.memory.buffer).slice(this.state, this.state + this.size);
    return this.#held;
  }

  deal(setup, seed) {
    this.int32s(this.setup, setup.length).set(setup);
    if (typeof seed === "bigint") this.wasm.deal(this.state, this.setup, seed, this.rng);
    else this.#dealWide(seed, FIRST_WORDS);
    return this.#changed();
  }

  #dealWide(seed, count) {
    const before = this.top;
    const at = this.room(8 * (count + 1));
    this.int64s(at, count + 1).set([0n, ...wideWords(seed, count).map(BigInt)]);
    const asked = this.wasm.deal_wide(this.state, this.setup, at, count);
    this.top = before;
    if (asked > count) this.#dealWide(seed, 2 * asked);
  }

  actors(state) {
    return this.wasm.actors(this.#hold(state));
  }

  legal(state, seat) {
    const count = this.wasm.legal(this.#hold(state), seat, this.out);
    return Array.from(this.int32s(this.out, count));
  }

  /** One checked move: the state after it and its actors, or why it was refused. */
  act(state, seat, move) {
    const mask = this.wasm.act(this.#hold(state), seat, move, this.out);
    return { mask, state: mask < 0 ? state : this.#changed() };
  }

  scores(state, seats) {
    this.wasm.scores(this.#hold(state), this.out);
    return Array.from(this.int32s(this.out, seats));
  }

  places(state, seats) {
    this.wasm.places(this.#hold(state), this.out);
    return Array.from(this.int32s(this.out, seats));
  }

  success(state) {
    return this.wasm.success(this.#hold(state));
  }

  observe(state, seat) {
    this.wasm.observe(this.#hold(state), seat, this.seen);
    return this.int8s(this.seen, this.floor - this.seen).slice();
  }

  imagine(state, seat, seed) {
    this.wasm.imagine(this.#hold(state), seat, seed, this.rng);
    return this.#changed();
  }

  sights(state, seat) {
    return this.wasm.sights(this.#hold(state), seat);
  }

  forget(state, seat, facts, seed) {
    this.wasm.forget(this.#hold(state), seat, facts, seed, this.rng);
    return this.#changed();
  }

  rolloutMove(state, seat, seed) {
    return this.wasm.rollout_move(this.#hold(state), seat, seed, this.rng, this.out);
  }

  word(seed, stream, counter) {
    return Number(this.wasm.word(seed, stream, counter, this.rng));
  }
}

const areEqual = (one, other) => one.every((byte, k) => byte === other[k]);

// Options

function choicesOf(option) {
  const { from, to } = option.choices;
  return from === undefined ? option.choices : Array.from({ length: to - from + 1 }, (_, k) => from + k);
}

function describe(option) {
  const told = (value) => (value === null ? "random" : String(value).toLowerCase());
  const { from, to } = option.choices;
  if (from !== undefined) return `a number from ${from} to ${to} (default ${option.default})`;
  return `${option.choices.map(told).join(", ")} (default ${told(option.default)})`;
}

/** The value of an option as the number that rules see. */
function codeOf(option, value) {
  const choices = choicesOf(option);
  const position = choices.indexOf(value);
  if (position < 0) {
    throw new BadOption(`Option '${option.name}' cannot be ${shown(value)}. It takes ${describe(option)}.`);
  }
  if (value === null) return -1;
  return typeof value === "string" ? position : Number(value);
}

/** All options with their values, defaults filled in. */
function checkOptions(facts, seats, options) {
  const known = facts.options.map((option) => option.name);
  for (const name of Object.keys(options)) {
    if (!known.includes(name)) throw new UnknownOption(`${facts.name} has no option '${name}'. Known: ${known.join(", ")}.`);
  }
  const values = {};
  for (const option of facts.options) {
    values[option.name] = options[option.name] === undefined ? option.default : options[option.name];
    codeOf(option, values[option.name]);
  }
  if (values.first !== null && values.first >= seats) {
    throw new BadOption(`Option 'first' is ${values.first}, but the seats are numbered 0 to ${seats - 1}.`);
  }
  return values;
}

// Match

const seatsIn = (mask) => Array.from({ length: 32 }, (_, seat) => seat).filter((seat) => (mask >> seat) & 1);

export class Match {
  #rules;
  #state;
  #mask;
  #past = []; // the state before each move of the history
  #sights = []; // by seat: what it saw in the positions so far, as far as it was asked for

  /** Made by `Game.match`, `Game.replay`, `copy` and `imagine`. */
  constructor(game, rules, state, about) {
    this.game = game;
    this.seats = about.seats;
    this.options = about.options;
    this.seed = about.seed;
    this.history = [];
    this.#rules = rules;
    this.#stand(state, rules.actors(state));
  }

  #stand(state, mask) {
    this.#state = state;
    this.#mask = mask;
  }

  // What is so

  /** The whole truth, as bytes: equal bytes are equal positions. */
  get bytes() {
    return this.#state.slice();
  }

  /** The whole truth, by the fields of the game's state: numbers, or typed arrays in the order of their indices. */
  get state() {
    return fieldsOf(this.game.facts.state, this.#state);
  }

  get actors() {
    return seatsIn(this.#mask);
  }

  get over() {
    return this.#mask === 0;
  }

  get scores() {
    return this.#rules.scores(this.#state, this.seats);
  }

  get places() {
    return this.#rules.places(this.#state, this.seats);
  }

  get success() {
    const isTogether = new Set(this.game.facts.teams[this.seats]).size === 1;
    return isTogether ? this.#rules.success(this.#state) : null;
  }

  observe(seat) {
    return this.#rules.observe(this.#state, this.#checkSeat(seat));
  }

  // What can be done

  legal(seat) {
    this.#checkSeat(seat);
    return (this.#mask >> seat) & 1 ? this.#rules.legal(this.#state, seat) : [];
  }

  apply(seat, move) {
    this.#checkSeat(seat);
    if (!((this.#mask >> seat) & 1)) throw this.#refusal(seat, move, NOT_AN_ACTOR);
    const number = typeof move === "string" ? this.#numberOf(seat, move) : move;
    if (typeof number !== "number") throw new IllegalMove(`A move is a number or a text, not ${shown(move)}.`);
    if (number !== (number | 0)) throw this.#refusal(seat, move, ILLEGAL);
    const { mask, state } = this.#rules.act(this.#state, seat, number);
    if (mask < 0) throw this.#refusal(seat, number, mask);
    this.#past.push(this.#state);
    this.history.push([seat, number]);
    this.#stand(state, mask);
  }

  undo() {
    if (!this.#past.length) throw new NothingToUndo("No move has been made yet, so there is none to take back.");
    this.history.pop();
    const state = this.#past.pop();
    for (const seen of this.#sights) seen?.splice(this.#past.length + 1);
    this.#stand(state, this.#rules.actors(state));
  }

  copy() {
    const other = new Match(this.game, this.#rules, this.#state, this);
    other.#past = [...this.#past];
    other.history = this.history.map((move) => [...move]);
    return other;
  }

  imagine(seat, seed) {
    const world = this.#rules.imagine(this.#state, this.#checkSeat(seat), checkSeed(seed));
    return new Match(this.game, this.#rules, world, { seats: this.seats, options: { ...this.options }, seed: null });
  }

  /** All that a seat knows and nothing of the truth, as it is sent to a bot: see engine/records/sent.py. */
  seat(number) {
    this.#checkSeat(number);
    const seen = (this.#sights[number] ??= []);
    for (const state of [...this.#past, this.#state].slice(seen.length)) {
      seen.push(this.#rules.sights(state, number));
    }
    const world = this.#rules.imagine(this.#state, number, 0n);
    return { number, seats: this.seats, world, sights: [...seen], legal: this.legal(number) };
  }

  /** The match as the text of a record, which `Game.replay` and Python's `samovar.replay` play again. */
  record() {
    return recordOf(this, this.#state);
  }

  // Inside

  #checkSeat(seat) {
    if (!Number.isInteger(seat) || seat < 0 || seat >= this.seats) {
      throw new UnknownSeat(`There is no seat ${shown(seat)} at this table; its seats are 0 to ${this.seats - 1}.`);
    }
    return seat;
  }

  #numberOf(seat, text) {
    const move = this.game.moveOf(text.trim());
    if (move === null) {
      throw new IllegalMove(`'${text}' is not a move of ${this.game.name}.${this.#whatIsLegal(seat)}`);
    }
    return move;
  }

  #refusal(seat, move, answer) {
    if (answer === ILLEGAL) {
      const text = this.game.moveText(move);
      const told = text !== null ? `'${text}' (move ${move})` : this.game.isMove(move) ? `move ${move}` : shown(move);
      return new IllegalMove(`Seat ${seat} may not play ${told} now.${this.#whatIsLegal(seat)}`);
    }
    if (this.over) return new MatchOver("The match is over; nobody may move. Start another, or take moves back.");
    const waiting = this.actors.map((actor) => `seat ${actor}`).join(" and ");
    return new NotAnActor(`Seat ${seat} may not act now; it is for ${waiting} to move.`);
  }

  #whatIsLegal(seat) {
    const moves = this.legal(seat).map((move) => this.game.moveText(move) ?? `move ${move}`);
    const more = moves.length > SHOWN_MOVES ? ` and ${moves.length - SHOWN_MOVES} more` : "";
    return moves.length ? ` Legal now: ${moves.slice(0, SHOWN_MOVES).join(", ")}${more}.` : "";
  }
}

const ARRAYS = { int8: Int8Array, int16: Int16Array, int32: Int32Array, int64: BigInt64Array };

function fieldsOf(layout, state) {
  const read = ({ type, offset, shape }) => {
    const count = shape.reduce((product, size) => product * size, 1);
    const numbers = new ARRAYS[type](state.slice(offset, offset + count * ARRAYS[type].BYTES_PER_ELEMENT).buffer);
    return shape.length ? numbers : numbers[0];
  };
  return Object.fromEntries(layout.map((field) => [field.name, read(field)]));
}

// Records: JSON as Python writes it, with the same hashes. A number that JavaScript cannot hold, or would write
// otherwise, is kept as the text it had, behind a mark.

const MARK = "\u0000";
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/g;

function parseJson(text) {
  const isKept = (token) => token[0] === '"' || (/^-?\d+$/.test(token) && Number.isSafeInteger(Number(token)));
  return JSON.parse(text.replace(TOKEN, (token) => (isKept(token) ? token : JSON.stringify(MARK + token))));
}

/** As `json.dumps(value, sort_keys=..., ensure_ascii=False)`. */
function toJson(value, isSorted) {
  if (typeof value === "bigint") return String(value);
  if (typeof value === "string" && value.startsWith(MARK)) return value.slice(1);
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((one) => toJson(one, isSorted)).join(", ")}]`;
  const keys = isSorted ? Object.keys(value).sort() : Object.keys(value);
  return `{${keys.map((key) => `${JSON.stringify(key)}: ${toJson(value[key], isSorted)}`).join(", ")}}`;
}

function digestOf({ digest, ...rest }) {
  return hashOf(new TextEncoder().encode(toJson(rest, true)));
}

function recordOf(match, state) {
  if (match.seed === null) {
    throw new BadRecord("An imagined match has no deal that could be recorded; record the match it was imagined from.");
  }
  const { facts } = match.game;
  const record = {
    samovar: facts.record,
    game: facts.game,
    rules: facts.rules,
    seats: match.seats,
    options: match.options,
    seed: match.seed,
    moves: match.history.map(([seat, move]) => [seat, match.game.moveText(move) ?? move]),
    over: match.over,
    scores: match.scores,
    places: match.places,
    ...(match.success === null ? {} : { success: match.success }),
    state: hashOf(state),
  };
  record.digest = digestOf(record);
  const lines = Object.entries(record).map(([key, value]) => {
    const isLong = key === "moves" && value.length > 0;
    const told = isLong ? `[\n    ${value.map((move) => toJson(move)).join(",\n    ")}\n  ]` : toJson(value);
    return `  "${key}": ${told}`;
  });
  return `{\n${lines.join(",\n")}\n}\n`;
}

function replayed(game, text) {
  let record;
  try {
    record = parseJson(text);
  } catch (error) {
    throw new BadRecord(`This is not a samovar record: it is not JSON (${error.message}).`);
  }
  checkRecord(game, record);
  let step = "the deal";
  let match;
  try {
    const seed = typeof record.seed === "string" && record.seed.startsWith(MARK) ? BigInt(record.seed.slice(1)) : record.seed;
    match = game.match({ seats: record.seats, seed, options: record.options });
    record.moves.forEach(([seat, move], k) => {
      step = `move ${k + 1} (${shown(move)} of seat ${seat})`;
      match.apply(seat, move);
    });
  } catch (error) {
    if (!(error instanceof SamovarError)) throw error;
    throw new BadRecord(`This record does not replay, at ${step}: ${error.message}`);
  }
  if (hashOf(match.bytes) !== record.state) {
    throw new BadRecord(
      "This record replays to another position than the one it was saved in; its deal or moves were changed.",
    );
  }
  return match;
}

function checkRecord(game, record) {
  const { facts } = game;
  if (record === null || typeof record !== "object" || !("samovar" in record)) {
    throw new BadRecord("This is not a samovar record: it must be a JSON object with the key 'samovar'.");
  }
  if (record.samovar !== facts.record) {
    throw new RecordVersion(
      `This record has format ${shown(record.samovar)}; this samovar reads format ${facts.record}. Use a samovar of the ` +
        "record's time.",
    );
  }
  if (record.game !== game.id) throw new BadRecord(`This is a record of ${shown(record.game)}, not of ${game.id}.`);
  if (record.rules !== facts.rules) {
    throw new RecordVersion(
      `This record was made with rules version ${shown(record.rules)} of ${game.name}; version ${facts.rules} is ` +
        "installed. Replay it with a samovar of its own time.",
    );
  }
  if (record.digest !== digestOf(record)) {
    throw new BadRecord(
      "This record was changed after it was written: its digest does not fit. Use the file as samovar saved it.",
    );
  }
  if ("position" in record) {
    throw new BadRecord("This record begins with a position laid out by hand, which only Python can lay out.");
  }
  const areMoves =
    Array.isArray(record.moves) && record.moves.every((move) => Array.isArray(move) && move.length === 2);
  if (!areMoves || record.options === null || typeof record.options !== "object") {
    throw new BadRecord("This record is damaged: its moves or options are none. Use the file as samovar saved it.");
  }
}

// The search: what bots/search.py and bots/levels.py do around bots/tree.py, which runs in the module.

/** One tree of a search, in the memory of its module for as long as the search takes. */
class Tree {
  constructor(rules, tuning, room) {
    const s = rules.facts.search;
    this.rules = rules;
    this.tuning = tuning;
    this.room = room;
    this.nodes = rules.room(8 * s.node_fields * room);
    this.states = rules.room(s.states * rules.size);
    this.path = rules.room(8 * s.path);
    this.orders = rules.room(8 * s.orders);
    this.#rows().fill(0n, 0, s.node_fields);
    const orders = this.#orders().fill(0n);
    orders[s.used] = BigInt(s.root + 1);
    for (const [name, number] of Object.entries(tuning)) orders[s[name]] = BigInt(number);
  }

  #orders() {
    return this.rules.int64s(this.orders, this.rules.facts.search.orders);
  }

  #rows() {
    return this.rules.int64s(this.nodes, this.rules.facts.search.node_fields * this.room);
  }

  /** What the simulations are about: a world that fits what the observer knows. */
  plant(known, observer, seed) {
    const s = this.rules.facts.search;
    this.rules.lay(known, this.states + s.known * this.rules.size);
    this.#orders()[s.observer] = BigInt(observer);
    this.#orders()[s.seed] = seed;
  }

  grow(simulations) {
    const s = this.rules.facts.search;
    const orders = this.#orders();
    orders[s.begin] = orders[s.end];
    orders[s.end] += BigInt(simulations);
    const { wasm, rng, out } = this.rules;
    wasm.search(this.states, this.nodes, this.room, this.path, this.orders, rng, out);
  }

  growUntil(deadline) {
    const portion = this.rules.facts.search.portion * this.tuning.reuse;
    do this.grow(portion);
    while (performance.now() < deadline);
  }

  /** Takes over what is below a node of a tree of the move before. */
  keep(old, node) {
    const s = this.rules.facts.search;
    const before = this.rules.room(old.rows.byteLength);
    this.rules.int64s(before, old.rows.length).set(old.rows);
    const used = this.rules.wasm.keep(before, old.rows.length / s.node_fields, this.nodes, this.room, node);
    this.#orders()[s.used] = BigInt(used);
  }

  /** Its nodes, for after the search. */
  saved(known) {
    const s = this.rules.facts.search;
    return new Grown(s, this.#rows().slice(0, s.node_fields * Number(this.#orders()[s.used])), known);
  }
}

/** A tree that is not searched any more: a copy of its nodes, and the position at its root. */
class Grown {
  constructor(numbers, rows, known) {
    this.numbers = numbers;
    this.rows = rows;
    this.known = known;
  }

  of(node, field) {
    return Number(this.rows[node * this.numbers.node_fields + field]);
  }

  *children(node) {
    const { first, next, none } = this.numbers;
    for (let child = this.of(node, first); child !== none; child = this.of(child, next)) yield child;
  }

  /** The moves at the root: how often each was tried, and the sum of what came of it. */
  tried() {
    const { root, move, visits, total } = this.numbers;
    return [...this.children(root)].map((child) => [this.of(child, move), this.of(child, visits), this.of(child, total)]);
  }

  /** The node where the match stands as in this state, at most a round of moves below the root; or none. */
  find(rules, state, seats) {
    const { root, seat, move, none, most_followed } = this.numbers;
    let level = [[root, this.known]];
    for (let depth = 0; depth < seats; depth++) {
      const parents = level.flatMap(([node, before]) => [...this.children(node)].map((child) => [child, before]));
      level = parents.slice(0, most_followed).map(([child, before]) => {
        return [child, rules.act(before, this.of(child, seat), this.of(child, move)).state];
      });
      const found = level.find(([, reached]) => areEqual(reached, state));
      if (found) return found[0];
    }
    return none;
  }
}

/** A bot where it thinks: in a worker, of which it sees nothing but what its seat knows. */
class Thinker {
  #grown = [];

  constructor(rules, order) {
    this.rules = rules;
    this.order = order;
    this.numbers = rules.facts.search;
    this.tuning = order.level?.tuning ?? rules.facts.tuning;
  }

  choose(seat) {
    const { level, seed } = this.order;
    if (!level) return this.#think(seat, this.rules.imagine(seat.world, seat.number, 0n), seat.legal);
    const known = this.#remembered(seat);
    if (!level.overlooks && !level.hasty) return this.#think(seat, known, seat.legal);
    const chance = new Chance(seed, seat.sights.length - 1);
    const isHasty = chance.below(100n) < level.hasty;
    const noticed = this.#noticed(seat, known, chance);
    return isHasty ? { move: noticed[0], reasons: [] } : this.#think(seat, known, noticed);
  }

  /** A world that fits what the level still knows. */
  #remembered(seat) {
    const { level, seed } = this.order;
    const known = this.rules.imagine(seat.world, seat.number, seed);
    const facts = this.#forgotten(seat.sights, level.half_life, seed);
    return facts ? this.rules.forget(known, seat.number, facts, seed) : known;
  }

  /** The facts that were seen and are gone, a bit each. */
  #forgotten(sights, halfLife, seed) {
    if (!halfLife) return 0n;
    let gone = 0n;
    let sought = sights.reduce((all, facts) => all | facts, 0n);
    for (let age = 0; sought && age < sights.length; age++) {
      const facts = sights[sights.length - 1 - age];
      const seen = facts & sought;
      sought &= ~facts;
      for (let fact = 0; seen >> BigInt(fact); fact++) {
        if (!((seen >> BigInt(fact)) & 1n)) continue;
        const word = this.rules.word(seed, this.numbers.memory_stream + fact, sights.length - 1 - age);
        if (word > WORD * 0.5 ** (age / halfLife)) gone |= 1n << BigInt(fact);
      }
    }
    return gone;
  }

  /** The legal moves that come to mind, the obvious ones first; at least one. */
  #noticed(seat, known, chance) {
    const seeds = Array.from({ length: this.numbers.glances }, () => chance.below(1n << 62n));
    const glances = seeds.map((seed) => this.rules.rolloutMove(known, seat.number, seed));
    const obvious = [...new Set(glances)].filter((move) => seat.legal.includes(move));
    const others = seat.legal.filter((move) => !obvious.includes(move));
    chance.shuffle(others);
    const missed = this.order.level.overlooks / 100;
    const moves = [...obvious, ...others];
    const luck = moves.map(() => chance.random());
    const noticed = moves.filter((_, k) => luck[k] >= (k < obvious.length ? missed ** 2 : missed));
    return noticed.length ? noticed : [moves[luck.indexOf(Math.max(...luck))]];
  }

  /** The best of the moves considered, as far as `known` goes. */
  #think(seat, known, considered) {
    const first = new Chance(this.order.seed, seat.sights.length - 1).below(1n << 62n);
    if (considered.length === 1) return { move: considered[0], reasons: [] };
    const { trees, most_nodes, seed_step } = this.numbers;
    const { simulations, seconds } = this.order;
    const count = seconds ? 1 : Math.min(trees, simulations);
    const share = Math.ceil(simulations / count);
    const room = seconds ? most_nodes : Math.min((1 + this.tuning.split) * share + 2, most_nodes);
    this.rules.top = this.rules.floor;
    const growing = this.#readyTrees(seat, known, count, room);
    growing.forEach((tree, number) => {
      tree.plant(known, seat.number, first + BigInt(number) * BigInt(seed_step));
      if (seconds) tree.growUntil(performance.now() + 1000 * seconds);
      else tree.grow(share);
    });
    this.#grown = growing.map((tree) => tree.saved(known));
    return this.#answer(seat, considered);
  }

  /** The trees of the move before where they can be used again, else new ones. */
  #readyTrees(seat, known, count, room) {
    const old = this.#grown;
    const mayStay = old.length === count && !this.tuning.split && this.#isAllKnown(seat, known);
    const nodes = mayStay ? old.map((grown) => grown.find(this.rules, known, seat.seats)) : [];
    if (!nodes.length || nodes.includes(this.numbers.none)) {
      return Array.from({ length: count }, () => new Tree(this.rules, this.tuning, room));
    }
    return old.map((grown, k) => {
      const more = Math.min(grown.of(nodes[k], this.numbers.visits) + room, this.numbers.most_nodes);
      const tree = new Tree(this.rules, this.tuning, more);
      tree.keep(grown, nodes[k]);
      return tree;
    });
  }

  #isAllKnown(seat, known) {
    return [1n, 2n].every((seed) => areEqual(this.rules.imagine(known, seat.number, seed), known));
  }

  #answer(seat, considered) {
    const together = new Map();
    for (const [move, visits, total] of this.#grown.flatMap((grown) => grown.tried())) {
      const before = together.get(move) ?? { visits: 0, total: 0 };
      together.set(move, { visits: before.visits + visits, total: before.total + total });
    }
    const of = (move) => together.get(move) ?? { visits: 0, total: 0 };
    const tried = considered.filter((move) => together.has(move));
    const order = tried.length ? tried : considered.slice(0, 1);
    order.sort((a, b) => of(b).visits - of(a).visits || of(b).total - of(a).total || a - b);
    const teams = this.rules.facts.teams[seat.seats];
    const opponents = teams.filter((team) => team !== teams[seat.number]).length;
    const reasons = order.slice(0, this.numbers.shown).map((move) => {
      const { visits, total } = of(move);
      const share = total / (this.numbers.certain * Math.max(visits, 1));
      return { move, visits, place: 1 + (1 - share) * opponents, success: opponents ? null : share };
    });
    return { move: order[0], reasons };
  }
}

// Bots

const BOT = "samovar bot"; // the name of a worker that runs this file to think
const BUDGET = /^(?:(\d+)|(\d+(?:\.\d+)?)s)$/;

/** What a bot is made from: `hard`, `expert:5000`, `search:800`, `search:0.5s`, as in Python. */
function orderOf(facts, text, seed) {
  const [name, budget] = text.split(":");
  const { levels, search } = facts;
  if (name !== "search" && !Object.hasOwn(levels, name)) {
    throw new BadBot(
      `${facts.name} has no bot '${name}' here. Choose one of these: ${Object.keys(levels).join(", ")}, search.`,
    );
  }
  const level = levels[name] ?? null;
  const order = { level, simulations: level?.simulations ?? search.usual, seconds: null, seed };
  if (budget === undefined) return order;
  const [, simulations, seconds] = BUDGET.exec(budget) ?? [];
  if (simulations >= 1 && simulations <= search.most_simulations) return { ...order, simulations: Number(simulations) };
  if (seconds > 0 && seconds <= search.most_seconds) return { ...order, seconds: Number(seconds) };
  throw new BadBot(
    `${text} is no budget. Write ${name}:8000 for simulations (1 to ${search.most_simulations}), or ${name}:0.5s for ` +
      `seconds (up to ${search.most_seconds}).`,
  );
}

export class Bot {
  #worker = null;
  #start;
  #waiting = new Map();
  #asked = 0;

  /** Made by `Game.bot`. */
  constructor(game, module, order) {
    this.game = game;
    this.#start = { module, facts: game.facts, order };
  }

  /** A move of the seat, which must be an actor, and what speaks for it. The bot is told what the seat knows. */
  async choose(match, seat) {
    if (match.game.id !== this.game.id) throw new BadBot(`This bot plays ${this.game.name}, not ${match.game.name}.`);
    const told = match.seat(seat);
    if (!told.legal.length) {
      throw new NotAnActor(
        `Seat ${seat} may not act now, so its bot has nothing to choose. Ask the bot of a seat that acts.`,
      );
    }
    this.#worker ??= this.#hire();
    this.#worker.ref?.();
    return new Promise((resolve, reject) => {
      this.#waiting.set(++this.#asked, { resolve, reject });
      this.#worker.postMessage({ id: this.#asked, seat: told });
    });
  }

  /** Lets go of what the bot holds. It can be asked again, and begins anew. */
  close() {
    this.#worker?.terminate();
    this.#worker = null;
    this.#fail("The bot was closed while it was thinking.");
  }

  #hire() {
    const worker = threads
      ? new threads.Worker(new URL(import.meta.url), { workerData: BOT })
      : new Worker(import.meta.url, { type: "module", name: BOT });
    const heard = ({ id, answer, error }) => {
      const { resolve, reject } = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (!this.#waiting.size) worker.unref?.(); // Node may end while no bot is thinking
      if (answer) resolve(answer);
      else reject(new BotFailed(`The bot could not think: ${error}`));
    };
    const failed = (event) => {
      this.#worker = null;
      this.#fail(`The bot could not think: ${event.message ?? "its worker did not start"}`);
    };
    if (threads) worker.on("message", heard).on("error", failed);
    else Object.assign(worker, { onmessage: (event) => heard(event.data), onerror: failed });
    worker.postMessage(this.#start);
    return worker;
  }

  #fail(reason) {
    for (const { reject } of this.#waiting.values()) reject(new BotFailed(reason));
    this.#waiting.clear();
  }
}

/** What the worker of a bot does: the first message says who it is, each later one asks for a move. */
function serve(port) {
  let thinker = null;
  const heard = async (message) => {
    if (!thinker) {
      const { module, facts, order } = message;
      thinker = Rules.start(module, facts).then((rules) => new Thinker(rules, order));
      return;
    }
    try {
      port.postMessage({ id: message.id, answer: (await thinker).choose(message.seat) });
    } catch (error) {
      port.postMessage({ id: message.id, error: error.message });
    }
  };
  if (threads) port.on("message", heard);
  else port.onmessage = (event) => heard(event.data);
}

// Game

async function bytesOf(source) {
  const where = String(source);
  try {
    if (threads && !/^https?:/.test(where)) {
      const { readFile } = await import("node:fs/promises");
      return await readFile(where.startsWith("file:") ? new URL(where) : where);
    }
    const answer = await fetch(source);
    if (!answer.ok) throw new Error(`the answer is ${answer.status}`);
    return new Uint8Array(await answer.arrayBuffer());
  } catch (error) {
    throw new NotLoaded(`${where} cannot be loaded: ${error.message}. It is one of the files that 'samovar wasm' writes.`);
  }
}

export class Game {
  #module;
  #rules;
  #moves;

  /** A game by the address of its GAME.wasm (in Node also a path), beside which its GAME.json lies. */
  static async load(source) {
    const beside = String(source).replace(/\.wasm(?=$|[?#])/, ".json");
    const [code, told] = await Promise.all([bytesOf(source), bytesOf(beside)]);
    const facts = JSON.parse(new TextDecoder().decode(told));
    if (facts.samovar !== 1 || facts.wasm_bytes !== code.length) {
      throw new NotLoaded(`${source} and ${beside} were not written together. Write both anew with 'samovar wasm'.`);
    }
    const module = await WebAssembly.compile(code);
    return new Game(module, facts, await Rules.start(module, facts));
  }

  constructor(module, facts, rules) {
    this.#module = module;
    this.#rules = rules;
    this.#moves = new Map(Object.entries(facts.texts).map(([move, text]) => [text.toLowerCase(), Number(move)]));
    this.facts = facts;
    this.id = facts.game;
    this.name = facts.name;
    this.seats = facts.seats;
    this.options = facts.options;
    this.observation = facts.observation;
    this.levels = Object.keys(facts.levels);
  }

  /** A new match; without a seed one is drawn, without seats the fewest play. */
  match({ seats = this.seats[0], seed = drawnSeed(), options = {} } = {}) {
    if (!this.seats.includes(seats)) {
      throw new WrongSeats(`${this.name} is played with ${this.seats.join(" or ")} seats, not with ${shown(seats)}.`);
    }
    const values = checkOptions(this.facts, seats, options);
    const dealt = checkDealSeed(seed);
    const setup = [seats, ...this.options.map((option) => codeOf(option, values[option.name]))];
    return new Match(this, this.#rules, this.#rules.deal(setup, dealt), { seats, options: values, seed: dealt });
  }

  /** The match of the text of a record, played again and compared with what the record says. */
  replay(text) {
    return replayed(this, text);
  }

  /** A bot for one seat of one match: `hard`, `search:800`, `expert:5s`. */
  bot(order = "medium", { seed = drawnSeed() } = {}) {
    return new Bot(this, this.#module, orderOf(this.facts, order, checkSeed(seed)));
  }

  isMove(move) {
    return Number.isInteger(move) && move >= 0 && move < this.facts.moves;
  }

  /** The text of a move, or null where it depends on the position: only Python can tell that. */
  moveText(move) {
    return this.facts.texts[move] ?? null;
  }

  /** The move of such a text, or null. */
  moveOf(text) {
    return this.#moves.get(text.toLowerCase()) ?? null;
  }
}

const isWorker = threads ? threads.workerData === BOT : globalThis.name === BOT && !globalThis.document;
if (isWorker) serve(threads?.parentPort ?? globalThis);
