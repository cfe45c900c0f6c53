// Bots think in workers: `node thinks.mjs FOLDER` says what the page could do in the meantime.

import { join } from "node:path";
import { pathToFileURL } from "node:url";

const folder = process.argv[2];
const { Game } = await import(pathToFileURL(join(folder, "samovar.mjs")));
const game = await Game.load(join(folder, "connect_four.wasm"));
const match = game.match({ seats: 2, seed: 7n, options: { first: 0 } });

const bot = game.bot("search:0.5s");
let ticks = 0;
const ticking = setInterval(() => ticks++, 10);
const { move, reasons } = await bot.choose(match, 0);
clearInterval(ticking);

const failed = async (promise) => promise.then(() => null, (error) => [error.name, error.message]);
const thinking = failed(bot.choose(match, 0));
bot.close();
console.log(
  JSON.stringify({
    ticks,
    isLegal: match.legal(0).includes(move),
    visits: reasons[0].visits,
    closed: await thinking,
    notAsked: await failed(bot.choose(match, 1)),
  }),
);
