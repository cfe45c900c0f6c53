// How fast a module is, asked directly: `node wasm.mjs`, with a job as JSON on its standard input. `bench/wasm.py`
// does the same on the CPU. Seconds are those that the process worked, so that others on the machine count little.

import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";

const job = JSON.parse(readFileSync(0, "utf8"));
const { exports: wasm } = (await WebAssembly.instantiate(await readFile(job.wasm))).instance;
const { search: s, state_bytes: size } = job.facts;
let top = wasm.__heap_base.value;

function room(bytes) {
  const at = (top + 15) & ~15;
  top = at + bytes;
  const missing = top - wasm.memory.buffer.byteLength;
  if (missing > 0) wasm.memory.grow(Math.ceil(missing / 65536));
  return at;
}

const int64s = (at, count) => new BigInt64Array(wasm.memory.buffer, at, count);
const rng = room(32);
const out = room(8 * job.facts.out_room);
const seen = room(job.longest_row);
const setup = room(4 * job.setup.length);
new Int32Array(wasm.memory.buffer, setup, job.setup.length).set(job.setup);

/** Random matches, one after another. */
function playing() {
  const states = room(size * job.places);
  const seeds = room(8 * job.places);
  const steps = room(8 * job.places);
  return (count) => {
    int64s(seeds, job.places).set(Array.from({ length: job.places }, (_, k) => BigInt(job.seed + k)));
    int64s(steps, job.places).fill(BigInt(count));
    wasm.play_endless(states, job.places, setup, seeds, steps, rng, out, seen);
    return Number(int64s(steps, job.places).reduce((sum, made) => sum + made, 0n));
  };
}

/** Simulations from given positions, each in an empty tree. */
function searching() {
  const states = room(size * s.states);
  const path = room(8 * s.path);
  const orders = room(8 * s.orders);
  const nodes = room(8 * s.node_fields * job.room);
  return (count) => {
    for (const { known, seat } of job.positions) {
      new Uint8Array(wasm.memory.buffer).set(Buffer.from(known, "hex"), states + s.known * size);
      int64s(nodes, s.node_fields).fill(0n);
      const row = int64s(orders, s.orders).fill(0n);
      row[s.used] = BigInt(s.root + 1);
      row[s.observer] = BigInt(seat);
      row[s.end] = BigInt(count);
      for (const [name, number] of Object.entries(job.tuning)) row[s[name]] = BigInt(number);
      wasm.search(states, nodes, job.room, path, orders, rng, out);
    }
    return count * job.positions.length;
  };
}

/** The best of some runs that last long enough. */
function rate(work, first) {
  let count = first;
  let best = 0;
  for (let runs = 0; runs < job.runs; ) {
    const begun = process.cpuUsage();
    const done = work(count);
    const { user, system } = process.cpuUsage(begun);
    const seconds = (user + system) / 1e6;
    if (seconds < job.enough_s && count < job.most) {
      count = Math.min(2 * count, job.most);
      continue;
    }
    best = Math.max(best, done / seconds);
    runs += 1;
  }
  return best;
}

const work = job.what === "rules" ? playing() : searching();
console.log(JSON.stringify({ rate: rate(work, 64) }));
