/** A chain of one sealer in a durable object of workerd, through evictions and restarts. */
import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { type ObjectChain, openObjectChain } from "../../../support/edge/object-chain.ts";
import { Hello, untilAnswered } from "../../../support/edge/hello.ts";
import { request } from "../../../support/client/json-rpc-session.ts";
import { cases, propertySeed } from "../../../support/runner/cases.ts";
import { Random } from "../../../../runtimes/shared/theatre/stage/random.ts";
import { inFull } from "../../../support/runner/in-full.ts";

const ROUNDS = cases(40, 5);
/** Longer than a block takes. */
const LATEST_MS = 250;
/** The alarm comes after five seconds. */
const ALARM_WAIT_MS = 7_000;

let folder: string;
let chain: ObjectChain;
let hello: Hello;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "objects-"));
  chain = await openObjectChain(1, { folder });
  hello = await Hello.deploy(chain.ask());
});
afterAll(async () => {
  await chain?.close();
  await rm(folder, { recursive: true, force: true });
});

test("a contract is deployed, set and read", async () => {
  assert.equal(await hello.get(), "Hello, World!");
  await hello.receipt(await hello.send("one text"));
  assert.equal(await hello.get(), "one text");
});

test("nothing that was acknowledged is lost by evictions at any moment", async () => {
  const random = new Random(propertySeed());
  const nodeId = await chain.nodeId();
  const genesis = await chain.standing(0, 0);
  let evictions = 0;
  const acknowledged: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const before = await untilAnswered("the head", () => chain.standing());
    const sends = Array.from({ length: 3 }, (_, of) => hello.send(`round ${round} text ${of}`));
    const delay = random.within(0, LATEST_MS);
    const evicted = new Promise((resolve) => setTimeout(resolve, delay)).then(() => chain.evict());
    for (const outcome of await Promise.allSettled(sends))
      if (outcome.status === "fulfilled") acknowledged.push(outcome.value);
    if (await evicted) evictions += 1;
    assert.equal(await untilAnswered("the node ID", () => chain.nodeId()), nodeId);
    assert.deepEqual(await chain.standing(0, before.number), before);
  }
  assert.equal(evictions, ROUNDS);
  assert.ok(acknowledged.length >= ROUNDS, `${acknowledged.length} were acknowledged`);
  for (const hash of acknowledged) assert.equal((await hello.receipt(hash)).status, "0x0");
  assert.deepEqual(await chain.standing(0, 0), genesis);
});

// Evictions are in the test above; alarms are examined with all cases.
inFull("an alarm seals what an eviction found in the pool", async () => {
  // The first is sealed at once; those behind it wait for the time of the next block.
  const hashes: string[] = [];
  for (let of = 0; of < 4; of++) hashes.push(await hello.send(`nobody looks ${of}`));
  assert.ok(await chain.evict());
  await new Promise((resolve) => setTimeout(resolve, ALARM_WAIT_MS));
  const askedAt = Date.now();
  for (const hash of hashes) {
    const { blockNumber } = await hello.receipt(hash);
    const block = await request(chain.ask(), "getBlockByNumber", [1, blockNumber, false]);
    const { timestamp } = block as { readonly timestamp: string };
    assert.ok(Number(timestamp) < askedAt, "the block is older than the question");
  }
});

test("a restart of the runtime finds key, head and state root as they were", async () => {
  const [nodeId, head] = [await chain.nodeId(), await chain.standing()];
  const text = await hello.get();
  await chain.close();
  chain = await openObjectChain(1, { folder });
  assert.equal(await chain.nodeId(), nodeId);
  assert.deepEqual(await chain.standing(), head);
  assert.equal(await hello.get(chain.ask()), text);
  hello = await Hello.deploy(chain.ask());
  assert.ok((await chain.standing()).number > head.number);
});
