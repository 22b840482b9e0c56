/** A gateway follows its chain: sealers that change, heads that lag, chains that are long. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { decodedTransaction } from "../../support/gateway/raw-transaction.ts";
import { TrailChain } from "../../support/client/trail-chain.ts";
import { gatewayPlace, type Lie, whileMoving } from "../../support/gateway/gateway-place.ts";
import { longChain } from "../../support/gateway/long-chain.ts";
import { altered } from "../../support/gateway/byzantine-upstream.ts";
import { collectLog } from "../../support/collected-log.ts";
import { STANDARD_SUITE } from "../../support/suites.ts";
import { createHandClock } from "../../support/world/hand-clock.ts";
import { Gateway } from "../../../core/gateway/gateway.ts";
import { KeptAnswers } from "../../../core/gateway/kept-answers.ts";

// rules: tx-block-codec 7, groups 6
const CHAIN = new TrailChain(STANDARD_SUITE, "abcd").grow(5);

test("a change of the sealers is followed without being told", async () => {
  const chain = new TrailChain(STANDARD_SUITE, "abc")
    .grow(2)
    .add({ calls: [{ role: "addSealer", name: "d" }] })
    .grow(2)
    .add({
      calls: [
        { role: "remove", name: "a" },
        { role: "addSealer", name: "e" },
      ],
    })
    .grow(2);
  const place = gatewayPlace({ chain });
  for (const { ledger } of place.nodes) ledger.moveHead(2);
  assert.match((await place.ask("getBlockNumber", [1])).proof, /height=2; sealers=/);
  assert.equal(place.gateway.health().sealers.length, 3);
  for (const { ledger } of place.nodes) ledger.moveHead(8);
  place.clock.move(1_000);
  assert.equal((await place.ask("getBlockNumber", [1])).reply.result, "0x8");
  assert.deepEqual(place.gateway.health().sealers, chain.header(8).sealerList);
  for (let number = 0; number <= 8; number++) {
    const params = [1, String(number), true];
    const { reply } = await place.ask("getBlockByNumber", params);
    assert.deepEqual(reply, await place.truth("getBlockByNumber", params), `block ${number}`);
  }
  assert.deepEqual(place.refused(), []);
});

test("a head that stays behind is refused, and taken again when it has caught up", async () => {
  const place = gatewayPlace({ chain: CHAIN });
  const [stale] = place.nodes;
  assert.ok(stale);
  stale.ledger.moveHead(2);
  assert.equal((await place.ask("getBlockNumber", [1])).reply.result, "0x5");
  assert.deepEqual(place.refused(), [], "a node may be a moment behind");
  place.clock.move(11_000);
  await place.ask("getBlockNumber", [1]);
  assert.deepEqual(place.refused(), ["node0:8545 stale"]);
  assert.match(
    place.gateway.health().upstreams[0]?.why ?? "",
    /it is at 2, block 5 was shown long ago/,
  );
  stale.ledger.moveHead(5);
  place.clock.move(1_000);
  await place.ask("getBlockNumber", [1]);
  assert.equal(place.gateway.health().upstreams[0]?.counts, true);
});

test("a head that stays behind is found after a long time of many blocks", async () => {
  const chain = new TrailChain(STANDARD_SUITE, "ab");
  while (chain.blocks.length <= 320) chain.add();
  const staleMs = 3_000_000;
  const place = gatewayPlace({ chain, count: 3, settings: { staleMs } });
  const [stale] = place.nodes;
  assert.ok(stale);
  for (const { ledger } of place.nodes) ledger.moveHead(1);
  await place.ask("getBlockNumber", [1]);
  // A block each ten seconds, of which one upstream gets none.
  for (let number = 2; number <= 320; number++) {
    for (const { ledger } of place.nodes.slice(1)) ledger.moveHead(number);
    place.clock.move(10_000);
    await place.ask("getBlockNumber", [1]);
    const wanted = place.clock.steady() - 1_000_000 > staleMs + staleMs / 50;
    if (wanted) assert.deepEqual(place.refused(), ["node0:8545 stale"], `block ${number}`);
  }
  assert.deepEqual(place.refused(), ["node0:8545 stale"]);
});

test("who is behind is not freed sooner from what it was refused for", async () => {
  const place = gatewayPlace({ chain: CHAIN, count: 1 });
  const [byzantine] = place.nodes;
  assert.ok(byzantine);
  await place.ask("getBlockNumber", [1]);
  byzantine.lie = ({ method }, told) => (/Header/.test(method) ? altered(told, "hash") : undefined);
  await place.ask("getBlockHeaderByNumber", [1, "3", true]);
  place.clock.move(11_000);
  // Nobody else is there to be asked: its word is heard, and does not count.
  byzantine.ledger.moveHead(1);
  await place.ask("getBlockNumber", [1]);
  byzantine.ledger.moveHead(5);
  place.clock.move(1_000);
  await place.ask("getBlockNumber", [1]);
  assert.equal(place.gateway.health().upstreams[0]?.counts, false);
  assert.deepEqual(place.refused(), ["node0:8545 headerHash"]);
});

test("a height whose block is not shown is refused", async () => {
  const place = gatewayPlace({ chain: CHAIN });
  const lie: Lie = ({ method }) => (method === "getBlockNumber" ? "0xffff" : undefined);
  const [byzantine] = place.nodes;
  assert.ok(byzantine);
  byzantine.lie = lie;
  const { reply, proof } = await place.ask("getBlockNumber", [1]);
  assert.equal(reply.result, "0x5");
  assert.match(proof, /^certificate; height=5/);
  assert.deepEqual(place.refused(), ["node0:8545 head"]);
});

test("a chain of other sealers is refused", async () => {
  const other = new TrailChain(STANDARD_SUITE, "wxyz").grow(9);
  const place = gatewayPlace({ chain: CHAIN, chains: { 0: other } });
  assert.equal((await place.ask("getBlockNumber", [1])).reply.result, "0x5");
  assert.deepEqual(place.refused(), ["node0:8545 fork"]);
});

test("a chain nobody shows is not answered for", async () => {
  const trusted = { number: 0, hash: `0x${"7".repeat(64)}` } as const;
  const place = gatewayPlace({ chain: CHAIN, settings: { trusted } });
  for (const [method, params] of [
    ["getBlockNumber", [1]],
    ["getBlockByNumber", [1, "1", true]],
    ["getCode", [1, `0x${"2".repeat(40)}`]],
  ] as const) {
    const { reply, proof } = await place.ask(method, params);
    assert.equal(reply.error?.code, -32_603, method);
    assert.match(reply.error?.message ?? "", /node0:8545/);
    assert.match(proof, /^none/);
  }
  assert.equal(place.gateway.health().ready, false);
});

test("a later block may be the one that is trusted", async () => {
  const { hash } = CHAIN.header(3);
  const place = gatewayPlace({ chain: CHAIN, settings: { trusted: { number: 3, hash } } });
  for (const number of ["0", "1", "2", "3", "5"]) {
    const params = [1, number, true];
    const { reply } = await place.ask("getBlockByNumber", params);
    assert.deepEqual(reply, await place.truth("getBlockByNumber", params));
  }
});

test("100,000 blocks with a change of the sealers are followed from a trusted header by few", async () => {
  const chain = longChain(STANDARD_SUITE, { length: 100_000, changedAt: 70_001 });
  const clock = createHandClock(1_000_000);
  const log = collectLog();
  const settings = {
    upstreams: ["http://a:1", "http://b:1"],
    groupId: 1,
    trusted: { number: 50_000, hash: chain.header(50_000).hash },
    suite: STANDARD_SUITE,
    build: { version: "", buildTime: "", buildType: "", gitBranch: "", gitCommit: "" },
  };
  const gateway = new Gateway(settings, { send: chain.send, clock, log });
  const { header } = await whileMoving(clock, gateway.newest());
  assert.equal(header.number, 100_000);
  assert.equal(gateway.health().sealers.length, 5);
  assert.ok(chain.asked() < 120, `${chain.asked()} headers were asked for`);
  assert.deepEqual(log.messages("warning"), []);
});

test("a transaction goes to several nodes, and its hash is the gateway's own", async () => {
  const { raw, hash } = decodedTransaction(STANDARD_SUITE);
  const place = gatewayPlace({
    chain: CHAIN,
    group: { submit: async () => ({ ok: true, hash: hash as never }) },
  });
  const [byzantine, refusing] = place.nodes;
  assert.ok(byzantine && refusing);
  byzantine.hangs = true;
  refusing.isDown = true;
  const { reply, proof } = await place.ask("sendRawTransaction", [1, raw]);
  assert.equal(reply.result, hash);
  assert.match(proof, /^none/);
  for (const node of place.nodes) {
    node.hangs = false;
    node.isDown = false;
    node.seen.length = 0;
  }
  place.clock.move(60_000);
  byzantine.lie = ({ method }) =>
    method === "sendRawTransaction" ? `0x${"9".repeat(64)}` : undefined;
  assert.equal((await place.ask("sendRawTransaction", [1, raw])).reply.result, hash);
  const got = place.nodes.filter(({ seen }) =>
    seen.some(({ method }) => method === "sendRawTransaction"),
  );
  assert.equal(got.length, 3);
});

test("a refusal of all is reported as the nodes report it; bytes that are none go nowhere", async () => {
  const { raw } = decodedTransaction(STANDARD_SUITE);
  const refused = { ok: false, refusal: "undecodable", reason: "InvalidSignature" } as const;
  const place = gatewayPlace({ chain: CHAIN, group: { submit: async () => refused } });
  const { reply } = await place.ask("sendRawTransaction", [1, raw]);
  assert.deepEqual(reply, await place.truth("sendRawTransaction", [1, raw]));
  for (const node of place.nodes) node.seen.length = 0;
  const { reply: none } = await place.ask("sendRawTransaction", [1, "0xff"]);
  assert.equal(none.error?.code, -32_603);
  const seen = place.nodes.flatMap((it) => it.seen.map(({ method }) => method));
  assert.ok(!seen.includes("sendRawTransaction"));
});

test("what never changes is asked for once", async () => {
  const place = gatewayPlace({ chain: CHAIN });
  const params = [1, "3", true];
  const first = await place.ask("getBlockByNumber", params);
  for (const node of place.nodes) node.seen.length = 0;
  assert.deepEqual(await place.ask("getBlockByNumber", params), first);
  assert.deepEqual(
    place.nodes.flatMap(({ seen }) => seen),
    [],
  );
  assert.match(place.gateway.metricsText(), /chain_node_gateway_cached_ratio 0\.5\n/);
});

test("answers are kept up to the bound, and the oldest go first", () => {
  const kept = new KeptAnswers(100_000);
  const label = { kind: "certificate", height: 1, sealers: [0] } as const;
  const text = "x".repeat(4_000);
  for (let i = 0; i < 50; i++) {
    kept.put(`answer ${i}`, { text, label });
    kept.get("answer 0");
    assert.ok(kept.bytes <= 100_000, `${kept.bytes}`);
  }
  assert.ok(kept.get("answer 0"), "it is used all the time");
  assert.ok(kept.get("answer 49"));
  assert.equal(kept.get("answer 1"), undefined);
  kept.put("large", { text: "x".repeat(20_000), label });
  assert.equal(kept.get("large"), undefined, "one answer does not push out the others");
});
