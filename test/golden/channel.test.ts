/**
 * The recorded frames of the channel port, sent to services over the recorded ledger: each answer
 * and push is that of the recording, its JSON text byte for byte.
 */
// rules: channel-protocol 3.1, 4, 5.2, 5.3, 6, 6.1, 7.1, 7.2
import assert from "node:assert/strict";
import { test } from "vitest";
import { hexBytes } from "../../core/bytes/hex.ts";
import { type Address, type Hash, type NodeId, ZERO_HASH } from "../../core/bytes/ids.ts";
import { AccessControl, OPEN_ACCESS } from "../../core/channel/access.ts";
import { encodeFrame, FrameReader } from "../../core/channel/frame.ts";
import { transactionsRoot } from "../../core/model/roots.ts";
import { NEWEST_VERSION } from "../../core/model/version.ts";
import { ChannelAmop } from "../../core/node/channel/channel-amop.ts";
import { ChannelService, DEFAULT_CHANNEL_LIMITS } from "../../core/node/channel/channel-service.ts";
import { ChannelEvents } from "../../core/node/channel/channel-events.ts";
import type { ChannelLine } from "../../core/node/channel/channel-session.ts";
import type { NodeApi, TransactionWatcher } from "../../core/api/node-api.ts";
import type { TopicsExtension, TopicsLine } from "../../core/node/channel/topics-line.ts";
import { dataGroup, dataNode, nodeIdOf, OWN_ID } from "../support/data-node.ts";
import { readDataLines } from "../support/ledger/data-files.ts";
import { createHandClock } from "../support/world/hand-clock.ts";
import { GROUP1, replayGenesis } from "../support/ledger/replay.ts";
import { get, parse } from "./exchange.ts";
import { MovingChain, type PlannedBlock } from "./moving-chain.ts";
import { blocksOfLedger, plannedBlock } from "./planned-blocks.ts";
import { STANDARD_SUITE as suite } from "../support/suites.ts";

const RULES = { suite, version: NEWEST_VERSION };

/** One line of the recording. */
interface Line {
  readonly number: number;
  readonly client: string;
  readonly event?: string;
  readonly case?: string;
  readonly dir?: "in" | "out";
  readonly type?: string;
  readonly seq?: string;
  readonly result?: number;
  readonly text?: string;
  readonly hex?: string;
}

function readLines(): readonly Line[] {
  const lines = readDataLines<Line>("golden/channel.jsonl");
  return lines.map((line, i) => ({ ...line, number: i + 1 }));
}

function dataOf({ text, hex }: Line): Uint8Array {
  return text === undefined ? hexBytes(hex ?? "") : Buffer.from(text, "utf8");
}

/** Lines that are not held to a service, each with the reason. */
const ELSEWHERE: readonly (readonly [reason: string, concerns: (line: Line) => boolean])[] = [
  [
    "the reference delivers nothing on its own node; we do: channel-protocol 8.1",
    (line) => line.case === "AMOP to itself",
  ],
  ["TLS and closing of sockets: tls-port.test.ts", ({ event }) => event !== undefined],
  [
    "the peers of the recorded network: golden.test.ts",
    (line) => /^rpc (peers|node info) with topics$/.test(line.case ?? ""),
  ],
];

/** Where ours differs on purpose. */
const DIFFERENT: Readonly<Record<string, string>> = {
  // The text of an internal error is that of the platform. Source: rpc-semantics 2.7
  "rejected: malformed": "-32603",
};

/** Blocks 328 to 332: one transaction each, made from what was sent and pushed. */
function laterBlocks(lines: readonly Line[]): readonly PlannedBlock[] {
  const rules = { suite, version: NEWEST_VERSION, genesis: replayGenesis(GROUP1.genesis) };
  const pushes = lines.filter(({ dir, type }) => dir === "in" && type === "0x1000");
  const receipts = pushes.map((push) => ({ push, receipt: parse(push.text ?? "") }));
  return receipts.flatMap(({ push, receipt }) => {
    const number = Number(get(receipt, "blockNumber"));
    if (number === 0) return [];
    const sent = lines.find(({ dir, seq }) => dir === "out" && seq === push.seq);
    const raw = hexBytes(String(get(parse(sent?.text ?? ""), "params", "1")));
    const hash = get(receipt, "blockHash") as Hash;
    const from = get(receipt, "from") as Address;
    return [plannedBlock({ number, raw, hash, from }, undefined, rules)];
  });
}

const BUILD = {
  buildTime: "20261120 21:00:00",
  buildType: "Linux/g++/Release",
  gitBranch: "HEAD",
  gitCommit: "2ace5988673f3a6c128e4efe06054dc25dd07431",
};
const GROUP_LIST = [1, 2, 3, 8, 9, 10, 12];

/** Block 327 came between the recorded ledger and the recorded frames: nothing of it is known. */
function unknownBlock(like: PlannedBlock, number: number): PlannedBlock {
  const { request } = like;
  const header = { ...request.header, number, transactionsRoot: transactionsRoot([], RULES) };
  const empty = { header, transactions: [], hashes: [], senders: [] };
  return { ...like, number, request: empty, hash: ZERO_HASH, isWhole: false };
}

/** A recorded node; blocks come as soon as their transactions are there. */
function nodeOf(chain: MovingChain, onBlock: (number: number) => void): NodeApi {
  const { ledger } = chain;
  const watch = (watcher: TransactionWatcher) => ({
    add(hash: Hash) {
      // As in a running node, the block comes after the answer.
      setImmediate(() => {
        onBlock(ledger.head().number);
        void ledger.transaction(hash).then((placed) => {
          assert.ok(placed, hash);
          const { blockNumber: number, blockHash, index } = placed;
          watcher.committed({ number, hash: blockHash, found: [{ hash, index }] });
        });
      });
      return true;
    },
    remove: () => undefined,
    close: () => undefined,
  });
  const submit = (raw: Uint8Array) => chain.submit(raw);
  const group = dataGroup(ledger, { submit, watchTransactions: watch });
  const node = dataNode([group], { groupList: () => GROUP_LIST });
  return { ...node, build: { ...node.build, ...BUILD } };
}

const LOG = { write: () => undefined };
const FIXED = { bytes: (count: number) => new Uint8Array(count) };
const OTHER_ID = nodeIdOf("d4");
/** After each frame this much happens before the next. */
const TURNS = 12;
const TURN_MS = 25;

/** Two nodes that are connected, as far as their topics go. */
class Wire {
  readonly #extensions = new Map<NodeId, TopicsExtension>();

  join(self: NodeId, other: NodeId, extension: TopicsExtension): TopicsLine {
    this.#extensions.set(self, extension);
    return {
      self,
      peers: () => [other],
      send: (to, bytes) => setImmediate(() => this.#extensions.get(to)?.onMessage(self, bytes)),
      penalise: (_, reason) => assert.fail(reason),
      bandwidth: undefined,
    };
  }
}

/** Clients and what they were sent. */
class Port {
  readonly #services: readonly ChannelService[];
  readonly #clients = new Map<string, ReturnType<ChannelService["open"]>>();
  readonly #got = new Map<string, string[]>();
  readonly ended = new Set<string>();
  readonly #clock = createHandClock();
  readonly #asRecorded: (text: string) => string;

  constructor(chain: MovingChain) {
    this.#asRecorded = (text) => chain.asRecorded(text);
    const wire = new Wire();
    const listeners: ((block: { groupId: number; number: number }) => void)[] = [];
    const node = nodeOf(chain, (number) => {
      for (const listener of listeners) listener({ groupId: 1, number });
    });
    this.#services = [OWN_ID, OTHER_ID].map((self, i, all) => {
      const service = this.#serviceOf(node);
      const other = all[1 - i];
      assert.ok(other);
      const join = (extension: TopicsExtension) => wire.join(self, other, extension);
      const ports = { sessions: service, clock: this.#clock };
      service.addExtension(new ChannelAmop({ ...ports, entropy: FIXED, join }));
      const events = new ChannelEvents({ ...ports, node, log: LOG });
      service.addExtension(events);
      listeners.push((block) => {
        service.onBlock(block);
        events.onBlock(block);
      });
      service.listening();
      return service;
    });
  }

  #serviceOf(node: NodeApi): ChannelService {
    return new ChannelService({
      node,
      access: new AccessControl(OPEN_ACCESS, 0),
      limits: DEFAULT_CHANNEL_LIMITS,
      clock: this.#clock,
      log: LOG,
      codec: {
        text: (bytes) => Buffer.from(bytes).toString("utf8"),
        bytes: (text) => Buffer.from(text, "utf8"),
      },
    });
  }

  async send(line: Line): Promise<void> {
    const bytes = line.seq === undefined ? dataOf(line) : frameBytes(line);
    this.#clientOf(line.client)?.received(bytes);
    for (let turn = 0; turn < TURNS; turn++) {
      await new Promise((resolve) => setImmediate(resolve));
      this.#clock.move(TURN_MS);
    }
  }

  /** Everything that a client got, in a form to compare. */
  got(client: string): readonly string[] {
    return this.#got.get(client) ?? [];
  }

  #clientOf(name: string) {
    if (!this.#clients.has(name)) {
      this.#got.set(name, []);
      this.#clients.set(name, this.#serviceFor(name)?.open(this.#lineOf(name)));
    }
    return this.#clients.get(name);
  }

  /** Client 3 was connected to another node. */
  #serviceFor(name: string) {
    return this.#services[name === "sdk3" ? 1 : 0];
  }

  #lineOf(name: string): ChannelLine {
    const reader = new FrameReader();
    return {
      sdkId: "",
      remote: name,
      write: (bytes, written) => {
        for (const { type, seq, result, data } of reader.push(bytes)) {
          const own = Buffer.from(data).toString("latin1").replace(OWN_MEMBER, "");
          const text = this.#asRecorded(own);
          const sender = Buffer.from(seq).toString("latin1");
          this.#got.get(name)?.push(`0x${type.toString(16)} ${sender} ${result} ${text}`);
        }
        written();
      },
      writeLong: () => assert.fail("no recorded answer is long"),
      pause: () => undefined,
      resume: () => undefined,
      end: () => void this.ended.add(name),
      destroy: () => void this.ended.add(name),
    };
  }
}

function frameBytes(line: Line): Uint8Array {
  const seq = Buffer.from(line.seq ?? "", "latin1");
  return encodeFrame({
    type: Number(line.type),
    seq,
    result: line.result ?? 0,
    data: dataOf(line),
  });
}

function expectedOf(line: Line): string {
  const text = Buffer.from(dataOf(line)).toString("latin1");
  const kind = `0x${Number(line.type).toString(16)} ${line.seq} ${line.result}`;
  // What identifies this program is ours. Source: decision 13
  return `${kind} ${text}`.replace(
    '"FISCO-BCOS Version":"2.11.1"',
    '"FISCO-BCOS Version":"2.12.0"',
  );
}

/** A member that ours has besides. Source: decision 13 */
const OWN_MEMBER = '"Chain-Node Version":"2.12.0",';

/** The part of a frame that must be equal. */
function comparable(frame: string, line: Line): string {
  const code = DIFFERENT[line.case ?? ""];
  if (code === undefined) return frame;
  assert.ok(frame.includes(`"code":${code}`), frame);
  return code;
}

test("the recorded frames get the recorded answers and pushes", async () => {
  const lines = readLines();
  const { blocks, genesisHash } = blocksOfLedger(GROUP1, suite);
  const later = laterBlocks(lines);
  const [first] = later;
  assert.ok(first);
  const unknown = unknownBlock(first, blocks.length + 1);
  const chain = await MovingChain.open({
    suite,
    version: NEWEST_VERSION,
    genesis: replayGenesis(GROUP1.genesis),
    genesisHash,
    blocks: [...blocks, unknown, ...later],
  });
  await chain.advanceTo(unknown.number);
  const port = new Port(chain);
  const elsewhere = new Set<number>();
  const wanted: Line[] = [];
  for (const line of lines) {
    const found = ELSEWHERE.find(([, concerns]) => concerns(line));
    if (found) elsewhere.add(line.number);
    else if (line.dir === "in") wanted.push(line);
    else await port.send(line);
  }
  const left = new Map(["sdk0", "sdk1", "sdk2", "sdk3"].map((name) => [name, [...port.got(name)]]));
  for (const line of wanted) {
    const frames = left.get(line.client) ?? [];
    const expected = comparable(expectedOf(line), line);
    const prefix = `0x${Number(line.type).toString(16)} ${line.seq} `;
    const at = frames.findIndex(
      (frame) => frame.startsWith(prefix) && comparable(frame, line) === expected,
    );
    assert.ok(at >= 0, `line ${line.number}: ${expected}\n${frames.join("\n")}`);
    frames.splice(at, 1);
  }
  assert.deepEqual([...left.values()].flat(), [], "nothing was sent that was not recorded");
  assert.ok(port.ended.has("sdk1"), "a range of versions that nobody speaks ends the session");
  assert.ok(port.ended.has("sdk2"), "a frame that is too long ends the session");
  assert.equal(wanted.length + elsewhere.size + sentCount(lines), lines.length);
  assert.ok(wanted.length >= 40, `${wanted.length} frames compared`);
});

function sentCount(lines: readonly Line[]): number {
  const isElsewhere = (line: Line) => ELSEWHERE.some(([, concerns]) => concerns(line));
  return lines.filter((line) => line.dir === "out" && !isElsewhere(line)).length;
}
