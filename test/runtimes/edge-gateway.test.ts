/** The gateway in workerd, before four nodes, some of which lie. */
// rules: rpc-semantics 1, interface 2, README 31
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, test } from "vitest";
import { jsonRpcContract } from "../contract/json-rpc.ts";
import { rpcDetailsContract } from "../contract/rpc-details.ts";
import { bundleFor } from "../support/browser/platform-bundle.ts";
import { type OpenWorkers, openWorkers } from "../support/browser/workerd.ts";
import { deploy } from "../support/client/json-rpc-session.ts";
import { TrailChain } from "../support/client/trail-chain.ts";
import { type Lie, nodeOf } from "../support/gateway/gateway-place.ts";
import {
  altered,
  type ByzantineNode,
  openDataNode,
  openByzantine,
} from "../support/gateway/byzantine-upstream.ts";
import { answerOf, ask, askUntil, post } from "../support/process/dev-chain-process.ts";
import { type ProcessChain, initProcessChain } from "../support/process/node-processes.ts";
import { STANDARD_SUITE } from "../support/suites.ts";
import { TAKES_ALL_CASES } from "../support/runner/cases.ts";
import { inFull } from "../support/runner/in-full.ts";

const MAIN = `
  export { default } from "../../runtimes/edge/gateway.ts";
`;

let chain: ProcessChain;
let urls: readonly string[];
let trusted: string;
let receipt: Record<string, unknown>;
let workers: OpenWorkers;
/** Each in front of a node: the first, the second, the third. */
let byzantine: readonly ByzantineNode[];
/** A node of another chain. */
let other: Pick<ByzantineNode, "url" | "close">;

/** The gateway of a test: who was noticed counts no more. */
function gatewayOf(name: string): string {
  return workers.urls[name] ?? "";
}

const ONE_HONEST = "one-honest";

/** Opens the gateways, by what their first upstream does. */
async function openGateways(): Promise<OpenWorkers> {
  const { script } = await bundleFor("edge", MAIN);
  const [first = ""] = byzantine.map(({ url }) => url);
  const lying = [...LIES.map(({ name }) => name), "stale"].map((name) => [name, first] as const);
  const firsts = Object.entries({ honest: urls[0], "other-chain": other.url });
  const lists = [...lying, ...firsts].map(
    ([name, first]) => [name, [first, ...urls.slice(1)]] as const,
  );
  const mostLie = [...byzantine.map(({ url }) => url), urls[3]];
  // Nothing is kept, so that each upstream is asked in its turn.
  const bounds = {
    ...{ STALE_SECONDS: "1", KEPT_MIB: "0", TIMEOUT_SECONDS: "120" },
    ...{ UPSTREAM_NAMES: "hosts", TRUSTED: trusted },
  };
  const sets = [...lists, [ONE_HONEST, mostLie] as const].map(
    ([name, upstreams]) => [name, { UPSTREAMS: upstreams.join(), ...bounds }] as const,
  );
  return await openWorkers(script, Object.fromEntries(sets));
}

/** Waits until all nodes have the block. */
async function untilAllHave(number: number): Promise<void> {
  for (const url of urls) {
    await askUntil(
      () => ask<string>(url, "getBlockNumber", 1),
      (height) => Number(height) >= number,
    );
  }
}

beforeAll(async () => {
  chain = await initProcessChain({ nodes: 4, hosted: true });
  await Promise.all(chain.nodes.map((node) => node.start()));
  urls = chain.nodes.map(({ url }) => url);
  const [url = ""] = urls;
  trusted = `0:${await ask<string>(url, "getBlockHashByNumber", 1, "0")}`;
  byzantine = await Promise.all(urls.slice(0, 3).map((it) => openByzantine(it)));
  other = await openDataNode(nodeOf(new TrailChain(STANDARD_SUITE, "wxyz").grow(9), 0).api);
  workers = await openGateways();
  // Through the gateway: a transaction, and the receipt that it shows.
  receipt = await deploy(async (body) => (await post(gatewayOf("honest"), body)).text);
  await untilAllHave(1);
});
afterAll(async () => {
  await workers?.close();
  await Promise.all([...(byzantine ?? []), other].map((it) => it?.close()));
  await chain?.close();
});

/** The one in front of the first node. */
function setLie(lie: Lie): URL {
  const [first] = byzantine;
  assert.ok(first);
  first.lie = lie;
  return new URL(first.url);
}

jsonRpcContract("a gateway at the edge", async () => ({
  request: (path, init) => fetch(new URL(path, gatewayOf("honest")), init),
  close: async () => undefined,
}));

// The same app answers on Node, where http-server.test.ts and dev-http.test.ts ask so.
if (TAKES_ALL_CASES)
  rpcDetailsContract("requests of any size and shape at a gateway", () => gatewayOf("honest"));

/** Every method that can be shown, of the block with the transaction. */
function provable(): readonly (readonly [string, readonly unknown[]])[] {
  const { blockHash, transactionHash } = receipt;
  const byHash = [
    ...["getTransactionByHash", "getTransactionByHashWithProof"],
    ...["getTransactionReceipt", "getTransactionReceiptByHashWithProof"],
  ];
  return [
    ["getBlockNumber", [1]],
    ["getBlockByNumber", [1, "1", true]],
    ["getBlockByNumber", [1, "1", false]],
    ["getBlockByNumber", [1, "0", false]],
    ["getBlockByHash", [1, blockHash, true]],
    ["getBlockByHash", [1, blockHash, false]],
    ["getBlockHashByNumber", [1, "1"]],
    ["getBlockHeaderByNumber", [1, "1", true]],
    ["getBlockHeaderByNumber", [1, "1", false]],
    ["getBlockHeaderByHash", [1, blockHash, true]],
    ["getTransactionByBlockNumberAndIndex", [1, "1", "0"]],
    ["getTransactionByBlockHashAndIndex", [1, blockHash, "0"]],
    ...byHash.map((method) => [method, [1, transactionHash]] as const),
  ];
}

/** An answer and what it rests on. */
async function given(url: string, method: string, params: readonly unknown[]) {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  const { text, headers } = await post(url, body);
  const answer = JSON.parse(text) as { result?: unknown; error?: { message: string } };
  return { answer, proof: headers.get("x-chain-node-proof") ?? "" };
}

/** Each node has a list of signatures of its own. */
function withoutSeals(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer), (key, value: unknown) =>
    key === "signatureList" ? undefined : value,
  );
}

const known = new Map<string, Promise<readonly unknown[]>>();

/** What each node answers. It is asked once: no block comes while answers are compared. */
function truthsOf(method: string, params: readonly unknown[]): Promise<readonly unknown[]> {
  const key = JSON.stringify([method, params]);
  const truths =
    known.get(key) ?? Promise.all(urls.map((upstream) => answerOf(upstream, method, params)));
  known.set(key, truths);
  return truths;
}

async function requireTruth(url: string, method: string, params: readonly unknown[]) {
  const { answer, proof } = await given(url, method, params);
  const truths = await truthsOf(method, params);
  for (const truth of truths) {
    assert.deepEqual(withoutSeals(answer), withoutSeals(truth), `${method} ${params.join()}`);
  }
  // The list of signatures too is one that a node has, whole.
  const isOne = truths.some((truth) => isDeepStrictEqual(truth, answer));
  assert.ok(isOne, `${method} ${params.join()}: no node answers so`);
  return proof;
}

test("what can be shown is what the nodes answer, member by member", async () => {
  for (const [method, params] of provable()) {
    const proof = await requireTruth(gatewayOf("honest"), method, params);
    const isFirst = method === "getBlockByNumber" && params[1] === "0";
    const expected = isFirst ? "certificate; height=0; sealers=" : /^certificate; height=1; /;
    if (typeof expected === "string") assert.equal(proof, expected);
    else assert.match(proof, expected);
    if (!isFirst) assert.ok((proof.split("sealers=")[1]?.split(",").length ?? 0) >= 3, proof);
  }
});

test("what cannot be shown is what the nodes agree about", async () => {
  const code = [1, receipt["contractAddress"]];
  const call = [1, { from: `0x${"1".repeat(40)}`, to: receipt["contractAddress"], data: "0x" }];
  for (const [method, params] of [
    ["getCode", code],
    ["call", call],
    ["getSealerList", [1]],
    ["getTotalTransactionCount", [1]],
    ["getSystemConfigByKey", [1, "tx_count_limit"]],
  ] as const) {
    const proof = await requireTruth(gatewayOf("honest"), method, params);
    assert.match(proof, /^quorum; height=1; sealers=$/, method);
  }
  const { answer, proof } = await given(gatewayOf("honest"), "getPeers", [1]);
  assert.equal((answer.result as unknown[]).length, 3);
  assert.match(proof, /^none; height=1/);
});

interface LieRow {
  /** Of its gateway too. */
  readonly name: string;
  readonly lie: Lie;
  /** In `/metrics`. */
  readonly reason: string;
}

const ALL_LIES: readonly LieRow[] = [
  {
    name: "wrong-hash",
    lie: ({ method }, told) =>
      /Block(By|Header)/.test(method) ? altered(told, "hash") : undefined,
    reason: "headerHash|mismatch|transaction",
  },
  {
    name: "wrong-receipt",
    lie: ({ method }, told) => (/Receipt/.test(method) ? altered(told, "output") : undefined),
    reason: "proof|malformed",
  },
  {
    name: "forged-list-of-signatures",
    lie: ({ method }, told) =>
      /Block(By|Header)/.test(method) ? altered(told, "signature") : undefined,
    reason: "seals|transaction",
  },
  {
    name: "changed-call",
    lie: ({ method }, told) =>
      method === "call" ? { ...(told as object), output: "0x66" } : undefined,
    reason: "differs",
  },
];
/** What a gateway refuses is decided in core, for each lie in proved.test.ts: here in workerd. */
const LIES = TAKES_ALL_CASES ? ALL_LIES : ALL_LIES.slice(-1);

async function metricsOf(url: string): Promise<string> {
  return await (await fetch(new URL("/metrics", url))).text();
}

async function requireAllTrue(url: string): Promise<void> {
  const call = [1, { from: `0x${"1".repeat(40)}`, to: receipt["contractAddress"], data: "0x" }];
  for (const [method, params] of provable()) {
    assert.match(await requireTruth(url, method, params), /^certificate/);
  }
  assert.match(await requireTruth(url, "call", call), /^quorum/);
}

/**
 * Asks for everything until the Byzantine upstream has had its turn and was noticed, and once more
 * without it.
 *
 * @returns the labels of what was refused
 */
async function requireTrueBefore(url: string): Promise<readonly string[]> {
  for (;;) {
    await requireAllTrue(url);
    const found = [...(await metricsOf(url)).matchAll(/refused_total\{(.*)\} /g)];
    if (found.length === 0) continue;
    await requireAllTrue(url);
    return found.map(([, labels = ""]) => labels);
  }
}

describe("one of four upstreams lies", () => {
  for (const { name, lie, reason } of LIES) {
    test(`a ${name} is refused and named, and answers stay right`, async () => {
      const { host } = setLie(lie);
      for (const labels of await requireTrueBefore(gatewayOf(name))) {
        assert.match(labels, new RegExp(`^upstream="${host}",reason="(${reason})"$`));
      }
    });
  }

  // core/gateway/follower.test.ts shows whom a gateway holds for stale.
  inFull("a stale head is refused and named", async () => {
    const { host } = setLie(({ method }) => (method === "getBlockNumber" ? "0x0" : undefined));
    const url = gatewayOf("stale");
    await requireAllTrue(url);
    const metrics = await askUntil(
      async () => {
        await given(url, "getBlockNumber", [1]);
        return await metricsOf(url);
      },
      (text) => text.includes("refused_total{"),
    );
    assert.ok(metrics.includes(`refused_total{upstream="${host}",reason="stale"} 1\n`), metrics);
    await requireAllTrue(url);
  });

  // core/gateway/upstreams.test.ts and the edge commands refuse another chain.
  inFull("another chain is refused and named", async () => {
    const { host } = new URL(other.url);
    const refused = await requireTrueBefore(gatewayOf("other-chain"));
    assert.deepEqual(refused, [`upstream="${host}",reason="fork"`]);
  });
});

test("with one honest upstream of four what can be shown is right or not answered", async () => {
  const honest = urls[3] ?? "";
  for (const upstream of byzantine) {
    upstream.lie = ({ method }, told) =>
      /Receipt|Transaction/.test(method) ? null : altered(altered(told, "hash"), "stateRoot");
  }
  const not = /no upstream showed it|have to agree|have reported their heights/;
  for (const [method, params] of provable()) {
    const { answer, proof } = await given(gatewayOf(ONE_HONEST), method, params);
    if (answer.error === undefined) {
      assert.deepEqual(answer, await answerOf(honest, method, params), method);
      assert.match(proof, /^certificate/);
    } else assert.match(answer.error.message, not);
  }
});
