/** Event filters at a node: when they begin, and how much is read for one push. */
// rules: channel-protocol 7.3
import assert from "node:assert/strict";
import { test } from "vitest";
import { utf8Bytes, utf8Text } from "../../../../core/bytes/byte-string.ts";
import type { SessionHandle } from "../../../../core/channel/session-handle.ts";
import { type Frame, MESSAGE_TYPE, withTopic } from "../../../../core/channel/frame.ts";
import type { Block } from "../../../../core/model/block.ts";
import { ChannelEvents } from "../../../../core/node/channel/channel-events.ts";
import type { NodeApi } from "../../../../core/api/node-api.ts";
import { createHandClock } from "../../../support/world/hand-clock.ts";
import { rpcNode } from "../../../support/rpc-node.ts";

const SEQ = utf8Bytes("0123456789abcdef0123456789abcdef");
const settle = async () => {
  for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
};

/** A node whose blocks all have one log entry of a size, and count how often they are read. */
function place(logBytes: number, head = 5) {
  const node = rpcNode();
  const group = node.group(1);
  assert.ok(group);
  const { ledger } = group;
  const seen = { read: [] as number[], warnings: 0 };
  const hashOf = async (number: number) => {
    seen.read.push(number);
    return ledger.genesisHash();
  };
  const block = async (): Promise<Block | undefined> => {
    const known = await ledger.block((await ledger.hashOf(2)) ?? ledger.genesisHash());
    const [receipt] = known?.receipts ?? [];
    const [log] = receipt?.logs ?? [];
    assert.ok(known && receipt && log);
    const number = seen.read.at(-1) ?? 0;
    const logs = [{ ...log, data: new Uint8Array(logBytes) }];
    return { ...known, header: { ...known.header, number }, receipts: [{ ...receipt, logs }] };
  };
  const counted = { ...ledger, head: () => ({ ...ledger.head(), number: head }), hashOf, block };
  const eventLimits = { maxBlockRange: 0, maxBlocksPerProcess: 1_000 };
  const api: Pick<NodeApi, "group"> = { group: () => ({ ...group, ledger: counted, eventLimits }) };
  const clock = createHandClock(1_000);
  const log = { write: () => void seen.warnings++ };
  const heard: Frame[] = [];
  const leaving: (() => void)[] = [];
  const facts = { unsent: 0, unsentAfterPush: 0, breaks: false };
  const session: SessionHandle = {
    id: 7,
    sdkId: "",
    version: 1,
    topics: new Set(),
    get unsentBytes() {
      return facts.unsent;
    },
    send(frame, written) {
      heard.push(frame);
      if (frame.type === MESSAGE_TYPE.eventPush) facts.unsent = facts.unsentAfterPush;
      if (written) leaving.push(written);
      if (facts.breaks) throw new Error("the connection broke");
    },
  };
  const sessions = { sessions: () => [session], mayAccess: () => true, spareBytes: () => 0 };
  const events = new ChannelEvents({ node: api, sessions, clock, log });
  const ask = (fromBlock: string) => {
    const addresses: string[] = [];
    const request = { fromBlock, addresses, topics: [], groupID: 1, filterID: "f" };
    const data = withTopic("", utf8Bytes(JSON.stringify(request)));
    events.onFrame(session, { type: MESSAGE_TYPE.eventRegister, seq: SEQ, result: 0, data });
  };
  const pushed = () =>
    heard
      .filter(({ type }) => type === MESSAGE_TYPE.eventPush)
      .map(({ data }) => JSON.parse(utf8Text(data)) as { logs: { blockNumber: string }[] })
      .flatMap(({ logs }) => [logs.map(({ blockNumber }) => blockNumber).join()]);
  return { events, session, clock, ask, pushed, leaving, facts, seen };
}

test("a filter begins 100 ms after its answer has left, whatever else the client is sent", async () => {
  const { clock, ask, pushed, leaving, facts } = place(1);
  ask("5");
  facts.unsent = 500;
  clock.move(1_000);
  await settle();
  assert.deepEqual(pushed(), []);
  for (const written of leaving.splice(0)) written();
  clock.move(99);
  await settle();
  assert.deepEqual(pushed(), []);
  clock.move(1);
  await settle();
  assert.deepEqual(pushed(), ["5"]);
});

test("no more is read at a time than a push holds, and nothing until the client has read", async () => {
  const { clock, ask, pushed, leaving, facts, seen } = place(1_500_000);
  ask("0");
  for (const written of leaving.splice(0)) written();
  facts.unsent = 1;
  facts.unsentAfterPush = 2 * 1024 * 1024;
  clock.move(100);
  await settle();
  assert.deepEqual(pushed(), ["0"]);
  assert.deepEqual(seen.read, [0, 1]);
  clock.move(1_000);
  await settle();
  assert.equal(pushed().length, 1);
  facts.unsentAfterPush = 0;
  for (let i = 0; i < 6; i++) {
    facts.unsent = 0;
    clock.move(100);
    await settle();
  }
  assert.deepEqual(pushed(), ["0", "1", "2", "3", "4", "5"]);
});

test("a filter that is gone is not read on for", async () => {
  const { events, session, clock, ask, leaving, seen } = place(1, 500);
  ask("0");
  for (const written of leaving.splice(0)) written();
  clock.move(100);
  await Promise.resolve();
  events.onSessionClosed(session);
  await settle();
  assert.ok(seen.read.length <= 2, `${seen.read.length}`);
});

test("a push that fails is reported, and not taken for a failure to read", async () => {
  const { clock, ask, leaving, facts, seen } = place(1);
  ask("5");
  for (const written of leaving.splice(0)) written();
  facts.breaks = true;
  clock.move(100);
  await settle();
  assert.equal(seen.warnings, 1);
  facts.breaks = false;
  clock.move(5_000);
  await settle();
  assert.deepEqual(seen.read, [5]);
});
