/** The service of the channel port with connections in memory, and nodes that answer as told. */
import assert from "node:assert/strict";
import { bytesOf } from "../../../core/bytes/byte-string.ts";
import type { Hash } from "../../../core/bytes/ids.ts";
import { AccessControl, OPEN_ACCESS } from "../../../core/channel/access.ts";
import {
  encodeFrame,
  type Frame,
  FrameReader,
  type LongData,
} from "../../../core/channel/frame.ts";
import type { ReadLong } from "../../../core/channel/answer.ts";
import type { LongTold } from "../../../core/node/channel/channel-session.ts";
import {
  ChannelService,
  type ChannelLimits,
  DEFAULT_CHANNEL_LIMITS,
} from "../../../core/node/channel/channel-service.ts";
import type { NodeApi, SubmitOutcome, TransactionWatcher } from "../../../core/api/node-api.ts";
import type { LedgerApi } from "../../../core/ports/ledger.ts";
import { dataGroup, dataNode } from "../data-node.ts";
import { createHandClock } from "../world/hand-clock.ts";

/** The hash of everything here. */
export const HASH = `0x${"5a".repeat(32)}` as Hash;
/** The seq of all frames of clients. */
export const SEQ = bytesOf("0123456789abcdef0123456789abcdef");
/** UTF-8. */
export const CODEC = {
  text: (bytes: Uint8Array) => Buffer.from(bytes).toString("utf8"),
  bytes: (text: string) => new Uint8Array(Buffer.from(text, "utf8")),
};
const LOG = { write: () => undefined };

/** A ledger with a head and nothing else. */
export const LEDGER = {
  head: () => ({ number: 16, hash: HASH }),
  receipt: async () => undefined,
  block: async () => undefined,
} as unknown as LedgerApi;

/** A connection in memory: what was written is read, or waits when the client sleeps. */
export class Line {
  readonly sdkId = "";
  readonly remote: string;
  asleep = false;
  paused = false;
  state: "open" | "ended" | "cut" = "open";
  readonly frames: Frame[] = [];
  readonly #reader = new FrameReader();
  #waiting: (() => void)[] = [];
  #moved: (() => void) | undefined;

  constructor(remote = "client") {
    this.remote = remote;
  }

  write(bytes: Uint8Array, written: () => void, moved?: () => void): void {
    this.#moved = moved;
    const read = () => {
      this.frames.push(...this.#reader.push(bytes));
      written();
    };
    if (this.asleep) this.#waiting.push(read);
    else read();
  }

  writeLong(head: Uint8Array, data: LongData, { written }: LongTold): void {
    void (async () => {
      const parts = [head];
      for await (const piece of data.pieces()) parts.push(CODEC.bytes(piece));
      this.write(new Uint8Array(Buffer.concat(parts)), written);
    })();
  }

  /** A part of a long frame has left. */
  readPart(): void {
    this.#moved?.();
  }

  /** Frames that were sent and wait. */
  get unread(): number {
    return this.#waiting.length;
  }

  wake(): void {
    this.asleep = false;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const read of waiting) read();
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
  }

  end(): void {
    this.state = "ended";
  }

  destroy(): void {
    this.state = "cut";
  }

  texts(type: number): readonly string[] {
    const found = this.frames.filter((frame) => frame.type === type);
    return found.map(({ data }) => CODEC.text(data));
  }
}

/** A port that listens. */
export function open(
  limits: Partial<ChannelLimits> = {},
  node: NodeApi = dataNode([dataGroup(LEDGER)]),
  readLong?: ReadLong,
) {
  const clock = createHandClock();
  const service = new ChannelService({
    node,
    access: new AccessControl(OPEN_ACCESS, 0),
    limits: { ...DEFAULT_CHANNEL_LIMITS, ...limits },
    readLong,
    clock,
    log: LOG,
    codec: CODEC,
  });
  service.listening();
  const connect = (remote?: string) => {
    const line = new Line(remote);
    return { line, client: service.open(line) };
  };
  return { clock, service, connect };
}

/** A frame of the client. */
export function send(
  client: { received(bytes: Uint8Array): void } | undefined,
  type: number,
  data = "",
) {
  assert.ok(client);
  client.received(encodeFrame({ type, seq: SEQ, result: 0, data: bytesOf(data) }));
}

/** Lets answers that do not wait come. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** A request. */
export const BLOCK_NUMBER = '{"jsonrpc":"2.0","id":1,"method":"getBlockNumber","params":[1]}';
/** A submission. */
export const RAW = '{"jsonrpc":"2.0","id":1,"method":"sendRawTransaction","params":[1,"0x00"]}';

/** A node whose pool says what it is told to, and whose transactions end when they are told to. */
export function pooledNode(outcome: SubmitOutcome) {
  const watchers: TransactionWatcher[] = [];
  const watched = new Set<Hash>();
  const group = dataGroup(LEDGER, {
    submit: async () => outcome,
    watchTransactions: (watcher) => {
      watchers.push(watcher);
      return {
        add: (hash) => watched.add(hash) !== undefined,
        remove: (hash) => void watched.delete(hash),
        close: () => undefined,
      };
    },
  });
  return { node: dataNode([group]), watchers, watched };
}

/** What a pool says that refuses. */
export const REFUSED = {
  ok: false,
  refusal: "blockLimitCheckFail",
  hash: HASH,
  blockLimit: 5n,
} as const;
