/** A PBFT group of four durable objects in workerd. */
import assert from "node:assert/strict";
import { afterAll, beforeAll, test } from "vitest";
import { request } from "../../../support/client/json-rpc-session.ts";
import { Hello, untilAnswered } from "../../../support/edge/hello.ts";
import {
  type ObjectChain,
  openObjectChain,
  type Standing,
} from "../../../support/edge/object-chain.ts";

const SEALERS = [0, 1, 2, 3];
let chain: ObjectChain;
let hello: Hello;

beforeAll(async () => {
  chain = await openObjectChain(SEALERS.length);
  hello = await Hello.deploy(chain.ask());
});
afterAll(() => chain?.close());

/** All of them have the block of the first one's head, the same. */
async function sameHead(sealers: readonly number[]): Promise<Standing> {
  const head = await chain.standing(sealers[0]);
  for (const sealer of sealers) {
    const theirs = await untilAnswered(`block ${head.number} of sealer ${sealer}`, () =>
      chain.standing(sealer, head.number),
    );
    assert.deepEqual(theirs, head);
  }
  return head;
}

interface Sealed {
  readonly sealerList: readonly string[];
  readonly signatureList: readonly { readonly index: string }[];
}

test("four objects found one chain, and a block has seals of three", async () => {
  const ids = await Promise.all(SEALERS.map((sealer) => chain.nodeId(sealer)));
  assert.equal(new Set(ids).size, SEALERS.length);
  const { number } = await sameHead(SEALERS);
  const header = await request(chain.ask(), "getBlockHeaderByNumber", [1, `${number}`, true]);
  const { sealerList, signatureList } = header as Sealed;
  assert.deepEqual([...sealerList].sort(), ids.sort());
  assert.ok(new Set(signatureList.map(({ index }) => index)).size >= 3);
});

test("a transaction that one object took is answered for by all", async () => {
  const hash = await hello.send("by all");
  for (const sealer of SEALERS) {
    assert.equal((await hello.receipt(hash, chain.ask(sealer))).status, "0x0");
    assert.equal(await hello.get(chain.ask(sealer)), "by all");
  }
});

test("three commit while the fourth is off, and it catches up", async () => {
  await chain.setPower(3, false);
  await assert.rejects(chain.nodeId(3));
  for (let of = 0; of < 5; of++) await hello.receipt(await hello.send(`without one ${of}`));
  assert.equal(await hello.get(), "without one 4");
  const head = await sameHead([0, 1, 2]);
  await chain.setPower(3, true);
  const there = await untilAnswered("the block at the fourth", () =>
    chain.standing(3, head.number),
  );
  assert.deepEqual(there, head);
});

test("evictions of all of them one after the other lose nothing", async () => {
  const ids = await Promise.all(SEALERS.map((sealer) => chain.nodeId(sealer)));
  for (const sealer of SEALERS) {
    const hash = await hello.send(`through the eviction of ${sealer}`);
    assert.ok(await chain.evict(sealer));
    assert.equal((await hello.receipt(hash)).status, "0x0");
  }
  await sameHead(SEALERS);
  assert.deepEqual(await Promise.all(SEALERS.map((sealer) => chain.nodeId(sealer))), ids);
});
