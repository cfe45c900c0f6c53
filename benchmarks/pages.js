// The load of benchmarks/web_pages.py: people at the pages of tables, as a browser with our script has them, one process.
//
//     node pages.js < PLAN.json      (web_pages.py writes the plan; stdout: a line when it begins in earnest, the answer as JSON)
//
// Two people a table, each with cookies, connections and a stream of their own. A move is the form of the page, sent by whoever has the turn. What
// comes is kept as it came, and read only where a move must be found in it: this process shares its machine with the server.
"use strict";

const http = require("node:http");
const zlib = require("node:zlib");
const { WARM_UP, burst, inHands, main, ownUse, randomness, spread, withPatience } = require("./boardgame_io/client.js");

const PATIENCE = 60_000; // milliseconds for one answer: a server that is asked too much is to be measured, not given up
const AHEAD = 4; // tables that two people have before the measurement, at most; they make others as they need them
const CONNECTIONS = 6; // of a browser to one site
const ADDRESSES = 8; // of the loopback, that spectators come from
const BUTTON = /name=\\"move\\" value=\\"([^\\"]+)\\"/g; // as it stands in JSON
const HEALTH_PACE = 50; // a second

const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

function readWhole(answer, then) {
  let text = "";
  answer.on("data", (part) => (text += part));
  answer.on("end", () => then(text));
}

// ---- one browser

class Person {
  constructor(url, localAddress, maxSockets = CONNECTIONS) {
    const agent = new http.Agent({ keepAlive: true, maxSockets });
    Object.assign(this, { url, localAddress, agent, cookies: new Map(), token: "", stream: null, waiting: [] });
    this.forget();
  }

  forget() {
    Object.assign(this, { number: -1, turn: false, board: "" });
  }

  request(path, { form, parts, packed }, then, fail) {
    const headers = { "accept-language": "en", cookie: [...this.cookies.values()].join("; ") };
    if (form) Object.assign(headers, { origin: this.url, "content-type": "application/x-www-form-urlencoded" });
    if (packed) headers["accept-encoding"] = "gzip, deflate, br"; // as browsers do
    if (parts) headers["x-samovar-parts"] = this.stream ? "by-stream" : "1"; // as our script does
    const options = { agent: this.agent, localAddress: this.localAddress, method: form ? "POST" : "GET", headers };
    const sent = http.request(this.url + path, options, (answer) => {
      for (const line of answer.headers["set-cookie"] ?? []) this.cookies.set(line.split("=", 1)[0], line.split(";", 1)[0]);
      if (!packed) answer.setEncoding("latin1"); // nothing that is read here is more than ASCII
      answer.on("error", fail);
      if (answer.statusCode < 400) then(answer);
      else readWhole(answer, (text) => fail(new Error(`${path}: ${answer.statusCode} ${text.slice(0, 300)}`)));
    });
    sent.on("error", fail);
    sent.end(form && String(new URLSearchParams({ _csrf_token: this.token, ...form })));
  }

  ask(path, what = {}) {
    return withPatience(path, (resolve, reject) => {
      this.request(path, what, (answer) => readWhole(answer, (text) => resolve({ text, location: answer.headers.location })), reject);
    }, PATIENCE);
  }

  // A page has forms, and every form has the token that is asked for with whatever is sent.
  async visit(path) {
    this.token = /name="_csrf_token" value="(\w+)"/.exec((await this.ask(path)).text)[1];
  }

  async listen(table) {
    this.leave();
    this.stream = await withPatience(`the stream of ${table}`, (resolve, reject) => {
      this.request(`/live?table=${table}&language=en`, { packed: true }, resolve, reject);
    }, PATIENCE);
    const unpacked = this.stream.headers["content-encoding"] === "gzip" ? this.stream.pipe(zlib.createGunzip()) : this.stream;
    unpacked.setEncoding("latin1").on("error", () => {}); // it ends in the middle, when somebody leaves
    let rest = "";
    unpacked.on("data", (part) => {
      const lines = (rest + part).split("\n");
      rest = lines.pop();
      for (const line of lines) if (line.startsWith("data:")) this.take(line);
    });
    this.stream.on("close", () => this.waiting.splice(0).forEach(({ fail }) => fail(new Error(`the stream of ${table} has ended`))));
    await this.hears(0);
  }

  leave() {
    this.stream?.removeAllListeners("close").destroy();
    this.forget();
  }

  // A snapshot, by the stream or as an answer, whole or with the parts that have changed; the other way may have been faster.
  take(told) {
    const number = Number(/"number":(\d+)/.exec(told)?.[1] ?? -1);
    if (number < this.number) return;
    this.number = number;
    if (told.includes('"board":')) this.board = told;
    this.turn = JSON.parse(/"turn":(\w+)/.exec(told)?.[1] ?? this.turn);
    for (const wait of this.waiting.splice(0)) wait.number <= number ? wait.done() : this.waiting.push(wait);
  }

  hears(number) {
    if (this.number >= number) return Promise.resolve();
    return withPatience(`snapshot ${number}`, (done, fail) => this.waiting.push({ number, done, fail }), PATIENCE);
  }
}

// ---- two people at one table after the other

class Table {
  constructor({ url, game, scripts }, index) {
    const people = [new Person(url), new Person(url)];
    Object.assign(this, { game, scripts, index, people, spare: [], late: 0, over: true, random: randomness(index), posts: [], streams: [] });
  }

  async prepare(count) {
    await Promise.all(this.people.map((person) => person.visit(`/new/${this.game}`)));
    while (this.spare.length < count) this.spare.push(await this.make());
    await this.ready();
  }

  async make() {
    const [host, guest] = this.people;
    const form = { name: "Ada", seats: 2, "chair-1": "", first: 0 };
    const table = (await host.ask(`/new/${this.game}`, { form })).location.split("/").at(-1);
    await guest.ask(`/table/${table}/sit`, { form: { name: "Bo" }, parts: true });
    return table;
  }

  async ready() {
    if (!this.over) return;
    if (!this.spare.length) this.late++;
    this.id = this.spare.pop() ?? (await this.make());
    this.script = this.scripts?.[this.index++ % this.scripts.length];
    Object.assign(this, { ply: 0, over: false });
    await Promise.all(this.people.map((person) => person.listen(this.id)));
    if (!this.people.some(({ turn }) => turn)) throw new Error(`nobody has the turn at the new table ${this.id}`);
  }

  get next() {
    return 1 + Math.max(...this.people.map(({ number }) => number));
  }

  choose(mover) {
    if (this.script) return this.script[this.ply];
    const moves = [...mover.board.matchAll(BUTTON)];
    if (!moves.length) throw new Error(`no move to be seen on the board of table ${this.id} after ${this.ply} moves`);
    return moves[Math.floor(this.random() * moves.length)][1];
  }

  // Measured: until the answer is complete, and until the other person's stream knows. The mover may have to wait for the own stream, too.
  async move(due) {
    const seat = this.people.findIndex(({ turn }) => turn);
    const [mover, other] = [this.people[seat], this.people[1 - seat]];
    const number = this.next;
    const form = { ply: this.ply, move: this.choose(mover) };
    const answered = mover.ask(`/table/${this.id}/move`, { form, parts: true }).then(({ text }) => {
      this.posts.push(performance.now() - due);
      if (text.includes('"board":')) mover.take(text);
    });
    const told = other.hears(number).then(() => this.streams.push(performance.now() - due));
    await Promise.all([answered, told]);
    await mover.hears(number);
    this.ply++;
    this.over = !this.people.some(({ turn }) => turn);
  }
}

// ---- those who only look on, at the one table

class Spectator extends Person {
  constructor(url, localAddress, moves, lateness) {
    super(url, localAddress);
    Object.assign(this, { moves, lateness, heard: 0 });
  }

  take(told) {
    super.take(told);
    this.board = "";
    while (this.heard < this.moves.length && this.moves[this.heard].number <= this.number) {
      this.lateness.push(performance.now() - this.moves[this.heard++].made);
    }
  }
}

class WatchedTable extends Table {
  get done() {
    return this.over;
  }

  async ready() {
    if (!this.id) await super.ready(); // the spectators would not come along to another one
  }

  async move(due) {
    this.moves.push({ number: this.next, made: performance.now() });
    await super.move(due);
  }
}

// ---- plans

async function pages({ tables: count, seconds, shortest, ...rest }) {
  const tables = Array.from({ length: count }, (_, index) => new Table(rest, index));
  const ahead = Math.min(AHEAD, Math.ceil((WARM_UP + seconds) / shortest));
  await inHands(count, (index) => tables[index].prepare(ahead));
  await burst(tables, WARM_UP, 1);
  for (const table of tables) Object.assign(table, { posts: [], streams: [], late: 0 });
  process.stdout.write("begin\n");
  const used = ownUse();
  const { latencies, seconds: taken } = await burst(tables, seconds, 1);
  const use = used();
  const [post, stream] = ["posts", "streams"].map((name) => spread(tables.flatMap((table) => table[name])));
  const made_late = tables.reduce((sum, { late }) => sum + late, 0);
  return { moves: latencies.length, seconds: taken, post, stream, ...use, made_late };
}

async function spectators({ url, game, spectators: count, seconds }) {
  const [moves, lateness] = [[], []];
  const table = Object.assign(new WatchedTable({ url, game }, 0), { moves });
  await table.prepare(1);
  const people = Array.from({ length: count }, (_, index) => new Spectator(url, `127.0.0.${1 + (index % ADDRESSES)}`, moves, lateness));
  const began = performance.now();
  await inHands(count, async (index) => {
    await people[index].visit(`/table/${table.id}`);
    await people[index].listen(table.id);
  });
  const opened = (performance.now() - began) / 1000;
  process.stdout.write("begin\n");
  await sleep(1000); // whoever asks after the server's health begins now
  const used = ownUse();
  const { latencies, seconds: taken } = await burst([table], seconds, 1);
  const heardAll = ({ heard }) => heard === moves.length;
  for (const until = performance.now() + PATIENCE; performance.now() < until && !people.every(heardAll); ) await sleep(50);
  const use = used();
  return { moves: latencies.length, seconds: taken, opened, hear: spread(lateness), heard: people.filter(heardAll).length, ...use };
}

// Asks at its pace, whether or not what it asked before has been answered.
async function health({ url, seconds }) {
  const asker = new Person(url, undefined, Infinity);
  const began = performance.now();
  const answers = [];
  while (answers.length < seconds * HEALTH_PACE) {
    const due = began + (1000 * answers.length) / HEALTH_PACE;
    await sleep(Math.max(0, due - performance.now()));
    answers.push(asker.ask("/health").then(() => performance.now() - due));
  }
  return { asked: answers.length, ...spread(await Promise.all(answers)) };
}

main({ pages, spectators, health });
