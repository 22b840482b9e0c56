/** Who waits for a block is told so. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { accountOf } from "../../../../../core/client/account.ts";
import { TransportFault } from "../../../../../core/client/client-fault.ts";
import { patientClient } from "../../../../../runtimes/tools/console/connect/patient-client.ts";
import { STANDARD_SUITE } from "../../../../support/suites.ts";
import { createHandClock } from "../../../../support/world/hand-clock.ts";

const TO = `0x${"1".repeat(40)}` as const;

/** A console whose node does not answer yet. */
function asked() {
  const clock = createHandClock();
  let hangUp: (cause: Error) => void = () => undefined;
  const request = () =>
    new Promise<never>((_, reject) => {
      hangUp = reject;
    });
  const lines: string[] = [];
  const options = { transport: { request }, groupId: 1, suite: STANDARD_SUITE };
  const client = patientClient(options, (line) => lines.push(line), clock);
  const transaction = { to: TO, data: "0x" } as const;
  const account = accountOf(new Uint8Array(32).fill(7), STANDARD_SUITE);
  const done = client.execute(transaction, { account });
  return { clock, lines, done, hangUp: () => hangUp(new TransportFault("gone")) };
}

test("after five seconds a line says what is waited for, once", async () => {
  const { clock, lines, done, hangUp } = asked();
  await Promise.resolve();
  clock.move(4_999);
  assert.deepEqual(lines, []);
  clock.move(20_000);
  assert.match(lines.join("\n"), /^no block has the transaction yet; chain-node status says/);
  hangUp();
  await assert.rejects(done, /gone/);
});

test("nothing is reported of what ends sooner", async () => {
  const { clock, lines, done, hangUp } = asked();
  await Promise.resolve();
  hangUp();
  await assert.rejects(done, /gone/);
  clock.move(20_000);
  assert.deepEqual([lines, clock.waiting], [[], 0]);
});
