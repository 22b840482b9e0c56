/** Subscriptions without sockets: what they may cost, and that nothing is done for who is gone. */
import assert from "node:assert/strict";
import { test } from "vitest";
import type { NodeApi } from "../../../../core/api/node-api.ts";
import {
  SUBSCRIPTION_BOUNDS,
  SubscriptionService,
} from "../../../../core/node/feed/subscription-service.ts";
import type { Answer } from "../../../../core/rpc/long-answer.ts";
import { ALL_LEAVE, dispatch } from "../../../../core/rpc/dispatch.ts";
import { createHandClock } from "../../../support/world/hand-clock.ts";
import { rpcNode } from "../../../support/rpc-node.ts";
import { SENDER } from "../../../support/ledger/small-chain.ts";

const settle = async () => {
  for (let i = 0; i < 50; i++) await new Promise((resolve) => setImmediate(resolve));
};

/** A connection to a node whose head a test moves from block 1 to block 2. */
function place() {
  const node = rpcNode();
  const group = node.group(1);
  assert.ok(group);
  const facts = { head: 1, isOpen: true };
  const { ledger } = group;
  const head = () => ({ ...ledger.head(), number: facts.head });
  const api: NodeApi = { ...node, group: () => ({ ...group, ledger: { ...ledger, head } }) };
  const service = new SubscriptionService(api, {
    clock: createHandClock(),
    log: { write: () => {} },
  });
  const texts: string[] = [];
  const socket = {
    address: "a",
    send: (text: Answer) => void texts.push(typeof text === "string" ? text : "long"),
    unsentBytes: () => 0,
    isOpen: () => facts.isOpen,
    refuse: () => undefined,
  };
  const line = service.open(socket);
  const subscribe = async (kind: string, filter: object) => {
    const request = line.request();
    const params = [1, kind, filter];
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "subscribe", params });
    const text = await dispatch(api, body, { ...ALL_LEAVE, ownMethod: request.method });
    request.answered();
    return JSON.parse(text) as { readonly error?: { readonly code: number } };
  };
  const write = async () => {
    facts.head = 2;
    service.onBlock({ groupId: 1 });
    await settle();
  };
  return { service, socket, line, facts, texts, subscribe, write };
}

test("subscriptions to everything are few on a connection, filtered ones are not", async () => {
  const { subscribe, line, service } = place();
  for (let i = 0; i < SUBSCRIPTION_BOUNDS.unfilteredPerConnection; i++) {
    const reply = await subscribe(i % 2 === 0 ? "receipts" : "logs", {});
    assert.equal(reply.error, undefined);
  }
  for (const kind of ["receipts", "logs"]) {
    assert.equal((await subscribe(kind, {})).error?.code, -32603);
  }
  for (const [kind, filter] of [
    ["blocks", {}],
    ["receipts", { from: SENDER }],
    ["logs", { addresses: [SENDER] }],
  ] as const) {
    assert.equal((await subscribe(kind, filter)).error, undefined);
  }
  line.close();
  assert.equal(service.count, 0);
});

test("a client with many connections leaves room for the subscriptions of others", () => {
  const { service, socket } = place();
  for (let i = 0; i < SUBSCRIPTION_BOUNDS.perClient; i++) service.change(socket, 1);
  assert.ok(!service.hasRoom(socket));
  assert.ok(service.hasRoom({ ...socket, address: "b" }));
  service.change(socket, -1);
  assert.ok(service.hasRoom(socket));
});

test("nothing is presented for a connection that ends", async () => {
  const { subscribe, facts, texts, write } = place();
  await subscribe("receipts", {});
  await subscribe("logs", {});
  await subscribe("blocks", {});
  await settle();
  texts.length = 0;
  facts.isOpen = false;
  await write();
  assert.deepEqual(texts, []);
});

for (const kind of ["receipts", "logs"]) {
  test(`a connection that ends while it is told the ${kind} of a block is told no more`, async () => {
    const { subscribe, facts, texts, write } = place();
    await subscribe(kind, {});
    await settle();
    texts.length = 0;
    const { push } = texts;
    texts.push = (...more) => {
      facts.isOpen = false;
      return push.apply(texts, more);
    };
    await write();
    assert.equal(texts.length, 1);
  });
}
