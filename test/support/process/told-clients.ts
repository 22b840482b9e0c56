/**
 * Clients under whose load nodes are killed. They note what they were told, and what they were told
 * must hold afterwards on every node.
 */
import assert from "node:assert/strict";
import type { Random } from "../../simulation/random.ts";
import { ask, receiptOf, type SeenReceipt, sleep, waitForReceipt } from "./dev-process.ts";
import type { SignedCall } from "../sender.ts";

/** What clients were told. */
export interface Told {
  /** Hash and bytes of transactions that were taken and of which no receipt was seen yet. */
  readonly taken: Map<string, string>;
  /** Hash of the transaction and hash of the block that a receipt named. */
  readonly served: Map<string, string>;
  /** Refusals at the first attempt, by status. */
  readonly refused: Map<string, number>;
  /** Transactions that were answered with their hash. */
  sent: number;
  /** The highest block that was seen, for the block limit of the next transaction. */
  head: number;
}

/** How hard clients press. */
export interface Pace {
  readonly clients: number;
  /** Between two looks for a receipt. */
  readonly lookMs: number;
}

/** A receipt that is told too early is seen: takes more than one core. */
export const KEEN: Pace = { clients: 32, lookMs: 5 };
/** Leaves the cores to the nodes. */
export const CALM: Pace = { clients: 6, lookMs: 100 };

/** A load. */
export interface Load {
  readonly pace: Pace;
  /** The nodes that are asked. */
  readonly urls: readonly string[];
  readonly sign: (call: { readonly head: number }) => SignedCall;
  readonly told: Told;
  readonly random: Random;
  /** Whether a node may be unreachable now. */
  readonly mayFail: (url: string) => boolean;
}

/** What is asked side by side afterwards. */
const LANES = 32;
/** After a start every node has everything within this time. */
const RECOVERY_MS = 60_000;
/** A client that cannot reach a node waits this long. */
const PAUSE_MS = 50;
/** A client looks for a receipt no longer than this. */
const PATIENCE_MS = 8_000;
/** Groups are not loaded yet, or not started. */
const NOT_READY = /: (-40010|-40001) /;

/** Nothing was told yet. */
export function newTold(): Told {
  return { taken: new Map(), served: new Map(), refused: new Map(), sent: 0, head: 0 };
}

/** The status in the message of a refused submission. */
export function statusOf(message: string): string {
  return /(\w+)\(0x/.exec(message)?.[1] ?? message;
}

/** Adds one under a key. */
export function tally<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** Notes what a receipt reports. */
export function noteServed(told: Told, hash: string, receipt: SeenReceipt): void {
  told.taken.delete(hash);
  told.served.set(hash, receipt.blockHash);
  told.head = Math.max(told.head, Number(receipt.blockNumber));
}

/** A killed node closes its sockets, which fetch tells with a TypeError; a new one is not ready. */
function isAbsence(cause: unknown): boolean {
  return cause instanceof TypeError || (cause instanceof Error && NOT_READY.test(cause.message));
}

/** One client: sends, looks for the receipt on any node, notes what it was told. */
class Client {
  readonly #load: Load;
  isOver = false;

  constructor(load: Load) {
    this.#load = load;
  }

  async run(): Promise<void> {
    const { random, urls, mayFail } = this.#load;
    while (!this.isOver) {
      const url = random.pick(urls);
      try {
        await this.#send(url);
      } catch (cause) {
        if (!isAbsence(cause) || !(this.isOver || mayFail(url))) throw cause;
        await sleep(PAUSE_MS);
      }
    }
  }

  async #send(url: string): Promise<void> {
    const { sign, told, pace } = this.#load;
    const { hash, raw } = sign({ head: told.head });
    const { error } = await ask(url, "sendRawTransaction", [1, raw]);
    if (error) {
      tally(told.refused, statusOf(error.message));
      await sleep(PAUSE_MS);
      return;
    }
    told.sent += 1;
    told.taken.set(hash, raw);
    const end = performance.now() + PATIENCE_MS;
    while (!this.isOver && performance.now() < end) {
      if (await this.#look(hash)) return;
      await sleep(pace.lookMs);
    }
  }

  async #look(hash: string): Promise<boolean> {
    const { random, urls, told, mayFail } = this.#load;
    const url = random.pick(urls);
    try {
      const receipt = await receiptOf(url, hash);
      if (receipt) noteServed(told, hash, receipt);
      return receipt !== undefined;
    } catch (cause) {
      if (!isAbsence(cause) || !(this.isOver || mayFail(url))) throw cause;
      return false;
    }
  }
}

/** Starts clients; the result ends them and throws what they met. */
export function startLoad(load: Load): () => Promise<void> {
  const clients = Array.from({ length: load.pace.clients }, () => new Client(load));
  const ends = Promise.all(clients.map((client) => client.run()));
  // Told when they are ended.
  ends.catch(() => undefined);
  return async () => {
    for (const client of clients) client.isOver = true;
    await ends;
  };
}

/** Everything that was served is on every node, in the same block. */
export async function requireServed(
  urls: readonly string[],
  served: Iterable<[string, string]>,
): Promise<void> {
  const left = [...served];
  const lane = async () => {
    for (let pair = left.pop(); pair; pair = left.pop()) {
      const [hash, blockHash] = pair;
      for (const url of urls) {
        const receipt = await waitForReceipt(url, hash, RECOVERY_MS);
        assert.equal(receipt.blockHash, blockHash, `the block of ${hash} on ${url}`);
      }
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}
