// What Python means, where JavaScript means something else. `reach.py` writes scripts that know this module as `$`.
//
// A whole number is a number, beyond 53 bits a BigInt; one with a point that is whole (`2.0`) is a Float, so that both
// are written as Python writes them. None is null, a list an array, a tuple a Tuple, a dict a Dict.

export class Failed extends Error {}

const fail = (text) => {
  throw new Failed(text);
};

class Float {
  constructor(value) {
    this.value = value;
  }
}
export const float_of = (value) => (Number.isInteger(value) ? new Float(value) : value);

export const is_list = (thing) => Array.isArray(thing);

class Named {
  // the arguments of a call that are given by name
  constructor(facts) {
    this.facts = facts;
  }
}

export class Markup extends String {}

class Sentence extends String {}
class Word extends String {}

export class Tuple extends Array {
  static get [Symbol.species]() {
    return Array;
  }
}

export function tuple_of(parts) {
  const made = new Tuple();
  for (const part of parts) made[made.length] = part;
  return made;
}

// Keys: equal things have the same

let identities = new WeakMap();
let next_identity = 0;
const identity_of = (thing) => {
  if (!identities.has(thing)) identities.set(thing, ++next_identity);
  return identities.get(thing);
};

const part_key = (thing) => {
  const made = key(thing);
  return typeof made === "string" && typeof thing !== "object" ? `s${made.length}:${made}` : `${typeof made === "string" ? "" : "n"}${made}`;
};

export function key(thing) {
  switch (typeof thing) {
    case "string":
    case "number":
    case "bigint":
      return thing;
    case "boolean":
      return Number(thing);
    case "function":
      return `\u0000f${identity_of(thing)}`;
  }
  if (thing === null || thing === undefined) return null;
  if (thing instanceof String) return String(thing);
  if (thing instanceof Float) return thing.value;
  if (thing instanceof Tuple) return (thing.$key ??= keep_key(thing, `\u0000(${Array.prototype.map.call(thing, part_key).join()})`));
  if (thing instanceof PySet) return `\u0000{${[...thing.entries.keys()].map(String).sort().join()}}`;
  if (thing.constructor.is_record) {
    if (thing.$key) return thing.$key;
    const parts = thing.constructor.fields.map(([name]) => part_key(thing[name]));
    return keep_key(thing, `\u0000${identity_of(thing.constructor)}<${parts.join()}>`);
  }
  return `\u0000o${identity_of(thing)}`;
}

function keep_key(thing, made) {
  Object.defineProperty(thing, "$key", { value: made, writable: true, configurable: true });
  return made;
}

export class Dict {
  constructor(pairs = []) {
    this.entries = new Map();
    for (const [name, value] of pairs) this.set(name, value);
  }
  set(name, value) {
    const at = key(name);
    const known = this.entries.get(at);
    if (known) known[1] = value;
    else this.entries.set(at, [name, value]);
  }
  has(name) {
    return this.entries.has(key(name));
  }
  take(name) {
    return this.entries.get(key(name));
  }
  get size() {
    return this.entries.size;
  }
  *[Symbol.iterator]() {
    for (const [name] of this.entries.values()) yield name;
  }
}

class PySet {
  constructor(things = []) {
    this.entries = new Map();
    for (const thing of things) this.add(thing);
  }
  add(thing) {
    const at = key(thing);
    if (!this.entries.has(at)) this.entries.set(at, thing);
  }
  has(thing) {
    return this.entries.has(key(thing));
  }
  get size() {
    return this.entries.size;
  }
  [Symbol.iterator]() {
    return this.entries.values();
  }
}

class Range {
  constructor(start, stop, step) {
    Object.assign(this, { start, stop, step });
    this.size = Math.max(0, Math.ceil((stop - start) / step));
  }
  at(place) {
    const at = place < 0 ? place + this.size : place;
    if (at < 0 || at >= this.size) fail("range index out of range");
    return this.start + at * this.step;
  }
  *[Symbol.iterator]() {
    for (let k = 0; k < this.size; k++) yield this.start + k * this.step;
  }
}

/** Whole numbers in rows and columns, as those of a state. */
export class Grid {
  constructor(numbers, shape) {
    this.numbers = numbers;
    this.shape = tuple_of(shape);
  }
  place(index) {
    const places = index instanceof Tuple ? index : [index];
    if (places.length !== this.shape.length) fail("a grid is asked with all its indices");
    let at = 0;
    for (let k = 0; k < places.length; k++) {
      const size = this.shape[k];
      const one = Number(places[k]) < 0 ? Number(places[k]) + size : Number(places[k]);
      if (!(one >= 0 && one < size)) fail("index out of bounds");
      at = at * size + one;
    }
    return at;
  }
  at(index) {
    return whole(this.numbers[this.place(index)]);
  }
  *[Symbol.iterator]() {
    for (const number of this.numbers) yield whole(number);
  }
}

class Slice {
  constructor(start, stop, step) {
    Object.assign(this, { start, stop, step });
  }
  of(size) {
    const step = this.step ?? 1;
    const within = (place, usual) => {
      if (place === null) return usual;
      const at = place < 0 ? place + size : place;
      return step > 0 ? Math.min(Math.max(at, 0), size) : Math.min(Math.max(at, -1), size - 1);
    };
    const found = [];
    const start = within(this.start, step > 0 ? 0 : size - 1);
    const stop = within(this.stop, step > 0 ? size : -1);
    for (let k = start; step > 0 ? k < stop : k > stop; k += step) found.push(k);
    return found;
  }
}

// Values

export const float = (value = 0) => float_of(Number(value instanceof Float ? value.value : String(value)));
export const tuple = (...parts) => tuple_of(parts);
export const set = (things) => new PySet(things);
export const dict = (pairs) => new Dict(pairs);
export const range = (start, stop, step) => new Range(start, stop, step);
export const grid = (numbers, shape) => new Grid(numbers, shape);
export const slice = (start, stop, step) => new Slice(start, stop, step);
export const markup = (text) => new Markup(text);
export function word(text, forms) {
  return Object.assign(new Word(text), { forms: new Dict(forms) });
}
export function sentence(text, template, blanks) {
  return Object.assign(new Sentence(text), { template, blanks });
}
const whole = (value) => (typeof value === "bigint" && value >= -MOST && value <= MOST ? Number(value) : value);
const MOST = BigInt(Number.MAX_SAFE_INTEGER);

export function truth(thing) {
  if (!thing) return false; // false, 0, "", null, 0n
  if (typeof thing !== "object") return true;
  if (Array.isArray(thing) || thing instanceof String) return thing.length > 0;
  if (thing instanceof Dict || thing instanceof PySet || thing instanceof Range) return thing.size > 0;
  if (thing instanceof Float) return thing.value !== 0;
  if (thing.__bool__) return thing.__bool__();
  if (thing.__len__) return thing.__len__() > 0;
  return true;
}

export function iter(thing) {
  if (thing && thing.__iter__) return thing.__iter__();
  if (thing instanceof String) return String(thing);
  if (thing === null || thing === undefined || !thing[Symbol.iterator]) fail(`${repr(thing)} is nothing to go through`);
  return thing;
}

export function unpack(thing, count, starred) {
  const parts = [...iter(thing)];
  if (starred < 0) {
    if (parts.length !== count) fail(`${count} values were wanted, there are ${parts.length}`);
    return parts;
  }
  const after = count - starred - 1;
  if (parts.length < count - 1) fail("not enough values to unpack");
  return [...parts.slice(0, starred), parts.slice(starred, parts.length - after), ...parts.slice(parts.length - after)];
}

export function facts(thing) {
  const found = {};
  for (const name of iter(thing)) found[name] = at(thing, name);
  return found;
}

export const pairs = (thing) => [...thing.entries.values()].map(([name, value]) => [name, value]);

// Numbers

const is_number = (thing) => typeof thing === "number" || typeof thing === "bigint" || typeof thing === "boolean" || thing instanceof Float;
const is_text = (thing) => typeof thing === "string" || thing instanceof String;
const is_whole = (thing) => typeof thing === "bigint" || typeof thing === "boolean" || Number.isInteger(thing);
const point = (thing) => (thing instanceof Float ? thing.value : Number(thing));

function counted(one, other, small, great) {
  if (is_whole(one) && is_whole(other)) {
    const quick = small(Number(one), Number(other));
    if (typeof one !== "bigint" && typeof other !== "bigint" && Number.isSafeInteger(quick)) return quick;
    return whole(great(BigInt(one), BigInt(other)));
  }
  if (!is_number(one) || !is_number(other)) fail(`${repr(one)} and ${repr(other)} do not go together`);
  return float_of(small(point(one), point(other)));
}

export function add(one, other) {
  if (typeof one === "number" && typeof other === "number") {
    const sum = one + other;
    if (Number.isSafeInteger(sum) && Number.isInteger(one)) return sum;
  }
  if (typeof one === "string" && typeof other === "string") return one + other;
  if (one instanceof Markup || other instanceof Markup) return new Markup(escape(one) + escape(other));
  if (is_text(one) && is_text(other)) return String(one) + String(other);
  if (one instanceof Tuple && other instanceof Tuple) return tuple_of([...one, ...other]);
  if (Array.isArray(one) && Array.isArray(other)) return [...one, ...other];
  return counted(one, other, (a, b) => a + b, (a, b) => a + b);
}

export function sub(one, other) {
  if (one instanceof PySet) return new PySet([...one].filter((thing) => !other.has(thing)));
  return counted(one, other, (a, b) => a - b, (a, b) => a - b);
}

export function mul(one, other) {
  if (is_text(one)) return one instanceof Markup ? new Markup(String(one).repeat(Math.max(0, other))) : String(one).repeat(Math.max(0, other));
  if (is_text(other) || Array.isArray(other)) return mul(other, one);
  if (Array.isArray(one)) {
    const many = Array.from({ length: Math.max(0, other) }, () => [...one]).flat();
    return one instanceof Tuple ? tuple_of(many) : many;
  }
  return counted(one, other, (a, b) => a * b, (a, b) => a * b);
}

export const div = (one, other) => float_of(point(one) / (point(other) || fail("division by zero")));

const floored = (a, b) => {
  if (b === 0n) fail("division by zero");
  const quotient = a / b;
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient;
};
export const floordiv = (one, other) => {
  if (!point(other)) fail("division by zero");
  return counted(one, other, (a, b) => Math.floor(a / b), floored);
};

export function mod(one, other) {
  if (is_text(one)) return percent(one, other);
  if (!point(other)) fail("division by zero");
  return counted(one, other, (a, b) => a - b * Math.floor(a / b), (a, b) => a - b * floored(a, b));
}

export const pow = (one, other) => counted(one, other, (a, b) => a ** b, (a, b) => a ** b);
const is_small = (thing) => typeof thing === "number" && (thing | 0) === thing;
const bits = (one, other, small, great) => {
  if (is_small(one) && is_small(other)) return small(one, other);
  if (!is_whole(one) || !is_whole(other)) fail(`${repr(one)} and ${repr(other)} are no whole numbers`);
  return whole(great(BigInt(one), BigInt(other)));
};
export const shl = (one, other) => whole(BigInt(one) << BigInt(other));
export const shr = (one, other) => (is_small(one) && other < 32 ? one >> other : whole(BigInt(one) >> BigInt(other)));
export const neg = (one) => (typeof one === "bigint" ? whole(-one) : sub(0, one));
export const inv = (one) => (is_small(one) ? ~one : whole(~BigInt(one)));

export function and(one, other) {
  if (one instanceof PySet) return new PySet([...one].filter((thing) => other.has(thing)));
  if (typeof one === "boolean" && typeof other === "boolean") return one && other;
  return bits(one, other, (a, b) => a & b, (a, b) => a & b);
}
export function or(one, other) {
  if (one instanceof PySet) return new PySet([...one, ...other]);
  if (one instanceof Dict) return new Dict([...pairs(one), ...pairs(other)]);
  if (typeof one === "boolean" && typeof other === "boolean") return one || other;
  return bits(one, other, (a, b) => a | b, (a, b) => a | b);
}
export function xor(one, other) {
  if (one instanceof PySet) return new PySet([...sub(one, other), ...sub(other, one)]);
  return bits(one, other, (a, b) => a ^ b, (a, b) => a ^ b);
}

// in place
export function iadd(one, other) {
  if (Array.isArray(one) && !(one instanceof Tuple)) {
    one.push(...iter(other));
    return one;
  }
  return add(one, other);
}
export function ior(one, other) {
  if (one instanceof Dict) {
    update(one, other);
    return one;
  }
  if (one instanceof PySet) {
    for (const thing of other) one.add(thing);
    return one;
  }
  return or(one, other);
}
export const isub = sub;
export const imul = mul;
export const idiv = div;
export const ifloordiv = floordiv;
export const imod = mod;
export const ipow = pow;
export const ishl = shl;
export const ishr = shr;
export const iand = and;
export const ixor = xor;

// Comparisons

export function eq(one, other) {
  if (one === other) return true;
  if (one === null || other === null || one === undefined || other === undefined) return false;
  if (typeof one !== "object" && typeof other !== "object") {
    return is_number(one) && is_number(other) && point(one) === point(other);
  }
  if (is_number(one) && is_number(other)) return point(one) === point(other);
  if (is_text(one) && is_text(other)) return String(one) === String(other);
  if (Array.isArray(one) && Array.isArray(other)) {
    if (one instanceof Tuple !== other instanceof Tuple || one.length !== other.length) return false;
    return Array.prototype.every.call(one, (part, k) => eq(part, other[k]));
  }
  if (one instanceof Dict && other instanceof Dict) {
    return one.size === other.size && pairs(one).every(([name, value]) => other.has(name) && eq(value, other.take(name)[1]));
  }
  if (one instanceof PySet && other instanceof PySet) return one.size === other.size && [...one].every((thing) => other.has(thing));
  if (one.constructor.is_record) return one.constructor === other.constructor && one.constructor.fields.every(([name]) => eq(one[name], other[name]));
  return false;
}

function order(one, other) {
  if (is_number(one) && is_number(other)) {
    const [a, b] = [one instanceof Float ? one.value : one, other instanceof Float ? other.value : other];
    return a < b ? -1 : a > b ? 1 : 0;
  }
  if (is_text(one) && is_text(other)) {
    const [a, b] = [[...String(one)], [...String(other)]];
    for (let k = 0; k < Math.min(a.length, b.length); k++) {
      if (a[k] !== b[k]) return a[k].codePointAt(0) - b[k].codePointAt(0);
    }
    return a.length - b.length;
  }
  if (Array.isArray(one) && Array.isArray(other)) {
    for (let k = 0; k < Math.min(one.length, other.length); k++) {
      if (!eq(one[k], other[k])) return order(one[k], other[k]);
    }
    return one.length - other.length;
  }
  return fail(`${repr(one)} and ${repr(other)} have no order`);
}

const is_within = (one, other) => [...one].every((thing) => other.has(thing));
export const lt = (one, other) =>
  typeof one === "number" && typeof other === "number" ? one < other : one instanceof PySet ? one.size < other.size && is_within(one, other) : order(one, other) < 0;
export const le = (one, other) =>
  typeof one === "number" && typeof other === "number" ? one <= other : one instanceof PySet ? is_within(one, other) : order(one, other) <= 0;

export function has(thing, part) {
  if (is_text(thing)) return String(thing).includes(String(part));
  if (thing instanceof Dict || thing instanceof PySet) return thing.has(part);
  if (thing && thing.__contains__) return thing.__contains__(part);
  for (const one of iter(thing)) if (eq(one, part)) return true;
  return false;
}

// Parts

const letters = (text) => (/[\ud800-\udfff]/.test(text) ? [...text] : text);

export function at(thing, index) {
  if (is_text(thing)) {
    const signs = letters(String(thing));
    if (index instanceof Slice) return index.of(signs.length).map((place) => signs[place]).join("");
    return signs[index < 0 ? index + signs.length : index] ?? fail("string index out of range");
  }
  if (Array.isArray(thing)) {
    if (index instanceof Slice) {
      const found = index.of(thing.length).map((place) => thing[place]);
      return thing instanceof Tuple ? tuple_of(found) : found;
    }
    const place = Number(index) < 0 ? Number(index) + thing.length : Number(index);
    if (!(place >= 0 && place < thing.length)) fail(`index ${repr(index)} is out of range`);
    return thing[place];
  }
  if (thing instanceof Dict) {
    const found = thing.take(index);
    if (found) return found[1];
    return thing.made ? thing.made(index) : fail(`there is no ${repr(index)}`);
  }
  if (thing instanceof Grid) return thing.at(index);
  if (thing instanceof Range) {
    if (!(index instanceof Slice)) return thing.at(Number(index));
    const places = index.of(thing.size);
    const step = thing.step * (index.step ?? 1);
    return places.length ? new Range(thing.at(places[0]), thing.at(places.at(-1)) + Math.sign(step), step) : new Range(0, 0, 1);
  }
  if (thing && thing.__getitem__) return thing.__getitem__(index);
  return fail(`${repr(thing)} has no parts`);
}

export function put(thing, index, value) {
  if (thing instanceof Dict) thing.set(index, value);
  else if (thing instanceof Grid) thing.numbers[thing.place(index)] = value;
  else if (index instanceof Slice) fail("a slice cannot be put");
  else {
    const place = Number(index) < 0 ? Number(index) + thing.length : Number(index);
    if (!(place >= 0 && place < thing.length)) fail("assignment index out of range");
    thing[place] = value;
  }
}

const missing_attribute = (thing, name) => fail(`${repr(thing)} has no ${name}`);

export function find(thing, name) {
  if (thing === null || thing === undefined) return undefined;
  const methods = methods_of(thing);
  if (methods) {
    const method = methods[name];
    if (method) return (...args) => method(thing, ...args);
    if (typeof thing !== "object") return undefined;
  }
  const value = thing[name];
  if (value === undefined) return undefined;
  if (typeof value === "function" && value.is_method) return value.bind(thing);
  return value;
}

export function attr(thing, name) {
  const value = find(thing, name);
  return value === undefined ? missing_attribute(thing, name) : value;
}

export function method(thing, name, ...args) {
  if (thing === null || thing === undefined) missing_attribute(thing, name);
  const own = methods_of(thing)?.[name];
  if (own) return own(thing, ...args);
  const called = thing[name];
  if (typeof called !== "function") missing_attribute(thing, name);
  return called.apply(thing, args);
}

// Calls

export function named(called, [names]) {
  called.names = names.split(" ");
}

/** A function that takes more than arguments by their places. */
export function bound(self, inner, [names, keywords, starred, takes_facts], args) {
  const given = args.at(-1) instanceof Named ? { ...args.pop().facts } : {};
  const places = names ? names.split(" ") : [];
  const filled = places.map((name, k) => (k < args.length ? args[k] : taken(given, name)));
  for (const name of keywords ? keywords.split(" ") : []) filled.push(taken(given, name));
  if (starred) filled.push(tuple_of(args.slice(places.length)));
  else if (args.length > places.length) fail("too many arguments");
  if (takes_facts) filled.push(new Dict(Object.entries(given)));
  else if (Object.keys(given).length) fail(`nobody takes ${Object.keys(given)}`);
  return inner.apply(self, filled);
}

function taken(given, name) {
  const value = given[name];
  delete given[name];
  return value;
}

export function bound_by(signature, inner) {
  const called = (...args) => bound(null, inner, signature, args);
  called.takes_names = true;
  return called;
}

export function call_by_name(called, args, given) {
  if (called.takes_names) return called(...args, new Named(given));
  return called(...in_place(called, args, given));
}

function in_place(called, args, given) {
  if (!called.names) fail("this takes no names");
  const filled = [...args];
  for (const [name, value] of Object.entries(given)) {
    const place = called.names.indexOf(name);
    if (place < 0) fail(`nobody takes ${name}`);
    filled[place] = value;
  }
  return filled;
}

export function method_by_name(thing, name, args, given) {
  const own = methods_of(thing)?.[name];
  if (own) return own(thing, ...args, new Named(given));
  const called = thing[name] ?? missing_attribute(thing, name);
  if (called.takes_names) return called.call(thing, ...args, new Named(given));
  return called.apply(thing, in_place(called, args, given));
}

/** What a class above has by that name. */
export function super_by_name(base, self, name, args, given) {
  const called = base.prototype[name];
  if (called.takes_names) return called.call(self, ...args, new Named(given));
  return called.apply(self, in_place(called, args, given));
}

/** A function that takes arguments by name, as `(given, ...args)`. */
export function by_name(called) {
  const made = function (...args) {
    const given = args.at(-1) instanceof Named ? args.pop().facts : {};
    return called.call(this, given, ...args);
  };
  made.takes_names = true;
  return made;
}

/** Lets the methods of a class that is written in JavaScript be asked for as those of Python. */
export function opened(kind) {
  for (const name of Object.getOwnPropertyNames(kind.prototype)) {
    const { value } = Object.getOwnPropertyDescriptor(kind.prototype, name);
    if (typeof value === "function") value.is_method = true;
  }
  return kind;
}

export function cached(name, inner, args) {
  const known = (name.known ??= new Map());
  const asked = args.length === 1 ? key(args[0]) : args.map(part_key).join();
  if (!known.has(asked)) {
    if (known.size > 4096) known.clear();
    known.set(asked, inner(...args));
  }
  return known.get(asked);
}

export function part(called, args, given) {
  const names = Object.keys(given);
  const made = (...more) => {
    const last = more.at(-1) instanceof Named ? more.pop().facts : {};
    if (!names.length && !Object.keys(last).length) return called(...args, ...more);
    return call_by_name(called, [...args, ...more], { ...given, ...last });
  };
  made.takes_names = true;
  return made;
}

export const raised = (error) => (error instanceof Error ? error : new Failed(str(error)));

// Classes

function prepared(made, name, base) {
  made.kind = name;
  made.fields = base?.fields ?? [];
  made.names = base?.names ?? [];
  return made;
}

export function class_of(name, base) {
  function made(...args) {
    const thing = Object.create(made.prototype);
    if (thing.__init__) thing.__init__(...args);
    else made.fields.forEach(([field, usual], k) => (thing[field] = k < args.length && args[k] !== undefined ? args[k] : usual ? usual() : missing_attribute(thing, field)));
    return thing;
  }
  made.prototype = Object.create(base ? base.prototype : Object.prototype, { constructor: { value: made, writable: true } });
  made.is_record = base?.is_record ?? false;
  return prepared(made, name, base);
}

export function tuple_class(name) {
  class Kind extends Tuple {}
  const made = (...args) => {
    const thing = new Kind();
    made.fields.forEach(([, usual], k) => (thing[k] = k < args.length && args[k] !== undefined ? args[k] : usual ? usual() : fail(`${name} lacks an argument`)));
    return thing;
  };
  made.prototype = Kind.prototype;
  Kind.made = made;
  return prepared(made, name, null);
}

export function fields(made, list) {
  made.fields = list;
  made.names = list.map(([name]) => name);
  if (made.prototype instanceof Tuple) {
    list.forEach(([name], k) => Object.defineProperty(made.prototype, name, { get() { return this[k]; } }));
  } else made.is_record = true;
}

export function getter(made, name, get) {
  Object.defineProperty(made.prototype, name, { get, configurable: true });
}

export function kept_getter(made, name, get) {
  const known = new WeakMap();
  getter(made, name, function () {
    if (!known.has(this)) known.set(this, get.call(this));
    return known.get(this);
  });
}

export function own_method(made, name, inner, signature, is_simple) {
  const called = is_simple ? inner : function (...args) { return bound(this, inner, signature, args); };
  if (is_simple) called.names = signature[0].split(" ");
  else called.takes_names = true;
  called.is_method = true;
  Object.defineProperty(made.prototype, name, { value: called, configurable: true, writable: true });
}

export function constant(made, name, value) {
  Object.defineProperty(made.prototype, name, { value, configurable: true, writable: true });
  made[name] = value;
}

export function dataclasses_replace(thing, named) {
  const made = Object.create(Object.getPrototypeOf(thing));
  return Object.assign(made, Object.fromEntries(thing.constructor.fields.map(([name]) => [name, thing[name]])), named.facts);
}
dataclasses_replace.takes_names = true;

export const dataclasses_fields = (thing) => tuple_of((thing.fields ?? thing.constructor.fields).map(([name]) => ({ name })));

export const tuple_new = (made, parts) => {
  const thing = new made.prototype.constructor();
  for (const part of iter(parts)) thing[thing.length] = part;
  return thing;
};

// Texts

const PARTS = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&#34;", "'": "&#39;" };
/** A text for a page; what is markup already stays as it is. */
export function escaped(thing) {
  if (thing instanceof Markup) return String(thing);
  if (typeof thing === "number") return String(thing);
  const text = str(thing);
  return /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, (sign) => PARTS[sign]) : text;
}
const escape = escaped;
export const escape_ = (thing) => new Markup(escaped(thing));

export function str(thing) {
  if (typeof thing === "string") return thing;
  if (thing === undefined) return "";
  if (thing instanceof String) return String(thing);
  return repr(thing);
}

function number_text(value) {
  const text = String(value);
  return text.replace(/e([-+])(\d)$/, "e$10$2");
}

export function repr(thing) {
  if (thing === null || thing === undefined) return "None";
  if (typeof thing === "boolean") return thing ? "True" : "False";
  if (typeof thing === "number") return number_text(thing);
  if (typeof thing === "bigint") return String(thing);
  if (thing instanceof Float) return `${number_text(thing.value)}.0`;
  if (is_text(thing)) {
    const quote = String(thing).includes("'") && !String(thing).includes('"') ? '"' : "'";
    return quote + String(thing).replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll(quote, `\\${quote}`) + quote;
  }
  if (thing instanceof Tuple) return thing.length === 1 ? `(${repr(thing[0])},)` : `(${Array.prototype.map.call(thing, repr).join(", ")})`;
  if (Array.isArray(thing)) return `[${thing.map(repr).join(", ")}]`;
  if (thing instanceof Dict) return `{${pairs(thing).map(([name, value]) => `${repr(name)}: ${repr(value)}`).join(", ")}}`;
  if (thing instanceof PySet) return `{${[...thing].map(repr).join(", ")}}`;
  return `<${thing.constructor?.kind ?? typeof thing}>`;
}

const FORMAT = /^(?:(.)?([<>^=]))?([-+ ])?(0)?(\d+)?(,)?(?:\.(\d+))?([a-zA-Z%])?$/su;

export function formatted(thing, asked) {
  if (!asked) return str(thing);
  const found = FORMAT.exec(asked) ?? fail(`the format ${asked} is not known`);
  const [, fill, align, sign, zero, width, comma, digits, kind] = found;
  let text;
  if (is_number(thing) && typeof thing !== "boolean") {
    if (kind === "x") text = thing.toString(16);
    else if (kind === "f") text = point(thing).toFixed(digits ?? 6);
    else if (kind === "%") text = `${(point(thing) * 100).toFixed(digits ?? 6)}%`;
    else if (!kind || kind === "d") text = str(thing);
    else fail(`the format ${asked} is not known`);
    if (comma) text = text.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
    if (sign === "+" && !text.startsWith("-")) text = `+${text}`;
  } else {
    text = str(thing);
    if (digits !== undefined) text = [...text].slice(0, digits).join("");
  }
  const room = Number(width ?? 0) - [...text].length;
  if (room <= 0) return text;
  const filled = (fill ?? (zero ? "0" : " ")).repeat(room);
  const side = align ?? (is_number(thing) ? (zero ? "=" : ">") : "<");
  if (side === "=") return /^[-+]/.test(text) ? text[0] + filled + text.slice(1) : filled + text;
  if (side === "<") return text + filled;
  if (side === ">") return filled + text;
  const left = Math.floor(room / 2);
  return filled.slice(0, left) + text + filled.slice(left);
}

const BLANK = /\{\{|\}\}|\{([^{}!:]*)(?:!([rs]))?(?::((?:[^{}]|\{[^{}]*\})*))?\}/gu;

function filled_in(text, args, facts) {
  let count = 0;
  return text.replace(BLANK, (all, asked, conversion, format) => {
    if (all === "{{" || all === "}}") return all[0];
    const [name, ...path] = asked.split(/\.|\[/);
    let value;
    if (name === "" || /^\d+$/.test(name)) value = args[name === "" ? count++ : Number(name)];
    else value = facts instanceof Dict ? at(facts, name) : name in facts ? facts[name] : fail(`there is no ${name} for ${text}`);
    for (const step of path) value = step.endsWith("]") ? at(value, /^\d+\]$/.test(step) ? parseInt(step) : step.slice(0, -1)) : attr(value, step);
    if (conversion === "r") value = repr(value);
    return formatted(value, format ? filled_in(format, args, facts) : "");
  });
}

/** `text % facts`; markup keeps what is filled in from being more than text. */
function percent(text, facts) {
  const shown = text instanceof Markup ? escaped : str;
  let count = 0;
  const values = facts instanceof Tuple ? facts : [facts];
  const done = String(text).replace(/%(?:\((\w+)\))?([sd%])/gu, (_, name, kind) => {
    if (kind === "%") return "%";
    return shown(name === undefined ? values[count++] : at(facts, name));
  });
  return text instanceof Markup ? new Markup(done) : done;
}

export const filled = percent;

const SPACES = /[\s\u0085\u001c-\u001f]/u;
const stripped = (text, signs, left, right) => {
  const all = [...text];
  const goes = (sign) => (signs === null || signs === undefined ? SPACES.test(sign) : String(signs).includes(sign));
  let [from, to] = [0, all.length];
  while (left && from < to && goes(all[from])) from++;
  while (right && to > from && goes(all[to - 1])) to--;
  return all.slice(from, to).join("");
};
const split_by = (text, by, most = -1) => {
  if (by === undefined || by === null) return text.split(/\s+/u).filter(Boolean);
  if (most < 0) return text.split(by);
  const parts = text.split(by);
  return parts.length > most + 1 ? [...parts.slice(0, most), parts.slice(most).join(by)] : parts;
};
const some_of = (texts, holds) => (texts instanceof Tuple ? [...texts].some((one) => holds(String(one))) : holds(String(texts)));
const padded = (text, width, fill, share) => {
  const room = Math.max(0, width - [...text].length);
  const left = share === 0.5 ? Math.floor(room / 2) + (room & width & 1) : share * room;
  return fill.repeat(left) + text + fill.repeat(room - left);
};
const cut = (text, by, at_) => tuple_of(at_ < 0 ? [text, "", ""] : [text.slice(0, at_), by, text.slice(at_ + by.length)]);

const TEXT = {
  format(text, ...args) {
    const facts = args.at(-1) instanceof Named ? args.pop().facts : {};
    if (!(text instanceof Sentence)) return filled_in(String(text), args, facts);
    const all = { ...facts };
    for (const [blank, fact, form] of text.blanks) all[blank] = form(facts[fact] ?? fail(`there is no ${fact} for ${text}`));
    return filled_in(text.template, [], all);
  },
  format_map: (text, facts) => filled_in(String(text), [], facts),
  split: (text, by, most) => split_by(String(text), by instanceof Named ? undefined : by, most),
  splitlines: (text) => String(text).split("\n"),
  rsplit(text, by, most) {
    const parts = String(text).split(by);
    const kept = parts.length - 1 - most;
    return most === undefined || kept <= 0 ? parts : [parts.slice(0, kept + 1).join(by), ...parts.slice(kept + 1)];
  },
  join_(text, parts) {
    const all = [...iter(parts)];
    if (text instanceof Markup) return new Markup(all.map(escaped).join(String(text)));
    return all.map((one) => (is_text(one) ? String(one) : fail(`${repr(one)} is no text to join`))).join(String(text));
  },
  replace: (text, old, now, most) => {
    if (most === undefined) return String(text).replaceAll(String(old), () => String(now));
    const parts = split_by(String(text), String(old), most);
    return parts.join(String(now));
  },
  strip: (text, signs) => stripped(String(text), signs, true, true),
  lstrip: (text, signs) => stripped(String(text), signs, true, false),
  rstrip: (text, signs) => stripped(String(text), signs, false, true),
  startswith: (text, begin) => some_of(begin, (one) => String(text).startsWith(one)),
  endswith: (text, end) => some_of(end, (one) => String(text).endsWith(one)),
  removeprefix: (text, begin) => (String(text).startsWith(begin) ? String(text).slice(begin.length) : String(text)),
  removesuffix: (text, end) => (end && String(text).endsWith(end) ? String(text).slice(0, -end.length) : String(text)),
  upper: (text) => String(text).toUpperCase(),
  lower: (text) => String(text).toLowerCase(),
  casefold: (text) => String(text).toLowerCase().replaceAll("ß", "ss"),
  capitalize: (text) => { const [first = "", ...rest] = String(text); return first.toUpperCase() + rest.join("").toLowerCase(); },
  title: (text) => String(text).toLowerCase().replace(/(?<!\p{L})\p{L}/gu, (sign) => sign.toUpperCase()),
  partition: (text, by) => cut(String(text), by, String(text).indexOf(by)),
  rpartition(text, by) {
    const place = String(text).lastIndexOf(by);
    return place < 0 ? tuple_of(["", "", String(text)]) : cut(String(text), by, place);
  },
  index: (text, part) => (String(text).includes(part) ? [...String(text).slice(0, String(text).indexOf(part))].length : fail("substring not found")),
  find_: (text, part) => String(text).indexOf(part),
  count: (text, part) => String(text).split(part).length - 1,
  center: (text, width, fill = " ") => padded(String(text), width, fill, 0.5),
  ljust: (text, width, fill = " ") => padded(String(text), width, fill, 0),
  rjust: (text, width, fill = " ") => padded(String(text), width, fill, 1),
  zfill: (text, width) => formatted(String(text), `0>${width}`),
  isdigit: (text) => /^\p{Nd}+$/u.test(text),
  isalpha: (text) => /^\p{L}+$/u.test(text),
  isalnum: (text) => /^[\p{L}\p{N}]+$/u.test(text),
  isspace: (text) => /^\s+$/u.test(text),
  isupper: (text) => /\p{Lu}/u.test(text) && !/\p{Ll}/u.test(text),
  islower: (text) => /\p{Ll}/u.test(text) && !/\p{Lu}/u.test(text),
};

const count_of = (list, part) => Array.prototype.filter.call(list, (one) => eq(one, part)).length;
const index_of = (list, part) => {
  const place = Array.prototype.findIndex.call(list, (one) => eq(one, part));
  return place < 0 ? fail(`${repr(part)} is not in it`) : place;
};
const TUPLE = { count: count_of, index: index_of };
const LIST = {
  ...TUPLE,
  append: (list, part) => void Array.prototype.push.call(list, part),
  extend: (list, parts) => { for (const part of iter(parts)) Array.prototype.push.call(list, part); },
  insert: (list, place, part) => void Array.prototype.splice.call(list, place, 0, part),
  pop_: (list, place = -1) => (list.length ? Array.prototype.splice.call(list, place, 1)[0] : fail("pop from empty list")),
  remove: (list, part) => void Array.prototype.splice.call(list, index_of(list, part), 1),
  reverse_: (list) => void Array.prototype.reverse.call(list),
  sort_: (list, ...args) => { const made = sorted(list, ...args); list.length = 0; Array.prototype.push.apply(list, made); },
  copy: (list) => [...list],
  clear: (list) => { list.length = 0; },
};
const update = (dict, ...args) => {
  const named = args.at(-1) instanceof Named ? args.pop().facts : {};
  for (const more of args) for (const [name, value] of more instanceof Dict ? pairs(more) : iter(more)) dict.set(name, value);
  for (const [name, value] of Object.entries(named)) dict.set(name, value);
};
const DICT = {
  get: (dict, name, usual = null) => dict.take(name)?.[1] ?? (dict.has(name) ? dict.take(name)[1] : usual),
  keys_: (dict) => new PySet(dict),
  values_: (dict) => [...dict.entries.values()].map(([, value]) => value),
  items: (dict) => [...dict.entries.values()].map((pair) => tuple_of(pair)),
  setdefault(dict, name, usual = null) {
    if (!dict.has(name)) dict.set(name, usual);
    return dict.take(name)[1];
  },
  pop_(dict, name, usual) {
    const found = dict.take(name);
    dict.entries.delete(key(name));
    return found ? found[1] : usual === undefined ? fail(`there is no ${repr(name)}`) : usual;
  },
  update,
  copy: (dict) => new Dict(pairs(dict)),
};
const others = (args) => args.map((one) => (one instanceof PySet || one instanceof Dict ? one : new PySet(iter(one))));
const SET = {
  add: (set, thing) => void set.add(thing),
  discard: (set, thing) => void set.entries.delete(key(thing)),
  remove: (set, thing) => void (set.entries.delete(key(thing)) || fail("it is not in the set")),
  union: (set, ...more) => new PySet([set, ...others(more)].flatMap((one) => [...one])),
  difference: (set, ...more) => new PySet([...set].filter((thing) => !others(more).some((one) => one.has(thing)))),
  intersection: (set, ...more) => { const all = others(more); return new PySet([...set].filter((thing) => all.every((one) => one.has(thing)))); },
  issubset: (set, more) => is_within(set, others([more])[0]),
  issuperset: (set, more) => [...iter(more)].every((thing) => set.has(thing)),
  isdisjoint: (set, more) => ![...iter(more)].some((thing) => set.has(thing)),
  update: (set, ...more) => { for (const one of more) for (const thing of iter(one)) set.add(thing); },
  difference_update: (set, ...more) => { for (const one of more) for (const thing of iter(one)) set.entries.delete(key(thing)); },
  copy: (set) => new PySet(set),
};
const WHOLE = {
  bit_length: (number) => (number === 0 ? 0 : (number < 0 ? -BigInt(number) : BigInt(number)).toString(2).length),
  bit_count: (number) => BigInt(number).toString(2).replaceAll("0", "").length,
  is_integer: () => true,
};

function methods_of(thing) {
  switch (typeof thing) {
    case "string":
      return TEXT;
    case "number":
    case "bigint":
      return WHOLE;
    case "object":
      if (thing instanceof String) return TEXT;
      if (thing instanceof Tuple) return TUPLE;
      if (Array.isArray(thing)) return LIST;
      if (thing instanceof Dict) return DICT;
      if (thing instanceof PySet) return SET;
  }
  return null;
}

// Regular expressions

class Match {
  constructor(found) {
    this.found = found;
  }
  __getitem__(place) {
    return (typeof place === "string" ? this.found.groups[place] : this.found[place]) ?? null;
  }
  group(place = 0) {
    return this.__getitem__(place);
  }
  groups() {
    return tuple_of(this.found.slice(1).map((one) => one ?? null));
  }
  start() {
    return this.found.index;
  }
  end() {
    return this.found.index + this.found[0].length;
  }
}
opened(Match);

class Pattern {
  constructor(source, flags) {
    this.any = new RegExp(source, flags);
    this.all = new RegExp(source, `${flags}g`);
    this.whole = new RegExp(`^(?:${source})$`, flags);
    this.begin = new RegExp(`^(?:${source})`, flags);
  }
  fullmatch(text) {
    return found_in(this.whole.exec(text));
  }
  match(text) {
    return found_in(this.begin.exec(text));
  }
  search(text) {
    return found_in(this.any.exec(text));
  }
  finditer(text) {
    return [...String(text).matchAll(this.all)].map(found_in);
  }
  findall(text) {
    return [...String(text).matchAll(this.all)].map((one) => (one.length > 2 ? tuple_of(one.slice(1)) : one[one.length - 1]));
  }
  sub(now, text) {
    if (typeof now === "function") {
      return String(text).replace(this.all, (...args) => {
        const end = args.findIndex((one, k) => k && typeof one === "number");
        return str(now(new Match(Object.assign(args.slice(0, end), { index: args[end] }))));
      });
    }
    return String(text).replace(this.all, String(now).replace(/\$/g, "$$$$").replace(/\\g<(\w+)>|\\(\d)/g, (_, name, number) => (number ? `$${number}` : /^\d/.test(name) ? `$${name}` : `$<${name}>`)));
  }
}
const found_in = (found) => (found ? new Match(found) : null);
export const pattern = (source, flags) => new Pattern(source, flags);
opened(Pattern);

// Built in

export const len = (thing) => {
  if (is_text(thing)) return [...String(thing)].length;
  if (Array.isArray(thing)) return thing.length;
  if (thing instanceof Grid) return thing.shape[0];
  if (thing && typeof thing.size === "number") return thing.size;
  return thing && thing.__len__ ? thing.__len__() : fail(`${repr(thing)} has no length`);
};
export const bool = (thing = false) => truth(thing);
export const int = (thing = 0) => {
  if (is_text(thing)) {
    const text = String(thing).trim();
    return /^[-+]?\d+$/.test(text) ? whole(BigInt(text.replace("+", ""))) : fail(`invalid literal for int(): ${repr(thing)}`);
  }
  if (typeof thing === "boolean") return Number(thing);
  if (thing instanceof Float) return Math.trunc(thing.value);
  return typeof thing === "number" ? Math.trunc(thing) : is_number(thing) ? thing : fail(`${repr(thing)} is no number`);
};
export const list = (things = []) => [...iter(things)];
export const tuple_ = (things = []) => tuple_of(iter(things));
export const set_ = (things = []) => new PySet(iter(things));
export const frozenset = set_;
export const dict_ = by_name((given, things) => {
  const made = new Dict();
  if (things) update(made, things);
  for (const [name, value] of Object.entries(given)) made.set(name, value);
  return made;
});
export const proxied = (thing) => thing;
export const from_keys = (names, value = null) => new Dict([...iter(names)].map((name) => [name, value]));
export const range_ = (start, stop, step = 1) => (stop === undefined ? new Range(0, Number(start), 1) : new Range(Number(start), Number(stop), Number(step)));
export const abs = (thing) => (typeof thing === "bigint" ? (thing < 0n ? -thing : thing) : thing instanceof Float ? float_of(Math.abs(thing.value)) : Math.abs(thing));
export const all = (things) => { for (const one of iter(things)) if (!truth(one)) return false; return true; };
export const any = (things) => { for (const one of iter(things)) if (truth(one)) return true; return false; };
export const callable = (thing) => typeof thing === "function";
export const chr = (code) => String.fromCodePoint(code);
export const ord = (sign) => sign.codePointAt(0);
export const divmod = (one, other) => tuple_of([floordiv(one, other), mod(one, other)]);
export const enumerate = by_name((given, things, start) => numbered(things, given.start ?? start ?? 0));
function* numbered(things, start) {
  for (const one of iter(things)) yield tuple_of([start++, one]);
}
export function* filter(asked, things) {
  for (const one of iter(things)) if (truth(asked ? asked(one) : one)) yield one;
}
export function* map(called, ...things) {
  if (things.length === 1) for (const one of iter(things[0])) yield called(one);
  else for (const one of zipped(things)) yield called(...one);
}
function* zipped(things, strict = false) {
  const all = things.map((one) => { const made = iter(one); return made[Symbol.iterator](); });
  for (;;) {
    const next = all.map((one) => one.next());
    if (next.some((one) => one.done)) {
      if (strict && !next.every((one) => one.done)) fail("zip() arguments have different lengths");
      return;
    }
    yield tuple_of(next.map((one) => one.value));
  }
}
export const zip = by_name((given, ...things) => zipped(things, given.strict));
export const getattr = (thing, name, usual) => {
  const value = find(thing, name);
  return value !== undefined ? value : usual === undefined ? missing_attribute(thing, name) : usual;
};
export const hasattr = (thing, name) => find(thing, name) !== undefined;
export const next = (things, usual) => {
  const { value, done } = things.next();
  return done ? (usual === undefined ? fail("there is nothing more") : usual) : value;
};
export const iter_ = (thing) => iter(thing)[Symbol.iterator]();
export const reversed = (thing) => [...iter(thing)].reverse();
export const round = (thing, digits = null) => {
  const scale = 10 ** (digits ?? 0);
  const value = point(thing) * scale;
  const near = Math.round(value);
  const even = Math.abs(value % 1) === 0.5 && near % 2 ? near - 1 : near;
  return digits === null ? even : float_of(even / scale);
};
export const sum = by_name((given, things, start) => {
  let total = given.start ?? start ?? 0;
  for (const one of iter(things)) total = add(total, one);
  return typeof total === "boolean" ? Number(total) : total;
});
export const sorted = by_name(({ key: by = null, reverse = false }, things) => {
  const keyed = [...iter(things)].map((one) => [by ? by(one) : one, one]);
  keyed.sort(([one], [other]) => (reverse ? order(other, one) : order(one, other)));
  return keyed.map(([, one]) => one);
});
const best = (is_better) => by_name(({ key: by = null, default: usual }, ...things) => {
  const all = things.length === 1 ? [...iter(things[0])] : things;
  if (!all.length) return usual === undefined ? fail("there is none to choose from") : usual;
  let [found, worth] = [all[0], by ? by(all[0]) : all[0]];
  for (const one of all.slice(1)) {
    const own = by ? by(one) : one;
    if (is_better(order(own, worth))) [found, worth] = [one, own];
  }
  return found;
});
export const max = best((difference) => difference > 0);
export const min = best((difference) => difference < 0);
export const isinstance = (thing, kinds) => (kinds instanceof Tuple ? [...kinds] : [kinds]).some((kind) => is_a(thing, kind));
function is_a(thing, kind) {
  switch (kind) {
    case str: return is_text(thing);
    case int: return is_whole(thing);
    case bool: return typeof thing === "boolean";
    case float: return thing instanceof Float || (typeof thing === "number" && !Number.isInteger(thing));
    case list: return Array.isArray(thing) && !(thing instanceof Tuple);
    case tuple_: return thing instanceof Tuple;
    case dict_: return thing instanceof Dict;
    case set_: return thing instanceof PySet;
    case Word_: return thing instanceof Word;
    case Sentence_: return thing instanceof Sentence;
    case markupsafe_Markup: return thing instanceof Markup;
  }
  return kind.prototype !== undefined && thing !== null && typeof thing === "object" && thing instanceof kind.prototype.constructor;
}
export const markupsafe_Markup = (text = "") => (text instanceof Markup ? text : new Markup(str(text)));
const Word_ = () => fail("a word cannot be made here");
const Sentence_ = () => fail("a sentence cannot be made here");
export { Word_ as Word, Sentence_ as Sentence };
export const str_lower = (text) => TEXT.lower(text);
export const str_strip = (text) => TEXT.strip(text);
export const ValueError = (text = "") => new Failed(text);
export { ValueError as KeyError, ValueError as IndexError, ValueError as LookupError, ValueError as AssertionError };
export const infinite = Infinity;
export const unicodedata_normalize = (form, text) => String(text).normalize(form);
export const math_ceil = (thing) => Math.ceil(point(thing));
export const math_floor = (thing) => Math.floor(point(thing));
export const math_isqrt = (thing) => Math.floor(Math.sqrt(Number(thing)));

// The library

export function* itertools_chain(...things) {
  for (const one of things) yield* iter(one);
}
export function* from_chain(things) {
  for (const one of iter(things)) yield* iter(one);
}
export function* itertools_pairwise(things) {
  let last;
  let is_first = true;
  for (const one of iter(things)) {
    if (!is_first) yield tuple_of([last, one]);
    [last, is_first] = [one, false];
  }
}
export function* itertools_count(start = 0, step = 1) {
  for (;;) { yield start; start += step; }
}
export function* itertools_repeat(thing, times = Infinity) {
  for (let k = 0; k < times; k++) yield thing;
}
export function* itertools_islice(things, ...limits) {
  const [from, to, step = 1] = limits.length === 1 ? [0, limits[0]] : limits;
  let k = 0;
  for (const one of iter(things)) {
    if (to !== null && k >= to) return;
    if (k >= (from ?? 0) && (k - (from ?? 0)) % step === 0) yield one;
    k++;
  }
}
export function* itertools_takewhile(asked, things) {
  for (const one of iter(things)) { if (!truth(asked(one))) return; yield one; }
}
export function* itertools_starmap(called, things) {
  for (const one of iter(things)) yield called(...one);
}
export function* itertools_product(...things) {
  const lists = things.map((one) => [...iter(one)]);
  const go = function* (k, taken) {
    if (k === lists.length) yield tuple_of(taken);
    else for (const one of lists[k]) yield* go(k + 1, [...taken, one]);
  };
  yield* go(0, []);
}
export function* itertools_combinations(things, count) {
  const all = [...iter(things)];
  const go = function* (from, taken) {
    if (taken.length === count) yield tuple_of(taken);
    else for (let k = from; k < all.length; k++) yield* go(k + 1, [...taken, all[k]]);
  };
  yield* go(0, []);
}
export function* itertools_permutations(things) {
  const all = [...iter(things)];
  const go = function* (taken) {
    if (taken.length === all.length) yield tuple_of(taken.map((k) => all[k]));
    else for (let k = 0; k < all.length; k++) if (!taken.includes(k)) yield* go([...taken, k]);
  };
  yield* go([]);
}
export const itertools_accumulate = function* (things) {
  let total;
  for (const one of iter(things)) { total = total === undefined ? one : add(total, one); yield total; }
};
export const itertools_groupby = by_name((given, things, by) => grouped(things, given.key ?? by));
function* grouped(things, by) {
  let [last, found] = [undefined, []];
  for (const one of iter(things)) {
    const own = by ? by(one) : one;
    if (found.length && !eq(own, last)) { yield tuple_of([last, found]); found = []; }
    last = own;
    found.push(one);
  }
  if (found.length) yield tuple_of([last, found]);
}
export const itertools_zip_longest = by_name(({ fillvalue = null }, ...things) => {
  const all = things.map((one) => [...iter(one)]);
  const most = Math.max(0, ...all.map((one) => one.length));
  return Array.from({ length: most }, (_, k) => tuple_of(all.map((one) => (k < one.length ? one[k] : fillvalue))));
});
export const functools_partial = by_name((given, called, ...args) => part(called, args, given));
export const functools_reduce = (called, things, start) => {
  const all = [...iter(things)];
  return start === undefined ? all.reduce((one, other) => called(one, other)) : all.reduce((one, other) => called(one, other), start);
};
export const collections_Counter = (things = []) => {
  const made = new Dict();
  made.made = () => 0;
  for (const one of iter(things)) made.set(one, (made.take(one)?.[1] ?? 0) + 1);
  return made;
};
const QUOTED = /%20|[!'()*]/g;
export const urllib_urlencode = (parts) =>
  [...iter(parts)].map((pair) => [...pair].map((one) => encodeURIComponent(str(one)).replace(QUOTED, (sign) => (sign === "%20" ? "+" : `%${sign.charCodeAt(0).toString(16).toUpperCase()}`))).join("=")).join("&");
export const operator_itemgetter = (place) => (thing) => at(thing, place);
export const operator_attrgetter = (name) => (thing) => attr(thing, name);
