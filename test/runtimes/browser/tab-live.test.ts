/** The nodes of a tab are watched as a server's are, in real Chromium. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { createStandardSuite } from "../../../core/crypto/standard.ts";
import type { LiveMessage } from "../../../runtimes/shared/theatre/api.ts";
import { deploy } from "../../support/client/json-rpc-session.ts";
import { openSite } from "../../support/browser/site.ts";
import { openTabPage } from "../../support/browser/tab-node.ts";
import { untilHolds } from "../../support/browser/page-looks.ts";

/** Watches until a block was written and used, then stops the chain; all messages. */
const WATCH = `(async () => {
  const all = [];
  const has = (holds) => all.some((message) => message.type === "frame" && holds(message.frame));
  const ask = async () => all.push(...(await tab.worker.watch(1, 1)));
  await ask();
  globalThis.watching = true;
  const isWritten = () => has(({ events }) => events.some(({ id }) => id === "blockWritten"));
  while (!globalThis.isDeployed || !isWritten()) await ask();
  void tab.worker.stop();
  while (all.at(-1).type !== "end") await ask();
  return all;
})()`;

test("a node of a chain in the tab shows its votes and its block", async () => {
  const site = await openSite();
  try {
    const tab = await openTabPage(site);
    await tab.start({ kind: "chain", nodes: 4, consensus: "pbft" });
    await tab.until("status.phase === 'running'");
    const watched = tab.page.evaluate(WATCH) as Promise<readonly LiveMessage[]>;
    await untilHolds(tab.page, "globalThis.watching");
    await deploy(tab.ask, createStandardSuite());
    await tab.page.evaluate("globalThis.isDeployed = true");
    const messages = await watched;
    assert.equal(messages[0]?.type, "hello");
    assert.deepEqual(messages.at(-1), { type: "end", reason: "stopped" });
    const frames = messages.flatMap((message) => (message.type === "frame" ? message.frame : []));
    const kinds = new Set(
      frames.flatMap(({ ended }) => ended.map(({ flight: { kind } }) => kind as string)),
    );
    for (const kind of ["sign", "commit"]) assert.ok(kinds.has(kind), [...kinds].join());
    const ids = new Set(frames.flatMap(({ events }) => events.map(({ id }) => id as string)));
    for (const id of ["signed", "locked", "committed"]) assert.ok(ids.has(id), [...ids].join());
    const whole = frames.at(-1)?.nodes.filter(({ seenFromOutside }) => !seenFromOutside);
    assert.deepEqual(
      whole?.map(({ node, height }) => [node, height]),
      [[1, 1]],
    );
    const again = tab.page.evaluate("tab.worker.watch(0, 1)");
    await assert.rejects(again, /no node runs in this browser/);
    assert.deepEqual(site.errors, []);
  } finally {
    await site.close();
  }
});
