/** Fuzzing of the messages between nodes: what is sent, and what must hold afterwards. */
import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { deflateRawSync } from "node:zlib";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { hashOf, nodeIdOf } from "../../../core/bytes/hex.ts";
import type { Hash } from "../../../core/bytes/ids.ts";
import type { CryptoSuite } from "../../../core/crypto/suite.ts";
import { FRAME } from "../../../core/network/frame.ts";
import { signTransaction } from "../../../core/model/transaction.ts";
import { newCounters, type P2pCounters } from "../../../runtimes/shared/p2p/counters.ts";
import { Random } from "../../simulation/random.ts";
import { Tally, typeNames } from "./coverage.ts";
import { type FuzzPeer, framesOf, type PeerIdentity, type Saying } from "./link.ts";
import { BYZANTINE, type MadeMessage, madeMessages } from "./messages.ts";
import { mutate, noise } from "./mutation.ts";
import type { Recording } from "./recording.ts";
import { certify, FuzzTarget, type Membership } from "./target.ts";

/** How much is sent, and from which seed. */
export interface FuzzOptions {
  readonly suite: CryptoSuite;
  readonly recordings: readonly Recording[];
  readonly messages: number;
  readonly seed: number;
  readonly say: (line: string) => void;
}

/** What a run came to. */
export interface FuzzSights {
  readonly messages: number;
  /** Messages that passed framing and exchange and were handed to the node. */
  readonly delivered: number;
  readonly sessions: number;
  readonly types: Tally;
  readonly refusals: Tally;
  /** After collection of garbage, since a twentieth of the messages was through. */
  readonly grownMiB: number;
}

/** Messages of one life of the node; then it begins again on the recorded disk. */
const EPOCH = 4_000;
/** Connections are renewed after this many: peers that lied too much are not listened to. */
const SESSION = 400;
/** Messages between two turns of the event loop. */
const TURN = 16;
const TURN_MS = 12;
/** Generated messages that are made at once. */
const BATCH = 500;
const REPORTS = 20;
const MIB = 1_048_576;
/** The node may say this on the level of errors: it is true of what it was told. */
const RIGHTLY_SAID = new Set([
  "a peer has another block at the same height",
  "a peer has another genesis block: compare group.1.genesis on both nodes",
  // Its own recorded votes come back to it.
  "another node votes with this node's key",
  "this group's data is older than the votes of this node: it follows without a vote",
  "another node seals blocks with this node's key: this one follows without a vote",
]);
/** True of the one sealer that lies, and of no other. */
const CONTRADICTION = "a sealer contradicted itself";
const PATIENCE_TURNS = 2_000;
const OUTSIDER = new Uint8Array(32).fill(0x77);

const turn = () => new Promise<void>((resume) => void setImmediate(resume));

/** Frees what is not used and gives the resident memory. */
export async function residentMiB(): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (let i = 0; i < 4; i++) {
    collect();
    await turn();
  }
  return process.memoryUsage().rss / MIB;
}

/** One kind of chain with everything that is made once for it. */
interface Chain {
  readonly recording: Recording;
  readonly membership: Membership;
  readonly identities: readonly PeerIdentity[];
  readonly typeOf: ReturnType<typeof typeNames>;
  readonly made: fc.Arbitrary<MadeMessage>;
}

function chainOf(recording: Recording, suite: CryptoSuite, random: Random): Chain {
  const outsider = { nodeId: nodeIdOf(suite.publicKey(OUTSIDER)), privateKey: OUTSIDER };
  const everybody = [...recording.nodes, outsider];
  const membership = certify(everybody, random);
  const identities = everybody.slice(1).map((node) => ({
    privateKey: node.privateKey,
    certificates: membership.certificatesOf(node),
  }));
  return {
    recording,
    membership,
    identities,
    typeOf: typeNames(suite, recording.genesis),
    made: madeMessages({ suite, recording, hashes: hashesIn(recording) }),
  };
}

/** Whatever looks like a hash in what was reported: some of it names blocks and proposals. */
function hashesIn({ messages }: Recording): Hash[] {
  const found = new Set<Hash>();
  for (const { bytes } of messages) {
    for (let at = 0; at + 33 <= bytes.length && found.size < 2_000; at++)
      if (bytes[at] === 0xa0) found.add(hashOf(bytes.slice(at + 1, at + 33)));
  }
  return [...found];
}

/** A detail without the numbers and names that the peer made up. */
function kindOf(detail: string): string {
  return detail.replaceAll(/"[^"]*"/g, '"..."').replaceAll(/\d+/g, "N");
}

/** Runs all of it; throws when the node breaks. */
class FuzzRun {
  readonly types = new Tally();
  readonly refusals = new Tally();
  readonly counters: P2pCounters = newCounters();
  delivered = 0;
  sessions = 0;
  readonly #options: FuzzOptions;
  readonly #random: Random;
  readonly #chains: readonly Chain[];
  readonly #broken: unknown[] = [];
  #made: MadeMessage[] = [];
  #draws = 0;
  #chain: Chain;
  #target: FuzzTarget | undefined;
  #peers: (FuzzPeer | undefined)[] = [];

  constructor(options: FuzzOptions) {
    this.#options = options;
    this.#random = new Random(options.seed);
    this.#chains = options.recordings.map((one) => chainOf(one, options.suite, this.#random));
    const [first] = this.#chains;
    assert.ok(first, "there is a recording");
    this.#chain = first;
  }

  async run(from: number, to: number): Promise<void> {
    for (let at = from; at < to; at++) {
      if (at % EPOCH === 0 || !this.#target) await this.#renew(Math.floor(at / EPOCH));
      if (at % SESSION === 0) this.#disconnect();
      this.#one();
      if (at % TURN === 0) await this.#pause();
      if (this.#broken.length > 0) this.#fail(at);
    }
  }

  async end(): Promise<void> {
    await this.#close();
  }

  #fail(at: number): never {
    const { seed } = this.#options;
    const [cause] = this.#broken;
    throw new Error(`message ${at} of seed ${seed} broke the node: ${String(cause)}`, { cause });
  }

  async #pause(): Promise<void> {
    this.#target?.clock.advance(this.#random.below(2 * TURN_MS));
    await turn();
  }

  /** Moves the clock until a promise is settled. */
  async #settle<Value>(promise: Promise<Value>, what: string): Promise<Value> {
    let isOver = false;
    const over = () => {
      isOver = true;
    };
    promise.then(over, over);
    for (let turns = 0; !isOver; turns++) {
      assert.ok(turns < PATIENCE_TURNS, `in vain: ${what}`);
      this.#target?.clock.advance(10);
      await turn();
    }
    return promise;
  }

  async #renew(epoch: number): Promise<void> {
    await this.#close();
    this.#chain = this.#chains[epoch % this.#chains.length] ?? this.#chain;
    this.#made = [];
    const { recording, membership } = this.#chain;
    this.#target = new FuzzTarget({
      suite: this.#options.suite,
      recording,
      membership,
      random: this.#random,
      counters: this.counters,
      events: {
        delivered: ({ kind, bytes }) => {
          this.delivered++;
          this.types.add(this.#chain.typeOf(kind, bytes));
        },
        ended: ({ reason, detail }) =>
          this.refusals.add(
            `session: ${reason}${detail === undefined ? "" : ` (${kindOf(detail)})`}`,
          ),
        line: (level, message, fields) => this.#hear(level, message, fields),
        broken: (cause) => void this.#broken.push(cause),
      },
    });
    await this.#settle(this.#target.node.start(), "start");
  }

  #hear(level: string, message: string, fields: object | undefined): void {
    const reason = fields && "reason" in fields ? String(fields.reason) : undefined;
    if (message === "message rejected") this.refusals.add(`message: ${reason}`);
    else if (level === "warning" || level === "error") this.refusals.add(`said: ${message}`);
    if (message === CONTRADICTION && this.#isByzantine(fields)) return;
    if (level === "error" && !RIGHTLY_SAID.has(message))
      this.#broken.push(new Error(`${message} ${JSON.stringify(fields)}`));
  }

  #isByzantine(fields: object | undefined): boolean {
    const { genesis, nodes } = this.#chain.recording;
    const byzantine = genesis.sealers.indexOf(
      nodes[BYZANTINE]?.nodeId ?? nodeIdOf(new Uint8Array(64)),
    );
    return fields !== undefined && "index" in fields && fields.index === byzantine;
  }

  /** The node must still run its group and take transactions; then it is stopped. */
  async #close(): Promise<void> {
    const target = this.#target;
    if (!target) return;
    this.#disconnect();
    const { groupId } = this.#chain.recording.genesis;
    const { status } = await this.#settle(target.node.api.groupStatus(groupId), "status");
    assert.equal(status, "RUNNING");
    const group = target.node.api.group(groupId);
    assert.ok(group, "the group runs");
    const outcome = await this.#settle(
      group.submit(this.#transaction(group.ledger.head())),
      "pool",
    );
    this.refusals.add(outcome.ok ? "honest transaction: taken" : `honest: ${outcome.refusal}`);
    const mayRefuse = ["nodeIsSyncing", "notInGroup", "txPoolIsFull"];
    assert.ok(outcome.ok || mayRefuse.includes(outcome.refusal), JSON.stringify(outcome.ok));
    await this.#settle(target.node.stop(), "stop");
    this.#target = undefined;
  }

  #transaction({ number }: { readonly number: number }): Uint8Array {
    const fields = {
      nonce: BigInt(++this.#draws) + 2n ** 70n,
      gasPrice: 1n,
      gas: 300_000_000n,
      blockLimit: BigInt(number + 100),
      to: null,
      value: 0n,
      input: Uint8Array.of(0x60, 0, 0x60, 0, 0xf3),
      chainId: 1n,
      groupId: BigInt(this.#chain.recording.genesis.groupId),
      extraData: new Uint8Array(0),
    };
    return signTransaction(fields, OUTSIDER, this.#options.suite).raw;
  }

  #disconnect(): void {
    for (const peer of this.#peers) peer?.close();
    this.#peers = [];
  }

  #connect(index: number): FuzzPeer | undefined {
    const identity = this.#chain.identities[index];
    if (!identity || !this.#target) return undefined;
    this.sessions++;
    return this.#target.connect(identity);
  }

  /** An open session of some peer; the Byzantine node speaks more than the others. */
  #peer(): FuzzPeer | undefined {
    const index = this.#random.below(this.#chain.identities.length);
    const known = this.#peers[index];
    if (known?.isOpen && known.link.isActive) return known;
    const peer = this.#connect(index);
    peer?.introduce();
    this.#peers[index] = peer;
    return peer;
  }

  #one(): void {
    const random = this.#random;
    const dice = random.next();
    if (dice < 0.02) return this.#badExchange();
    const peer = this.#peer();
    if (dice < 0.5) return peer?.say(this.#mutated());
    if (dice < 0.9) return peer?.say(this.#madeUp());
    if (dice < 0.96) return peer?.raw(this.#brokenFrames());
    if (dice < 0.98) return peer?.frame(random.below(12), noise(random, 40));
    return peer?.raw(noise(random, 200));
  }

  /** Everything that may go wrong before a session. */
  #badExchange(): void {
    const random = this.#random;
    const index = random.below(this.#chain.identities.length);
    const peer = this.#connect(index);
    const at = random.pick([FRAME.hello, FRAME.proof]);
    const other = random.pick(this.#chain.identities).certificates[0] ?? new Uint8Array(1);
    if (random.chance(0.2)) peer?.raw(noise(random, 300));
    else peer?.introduce((type, bytes) => (type === at ? mutate(bytes, random, other) : bytes));
    peer?.close();
  }

  #recorded(): Pick<Saying, "kind" | "bytes"> {
    return this.#random.pick(this.#chain.recording.messages);
  }

  #groupId(): number {
    const { groupId } = this.#chain.recording.genesis;
    return this.#random.chance(0.02) ? this.#random.below(0x10000) : groupId;
  }

  #mutated(): Saying {
    const { kind, bytes } = this.#recorded();
    const changed = mutate(bytes, this.#random, this.#recorded().bytes);
    return this.#saying(kind, changed);
  }

  #saying(kind: Saying["kind"], bytes: Uint8Array): Saying {
    const dice = this.#random.next();
    const groupId = this.#groupId();
    if (dice < 0.03) return { kind, groupId, bytes, compressed: true };
    if (dice < 0.1) return { kind, groupId, bytes: deflateRawSync(bytes), compressed: true };
    return { kind, groupId, bytes, compressed: false };
  }

  #madeUp(): Saying {
    if (this.#made.length === 0) {
      const seed = this.#random.below(2 ** 31);
      this.#made = fc.sample(this.#chain.made, { numRuns: BATCH, seed });
    }
    const { kind, bytes } = this.#made.pop() ?? { kind: "topics", bytes: new Uint8Array(0) };
    return this.#saying(kind, bytes);
  }

  #brokenFrames(): Uint8Array {
    const random = this.#random;
    const frames = framesOf(this.#saying(this.#recorded().kind, this.#recorded().bytes), 1);
    return mutate(frames, random, this.#recorded().bytes);
  }
}

/** Sends malformed messages to a node and reports what it made of them. */
export async function fuzzMessages(options: FuzzOptions): Promise<FuzzSights> {
  const { messages, say } = options;
  const run = new FuzzRun(options);
  const warm = Math.floor(messages / 20);
  await run.run(0, warm);
  const before = await residentMiB();
  const step = Math.ceil((messages - warm) / REPORTS);
  for (let at = warm; at < messages; at += step) {
    await run.run(at, Math.min(messages, at + step));
    const { rss, heapUsed } = process.memoryUsage();
    const figures = `${(rss / MIB).toFixed(0)} MiB resident, ${(heapUsed / MIB).toFixed(0)} used`;
    say(`${Math.min(messages, at + step)} messages, ${run.delivered} delivered; ${figures}`);
  }
  await run.end();
  const after = await residentMiB();
  for (const [fault, count] of Object.entries(run.counters.rejected))
    run.refusals.add(`frame: ${fault}`, count);
  const { delivered, sessions, types, refusals } = run;
  return { messages, delivered, sessions, types, refusals, grownMiB: after - before };
}
