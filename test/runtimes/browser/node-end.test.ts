/** How pages follow a node: what they do not read is bounded. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { createStandardSuite } from "../../../core/crypto/standard.ts";
import { landedAnswer } from "../../../runtimes/browser/landed.ts";
import { createNodeEnd } from "../../../runtimes/browser/node-end.ts";
import { startMemoryNode } from "../../../runtimes/shared/memory-node.ts";
import { BUILD_INFO } from "../../../runtimes/shared/platform/build-info.ts";
import { consoleLog, webClock } from "../../../runtimes/shared/platform/web-platform.ts";
import { createSender } from "../../support/sender.ts";

const SUBSCRIBE = '{"jsonrpc":"2.0","id":1,"method":"subscribe","params":[1,"blocks"]}';

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

test("a page that receives nothing is cut off, one that does is told every block", async () => {
  const { node } = await startMemoryNode(BUILD_INFO);
  const most = { clock: webClock, log: consoleLog, mostUnheard: 3_000 };
  const end = createNodeEnd(node, most);
  const told: string[] = [];
  let cuts = 0;
  const reader = end.open({ tell: (text) => told.push(text), cut: () => assert.fail("it reads") });
  const heardNothing: string[] = [];
  const sleeper = end.open({ tell: (text) => heardNothing.push(text), cut: () => cuts++ });
  const ids = await Promise.all([reader, sleeper].map((line) => line.post(SUBSCRIBE)));
  assert.deepEqual(
    ids.map((text) => JSON.parse(text).result),
    ["0x1", "0x1"],
  );
  const send = createSender(createStandardSuite());
  for (let head = 0; head < 8; head++) {
    const { raw } = send({ head });
    const body = { jsonrpc: "2.0", id: 2, method: "sendRawTransaction", params: [1, raw] };
    await reader.post(JSON.stringify(body));
    await until(() => told.length > head);
    reader.heard(told.at(-1)?.length ?? 0);
  }
  assert.deepEqual(
    told.map((text) => JSON.parse(text).params.result.number),
    [1, 2, 3, 4, 5, 6, 7, 8],
  );
  assert.equal(cuts, 1);
  assert.ok(heardNothing.length < told.length);
  // It may begin again.
  const again = end.open({ tell: () => undefined, cut: () => undefined });
  assert.equal(JSON.parse(await again.post(SUBSCRIBE)).result, "0x1");
  for (const line of [reader, sleeper, again]) line.close();
  await node.stop();
});

test("a transaction that is handed in again is answered as at first, once it is in a block", async () => {
  const { node } = await startMemoryNode(BUILD_INFO);
  const end = createNodeEnd(node, { clock: webClock, log: consoleLog });
  const line = end.open({ tell: () => undefined, cut: () => undefined });
  const send = createSender(createStandardSuite());
  const bodyOf = (raw: string) =>
    JSON.stringify({ jsonrpc: "2.0", id: 7, method: "sendRawTransaction", params: [1, raw] });
  const { raw } = send({ head: 0 });
  const first = await line.post(bodyOf(raw));
  const ledger = node.api.group(1)?.ledger;
  await until(() => ledger?.head().number === 1);
  const again = (await landedAnswer(node.api, bodyOf(raw))) ?? "";
  assert.deepEqual(JSON.parse(again), JSON.parse(first));
  assert.equal(await landedAnswer(node.api, bodyOf(send({ head: 1 }).raw)), undefined);
  for (const other of ["0x00", "0x", "no hex"])
    assert.equal(await landedAnswer(node.api, bodyOf(other)), undefined);
  assert.equal(await landedAnswer(node.api, "{"), undefined);
  line.close();
  await node.stop();
});
