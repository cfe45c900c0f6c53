// Draws what a test tells: `node drawn.mjs FOLDER`, which has the scripts of one game and `told.json`. A match is there
// by what a browser reads of it, so that no WebAssembly is needed.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];
const its = (name) => import(pathToFileURL(join(folder, name)));
const { facts, people, positions } = JSON.parse(readFileSync(join(folder, "told.json"), "utf-8"));
const [{ Drawing }, pages, script] = await Promise.all([its("drawing.mjs"), its("pages.mjs"), its(`${facts.game}.table.mjs`)]);

const drawings = {};
for (const language of ["en", "fr", "de", "et"]) {
  drawings[language] = new Drawing(facts, pages, script, await its(`${facts.game}.${language}.mjs`), language);
}

const state = (hex) => new Uint8Array(Buffer.from(hex, "hex"));

function matchOf({ bytes, before, legal, ...rest }) {
  const match = { ...rest, game: { facts }, seats: people.length, history: Array(rest.moves), bytes: state(bytes), legal: (seat) => legal[seat] };
  match.copy = () => ({ ...match, undo() { this.bytes = state(before); } });
  return match;
}

const drawn = positions.map((position) =>
  position.asked.map(([viewer, language, wishes]) => {
    const drawing = drawings[language];
    const scene = drawing.scene(matchOf(position), viewer, people, wishes);
    const told = drawing.told(scene, scene.view.news, false);
    return [drawing.table(scene), String(scene.prompt), told, scene.over ? drawing.sheet(scene) : ""];
  }),
);
console.log(JSON.stringify(drawn));
