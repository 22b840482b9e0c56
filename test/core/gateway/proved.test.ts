/**
 * A gateway answers what it has shown: exactly what honest nodes answer, no matter who else lies.
 */
import assert from "node:assert/strict";
import { test } from "vitest";
import { TrailChain } from "../../support/client/trail-chain.ts";
import { gatewayPlace, type Lie } from "../../support/gateway/gateway-place.ts";
import { altered } from "../../support/gateway/byzantine-upstream.ts";
import { NATIONAL_SUITE, STANDARD_SUITE } from "../../support/suites.ts";

// rules: interface 2, tx-block-codec 8.4
function chainOf(suite = STANDARD_SUITE): TrailChain {
  return new TrailChain(suite, "abcd").add({ creations: 1, others: 1 }).grow(2).add({ others: 3 });
}

const CHAIN = chainOf();

/** Requests of every method that can be shown, of a chain of four blocks. */
function provableOf(chain: TrailChain): readonly (readonly [string, readonly unknown[]])[] {
  const [first, last] = [chain.blocks[1], chain.blocks[4]];
  const creation = first?.transactions[0]?.hash ?? "";
  const call = last?.transactions[2]?.hash ?? "";
  const hash = last?.header.hash ?? "";
  const byHash = [
    "getTransactionByHash",
    "getTransactionByHashWithProof",
    "getTransactionReceipt",
    "getTransactionReceiptByHashWithProof",
  ];
  return [
    ["getBlockNumber", [1]],
    ["getBlockByNumber", [1, "1", true]],
    ["getBlockByNumber", [1, "0x4", false]],
    ["getBlockByNumber", [1, "0", true]],
    ["getBlockByHash", [1, hash, true]],
    ["getBlockByHash", [1, hash, false]],
    ["getBlockHashByNumber", [1, "2"]],
    ["getBlockHeaderByNumber", [1, "3", true]],
    ["getBlockHeaderByNumber", [1, "3", false]],
    ["getBlockHeaderByHash", [1, hash, true]],
    ["getTransactionByBlockNumberAndIndex", [1, "4", "1"]],
    ["getTransactionByBlockHashAndIndex", [1, hash, "0x2"]],
    ...byHash.flatMap((method): [string, unknown[]][] => [
      [method, [1, creation]],
      [method, [1, call]],
    ]),
  ];
}

for (const suite of [STANDARD_SUITE, NATIONAL_SUITE]) {
  const chain = suite === STANDARD_SUITE ? CHAIN : chainOf(suite);
  const settings =
    suite === STANDARD_SUITE
      ? {}
      : { lie: ((call, told) => nationalVersion(call.method, told)) as Lie };
  for (const [method, params] of provableOf(chain)) {
    test(`${suite.name}: ${method} of ${JSON.stringify(params.slice(1))} is answered as nodes do, with a certificate`, async () => {
      const place = gatewayPlace({ chain });
      for (const node of place.nodes) node.lie = settings.lie;
      const { reply, proof } = await place.ask(method, params);
      assert.deepEqual(reply, await place.truth(method, params));
      const isGenesis = method === "getBlockByNumber" && params[1] === "0";
      const pattern = isGenesis
        ? /^certificate; height=0; sealers=$/
        : /^certificate; height=\d; sealers=(\d,){2}\d$/;
      assert.match(proof, pattern);
      assert.deepEqual(place.refused(), []);
    });
  }
}

/** Data nodes report the version of the standard suite. */
function nationalVersion(method: string, told: unknown): unknown {
  if (method !== "getClientVersion") return undefined;
  return { ...(told as object), "FISCO-BCOS Version": "2.12.0 gm" };
}

/** The same list, every signature by nobody. */
function forged(value: unknown): unknown {
  return altered(value, "signature");
}

const LIES: readonly (readonly [string, Lie, string])[] = [
  [
    "a wrong hash of blocks",
    ({ method }, told) => (/Block/.test(method) ? altered(told, "hash") : undefined),
    "headerHash",
  ],
  ["a wrong state root", (_, told) => altered(told, "stateRoot"), "headerHash"],
  ["a wrong input", (_, told) => altered(told, "input"), "transaction"],
  ["a wrong sender", (_, told) => altered(told, "from"), "transaction"],
  [
    "a wrong output of receipts",
    ({ method }, told) => (/Receipt/.test(method) ? altered(told, "output") : undefined),
    "proof",
  ],
  [
    "a wrong status of receipts",
    ({ method }, told) => (/Receipt/.test(method) ? altered(told, "status") : undefined),
    "proof",
  ],
  [
    "a forged list of signatures",
    ({ method }, told) => (/Header|Block/.test(method) ? forged(told) : undefined),
    "seals",
  ],
];

/** Which method shows a lie: those of others do not tell the member. */
const SHOWN_BY: readonly (readonly [string, readonly unknown[]])[] = [
  ["getBlockByNumber", [1, "4", true]],
  ["getBlockHeaderByNumber", [1, "3", true]],
  ["getTransactionByHash", [1, CHAIN.blocks[4]?.transactions[0]?.hash]],
  ["getTransactionReceipt", [1, CHAIN.blocks[4]?.transactions[1]?.hash]],
];

for (const [name, lie, reason] of LIES) {
  for (const [method, params] of SHOWN_BY) {
    test(`${name} is refused: ${method}`, async () => {
      const place = gatewayPlace({ chain: CHAIN });
      const [byzantine] = place.nodes;
      assert.ok(byzantine);
      byzantine.lie = lie;
      const { reply, proof } = await place.ask(method, params);
      assert.deepEqual(reply, await place.truth(method, params));
      assert.match(proof, /^certificate; height=[34]; sealers=/);
      const others = place.refused().filter((it) => !it.startsWith("node0:8545 "));
      assert.deepEqual(others, [], "nobody else is blamed");
    });
  }
  test(`${name} is named with its reason`, async () => {
    const place = gatewayPlace({ chain: CHAIN, settings: { maxKeptBytes: 0 } });
    const [byzantine] = place.nodes;
    assert.ok(byzantine);
    byzantine.lie = lie;
    for (let round = 0; round < 4; round++) {
      for (const [method, params] of SHOWN_BY) await place.ask(method, params);
    }
    assert.deepEqual(place.refused(), [`node0:8545 ${reason}`], "once, then it is left out");
    assert.match(
      place.gateway.metricsText(),
      new RegExp(`refused_total\\{upstream="node0:8545",reason="${reason}"\\} 1\\n`),
    );
    assert.match(place.gateway.metricsText(), /left_out\{upstream="node0:8545"\} 1\n/);
  });
}

test("one honest upstream of four is enough for what can be shown", async () => {
  for (const [name, lie] of LIES) {
    const place = gatewayPlace({ chain: CHAIN });
    for (const node of place.nodes.slice(0, 3)) node.lie = lie;
    for (const [method, params] of SHOWN_BY) {
      const { reply } = await place.ask(method, params);
      assert.deepEqual(reply, await place.truth(method, params), `${name}: ${method}`);
    }
  }
});

test("three upstreams that hide a transaction do not hide it", async () => {
  const place = gatewayPlace({ chain: CHAIN });
  for (const node of place.nodes.slice(0, 3)) {
    node.lie = ({ method }) => (/Transaction/.test(method) ? null : undefined);
  }
  const params = [1, CHAIN.blocks[2]?.transactions[0]?.hash];
  const { reply, proof } = await place.ask("getTransactionReceipt", params);
  assert.deepEqual(reply, await place.truth("getTransactionReceipt", params));
  assert.match(proof, /^certificate/);
});

test("that there is nothing is reported by more than half of the upstreams", async () => {
  const place = gatewayPlace({ chain: CHAIN });
  const unknown = `0x${"12".repeat(32)}`;
  for (const [method, params] of [
    ["getTransactionReceipt", [1, unknown]],
    ["getBlockHashByNumber", [1, "99"]],
    ["getBlockByHash", [1, unknown, true]],
    ["getTransactionByBlockNumberAndIndex", [1, "4", "9"]],
  ] as const) {
    const { reply, proof } = await place.ask(method, params);
    assert.deepEqual(reply, await place.truth(method, params));
    assert.match(proof, /^quorum; height=4; sealers=$/);
  }
  for (const node of place.nodes.slice(0, 2)) node.isDown = true;
  const { reply, proof } = await place.ask("getTransactionReceipt", [1, unknown]);
  assert.equal(reply.error?.code, -32_603);
  assert.match(reply.error?.message ?? "", /3 of 4 upstreams have to agree.*node0:8545/);
  assert.match(proof, /^none/);
});

test("a node of another group of the same sealers is refused", async () => {
  const other = new TrailChain(STANDARD_SUITE, "abcd", "2").grow(4);
  const place = gatewayPlace({ chain: CHAIN, chains: { 0: other } });
  const [first] = place.nodes;
  assert.ok(first);
  first.isDown = true;
  await place.ask("getBlockNumber", [1]);
  first.isDown = false;
  place.clock.move(60_000);
  const { reply } = await place.ask("getBlockByNumber", [1, "3", true]);
  assert.deepEqual(reply, await place.truth("getBlockByNumber", [1, "3", true], 1));
  await place.ask("getBlockNumber", [1]);
  assert.deepEqual(place.refused(), ["node0:8545 fork"]);
});

test("a later trusted block leaves the first block to what most upstreams report", async () => {
  const chain = new TrailChain(STANDARD_SUITE, "abcd").grow(9);
  const other = new TrailChain(STANDARD_SUITE, "abcd", "2").grow(9);
  const settings = { trusted: { number: 3, hash: chain.header(3).hash } };
  const place = gatewayPlace({ chain, chains: { 0: other }, settings });
  const [first, ...honest] = place.nodes;
  assert.ok(first);
  first.isDown = true;
  await place.ask("getBlockNumber", [1]);
  first.isDown = false;
  for (const node of honest) node.isDown = true;
  place.clock.move(60_000);
  const { reply } = await place.ask("getBlockHashByNumber", [1, "6"]);
  assert.equal(reply.error?.code, -32_603);
  assert.match(reply.error?.message ?? "", /node0:8545: its first block is 0x/);
});

test("a block of another group with the same sealers is refused for its neighbours", async () => {
  const chain = new TrailChain(STANDARD_SUITE, "abcd").grow(9);
  const other = new TrailChain(STANDARD_SUITE, "abcd", "2").grow(9);
  const place = gatewayPlace({ chain, chains: { 0: other } });
  const [first] = place.nodes;
  assert.ok(first);
  // The true first block, and then blocks of its own group.
  first.lie = ({ method, params }) =>
    method === "getBlockHashByNumber" && params[1] === "0" ? chain.header(0).hash : undefined;
  first.isDown = true;
  for (const number of ["2", "5", "8"]) await place.ask("getBlockHashByNumber", [1, number]);
  first.isDown = false;
  for (const node of place.nodes.slice(1)) node.isDown = true;
  place.clock.move(60_000);
  for (const number of ["3", "4", "6", "7"]) {
    const { reply } = await place.ask("getBlockHashByNumber", [1, number]);
    assert.equal(reply.error?.code, -32_603);
    assert.match(reply.error?.message ?? "", /does not follow|shown before/, number);
  }
});

for (const whole of [true, false]) {
  test(`a block told in another form is refused, wanted ${whole ? "whole" : "short"}`, async () => {
    const place = gatewayPlace({ chain: CHAIN, settings: { maxKeptBytes: 0 } });
    const [byzantine] = place.nodes;
    assert.ok(byzantine);
    const { result } = await place.truth("getBlockByNumber", [1, "4", !whole]);
    byzantine.lie = ({ method }) => (method === "getBlockByNumber" ? result : undefined);
    for (let round = 0; round < 4; round++) {
      const { reply, proof } = await place.ask("getBlockByNumber", [1, "4", whole]);
      assert.deepEqual(reply, await place.truth("getBlockByNumber", [1, "4", whole], 1));
      assert.match(proof, /^certificate; height=4/);
    }
    assert.deepEqual(place.refused(), ["node0:8545 malformed"]);
  });
}

test("one upstream that claims what is nowhere does not keep others from saying so", async () => {
  const place = gatewayPlace({ chain: CHAIN });
  const [byzantine] = place.nodes;
  assert.ok(byzantine);
  const hash = CHAIN.blocks[2]?.transactions[0]?.hash;
  const { result } = await place.truth("getTransactionReceipt", [1, hash]);
  byzantine.lie = ({ method }, told) => (method === "getTransactionReceipt" ? result : told);
  const params = [1, `0x${"12".repeat(32)}`];
  for (let round = 0; round < 4; round++) {
    const { reply, proof } = await place.ask("getTransactionReceipt", params);
    assert.deepEqual(reply, await place.truth("getTransactionReceipt", params));
    assert.match(proof, /^quorum/);
  }
  assert.deepEqual(place.refused(), ["node0:8545 proof"]);
});
