import assert from "node:assert/strict";
import { test } from "vitest";
import { NodeWorld } from "../../../support/world/node-world.ts";
import { STANDARD_SUITE as suite } from "../../../support/suites.ts";

// rules: storage 13.5, txpool 5
test("a node that was started again refuses a transaction of before by its nonce", async () => {
  const world = new NodeWorld({ suite, nodes: 1 });
  await world.startAll();
  const head = () => world.group(0).ledger.head();
  const sent = world.submit(0);
  await world.until(() => head().number === 1, 10_000, "block 1");
  const located = await world.group(0).ledger.transaction(sent.hash);
  assert.equal(located?.blockNumber, 1);
  const { raw } = located.transaction;

  world.crash(world.machine(0));
  await world.start(0);
  assert.equal(head().number, 1);
  const again = await world.settle(world.group(0).submit(raw), "an answer");
  assert.equal(again.ok ? "accepted" : again.refusal, "chainNonceUsed");
  await world.stopAll();
});

test("every line that a group writes to the log names the group", async () => {
  const world = new NodeWorld({ suite, nodes: 1 });
  await world.startAll();
  world.submit(0);
  await world.until(() => world.group(0).ledger.head().number === 1, 10_000, "block 1");
  await world.advance(500);
  const lines = world.log.filter(({ message }) => /(\+{4}|\^{4}) /.test(message));
  assert.ok(lines.length >= 2);
  for (const { message, fields } of lines) assert.equal(fields?.["group"], 1, message);
  await world.stopAll();
});
