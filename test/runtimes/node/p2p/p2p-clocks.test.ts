// What two nodes report to each other when their clocks are far apart.
// rules: node-network 2
import assert from "node:assert/strict";
import { createServer } from "node:net";
import { onTestFinished, test } from "vitest";
import type { Clock } from "../../../../core/ports/clock.ts";
import { createNodeClock } from "../../../../runtimes/node/machine/clock.ts";
import type { VerifyChain } from "../../../../runtimes/shared/p2p/p2p-options.ts";
import {
  freePort,
  type TestNode,
  testNode,
  testPair,
  until,
  verifyTestChain,
  withNodes,
} from "./p2p-field.ts";

const logged = ({ lines }: TestNode, part: string) =>
  lines.some(({ level, message }) => level === "warning" && message.includes(part));

/** The clock of a host that is this many milliseconds ahead. */
function clockAhead(aheadMs: number): Clock {
  const clock = createNodeClock();
  return { ...clock, now: () => clock.now() + aheadMs };
}

const HOUR_MS = 3_600_000;
for (const { name, aheadMs, says } of [
  { name: "ahead", aheadMs: 8 * HOUR_MS, says: "28800 s ahead of" },
  { name: "behind", aheadMs: -8 * HOUR_MS, says: "28800 s behind" },
]) {
  test(`a peer whose certificate is judged by a clock that is ${name} is notified of the clock`, async () => {
    const now = Date.now();
    const verifyChain: VerifyChain = (chain, time) =>
      Math.abs(time - now) < HOUR_MS
        ? verifyTestChain(chain, time)
        : { ok: false, reason: "not at this time" };
    const nodes = await testPair({ clock: clockAhead(aheadMs), verifyChain }, { verifyChain });
    await withNodes(nodes, async () => {
      for (const { start } of nodes) await start();
      const [refuser, refused] = nodes;
      await until("refused", () => logged(refuser, "no valid certificate (not at this time)"));
      const told = `refused by the peer (no valid certificate; its clock is ${says} ours: set both`;
      await until("told", () => logged(refused, told));
      const [endpoint] = refused.network.endpointStates();
      assert.match(endpoint?.reason ?? "", new RegExp(`its clock is ${says} ours`));
    });
  });
}

test("who closes during the handshake is asked for its log, and the clock is named", async () => {
  const port = await freePort();
  const server = createServer((socket) => socket.once("data", () => socket.end()));
  await new Promise<void>((resume) => void server.listen(port, "127.0.0.1", resume));
  onTestFinished(() => void server.close());
  const node = await testNode({ index: 1, peers: [`127.0.0.1:${port}`] });
  await withNodes([node], async () => {
    await node.start();
    const reasonNow = () => node.network.endpointStates()[0]?.reason;
    await until("closed", () => reasonNow() !== undefined);
    const reason = reasonNow() ?? "";
    assert.match(reason, /^the peer closed the connection during the handshake \(\S.*\): its log/);
    assert.match(reason, /the clock of either host may be wrong, this one says 2\d{3}-\d\d-/);
  });
});
