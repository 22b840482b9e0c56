/** The channel ports of a dev chain of two nodes, case by case over TLS. */
// rules: channel-protocol 2.3, 3, 3.1, 4, 5.1-3, 6, 6.1, 6.2, 7.1-3, 8.1, 8.2, 8.4, 13, 14
import assert from "node:assert/strict";
import { afterAll, beforeAll, test } from "vitest";
import { type DevPlace, startDevPlace, Visit } from "../../../support/channel/channel-place.ts";
import { endLeftovers, stop } from "../../../support/process/dev-chain-process.ts";
import { AMOP_CASES } from "./amop.ts";
import { DEV_CASES } from "./sections.ts";
import { helloWorld } from "./story.ts";

let place: DevPlace | undefined;

beforeAll(async () => {
  // The compiler holds this thread for seconds, in which nobody answers for the cases next to it.
  helloWorld();
  place = await startDevPlace(2, "--block-time", "50");
});

afterAll(async () => {
  const ended = place && (await stop(place.process));
  endLeftovers();
  assert.equal(ended?.code, 0, ended?.stderr);
});

// Some of these wait for seconds: the others run in parallel.
const first: ReadonlySet<unknown> = new Set(AMOP_CASES);
const others = DEV_CASES.filter((other) => !first.has(other));

for (const { test: name, run } of [...AMOP_CASES, ...others]) {
  test.concurrent(name, async () => {
    assert.ok(place);
    const visit = new Visit(place);
    await run(visit).finally(() => visit.end());
  });
}
