// What samovar.mjs has to offer: Samovar's games in browsers and in Node. docs/wasm.md has examples.

/** A number of a move: it means the same in every position. */
export type Move = number;
/** A whole number from 0 to 2**63 - 1, or for a deal a wide seed, 64 hex digits. */
export type Seed = bigint | number | string;
export type Value = boolean | number | string | null;

export interface Option {
  readonly name: string;
  readonly default: Value;
  readonly choices: readonly Value[] | { readonly from: number; readonly to: number };
  readonly help: string;
}

/** A stretch of an observation. */
export interface Part {
  readonly name: string;
  readonly size: number;
  readonly shape: readonly number[];
  readonly help: string;
}

export class Game {
  /** A game by the address of its GAME.wasm (in Node also a path), beside which its GAME.json lies. */
  static load(source: string | URL): Promise<Game>;
  readonly id: string;
  readonly name: string;
  /** With how many it can be played. */
  readonly seats: readonly number[];
  readonly options: readonly Option[];
  readonly observation: readonly Part[];
  /** The levels of its bots. */
  readonly levels: readonly string[];
  /** All of GAME.json. */
  readonly facts: Record<string, unknown>;
  /** A new match; without a seed one is drawn, without seats the fewest play. */
  match(wanted?: { seats?: number; seed?: Seed; options?: Record<string, Value> }): Match;
  /** The match of the text of a record, played again and compared with what the record says. */
  replay(record: string): Match;
  /** A bot for one seat of one match: `easy`, `hard`, `expert:5000`, `search:800`, `search:0.5s`. The same seed gives
   * the same moves as in Python, except with a budget in seconds. */
  bot(order?: string, more?: { seed?: bigint | number }): Bot;
  isMove(move: number): boolean;
  /** The text of a move, or null where it depends on the position: only Python can tell that. */
  moveText(move: Move): string | null;
  /** The move of such a text, or null. */
  moveOf(text: string): Move | null;
}

/** One play of a game. Whatever throws has changed nothing. */
export class Match {
  private constructor();
  readonly game: Game;
  readonly seats: number;
  readonly options: Readonly<Record<string, Value>>;
  /** null in an imagined match. */
  readonly seed: bigint | string | null;
  /** The moves so far. */
  readonly history: readonly (readonly [seat: number, move: Move])[];
  /** The seats that may act now. */
  readonly actors: number[];
  readonly over: boolean;
  /** Points by seat, as if the match ended now. */
  readonly scores: number[];
  /** Places by seat, as if the match ended now; 1 for the winners. */
  readonly places: number[];
  /** How well all do together, 0 to 1000; null where they are opponents. */
  readonly success: number | null;
  /** The whole truth, as bytes: those of Python. */
  readonly bytes: Uint8Array;
  /** The whole truth, by the fields of the game's state. */
  readonly state: Record<string, number | bigint | Int8Array | Int16Array | Int32Array | BigInt64Array>;
  /** The legal moves of a seat, ascending; none when it may not act. */
  legal(seat: number): Move[];
  /** One move, by number or by its text where it has one. */
  apply(seat: number, move: Move | string): void;
  undo(): void;
  /** What a seat knows, as numbers: see `Game.observation`. */
  observe(seat: number): Int8Array;
  copy(): Match;
  /** Another match, from here on, that fits all that the seat knows. */
  imagine(seat: number, seed: bigint | number): Match;
  /** The text of a record, which `Game.replay` and Python's `samovar.replay` play again. */
  record(): string;
}

/** What a bot thinks of one move. */
export interface Reason {
  readonly move: Move;
  /** How often it was tried. */
  readonly visits: number;
  /** The place expected after it, 1 is best. */
  readonly place: number;
  /** Where all are one team: what they are expected to reach, 1 is all that can be. */
  readonly success: number | null;
}

/** Thinks in a worker of its own, and is told only what its seat knows. */
export class Bot {
  private constructor();
  readonly game: Game;
  /** A move of the seat, which must be an actor; the best reasons first, none where it did not search. */
  choose(match: Match, seat: number): Promise<{ move: Move; reasons: Reason[] }>;
  /** Ends the worker. */
  close(): void;
}

/** The base of all errors that a caller can cause and mend. */
export class SamovarError extends Error {}
export class NotLoaded extends SamovarError {}
export class WrongSeats extends SamovarError {}
export class UnknownOption extends SamovarError {}
export class BadOption extends SamovarError {}
export class BadPosition extends SamovarError {}
export class UnknownSeat extends SamovarError {}
export class NotAnActor extends SamovarError {}
export class MatchOver extends NotAnActor {}
export class IllegalMove extends SamovarError {}
export class NothingToUndo extends SamovarError {}
export class BadRecord extends SamovarError {}
export class RecordVersion extends BadRecord {}
export class BadBot extends SamovarError {}
export class BotFailed extends SamovarError {}
