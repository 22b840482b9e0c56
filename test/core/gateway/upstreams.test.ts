/** How a gateway speaks of its upstreams: figures, names, and what is one of them. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { requireDistinct, shownUrls } from "../../../core/gateway/upstream-names.ts";
import { TrailChain } from "../../support/client/trail-chain.ts";
import { gatewayPlace, type GatewayPlace } from "../../support/gateway/gateway-place.ts";
import { STANDARD_SUITE } from "../../support/suites.ts";

// rules: README 31
const CHAIN = new TrailChain(STANDARD_SUITE, "abcd").grow(5);

function stalenessOf(place: GatewayPlace): number {
  return Number(
    /^chain_node_gateway_staleness_seconds (\S+)$/m.exec(place.gateway.metricsText())?.[1],
  );
}

test("staleness grows while too few upstreams report their heights", async () => {
  const place = gatewayPlace({ chain: CHAIN });
  await place.ask("getBlockNumber", [1]);
  assert.ok(stalenessOf(place) < 1);
  for (const downs of [
    [0, 1, 2, 3],
    [0, 1],
  ]) {
    for (const [index, node] of place.nodes.entries()) node.isDown = downs.includes(index);
    for (let second = 0; second < 30; second++) {
      place.clock.move(1_000);
      await place.ask("getBlockNumber", [1]);
    }
    assert.ok(stalenessOf(place) >= 30, `${downs.join()} are down: ${stalenessOf(place)} s`);
    const { reply, proof } = await place.ask("getBlockNumber", [1]);
    const said =
      /fewer than 3 of 4 upstreams have reported their heights for 3\d s.*above 5: node0:8545/;
    assert.match(reply.error?.message ?? "", said, "an old head is not reported as the newest");
    assert.match(proof, /^none/);
    assert.deepEqual(place.gateway.health().ready, false);
    assert.match(place.gateway.health().reasons.join(), said);
    for (const node of place.nodes) node.isDown = false;
    place.clock.move(1_000);
    await place.ask("getBlockNumber", [1]);
    assert.ok(stalenessOf(place) < 1, "they are back");
    assert.deepEqual(place.gateway.health().ready, true);
  }
});

test("who asks is given numbers, where hosts are hidden", async () => {
  const place = gatewayPlace({ chain: CHAIN, settings: { hidesHosts: true } });
  const [first, second, third] = place.nodes;
  assert.ok(first && second && third);
  first.isDown = true;
  second.lie = ({ method }) => (method === "getCode" ? "0x66" : undefined);
  third.lie = ({ method }) => (method === "getBlockNumber" ? "0x77" : undefined);
  const { text } = await place.send(
    `{"jsonrpc":"2.0","id":1,"method":"getCode","params":[1,"0x${"2".repeat(40)}"]}`,
  );
  const told = [text, place.gateway.metricsText(), JSON.stringify(place.gateway.health())];
  for (const it of told) assert.doesNotMatch(it, /node\d:8545|:\/\//);
  assert.match(text, /upstream-1: no answer/);
  assert.match(told[1] ?? "", /upstream="upstream-3",reason="head"/);
});

test("no error reports a URL, which may hold secrets", async () => {
  const place = gatewayPlace({ chain: CHAIN, count: 1, settings: { timeoutMs: 1_000 } });
  const [node] = place.nodes;
  assert.ok(node);
  node.isDown = true;
  const { reply } = await place.ask("getBlockNumber", [1]);
  assert.equal(reply.error?.code, -32_603);
  assert.doesNotMatch(JSON.stringify([reply, place.log.lines]), /http:/);
});

test("the height is told while upstreams are away for a moment", async () => {
  const place = gatewayPlace({ chain: CHAIN });
  await place.ask("getBlockNumber", [1]);
  for (const node of place.nodes) node.isDown = true;
  place.clock.move(9_000);
  const { reply, proof } = await place.ask("getBlockNumber", [1]);
  assert.equal(reply.result, "0x5");
  assert.match(proof, /^certificate; height=5/);
  assert.equal(place.gateway.health().ready, true);
});

test("what is reported of a URL that cannot be reports nothing of it", () => {
  for (const url of [
    "ftp://user:secret@a.example/x?token=secret",
    "http:/user:secret@a.example",
    "secret",
    "http://user:secret",
    "https://[::secret]/",
  ]) {
    const upstreams = ["http://b.example", url];
    const why = /^an upstream is a URL of http or https: number 2 is not$/;
    const plan = { chain: CHAIN, settings: { upstreams } };
    assert.throws(() => gatewayPlace(plan), { name: "UsageFault", message: why }, url);
  }
  const [shown] = shownUrls(["https://user:secret@a.example:8545/secret?token=secret"]);
  assert.equal(shown, "https://a.example:8545");
});

test("a URL in two spellings is one upstream", () => {
  const pairs = [
    ["http://a", "http://A:80/"],
    ["https://a/x", "https://a.:443/x//"],
    ["http://a:8545", "http://a:8545"],
    ["http://u:p@a", "HTTP://u:p@a#part"],
  ];
  for (const urls of pairs) assert.throws(() => requireDistinct(urls), /named twice/, urls.join());
  for (const urls of [
    ["http://a", "https://a"],
    ["http://a:8545", "http://a:8546"],
    ["https://a:80", "https://a"],
    ["https://a/one", "https://a/two"],
    ["https://a/?key=1", "https://a/?key=2"],
  ]) {
    assert.doesNotThrow(() => requireDistinct(urls), urls.join());
  }
});

test("after idle time a slow upstream is waited for when another one refuses", async () => {
  const place = gatewayPlace({ chain: CHAIN, count: 3 });
  await place.ask("getBlockNumber", [1]);
  const [first, , third] = place.nodes;
  assert.ok(first && third);
  first.isDown = true;
  third.slowMs = 1_000;
  for (let again = 0; again < 2; again++) {
    place.clock.move(60_000);
    assert.equal((await place.ask("getBlockNumber", [1])).reply.result, "0x5");
    assert.ok(place.gateway.health().ready);
  }
});
