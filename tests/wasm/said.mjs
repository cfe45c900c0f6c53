// What JavaScript says to odd requests: `node said.mjs FOLDER`. Each case is one that the test asks Python, too.

import { join } from "node:path";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];
const { Game } = await import(pathToFileURL(join(folder, "samovar.mjs")));
const game = await Game.load(join(folder, "connect_four.wasm"));
const fresh = (moves = []) => {
  const match = game.match({ seats: 2, seed: 7n, options: { first: 0 } });
  for (const move of moves) match.apply(match.actors[0], move);
  return match;
};
const full = [0, 0, 0, 0, 0, 0];
const won = [0, 1, 0, 1, 0, 1, 0];

const cases = {
  "no such seat": () => fresh().apply(2, 0),
  "no seat at all": () => fresh().legal("x"),
  "not to move": () => fresh().apply(1, 0),
  "full column by number": () => fresh(full).apply(0, 0),
  "no such move": () => fresh().apply(0, 99),
  "beyond 32 bits": () => fresh().apply(0, 2 ** 32),
  "no move at all": () => fresh().apply(0, null),
  over: () => fresh(won).apply(1, 0),
  "nothing to undo": () => fresh().undo(),
  "too many": () => game.match({ seats: 3 }),
  "bad value": () => game.match({ options: { rows: 9 } }),
  "bad flag": () => game.match({ options: { rows: true } }),
  "late first": () => game.match({ options: { first: 2 } }),
  "negative seed": () => game.match({ seed: -1n }),
  "short seed": () => game.match({ seed: "abc" }),
  "imagined record": () => fresh().imagine(0, 1).record(),
  "no budget": () => game.bot("search:0"),
};

const said = {};
for (const [name, ask] of Object.entries(cases)) {
  try {
    ask();
    said[name] = null;
  } catch (error) {
    said[name] = [error.name, error.message];
  }
}

const kept = fresh(full);
const before = Buffer.from(kept.bytes).toString("hex");
for (const move of [0, "a", 7, -1, 0.5, 2 ** 32, NaN, null, undefined, "nonsense"]) {
  try {
    kept.apply(0, move);
    said[`${move} changed nothing`] = false;
  } catch (error) {
    said[`${move} changed nothing`] = Buffer.from(kept.bytes).toString("hex") === before && kept.history.length === 6;
  }
}
console.log(JSON.stringify(said));
