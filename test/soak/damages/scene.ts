/** Four nodes with a contract; the ledger of one is damaged, and its answers are compared. */
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { toPrefixedHex } from "../../../core/bytes/hex.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import {
  type Answer,
  growingPauses,
  request,
  waitForReceipt,
} from "../../support/process/dev-process.ts";
import {
  initProcessChain,
  type NodeProcess,
  type ProcessChain,
  untilEqual,
} from "../../support/process/node-processes.ts";
import { createSender, deployment } from "../../support/sender.ts";
import type { Random } from "../../simulation/random.ts";

const LIMIT_MS = 120_000;
const BATCH = 50;
const WORD_BYTES = 32;
/** Slots that one call of the contract reads. */
const SLOTS_OF_CALL = 64;
const SLOTS = 1_024;
/** Blocks and transactions of a comparison; the newest of each are always among them. */
const MOST_BLOCKS = 60;
const MOST_TRANSACTIONS = 150;
const FIRST_BLOCKS = 24;
const FIRST_BLOCK_SIZE = 30;

/**
 * With two words it stores the second under the first; with one it gives this many slots from there
 * on.
 */
const CONTRACT = Uint8Array.from([
  ...[0x36, 0x60, 0x40, 0x14, 0x60, 0x25, 0x57, 0x60, 0x00],
  ...[0x5b, 0x80, 0x60, 0x00, 0x35, 0x01, 0x54, 0x81, 0x60, 0x20, 0x02, 0x52, 0x60, 0x01, 0x01],
  ...[0x80, 0x60, SLOTS_OF_CALL, 0x11, 0x60, 0x09, 0x57],
  ...[0x61, 0x08, 0x00, 0x60, 0x00, 0xf3],
  ...[0x5b, 0x60, 0x20, 0x35, 0x60, 0x00, 0x35, 0x55, 0x00],
]);

/** What a comparison found. */
export interface Compared {
  readonly asked: number;
  /** Answers that say that they cannot be given. */
  readonly refused: number;
  readonly firstRefusal: string | undefined;
  /** Answers that others do not give. */
  readonly wrong: readonly string[];
}

type Question = readonly [method: string, params: readonly unknown[]];

/** A question to several nodes at once, in batches. */
async function askAll(url: string, questions: readonly Question[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let start = 0; start < questions.length; start += BATCH) {
    const part = questions.slice(start, start + BATCH);
    const calls = part.map(([method, params], id) => ({ jsonrpc: "2.0", id, method, params }));
    const response = await fetch(url, { method: "POST", body: JSON.stringify(calls) });
    const said = (await response.json()) as (Answer & { readonly id: number })[];
    assert.ok(Array.isArray(said), JSON.stringify(said));
    answers.push(...said.toSorted((left, right) => left.id - right.id));
  }
  return answers;
}

/** An answer as all nodes give it: each keeps the certificate that it saw. */
function shownAnswer(method: string, { result }: Answer): string {
  if (method === "call") return (result as { readonly output: string }).output;
  return JSON.stringify(result, (name, value) => (name === "signatureList" ? undefined : value));
}

function word(value: number): Uint8Array {
  const bytes = new Uint8Array(WORD_BYTES);
  new DataView(bytes.buffer).setUint32(WORD_BYTES - 4, value);
  return bytes;
}

/** What is set up. */
export interface SceneOptions {
  readonly suite: CryptoSuite;
  readonly random: Random;
  /** All nodes in this process. */
  readonly hosted: boolean;
}

/** The chain under damages; a class because its parts share what was sent. */
export class Scene {
  readonly chain: ProcessChain;
  readonly healthy: NodeProcess;
  readonly victim: NodeProcess;
  /** Whether nodes of this process have their passes soon, one behind the other. */
  readonly hosted: boolean;
  /** The database of the victim. */
  readonly ledger: string;
  readonly #send: ReturnType<typeof createSender>;
  readonly #random: Random;
  readonly #sent: string[] = [];
  #contract = "";
  #height = 0;

  private constructor(chain: ProcessChain, { suite, random, hosted }: SceneOptions) {
    const [healthy, , , victim] = chain.nodes;
    assert.ok(healthy && victim);
    this.chain = chain;
    this.hosted = hosted;
    this.healthy = healthy;
    this.victim = victim;
    this.ledger = join(victim.folder, "data/group1/block");
    this.#send = createSender(suite);
    this.#random = random;
  }

  static async open(options: SceneOptions): Promise<Scene> {
    const { hosted } = options;
    const chainOptions = { nodes: 4, pauseMs: 20, metrics: true, hosted };
    const chain = await initProcessChain({ ...chainOptions, pace: PACE });
    const scene = new Scene(chain, options);
    try {
      await Promise.all(chain.nodes.map((node) => node.start()));
      await scene.#begin();
    } catch (cause) {
      await chain.close();
      throw cause;
    }
    return scene;
  }

  async #begin(): Promise<void> {
    const { url } = this.healthy;
    const { raw, hash } = this.#send({ head: 0, input: deployment(CONTRACT) });
    await request(url, "sendRawTransaction", [1, raw]);
    this.#contract = (await waitForReceipt(url, hash, LIMIT_MS)).contractAddress;
    for (let block = 0; block < FIRST_BLOCKS; block++) await this.load(FIRST_BLOCK_SIZE);
    await untilEqual(this.chain.nodes, this.#height, LIMIT_MS);
  }

  /** Writes this many slots; resolves when the others have all of them in blocks. */
  async load(count: number): Promise<void> {
    const { url } = this.healthy;
    const calls = Array.from({ length: count }, () => {
      const [slot, value] = [this.#random.below(SLOTS), this.#random.below(2 ** 31)];
      const input = Uint8Array.from([...word(slot), ...word(value)]);
      return this.#send({ to: this.#contract, input, head: this.#height });
    });
    const answers = await askAll(
      url,
      calls.map(({ raw }) => ["sendRawTransaction", [1, raw]]),
    );
    const refusal = answers.find(({ error }) => error);
    assert.equal(refusal, undefined);
    for (const { hash } of calls) {
      const { blockNumber } = await waitForReceipt(url, hash, LIMIT_MS);
      this.#height = Math.max(this.#height, Number(blockNumber));
      this.#sent.push(hash);
    }
  }

  get height(): number {
    return this.#height;
  }

  /** How often the ledger of the victim was replaced. */
  replaced(): number {
    const names = readdirSync(join(this.ledger, ".."));
    return names.filter((name) => name.startsWith("block.old-")).length;
  }

  /** Asks the victim what a healthy node was asked. */
  async compare(): Promise<Compared> {
    const own = await request(this.victim.url, "getBlockNumber", [1]).then(Number, () => -1);
    const questions = this.#questions(own < 0 ? this.#height : Math.min(own, this.#height));
    const expected = await askAll(this.healthy.url, questions);
    const given = await askAll(this.victim.url, questions);
    const wrong: string[] = [];
    let refused = 0;
    let firstRefusal: string | undefined;
    for (const [index, [method, params]] of questions.entries()) {
      const [right, left] = [expected[index], given[index]];
      assert.ok(right && left && !right.error, JSON.stringify(right));
      if (left.error) {
        refused += 1;
        firstRefusal ??= `${method}: ${left.error.code} ${left.error.message}`;
        continue;
      }
      const [said, wanted] = [shownAnswer(method, left), shownAnswer(method, right)];
      // A block that it does not have yet.
      if (said === wanted || own < this.#height) continue;
      wrong.push(`${method} ${JSON.stringify(params)}: ${said.slice(0, 80)}`);
    }
    return { asked: questions.length, refused, firstRefusal, wrong };
  }

  #questions(height: number): Question[] {
    const blocks = this.#some(height + 1, MOST_BLOCKS);
    const hashes = this.#some(this.#sent.length, MOST_TRANSACTIONS).map((at) => this.#sent[at]);
    const calls = Array.from({ length: SLOTS / SLOTS_OF_CALL }, (_, index): Question => {
      const data = toPrefixedHex(word(index * SLOTS_OF_CALL));
      const to = this.#contract;
      return ["call", [1, { from: to, to, value: "0x0", data }]];
    });
    return [
      ...blocks.map((number): Question => ["getBlockByNumber", [1, `${number}`, true]]),
      ...hashes.map((hash): Question => ["getTransactionByHash", [1, hash]]),
      ...hashes.map((hash): Question => ["getTransactionReceipt", [1, hash]]),
      ...calls,
      ["getTotalTransactionCount", [1]],
      ["getSystemConfigByKey", [1, "tx_count_limit"]],
      ["getSealerList", [1]],
      ["getCode", [1, this.#contract]],
    ];
  }

  /** Numbers below a bound: the newest, and others at random. */
  #some(bound: number, most: number): number[] {
    if (bound <= most) return Array.from({ length: bound }, (_, index) => index);
    const newest = Array.from({ length: most / 2 }, (_, index) => bound - 1 - index);
    return [...newest, ...newest.map(() => this.#random.below(bound))];
  }

  close(): Promise<void> {
    return this.chain.close();
  }
}

/** Of the looks through the stores in this process: fast. */
const PACE = { beginMs: 0, rest: 1, betweenMs: 200 };

/** Waits until something holds. @returns whether it did in time */
export async function holdsSoon(holds: () => Promise<boolean>, ms = LIMIT_MS): Promise<boolean> {
  const end = performance.now() + ms;
  for (const pause = growingPauses(); performance.now() < end; await pause())
    if (await holds()) return true;
  return false;
}
