// What the functions of templates call: of Jinja as much as tables use.

import * as $ from "./runtime.mjs";

export const missing = Symbol("missing");
export const Markup = (text = "") => $.markup($.str(text));
export const escape = $.escaped;
export const identity = (thing) => thing;
export const Undefined = () => "";
/** What a thing has by a name; of a dict also what it holds. */
export function attribute(thing, name) {
  const value = $.find(thing, name);
  return value === undefined && thing instanceof $.Dict ? $.at(thing, name) : value === undefined ? $.attr(thing, name) : value;
}
export const concat = (parts) => parts.join("");
export function markup_join(parts) {
  const all = [...$.iter(parts)];
  if (all.some((part) => part instanceof $.Markup)) return $.markup(all.map($.escaped).join(""));
  return all.map($.str).join("");
}
export const str_join = (parts) => [...$.iter(parts)].map($.str).join("");

/** A macro as a function: its arguments by their places, or by name. */
export const Macro = (_environment, called, _name, names, _facts, _more, wants_caller) => {
  const places = [...names];
  return $.by_name((given, ...args) => {
    const filled = places.map((name, k) => (k < args.length ? args[k] : name in given ? given[name] : missing));
    if (wants_caller) filled.push(given.caller ?? missing);
    return $.markup(called(...filled));
  });
};

class Loop {
  constructor(items) {
    this.items = items;
    this.index0 = -1;
    this.length_ = items.length;
  }
  get index() {
    return this.index0 + 1;
  }
  get first() {
    return this.index0 === 0;
  }
  get last() {
    return this.index === this.items.length;
  }
  get revindex() {
    return this.items.length - this.index0;
  }
  get previtem() {
    return this.items[this.index0 - 1];
  }
  get nextitem() {
    return this.items[this.index];
  }
}

export function* LoopContext(things) {
  const loop = new Loop([...$.iter(things)]);
  for (const thing of loop.items) {
    loop.index0++;
    yield $.tuple(thing, loop);
  }
}

class Context {
  constructor(known) {
    this.known = known;
    this.vars = $.dict([]);
    this.exported_vars = $.set([]);
    this.eval_ctx = { autoescape: true };
  }
  resolve_or_missing(name) {
    return this.known[name] === undefined ? missing : this.known[name];
  }
  get_all() {
    return this.known;
  }
}
$.opened(Context);
Context.prototype.call = $.by_name(({ _loop_vars, _block_vars, ...given }, called, ...args) => {
  return Object.keys(given).length ? $.call_by_name(called, args, given) : called(...args);
});

/** The macros of a template. `known`: what every template knows, by name. */
export function made(root, known) {
  const context = new Context(known);
  for (const _ of root(context, missing, environment(known))) void _;
  return Object.fromEntries($.pairs(context.vars));
}

const environment_of = (known) => ({
  undefined: $.by_name(({ name }, why) => fail_(why ?? `A template does not know ${name}.`)),
  concat_: concat,
  getitem: (thing, index) => $.at(thing, index),
  get_template(name) {
    const imported = () => (known.imported[name] ??= made(known.templates[name], known));
    return { make_module: imported, _get_default_module: imported };
  },
});
const fail_ = (why) => {
  throw new $.Failed(why);
};
export const environment = (known) => environment_of(known);

const attribute_of = (given) => (thing) => (typeof given === "number" ? $.at(thing, given) : attribute(thing, given));
const named = $.by_name;
export const FILTERS = {
  abs: $.abs,
  count: $.len,
  length: $.len,
  e: $.escape_,
  escape: $.escape_,
  first: (_, things) => [...$.iter(things)][0],
  last: (_, things) => [...$.iter(things)].at(-1),
  list: (_, things) => $.list(things),
  join: (_, things, by = "") => {
    const all = [...$.iter(things)];
    return all.some((one) => one instanceof $.Markup) ? $.markup(all.map($.escaped).join($.escaped(by))) : all.map($.str).join(by);
  },
  map: named(({ attribute: asked }, _, things, filter) => [...$.iter(things)].map(asked === undefined ? filter_named(filter) : attribute_of(asked))),
  max: (_, things) => $.max(things),
  min: (_, things) => $.min(things),
  safe: (text) => $.markup($.str(text)),
  string: (text) => (text instanceof $.Markup ? text : $.str(text)),
  unique: (_, things) => $.list($.from_keys(things)),
  sort: named(({ attribute: asked, reverse = false }, _, things) => $.call_by_name($.sorted, [things], { key: asked === undefined ? null : attribute_of(asked), reverse })),
  sum: named(({ attribute: asked, start = 0 }, _, things) => $.sum(asked === undefined ? things : [...$.iter(things)].map(attribute_of(asked)), start)),
};
const filter_named = (name) => FILTERS[name];
export const filter_of = (name) => FILTERS[name];
const TESTS = { none: (thing) => thing === null, defined: (thing) => thing !== missing && thing !== undefined };
export const test_of = (name) => TESTS[name];
