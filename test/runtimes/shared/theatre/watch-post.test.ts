/** Watching a running node: bounded, read only, and nothing while nobody watches. */
import assert from "node:assert/strict";
import { test } from "vitest";
import type { NodeId } from "../../../../core/bytes/ids.ts";
import { createStandardSuite } from "../../../../core/crypto/standard.ts";
import type { Network, NetworkEvents } from "../../../../core/ports/network.ts";
import type { LiveMessage } from "../../../../runtimes/shared/theatre/api.ts";
import type { Frame } from "../../../../runtimes/shared/theatre/frame.ts";
import { pullWatch } from "../../../../runtimes/shared/theatre/live/pulled.ts";
import {
  createWatchPost,
  MOST_WATCHERS,
} from "../../../../runtimes/shared/theatre/live/watch-post.ts";
import { createHandClock } from "../../../support/world/hand-clock.ts";
import { startSmallChain } from "../../../support/world/watched-chain.ts";

test("who watches sees frames; a slow one and one too many are sent away", async () => {
  const { post, clock, stop } = await startSmallChain();
  const seen: LiveMessage[] = [];
  const end = post.watch(1, (message) => seen.push(message) > 0);
  const slow: LiveMessage[] = [];
  post.watch(1, (message) => {
    slow.push(message);
    return slow.length < 2;
  });
  const others = Array.from({ length: MOST_WATCHERS - 2 }, () => post.watch(1, () => true));
  const late: LiveMessage[] = [];
  post.watch(1, (message) => late.push(message) > 0);
  assert.deepEqual(late, [{ type: "end", reason: "tooMany" }]);
  assert.equal(post.watchers(), MOST_WATCHERS);
  await clock.pass(1_500);
  assert.deepEqual(slow.at(-1), { type: "end", reason: "slow" });
  assert.equal(post.watchers(), MOST_WATCHERS - 1);
  const types = seen.map(({ type }) => type);
  assert.deepEqual([types[0], new Set(types.slice(1))], ["hello", new Set(["frame"])]);
  assert.ok(types.length < 17, "at most ten frames a second");
  const unknown: LiveMessage[] = [];
  post.watch(9, (message) => unknown.push(message) > 0);
  assert.deepEqual(unknown, [{ type: "end", reason: "noSuchGroup" }]);
  for (const leave of [end, ...others]) leave();
  const waiting = clock.waiting();
  await clock.pass(500);
  assert.equal(post.watchers(), 0);
  assert.ok(clock.waiting() <= waiting, "no timer stays");
  await stop();
});

test("a watch that is asked for its messages ends when nobody asks", async () => {
  const { post, clock, stop } = await startSmallChain();
  const pulled = pullWatch(post, 1);
  const [hello] = await pulled.next();
  assert.equal(hello?.type, "hello");
  for (let passed = 0; passed < 45_000; passed += 500) await clock.pass(500);
  const messages = await pulled.next();
  assert.deepEqual(messages.at(-1), { type: "end", reason: "slow" });
  assert.ok(messages.length <= 65);
  assert.deepEqual(await pulled.next(), []);
  const other = pullWatch(post, 1);
  await other.next();
  const next = other.next();
  await stop();
  const ends = await next;
  assert.deepEqual(ends.at(-1), { type: "end", reason: "stopped" });
});

test("a group under Raft is shown with its role and term", async () => {
  const { post, clock, stop } = await startSmallChain("raft");
  const frames: Frame[] = [];
  post.watch(1, (message) => {
    if (message.type === "hello") frames.push(message.hello.frame);
    if (message.type === "frame") frames.push(message.frame);
    return true;
  });
  await clock.pass(4_000);
  const [self] = frames.at(-1)?.nodes ?? [];
  assert.equal(frames.at(-1)?.protocol, "raft");
  assert.ok(self?.consensus?.kind === "raft");
  assert.deepEqual([self.consensus.role, self.consensus.term, self.role], ["leader", 1, "sealer"]);
  assert.deepEqual(
    self.blocks.map(({ number }) => number),
    [0],
  );
  assert.ok(frames.some(({ events }) => events.some(({ id }) => id === "becameLeader")));
  const taken = frames.flatMap((frame) => frame.taken);
  const led = taken.find(({ transition }) => transition.targets.includes("member.leader"));
  assert.equal(led?.actor, "g1.consensus");
  assert.ok(frames.every((frame) => new Set(frame.taken).size <= 64));
  await stop();
});

test("a look that fails ends the watch, not the node", async () => {
  const { post, node, clock, stop } = await startSmallChain();
  const seen: LiveMessage[] = [];
  post.watch(1, (message) => seen.push(message) > 0);
  const { peers } = node.api;
  Object.assign(node.api, {
    peers: () => {
      throw new RangeError("no peers");
    },
  });
  await clock.pass(2_500);
  assert.deepEqual(seen.at(-1), { type: "end", reason: "stopped" });
  assert.equal(post.watchers(), 0);
  const late: LiveMessage[] = [];
  post.watch(1, (message) => late.push(message) > 0);
  assert.deepEqual(late, [{ type: "end", reason: "stopped" }]);
  Object.assign(node.api, { peers });
  assert.ok(node.api.isReady());
  await stop();
});

/** A network that only counts. */
function countingNetwork(): Network & { sent: number; events: NetworkEvents | undefined } {
  return {
    self: "00" as NodeId,
    sent: 0,
    events: undefined,
    peers: () => [],
    async start(events) {
      this.events = events;
    },
    send() {
      this.sent++;
    },
    stop: async () => undefined,
  };
}

test("while nobody watches a message is passed on unread", async () => {
  const inner = countingNetwork();
  const suite = createStandardSuite();
  const post = createWatchPost({ suite, chainId: 1, clock: createHandClock() });
  const network = post.tap(inner);
  let reads = 0;
  const message = {
    groupId: 1,
    kind: "consensus",
    get bytes() {
      reads++;
      return new Uint8Array(100);
    },
  } as const;
  network.send("01" as NodeId, message);
  assert.deepEqual([inner.sent, reads], [1, 0]);
});
