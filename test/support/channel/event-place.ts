/** Event filters of a node on a clock of the test, and reading what they send. */
import assert from "node:assert/strict";
import type { GroupApi } from "../../../core/api/node-api.ts";
import { utf8Bytes, utf8Text } from "../../../core/bytes/byte-string.ts";
import type { Address, Hash } from "../../../core/bytes/ids.ts";
import type { SessionHandle } from "../../../core/channel/session-handle.ts";
import { type Frame, MESSAGE_TYPE, withTopic } from "../../../core/channel/frame.ts";
import { ChannelEvents } from "../../../core/node/channel/channel-events.ts";
import { UNSENT_BYTES } from "../../../core/node/feed/block-cursor.ts";
import { createHandClock } from "../world/hand-clock.ts";

export const SEQ = utf8Bytes("0123456789abcdef0123456789abcdef");
export const REGISTER = MESSAGE_TYPE.eventRegister;
export const UNREGISTER = MESSAGE_TYPE.eventUnregister;

export const REQUEST = {
  fromBlock: "latest",
  toBlock: "latest",
  addresses: [],
  topics: [],
  groupID: "1",
  filterID: "00112233445566778899aabbccddeeff",
};

export const ADDRESS = `0x${"c0de".repeat(10)}` as Address;
export const hash = (digit: string) => `0x${digit.repeat(64)}` as Hash;
const settle = async () => {
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
};

/** Where the log entries of a block stand: two others come before them in their receipt. */
const PLACE = { transaction: 17, log: 2 };
const NOTHING = new Uint8Array(0);
const OTHER = { address: `0x${"0".repeat(40)}`, topics: [], data: new Uint8Array() };

/** A block that is being read; `end` lets it come. */
export interface OpenRead {
  readonly group: number;
  readonly number: number;
  readonly end: () => void;
}

/** What a client was sent of its filters. */
export interface Push {
  readonly filterID: string;
  readonly logs: readonly Record<string, unknown>[] | null;
  readonly result: number;
}

function newFacts() {
  return {
    heads: new Map([[1, 5]]),
    mayAccess: true,
    /** Whether answers leave at once. */
    isQuick: true,
    /** Whether blocks come only when a test ends their reading. */
    isSlow: false,
    fails: false,
    unsent: 0,
    /** Whether a client that is pushed something leaves much of it unread. */
    isLazy: false,
    maxBlockRange: 0,
    /** Sizes of the data of the log entries of a block. */
    logs: new Map<number, readonly number[]>(),
    /** How often it was examined how a session stands. */
    looks: 0,
    /** How long such a look takes, and what all took together. */
    lookMs: 0,
    spentMs: 0,
  };
}

type Facts = ReturnType<typeof newFacts>;

/** The groups of a node, and what is read of them. */
function placeNode(facts: Facts) {
  const open: OpenRead[] = [];
  const readBlocks: number[] = [];
  const blockOf = (number: number) => {
    const logs = (facts.logs.get(number) ?? []).map((bytes) => ({
      address: ADDRESS,
      topics: [hash("7")],
      data: new Uint8Array(bytes).fill(42),
    }));
    const nothing = Array.from({ length: PLACE.transaction }, () => ({
      logs: [],
      output: NOTHING,
    }));
    return {
      header: { number },
      hash: hash("b"),
      transactions: Array.from({ length: PLACE.transaction + 1 }, () => ({
        hash: hash("a"),
        raw: NOTHING,
      })),
      receipts: [...nothing, { logs: [OTHER, OTHER, ...logs], output: NOTHING }],
    };
  };
  const groups = new Map<number, GroupApi>();
  const makeGroup = (groupId: number) => {
    const ledger = {
      head: () => ({ number: facts.heads.get(groupId), hash: hash("b") }),
      hashOf: async (number: number) => String(number),
      block: async (name: string) => {
        const number = Number(name);
        readBlocks.push(number);
        if (facts.isSlow) {
          await new Promise<void>((end) => void open.push({ group: groupId, number, end }));
        }
        return facts.fails ? undefined : blockOf(number);
      },
    };
    const eventLimits = {
      get maxBlockRange() {
        return facts.maxBlockRange;
      },
      maxBlocksPerProcess: undefined,
    };
    return { groupId, ledger, eventLimits } as unknown as GroupApi;
  };
  const node = {
    group: (groupId: number) => {
      if (!facts.heads.has(groupId)) return undefined;
      const group = groups.get(groupId) ?? makeGroup(groupId);
      groups.set(groupId, group);
      return group;
    },
  };
  return { node, open, readBlocks };
}

/** Its sessions, and what they are sent. */
function placeSessions(facts: Facts) {
  const frames: { readonly session: number; readonly frame: Frame }[] = [];
  const leaving: (() => void)[] = [];
  const sessions = new Map<number, SessionHandle>();
  const sessionOf = (id: number): SessionHandle => {
    const session = sessions.get(id) ?? {
      id,
      sdkId: "",
      version: 1,
      topics: new Set<string>(),
      get unsentBytes() {
        facts.looks += 1;
        return facts.unsent;
      },
      send(frame: Frame, written?: () => void) {
        frames.push({ session: id, frame });
        if (facts.isLazy && frame.type === MESSAGE_TYPE.eventPush) facts.unsent = UNSENT_BYTES + 1;
        if (written) leaving.push(written);
      },
    };
    sessions.set(id, session);
    return session;
  };
  return { frames, leaving, sessions, sessionOf };
}

/** A node with group 1, and everything that may change about it. */
export function place() {
  const facts = newFacts();
  const clock = createHandClock(1_000);
  const { node, open, readBlocks } = placeNode(facts);
  const { frames, leaving, sessions, sessionOf } = placeSessions(facts);
  const events = new ChannelEvents({
    node,
    sessions: {
      sessions: () => sessions.values(),
      mayAccess: () => {
        facts.looks += 1;
        facts.spentMs += facts.lookMs;
        return facts.mayAccess;
      },
      spareBytes: () => 0,
    },
    clock: { ...clock, steady: () => clock.steady() + facts.spentMs },
    log: { write: () => undefined },
  });
  /** Answers leave. */
  const leave = () => {
    for (const written of leaving.splice(0)) written();
  };
  /** @returns what is sent at once */
  const tell = (session: number, frame: Frame): Frame[] => {
    frames.length = 0;
    assert.ok(events.onFrame(sessionOf(session), frame));
    if (facts.isQuick) leave();
    return frames.splice(0).map((it) => it.frame);
  };
  const ask = (changes: object, type: number = REGISTER, session = 7) => {
    const data = withTopic("", utf8Bytes(JSON.stringify({ ...REQUEST, ...changes })));
    return tell(session, { type, seq: SEQ, result: 0, data });
  };
  /** @returns what is sent meanwhile */
  const wake = async (ms: number) => {
    clock.move(ms);
    await settle();
    return frames.splice(0).map((it) => it.frame);
  };
  /** The head of group 1 moves. @returns what is sent for it */
  const write = async (number: number) => {
    facts.heads.set(1, number);
    void events.onBlock({ groupId: 1 });
    return wake(0);
  };
  const close = (session: number) => events.onSessionClosed(sessionOf(session));
  /** Blocks that were read since it was asked last. */
  const taken = () => readBlocks.splice(0);
  return { clock, events, facts, open, tell, ask, leave, wake, write, close, taken };
}

export function codeOf(frames: readonly Frame[]): number {
  const [frame] = frames;
  assert.ok(frame);
  return (JSON.parse(utf8Text(frame.data.subarray(1))) as { result: number }).result;
}

export const pushes = (frames: readonly Frame[]) =>
  frames
    .filter(({ type }) => type === MESSAGE_TYPE.eventPush)
    .map(({ data }) => JSON.parse(utf8Text(data)) as Push);
