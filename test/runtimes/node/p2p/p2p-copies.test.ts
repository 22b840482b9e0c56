/** Two live nodes with one identity over real sockets. */
// rules: node-network 1, node-network 2
import assert from "node:assert/strict";
import { test } from "vitest";
import { nodeIdOf } from "../../../../core/bytes/hex.ts";
import type { SuiteName } from "../../../../core/crypto/suite.ts";
import { createNodeClock } from "../../../../runtimes/node/machine/clock.ts";
import { CopyFault, type OtherCopy } from "../../../../runtimes/shared/p2p/copy-fault.ts";
import {
  freePort,
  testCertificate,
  testKey,
  type TestNode,
  testNode,
  until,
  withNodes,
} from "./p2p-field.ts";
import { NATIONAL_SUITE } from "../../../support/suites.ts";

/** A question is judged within this time, or not at all. */
const APART_MS = 20_000;

const NATIONAL = NATIONAL_SUITE;
const NATIONAL_ID = nodeIdOf(NATIONAL.publicKey(testKey(0)));
const OF_SUITE = {
  standard: {},
  national: { suite: NATIONAL, certificates: [testCertificate({ nodeId: NATIONAL_ID })] },
};

/** A node of index 0 that remembers the copies that it met. */
async function copyNode(
  port: number,
  peers: readonly (number | string)[],
  suite: SuiteName = "standard",
  clock = createNodeClock(),
) {
  const met: OtherCopy[] = [];
  const node = await testNode({
    clock,
    index: 0,
    port,
    peers: peers.map((peer) => (typeof peer === "string" ? peer : `127.0.0.1:${peer}`)),
    timing: { firstRoundMs: 20_000 },
    onCopy: (copy) => void met.push(copy),
    ...OF_SUITE[suite],
  });
  return { node, met };
}

function alarms({ lines }: TestNode): number {
  const start = "another node runs with this node's key";
  return lines.filter(({ level, message }) => level === "error" && message.startsWith(start))
    .length;
}

/** A clock on which a minute goes by when it is told so: far longer than any question takes. */
function leapingClock() {
  const clock = createNodeClock();
  let leapt = 0;
  return {
    ...clock,
    steady: () => clock.steady() + leapt,
    leap() {
      leapt += 60_000;
    },
  };
}

async function requireAlarms(suite: SuiteName): Promise<void> {
  const [port, other] = [await freePort(), await freePort()];
  const clock = leapingClock();
  const original = await copyNode(port, [port], suite, clock);
  const copy = await copyNode(other, [port], suite);
  await withNodes([original.node, copy.node], async () => {
    await original.node.start();
    clock.leap();
    await assert.rejects(copy.node.start(), (cause) => {
      assert.ok(cause instanceof CopyFault);
      assert.match(cause.message, new RegExp(`has run for \\d+ s at 127\\.0\\.0\\.1:${port}\\.`));
      return true;
    });
    await until("the original has learned of it", () => original.met.length > 0);
    assert.deepEqual([original.met[0]?.isLater, copy.met[0]?.isLater], [false, true]);
    assert.ok(alarms(original.node) > 0 && alarms(copy.node) > 0);
  });
}

test("a copy that dials the original does not start, and both raise the alarm", () =>
  requireAlarms("standard"));

test("so on a national chain, where each start has another key for its channels", () =>
  requireAlarms("national"));

/** Whether both judge one question, each the other way, on clocks that leap at each look. */
async function judgeApart(): Promise<boolean> {
  const [port, other] = [await freePort(), await freePort()];
  // Ten seconds go by between any two examines it.
  const slow = () => {
    const clock = createNodeClock();
    let looks = 0;
    return { ...clock, steady: () => clock.steady() + 10_000 * looks++ };
  };
  const original = await copyNode(port, [], "standard", slow());
  const copy = await copyNode(other, [port], "standard", slow());
  let isApart = false;
  await withNodes([original.node, copy.node], async () => {
    await original.node.start();
    await copy.node.start().catch((cause: unknown) => assert.ok(cause instanceof CopyFault));
    await until("the copy has learned of it", () => copy.met.length > 0);
    const verdict = copy.met[0]?.isLater;
    const wanted = () => original.met.some(({ isLater }) => isLater !== verdict);
    const found = until("the original has judged it", wanted, APART_MS);
    isApart = await found.then(
      () => true,
      () => false,
    );
  });
  return isApart;
}

test("however long the question takes, one of two copies gives way and the other does not", async () => {
  // A question that the copy gave up is one that the original has met: on this clock the next one
  // can turn out the other way round, and then there is none that both have met.
  for (let tries = 1; !(await judgeApart()); tries++) assert.ok(tries < 6, "never judged apart");
});

test("the original that starts again after its copy is the later one", async () => {
  const [port, other] = [await freePort(), await freePort()];
  const clock = leapingClock();
  const copy = await copyNode(other, [port], "standard", clock);
  const original = await copyNode(port, [port]);
  await withNodes([original.node, copy.node], async () => {
    await copy.node.start();
    clock.leap();
    await original.node.start();
    // The copy dials again after a pause; by then both run.
    await until("the original has learned of it", () => original.met.length > 0);
    await until("the copy has learned of it", () => copy.met.length > 0);
    assert.deepEqual([original.met[0]?.isLater, copy.met[0]?.isLater], [true, false]);
  });
});

for (const suite of ["standard", "national"] as const) {
  test(`a node of the ${suite} suite that dials itself knows that, and raises no alarm`, async () => {
    const port = await freePort();
    // Behind a name it asks, as there may be another host.
    const { node, met } = await copyNode(port, [port, `localhost:${port}`], suite);
    await withNodes([node], async () => {
      await node.start();
      assert.deepEqual(
        node.network.endpointStates?.().map(({ state }) => state),
        ["self", "self"],
      );
      assert.deepEqual([met.length, alarms(node)], [0, 0]);
      assert.equal(node.lines.filter(({ level }) => level === "warning").length, 0);
    });
  });

  test(`a network of the ${suite} suite that starts again is reached as the same peer`, async () => {
    const { node } = await copyNode(await freePort(), [], suite);
    await withNodes([node], async () => {
      await node.start();
      const before = node.network.addresses();
      await node.network.stop();
      await node.start();
      assert.deepEqual(node.network.addresses(), before);
      assert.match(before[0] ?? "", /\/p2p\/16Uiu2/);
    });
  });
}
