// The peer: boardgame.io's own server with a Connect Four, in memory or with its FlatFile storage.
//
//     node server.js PORT [--flatfile DIR]
//
// Everything that is known to make it faster is on: production mode (set by web.py), no undo history, a small state, websockets only.
"use strict";

const { Server, SocketIO, FlatFile, Origins } = require("boardgame.io/server");
const { INVALID_MOVE } = require("boardgame.io/core");

const WIDTH = 7;
const HEIGHT = 6;
const LINES = [[1, 0], [0, 1], [1, 1], [1, -1]];

// A column is a string of the seats that dropped a man into it, from the bottom.
const game = {
  name: "connect_four",
  minPlayers: 2,
  maxPlayers: 2,
  disableUndo: true,
  setup: () => ({ columns: Array(WIDTH).fill(""), last: -1 }),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: { drop },
  endIf: ({ G, ctx }) => {
    if (G.last >= 0 && wins(G.columns, G.last)) return { winner: ctx.currentPlayer };
    if (G.columns.every((column) => column.length === HEIGHT)) return { draw: true };
  },
};

function drop({ G, playerID }, column) {
  if (!Number.isInteger(column) || column < 0 || column >= WIDTH || G.columns[column].length === HEIGHT) return INVALID_MOVE;
  G.columns[column] += playerID;
  G.last = column;
}

function wins(columns, column) {
  const row = columns[column].length - 1;
  return LINES.some(([x, y]) => 1 + reach(columns, column, row, x, y) + reach(columns, column, row, -x, -y) >= 4);
}

function reach(columns, column, row, x, y) {
  const man = columns[column][row];
  let steps = 1;
  while (columns[column + steps * x]?.[row + steps * y] === man) steps++;
  return steps - 1;
}

const [port, option, folder] = process.argv.slice(2);
Server({
  games: [game],
  db: option === "--flatfile" ? new FlatFile({ dir: folder }) : undefined,
  transport: new SocketIO({ socketOpts: { transports: ["websocket"] } }),
  origins: [Origins.LOCALHOST],
}).run({ port: { port: Number(port), host: "127.0.0.1" } });
