/** Listeners of a client hear what has the form of its kind, and nothing else. */
import assert from "node:assert/strict";
import type { Abi } from "abitype";
import { test } from "vitest";
import type { SubscriptionKind } from "../../../core/client/pushed-form.ts";
import type { SubscriptionListener } from "../../../core/client/transport.ts";
import { STANDARD_SUITE } from "../../support/suites.ts";
import { receiptOf, toldClient } from "../../support/client/client-transport.ts";
import { provedBlock } from "../../support/client/proved-block.ts";

const ADDRESS = `0x${"ab".repeat(20)}`;
const LOG = { address: ADDRESS, data: "0x", topics: [] as unknown[] };
const { header } = provedBlock(STANDARD_SUITE, 1);

/** A client whose node pushes what the test says. */
function place() {
  let told: SubscriptionListener | undefined;
  const subscribe = async (_: readonly unknown[], listener: SubscriptionListener) => {
    told = listener;
    return { stop: async () => undefined };
  };
  const { client } = toldClient({}, { subscribe });
  return { client, push: (result: unknown) => told?.onResult(result) };
}

const NOTHING: readonly unknown[] = [undefined, null, 5, "0x", true, [], [null], {}];
const KINDS: readonly (readonly [SubscriptionKind, object])[] = [
  ["logs", LOG],
  ["blocks", header],
  ["receipts", receiptOf("0x01")],
];

for (const [kind, good] of KINDS) {
  test(`a listener of ${kind} hears their form only`, async () => {
    const { client, push } = place();
    const heard: unknown[] = [];
    await client.subscribe(kind, {}, { onResult: (it) => heard.push(it) });
    for (const it of NOTHING) push(it);
    for (const name of ["address", "topics", "hash", "extraData", "sealerList", "logs", "status"]) {
      if (name in good) for (const it of [5, null, {}, [5]]) push({ ...good, [name]: it });
    }
    assert.deepEqual(heard, []);
    push(good);
    assert.deepEqual(heard, [good]);
  });
}

test("who watches a contract is notified of its events behind logs that are none", async () => {
  const { client, push } = place();
  const abi = [{ type: "event", name: "Done", inputs: [] }] as const satisfies Abi;
  const contract = client.contract({ abi, address: ADDRESS });
  const heard: string[] = [];
  await contract.watch({ onEvent: ({ eventName }) => heard.push(eventName) });
  for (const it of [...NOTHING, { address: ADDRESS }, { ...LOG, topics: [5] }, LOG]) push(it);
  const { hash } = STANDARD_SUITE;
  const topic = `0x${Buffer.from(hash(Buffer.from("Done()"))).toString("hex")}`;
  push({ ...LOG, topics: [topic] });
  assert.deepEqual(heard, ["Done"]);
});
