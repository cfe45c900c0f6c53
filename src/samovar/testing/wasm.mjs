// Does in Node what `testing/wasm.py` does in Python: `node wasm.mjs`, with a job as JSON on its standard input, and
// the answer on its standard output.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const job = JSON.parse(readFileSync(0, "utf8"));
const { Game } = await import(pathToFileURL(join(job.folder, "samovar.mjs")));
const file = join(job.folder, `${job.game}.wasm`);
const game = await Game.load(file);

const hex = (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");

/** All that can be asked after each move of some matches. */
function walk({ matches }) {
  return matches.map(({ seats, options, seed, moves }) => {
    const match = game.match({ seats, options, seed: typeof seed === "string" && seed.length < 64 ? BigInt(seed) : seed });
    const hashes = [lookedAt(match)];
    for (const [seat, move] of moves) {
      match.apply(seat, move);
      hashes.push(lookedAt(match));
    }
    return hashes;
  });
}

function lookedAt(match) {
  const all = Array.from({ length: match.seats }, (_, seat) => seat);
  for (const seat of all) {
    const fitting = match.imagine(seat, match.history.length);
    if (hex(match.seat(seat).world) !== hex(fitting.seat(seat).world)) throw new Error("a bot is sent more than its seat knows");
  }
  const seen = [
    hex(match.bytes),
    match.actors,
    all.map((seat) => match.legal(seat)),
    match.scores,
    match.places,
    match.success,
    all.map((seat) => hex(match.observe(seat))),
    all.map((seat) => hex(match.imagine(seat, match.history.length).bytes)),
    all.map((seat) => match.seat(seat).sights.map(String)),
  ];
  return seen.map((one) => createHash("md5").update(JSON.stringify(one)).digest("hex"));
}

/** Random matches as `kernels.random_one` plays them, to their end, straight by the module; a hash of all ends. */
async function play({ setup, seed, matches, stream }) {
  const { exports: wasm } = (await WebAssembly.instantiate(await readFile(file))).instance;
  const state = (wasm.__heap_base.value + 15) & ~15;
  const size = game.facts.state_bytes;
  const [told, rng, out] = [size + 16, size + 1024, size + 2048].map((at) => (state + at) & ~15);
  wasm.memory.grow(Math.ceil((out + 8 * game.facts.out_room) / 65536));
  new Int32Array(wasm.memory.buffer, told, setup.length).set(setup);
  const moves = new Int32Array(wasm.memory.buffer, out, game.facts.out_room);
  const ends = createHash("sha256");
  let made = 0;
  for (let number = 0; number < matches; number++) {
    const own = BigInt(seed + number);
    wasm.deal(state, told, own, rng);
    let mask = wasm.actors(state);
    for (let ply = 0; mask > 0; ply++) {
      const seat = 31 - Math.clz32(mask & -mask);
      const count = wasm.legal(state, seat, out);
      const move = moves[Number((wasm.word(own, stream, ply, rng) * BigInt(count)) >> 32n)];
      mask = wasm.act(state, seat, move, out);
      made += 1;
    }
    ends.update(new Uint8Array(wasm.memory.buffer, state, size));
  }
  return { made, ends: ends.digest("hex") };
}

/** What a bot answers at some moments of matches, one bot for each match. */
async function ask({ asked }) {
  const answers = [];
  for (const { seats, options, seed, moves, seat, moments, order, bot_seed } of asked) {
    const match = game.match({ seats, options, seed: BigInt(seed) });
    const bot = game.bot(order, { seed: BigInt(bot_seed) });
    for (let ply = 0; ply <= moves.length; ply++) {
      if (moments.includes(ply)) {
        const { move, reasons } = await bot.choose(match, seat);
        answers.push([move, reasons.map((reason) => [reason.move, reason.visits, reason.place, reason.success])]);
      }
      if (ply < moves.length) match.apply(...moves[ply]);
    }
    bot.close();
  }
  return answers;
}

/** Records of matches, and what the records given replay to. */
function record({ matches, records }) {
  return {
    written: matches.map(({ seats, options, seed, moves }) => {
      const match = game.match({ seats, options, seed: BigInt(seed) });
      for (const move of moves) match.apply(...move);
      return match.record();
    }),
    replayed: records.map((text) => hex(game.replay(text).bytes)),
  };
}

console.log(JSON.stringify(await { walk, play, ask, record }[job.what](job)));
