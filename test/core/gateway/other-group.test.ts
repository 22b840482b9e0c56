/** Sealers may sign for several groups: a gateway follows the one that it was notified of. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { TrailChain } from "../../support/client/trail-chain.ts";
import { gatewayPlace, type GatewayPlace } from "../../support/gateway/gateway-place.ts";
import { STANDARD_SUITE } from "../../support/suites.ts";

// rules: tx-block-codec 6, README 31
const HEIGHT = 60;
const CHAIN = new TrailChain(STANDARD_SUITE, "abcd").grow(HEIGHT);
/** The same sealers, higher, and nothing in its blocks that names its group. */
const OTHER = new TrailChain(STANDARD_SUITE, "abcd", "2");
for (let number = 1; number <= HEIGHT + 20; number++) OTHER.add();
/** Far from every block that is known: between lie more than one batch asks for. */
const FAR = String(HEIGHT - 5);

/** The first upstream shows blocks of the other group, and names the true block 0. */
function placeWith(other: TrailChain, settings = {}): GatewayPlace {
  const place = gatewayPlace({ chain: CHAIN, chains: { 0: other }, settings });
  const [byzantine] = place.nodes;
  assert.ok(byzantine);
  byzantine.lie = ({ method, params }) => {
    if (Number(params[1]) !== 0) return undefined;
    if (method === "getBlockHashByNumber") return CHAIN.header(0).hash;
    return method === "getBlockHeaderByNumber" ? CHAIN.header(0) : undefined;
  };
  return place;
}

function setDown(place: GatewayPlace, downs: readonly number[]): void {
  for (const [index, node] of place.nodes.entries()) node.isDown = downs.includes(index);
}

test("a higher head of another group of the same sealers is refused and named", async () => {
  for (const other of [OTHER, new TrailChain(STANDARD_SUITE, "abcd", "2").grow(9)]) {
    const place = placeWith(other);
    for (let look = 0; look < 2; look++) {
      assert.equal((await place.ask("getBlockNumber", [1])).reply.result, "0x3c");
      place.clock.move(1_000);
    }
    assert.deepEqual(place.refused(), ["node0:8545 fork"], `${other.blocks.length} blocks`);
  }
});

test("a node of another group that answers alone shows nothing", async () => {
  const place = placeWith(OTHER);
  setDown(place, [1, 2, 3]);
  for (const [method, params] of [
    ["getBlockHashByNumber", [1, FAR]],
    ["getBlockByNumber", [1, FAR, true]],
    ["getBlockNumber", [1]],
  ] as const) {
    const { reply, proof } = await place.ask(method, params);
    assert.equal(reply.error?.code, -32_603, method);
    assert.match(proof, /^none/);
  }
  const { reply } = await place.ask("getBlockHashByNumber", [1, FAR]);
  assert.match(reply.error?.message ?? "", /too few upstreams report whether block 55 is of/);
  setDown(place, []);
  place.clock.move(60_000);
  const right = await place.ask("getBlockHashByNumber", [1, FAR]);
  assert.equal(right.reply.result, CHAIN.header(Number(FAR)).hash);
});

test("a block of another group is refused when most name another", async () => {
  const place = placeWith(OTHER, { maxKeptBytes: 0 });
  for (let round = 0; round < 4; round++) {
    const { reply, proof } = await place.ask("getBlockHashByNumber", [1, "49"]);
    assert.equal(reply.result, CHAIN.header(49).hash);
    assert.match(proof, /^certificate; height=49/);
  }
  assert.deepEqual(place.refused(), ["node0:8545 fork"]);
});

test("where others are down a transaction of the group ties a block to it", async () => {
  const place = gatewayPlace({ chain: CHAIN });
  setDown(place, [0, 1, 3]);
  const { reply, proof } = await place.ask("getBlockHashByNumber", [1, FAR]);
  assert.equal(reply.result, CHAIN.header(Number(FAR)).hash);
  assert.match(proof, /^certificate; height=55/);
  assert.deepEqual(place.refused(), []);
});

test("a change of the sealers of another group is not followed", async () => {
  const other = new TrailChain(STANDARD_SUITE, "abcd", "2");
  for (let number = 1; number <= HEIGHT; number++) other.add();
  other.add({ calls: [{ role: "addSealer", name: "e" }] }).add();
  const place = placeWith(other);
  setDown(place, [1, 2, 3]);
  await place.ask("getBlockNumber", [1]);
  assert.equal(place.gateway.health().height, undefined);
  setDown(place, []);
  place.clock.move(60_000);
  assert.equal((await place.ask("getBlockNumber", [1])).reply.result, "0x3c");
  assert.deepEqual(place.gateway.health().sealers, CHAIN.header(HEIGHT).sealerList);
});

test("what lies between is examined where it is little, and has to be shown", async () => {
  const place = gatewayPlace({ chain: CHAIN, count: 2 });
  const [byzantine, honest] = place.nodes;
  assert.ok(byzantine && honest);
  honest.isDown = true;
  byzantine.lie = ({ method, params }) =>
    method === "getBlockHeaderByNumber" && params[1] === "7" ? CHAIN.header(8) : undefined;
  const { reply } = await place.ask("getBlockHashByNumber", [1, "10"]);
  assert.match(reply.error?.message ?? "", /block 10 is not of the chain/);
  assert.deepEqual(place.refused(), ["node0:8545 fork"]);
});

test("who is a block behind is not left out for what it does not have yet", async () => {
  const behind = new TrailChain(STANDARD_SUITE, "abcd").grow(HEIGHT - 2);
  const place = gatewayPlace({ chain: CHAIN, chains: { 1: behind } });
  setDown(place, [1]);
  assert.equal((await place.ask("getBlockNumber", [1])).reply.result, "0x3c");
  setDown(place, [0, 2, 3]);
  // Block 60 is known and leads down to it, by headers that this one lacks.
  await place.ask("getBlockHashByNumber", [1, String(HEIGHT - 2)]);
  assert.deepEqual(place.refused(), []);
});
