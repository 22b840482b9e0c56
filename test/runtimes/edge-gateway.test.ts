/** The gateway in workerd, before four nodes that are processes, some of which lie. */
// rules: rpc-semantics 1, interface 2, README 31
import assert from "node:assert/strict";
import { afterAll, beforeAll, describe, test } from "vitest";
import { jsonRpcContract } from "../contract/json-rpc.ts";
import { rpcDetailsContract } from "../contract/rpc-details.ts";
import { bundleFor } from "../support/browser/platform-bundle.ts";
import { type OpenWorker, openWorker } from "../support/browser/workerd.ts";
import { deploy } from "../support/client/json-rpc-session.ts";
import { TrailChain } from "../support/client/trail-chain.ts";
import { type Lie, nodeOf } from "../support/gateway/gateway-place.ts";
import { altered, type Liar, openDataNode, openLiar } from "../support/gateway/liar.ts";
import { answerOf, ask, askUntil, post } from "../support/process/dev-chain-process.ts";
import { type ProcessChain, initProcessChain } from "../support/process/node-processes.ts";
import { STANDARD_SUITE } from "../support/suites.ts";

const MAIN = `
  export { default } from "../../runtimes/edge/gateway.ts";
`;

let script: string;
let chain: ProcessChain;
let urls: readonly string[];
let trusted: string;
let receipt: Record<string, unknown>;
let worker: OpenWorker;
let liar: Liar;

async function openGateway(upstreams: readonly string[]): Promise<OpenWorker> {
  // Nothing is kept, so that each upstream is asked in its turn.
  const bounds = {
    ...{ STALE_SECONDS: "1", KEPT_MIB: "0", TIMEOUT_SECONDS: "120" },
    UPSTREAM_NAMES: "hosts",
  };
  return await openWorker(script, {}, { UPSTREAMS: upstreams.join(), TRUSTED: trusted, ...bounds });
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
  ({ script } = await bundleFor("edge", MAIN));
  chain = await initProcessChain({ nodes: 4 });
  await Promise.all(chain.nodes.map((node) => node.start()));
  urls = chain.nodes.map(({ url }) => url);
  const [url = ""] = urls;
  trusted = `0:${await ask<string>(url, "getBlockHashByNumber", 1, "0")}`;
  worker = await openGateway(urls);
  // Through the gateway: a transaction, and the receipt that it shows.
  receipt = await deploy(async (body) => (await post(worker.url, body)).text);
  await untilAllHave(1);
  liar = await openLiar(url);
});
afterAll(async () => {
  await Promise.all([worker?.close(), liar?.close()]);
  await chain?.close();
});

jsonRpcContract("a gateway at the edge", async () => ({
  request: (path, init) => fetch(new URL(path, worker.url), init),
  close: async () => undefined,
}));

rpcDetailsContract("requests of any size and shape at a gateway", () => worker.url);

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
  const isOne = truths.some((truth) => JSON.stringify(truth) === JSON.stringify(answer));
  assert.ok(isOne || JSON.stringify(answer).includes("0x"), "it is the answer of a node");
  return proof;
}

test("what can be shown is what the nodes answer, member by member", async () => {
  for (const [method, params] of provable()) {
    const proof = await requireTruth(worker.url, method, params);
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
    const proof = await requireTruth(worker.url, method, params);
    assert.match(proof, /^quorum; height=1; sealers=\d,\d,\d$/, method);
  }
  const { answer, proof } = await given(worker.url, "getPeers", [1]);
  assert.equal((answer.result as unknown[]).length, 3);
  assert.match(proof, /^none; height=1/);
});

interface LieRow {
  readonly name: string;
  readonly lie: Lie;
  /** In `/metrics`. */
  readonly reason: string;
}

const LIES: readonly LieRow[] = [
  {
    name: "a wrong hash",
    lie: ({ method }, told) =>
      /Block(By|Header)/.test(method) ? altered(told, "hash") : undefined,
    reason: "headerHash|mismatch|transaction",
  },
  {
    name: "a wrong receipt",
    lie: ({ method }, told) => (/Receipt/.test(method) ? altered(told, "output") : undefined),
    reason: "proof|malformed",
  },
  {
    name: "a forged list of signatures",
    lie: ({ method }, told) =>
      /Block(By|Header)/.test(method) ? altered(told, "signature") : undefined,
    reason: "seals|transaction",
  },
  {
    name: "an altered call",
    lie: ({ method }, told) =>
      method === "call" ? { ...(told as object), output: "0x66" } : undefined,
    reason: "differs",
  },
];

async function metricsOf(url: string): Promise<string> {
  return await (await fetch(new URL("/metrics", url))).text();
}

/** Asks for everything, so often that each upstream has its turn. */
async function requireAllTrue(url: string): Promise<void> {
  const call = [1, { from: `0x${"1".repeat(40)}`, to: receipt["contractAddress"], data: "0x" }];
  for (let round = 0; round < 4; round++) {
    for (const [method, params] of provable()) {
      assert.match(await requireTruth(url, method, params), /^certificate/);
    }
    assert.match(await requireTruth(url, "call", call), /^quorum/);
  }
}

describe("one of four upstreams lies", () => {
  for (const { name, lie, reason } of LIES) {
    test(`${name} is refused and named, and answers stay right`, async () => {
      liar.lie = lie;
      const gateway = await openGateway([liar.url, ...urls.slice(1)]);
      try {
        await requireAllTrue(gateway.url);
        const { host } = new URL(liar.url);
        const refused = [...(await metricsOf(gateway.url)).matchAll(/refused_total\{(.*)\} /g)];
        assert.ok(refused.length > 0, `${name} was not noticed`);
        for (const [, labels = ""] of refused) {
          assert.match(labels, new RegExp(`^upstream="${host}",reason="(${reason})"$`));
        }
      } finally {
        await gateway.close();
      }
    });
  }

  test("a stale head is refused and named", async () => {
    liar.lie = ({ method }) => (method === "getBlockNumber" ? "0x0" : undefined);
    const gateway = await openGateway([liar.url, ...urls.slice(1)]);
    try {
      await requireAllTrue(gateway.url);
      const metrics = await askUntil(
        async () => {
          await given(gateway.url, "getBlockNumber", [1]);
          return await metricsOf(gateway.url);
        },
        (text) => text.includes("refused_total{"),
      );
      const { host } = new URL(liar.url);
      assert.ok(metrics.includes(`refused_total{upstream="${host}",reason="stale"} 1\n`), metrics);
      await requireAllTrue(gateway.url);
    } finally {
      await gateway.close();
    }
  });

  test("another chain is refused and named", async () => {
    const other = new TrailChain(STANDARD_SUITE, "wxyz").grow(9);
    const node = await openDataNode(nodeOf(other, 0).api);
    const gateway = await openGateway([node.url, ...urls.slice(1)]);
    try {
      await requireAllTrue(gateway.url);
      const { host } = new URL(node.url);
      const wanted = `refused_total{upstream="${host}",reason="fork"} 1\n`;
      assert.ok((await metricsOf(gateway.url)).includes(wanted));
    } finally {
      await Promise.all([gateway.close(), node.close()]);
    }
  });
});

test("with one honest upstream of four what can be shown is right or not answered", async () => {
  liar.lie = ({ method }, told) =>
    /Receipt|Transaction/.test(method) ? null : altered(altered(told, "hash"), "stateRoot");
  const liars = await Promise.all(urls.slice(1, 3).map((url) => openLiar(url)));
  for (const other of liars) other.lie = liar.lie;
  const gateway = await openGateway([liar.url, ...liars.map(({ url }) => url), urls[3] ?? ""]);
  try {
    for (const [method, params] of provable()) {
      const { answer, proof } = await given(gateway.url, method, params);
      if (answer.error === undefined) {
        const truth = await answerOf(urls[3] ?? "", method, params);
        assert.deepEqual(answer, truth, method);
        assert.match(proof, /^certificate/);
      } else assert.match(answer.error.message, /no upstream showed it|have to agree/);
    }
  } finally {
    await Promise.all([gateway.close(), ...liars.map((other) => other.close())]);
  }
});
