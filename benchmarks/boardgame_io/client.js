// The load of benchmarks/web.py: many matches of Connect Four at once, the same random moves on either side, one process.
//
//     node client.js < PLAN.json      (web.py writes the plan; stdout: a line when it begins in earnest, the answer as JSON)
//
// Each match has a connection of its own that plays both seats: boardgame.io's socket.io messages, or requests to Samovar's API on one kept-alive
// connection. A move's latency ends when its mover has the server's answer. With `streams` each seat has its own connection and is told of
// every move; the latency then ends when the other seat knows.
"use strict";

const fs = require("node:fs");
const http = require("node:http");

const WIDTH = 7;
const HEIGHT = 6;
const PATIENCE = 20_000; // milliseconds for one answer
const WARM_UP = 1.5; // seconds
const SHORTEST = 8; // moves of a match, when enough matches are to be made: random play takes 22 on average
const HANDS = 16; // how many things are prepared at once

class Gone extends Error {} // the server has died, which may be what the plan wants

// ---- one match at a time, for either side

class Player {
  constructor(side, pool, known) {
    Object.assign(this, { side, pool, known, line: side.connect(), match: null });
  }

  async ready() {
    if (this.match && !this.over) return;
    this.match = this.pool.pop() ?? (await this.side.create());
    this.known?.push(this.match);
    Object.assign(this, { over: false, seat: 0, heights: Array(WIDTH).fill(0), random: randomness(this.match.seed) });
    await this.line.sit(this.match);
  }

  async move() {
    const open = this.heights.flatMap((height, column) => (height < HEIGHT ? [column] : []));
    const column = open[Math.floor(this.random() * open.length)];
    this.over = await this.line.move(this.match, this.seat, column);
    this.match.ply++;
    this.heights[column]++;
    this.seat = 1 - this.seat;
  }
}

function randomness(seed) {
  let state = Math.imul(seed + 1, 0x9e3779b1) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

function withPatience(what, start, patience = PATIENCE) {
  return new Promise((resolve, reject) => {
    const alarm = setTimeout(() => reject(new Error(`no answer in ${patience / 1000} s: ${what}`)), patience);
    const settle = (end) => (value) => {
      clearTimeout(alarm);
      end(value);
    };
    start(settle(resolve), settle(reject));
  });
}

function request(agent, url, path, { method = "POST", body, token, raw } = {}) {
  return withPatience(path, (resolve, reject) => {
    const headers = body === undefined ? {} : { "content-type": "application/json" };
    if (token) headers.authorization = `Bearer ${token}`;
    const sent = http.request(url + path, { agent, method, headers }, (answer) => {
      if (raw && answer.statusCode === 200) return resolve(answer);
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (part) => (text += part));
      answer.on("error", () => reject(new Gone()));
      answer.on("end", () => {
        if (answer.statusCode >= 300) return reject(new Error(`${method} ${path}: ${answer.statusCode} ${text.slice(0, 300)}`));
        resolve(JSON.parse(text));
      });
    });
    sent.on("error", () => reject(new Gone()));
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const connection = () => new http.Agent({ keepAlive: true, maxSockets: 1 });

// ---- boardgame.io

class BoardgameIo {
  constructor({ url, streams }) {
    Object.assign(this, { url, streams, lobby: new http.Agent({ keepAlive: true, maxSockets: 16 }), made: 0 });
  }

  async create() {
    const seed = this.made++;
    const { matchID: id } = await request(this.lobby, this.url, "/games/connect_four/create", { body: { numPlayers: 2 } });
    const keys = [];
    for (const playerID of ["0", "1"]) {
      const joined = await request(this.lobby, this.url, `/games/connect_four/${id}/join`, { body: { playerID, playerName: playerID } });
      keys.push(joined.playerCredentials);
    }
    return { id, keys, ply: 0, seed };
  }

  connect() {
    return new Sockets(this.url, this.streams ? 2 : 1);
  }

  async plies(match, line) {
    await line.sit(match);
    return line.plies;
  }
}

class Sockets {
  constructor(url, count) {
    const { io } = require("socket.io-client");
    const options = { transports: ["websocket"], forceNew: true, reconnection: false };
    this.sockets = Array.from({ length: count }, () => io(url + "/connect_four", options));
    this.waiting = this.sockets.map(() => null);
    this.sockets.forEach((socket, seat) => this.listen(socket, seat));
  }

  listen(socket, seat) {
    socket.on("disconnect", () => this.waiting[seat]?.fail(new Gone()));
    socket.on("connect_error", () => this.waiting[seat]?.fail(new Gone()));
    socket.on("sync", (id, { state }) => this.tell(seat, id, state, state._stateID));
    socket.on("update", (id, state) => this.tell(seat, id, state, state._stateID));
  }

  tell(seat, id, state, plies) {
    const wait = this.waiting[seat];
    if (!wait || wait.id !== id || plies < wait.plies) return;
    this.waiting[seat] = null;
    wait.done(state);
  }

  // Sends through one seat's socket and waits until another's (or its own) has a state of that many moves.
  exchange(from, to, id, plies, ...message) {
    return withPatience(`${message[0]} of match ${id}`, (done, fail) => {
      this.waiting[to] = { id, plies, done, fail };
      if (this.sockets[from].disconnected && this.sockets[from].io._readyState === "closed") return fail(new Gone());
      this.sockets[from].emit(...message);
    });
  }

  async sit(match) {
    const states = this.sockets.map((_, seat) => this.exchange(seat, seat, match.id, 0, "sync", match.id, String(seat), match.keys[seat], 2));
    this.plies = (await Promise.all(states))[0]._stateID;
  }

  async move({ id, keys, ply }, seat, column) {
    const action = { type: "MAKE_MOVE", payload: { type: "drop", args: [column], playerID: String(seat), credentials: keys[seat] } };
    const count = this.sockets.length;
    const state = await this.exchange(seat % count, (1 - seat) % count, id, ply + 1, "update", action, ply, id, String(seat));
    return state.ctx.gameover !== undefined;
  }

  close() {
    for (const socket of this.sockets) socket.close();
  }
}

// ---- Samovar

class Samovar {
  constructor({ url, streams }) {
    Object.assign(this, { url, streams, agent: new http.Agent({ keepAlive: true, maxSockets: 16 }), made: 0 });
  }

  async create() {
    const seed = this.made++;
    const body = { game: "connect_four", seats: 2, chairs: ["token", "token"], options: { first: 0 } };
    const { table, tokens } = await request(this.agent, this.url, "/api/tables", { body });
    return { id: table, keys: tokens, ply: 0, seed };
  }

  connect() {
    return this.streams ? new Streams(this.url) : new Requests(this.url);
  }

  async plies({ id, keys }) {
    return (await request(this.agent, this.url, `/api/tables/${id}`, { method: "GET", token: keys[0] })).ply;
  }
}

class Requests {
  constructor(url) {
    Object.assign(this, { url, agent: connection() });
  }

  async sit() {}

  async move({ id, keys, ply }, seat, column) {
    const body = { move: "abcdefg"[column], ply };
    return (await request(this.agent, this.url, `/api/tables/${id}/moves`, { token: keys[seat], body })).over;
  }

  close() {
    this.agent.destroy();
  }
}

class Streams {
  constructor(url) {
    Object.assign(this, { url, seats: [new Requests(url), new Requests(url)], streams: [], waiting: [null, null] });
  }

  async sit(match) {
    this.hangUp();
    this.streams = await Promise.all([0, 1].map((seat) => this.listen(match, seat)));
  }

  async listen({ id, keys }, seat) {
    const agent = connection();
    const stream = await request(agent, this.url, `/api/tables/${id}/events`, { method: "GET", token: keys[seat], raw: true });
    let rest = "";
    stream.setEncoding("utf8");
    stream.on("error", () => this.waiting[seat]?.fail(new Gone()));
    stream.on("data", (part) => {
      const lines = (rest + part).split("\n");
      rest = lines.pop();
      for (const line of lines) if (line) this.tell(seat, id, JSON.parse(line));
    });
    return agent;
  }

  tell(seat, id, event) {
    const wait = this.waiting[seat];
    if (!wait || wait.id !== id || !(event.ply >= wait.ply)) return;
    this.waiting[seat] = null;
    wait.done(event.status === "over");
  }

  async move(match, seat, column) {
    const heard = withPatience(`the event of ${match.id}`, (done, fail) => (this.waiting[1 - seat] = { id: match.id, ply: match.ply + 1, done, fail }));
    const answered = this.seats[seat].move(match, seat, column);
    answered.catch((error) => this.waiting[1 - seat]?.fail(error));
    return heard;
  }

  hangUp() {
    for (const agent of this.streams) agent.destroy();
  }

  close() {
    this.hangUp();
    for (const seat of this.seats) seat.close();
  }
}

// ---- plans

const SIDES = { peer: BoardgameIo, ours: Samovar };

async function inHands(count, work) {
  let next = 0;
  const hand = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: Math.min(HANDS, count) }, hand));
}

function fill(pool, side, count) {
  return inHands(count, async () => pool.unshift(await side.create()));
}

// All players move for some seconds; with a pace, so many times a second each. A move that is late because the one before it was late counts from
// when it was due.
async function burst(players, seconds, pace) {
  const latencies = [];
  const start = performance.now();
  const end = start + seconds * 1000;
  await Promise.all(
    players.map(async (player, index) => {
      for (let due = pace ? start + (1000 * index) / (players.length * pace) : 0; ; due += pace ? 1000 / pace : 0) {
        await player.ready();
        const late = performance.now() - due;
        if (player.done || Math.max(performance.now(), due) >= end) return;
        if (pace && late < 0) await new Promise((resolve) => setTimeout(resolve, -late));
        const from = pace && late > 0 ? due : performance.now();
        await player.move(from);
        latencies.push(performance.now() - from);
      }
    }),
  );
  return { latencies, seconds: (performance.now() - start) / 1000 };
}

function spread(latencies) {
  const sorted = latencies.sort((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  return { p50: at(0.5), p99: at(0.99), max: sorted.at(-1) };
}

// What this process itself uses from now on: its share of a core, and what it reads; nothing of the latter where the system does not tell.
function ownUse() {
  const read = () => (fs.existsSync("/proc/self/io") ? Number(/rchar: (\d+)/.exec(fs.readFileSync("/proc/self/io", "latin1"))[1]) : 0);
  const before = { cpu: process.cpuUsage(), read: read(), time: performance.now() };
  return () => {
    const { user, system } = process.cpuUsage(before.cpu);
    return { busy: (user + system) / 1e3 / (performance.now() - before.time), bytes: read() - before.read };
  };
}

async function load({ side: name, matches, seconds, pace, ...rest }) {
  const side = new SIDES[name](rest);
  const pool = [];
  await fill(pool, side, matches);
  const players = Array.from({ length: matches }, () => new Player(side, pool));
  const warm = await burst(players, WARM_UP, pace);
  await fill(pool, side, Math.ceil((seconds * warm.latencies.length) / (warm.seconds * SHORTEST)));
  process.stdout.write("begin\n");
  const [used, made] = [ownUse(), side.made];
  const { latencies, seconds: taken } = await burst(players, seconds, pace);
  const use = used();
  players.forEach((player) => player.line.close());
  return { moves: latencies.length, seconds: taken, ...spread(latencies), ...use, made_late: side.made - made };
}

// Plays until the server dies, and tells what it had acknowledged.
async function loadUntilDeath({ side: name, matches, seconds, ...rest }) {
  const side = new SIDES[name](rest);
  const known = [];
  const players = Array.from({ length: matches }, () => new Player(side, [], known));
  process.stdout.write("begin\n");
  const ends = await Promise.allSettled(players.map((player) => burst([player], seconds, 0)));
  const wrong = ends.find(({ reason }) => !(reason instanceof Gone));
  if (wrong) throw wrong.reason ?? new Error("the server was to die, and did not");
  return { known };
}

// Opens matches again: moves that were acknowledged and are missing, matches that do not open. Ends early when a match takes the server down.
async function check({ side: name, known, ...rest }) {
  const side = new SIDES[name](rest);
  const line = side.connect();
  const found = { matches: 0, acknowledged: 0, missing: 0, short: 0, unopened: 0, downs: 0 };
  for (const match of known) {
    const plies = await side.plies(match, line).catch((error) => {
      found.unopened++;
      found.downs += error instanceof Gone ? 1 : 0;
      return 0;
    });
    found.matches++;
    found.acknowledged += match.ply;
    found.missing += Math.max(0, match.ply - plies);
    found.short += plies < match.ply ? 1 : 0;
    if (found.downs) break;
  }
  line.close();
  return found;
}

async function follow(plans) {
  let text = "";
  for await (const part of process.stdin) text += part;
  const { plan, ...rest } = JSON.parse(text);
  const answer = await plans[plan](rest);
  process.stdout.write(JSON.stringify(answer) + "\n", () => process.exit(0));
}

function main(plans) {
  follow(plans).catch((error) => {
    process.stderr.write(`${error.stack ?? error}\n`);
    process.exit(1);
  });
}

if (require.main === module) main({ load, loadUntilDeath, check });

module.exports = { WARM_UP, burst, inHands, main, ownUse, randomness, spread, withPatience };
