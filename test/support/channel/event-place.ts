/** Event filters of a node on a clock of the test, and reading what they send. */
import assert from "node:assert/strict";
import { utf8Bytes, utf8Text } from "../../../core/bytes/byte-string.ts";
import type { Address, Hash } from "../../../core/bytes/ids.ts";
import {
  type EventEffect,
  type EventInput,
  type EventSight,
  emptyBook,
} from "../../../core/channel/event-filter/state.ts";
import { step } from "../../../core/channel/event-filter/step.ts";
import { type Frame, MESSAGE_TYPE, withTopic } from "../../../core/channel/frame.ts";
import type { LocatedLog } from "../../../core/rpc/log-filter.ts";

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

/** A node with group 1, and everything that may change about it. */
export function place() {
  const book = emptyBook();
  const facts = {
    now: 1_000,
    heads: new Map([[1, 5]]),
    mayAccess: true,
    /** Whether answers leave at once. */
    isQuick: true,
    unsent: 0,
    maxBlockRange: 0,
    blocksPerStep: 3,
  };
  const take = (input: EventInput): readonly EventEffect[] => {
    const sight: EventSight = {
      now: facts.now,
      head: (groupId) => facts.heads.get(groupId),
      mayAccess: () => facts.mayAccess,
      unsentBytes: () => facts.unsent,
      maxBlockRange: () => facts.maxBlockRange,
      blocksPerStep: () => facts.blocksPerStep,
    };
    return step(book, sight, input);
  };
  const ask = (changes: object, type: number = REGISTER, session = 7) => {
    const data = withTopic("", utf8Bytes(JSON.stringify({ ...REQUEST, ...changes })));
    const effects = take({ type: "request", session, frame: { type, seq: SEQ, result: 0, data } });
    return facts.isQuick ? [...effects, ...leave(effects)] : effects;
  };
  /** Answers leave. */
  const leave = (effects: readonly EventEffect[]) =>
    effects.flatMap((effect) => {
      const id = effect.type === "send" ? effect.registered : undefined;
      return id === undefined ? [] : take({ type: "answered", id });
    });
  const wake = (ms: number) => {
    facts.now += ms;
    return take({ type: "wake" });
  };
  return { book, facts, take, ask, leave, wake };
}

export function codeOf(effects: readonly EventEffect[]): number {
  const frame = sent(effects)[0];
  assert.ok(frame);
  return (JSON.parse(utf8Text(frame.data.subarray(1))) as { result: number }).result;
}

export function sent(effects: readonly EventEffect[]): Frame[] {
  return effects.flatMap((effect) => (effect.type === "send" ? [effect.frame] : []));
}

export function reads(effects: readonly EventEffect[]) {
  return effects.flatMap((effect) => (effect.type === "read" ? [effect] : []));
}

export interface Push {
  readonly filterID: string;
  readonly logs: readonly Record<string, unknown>[] | null;
  readonly result: number;
}

export const pushes = (effects: readonly EventEffect[]) =>
  sent(effects)
    .filter(({ type }) => type === MESSAGE_TYPE.eventPush)
    .map(({ data }) => JSON.parse(utf8Text(data)) as Push);

export const ADDRESS = `0x${"c0de".repeat(10)}` as Address;
export const hash = (digit: string) => `0x${digit.repeat(64)}` as Hash;

export function logAt(blockNumber: number, dataBytes = 1): LocatedLog {
  return {
    log: { address: ADDRESS, topics: [hash("7")], data: new Uint8Array(dataBytes).fill(42) },
    blockHash: hash("b"),
    blockNumber,
    transactionHash: hash("a"),
    transactionIndex: 17,
    logIndex: 2,
  };
}
