/**
 * `chain-node gateway`, `edge dev` and `edge build`, before a dev chain; the built worker on Node.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parse } from "smol-toml";
import { afterAll, beforeAll, test } from "vitest";
import { deploy } from "../../../support/client/json-rpc-session.ts";
import {
  answerOf,
  ask,
  type DevProcess,
  endLeftovers,
  endOf,
  freePorts,
  post,
  run,
  runProgram,
  type Running,
  startDev,
  stop,
  untilSaid,
} from "../../../support/process/dev-chain-process.ts";

let chain: DevProcess;
let receipt: Record<string, unknown>;
const folder = mkdtempSync(join(tmpdir(), "chain-node-edge-"));

beforeAll(async () => {
  chain = await startDev(4, "--ephemeral");
  receipt = await deploy(async (body) => (await post(chain.url, body)).text);
});
afterAll(async () => {
  await stop(chain);
  endLeftovers();
  rmSync(folder, { recursive: true, force: true });
});

interface GatewayReady {
  readonly ready: true;
  readonly rpc: string;
  readonly upstreams: readonly string[];
  readonly trust: string;
}

async function readyOf(running: Running): Promise<GatewayReady> {
  await untilSaid(running, ({ stdout }) => stdout.includes("\n"));
  return JSON.parse(running.stdout().split("\n")[0] ?? "") as GatewayReady;
}

/** Shown, agreed, cached; the figures; readiness. */
async function requireGateway({ rpc, trust }: GatewayReady): Promise<void> {
  assert.equal(trust, `0:${await ask<string>(chain.url, "getBlockHashByNumber", 1, "0")}`);
  assert.equal(await ask(rpc, "getBlockNumber", 1), "0x1");
  const params = [1, receipt["transactionHash"]];
  for (let round = 0; round < 2; round++) {
    const body = { jsonrpc: "2.0", id: 1, method: "getTransactionReceipt", params };
    const { text, headers } = await post(rpc, JSON.stringify(body));
    assert.deepEqual(JSON.parse(text), await answerOf(chain.url, "getTransactionReceipt", params));
    assert.match(headers.get("x-chain-node-proof") ?? "", /^certificate; height=1; sealers=\d,/);
  }
  const metrics = await (await fetch(new URL("/metrics", rpc))).text();
  assert.match(metrics, /^chain_node_gateway_cached_ratio 0\.\d/m);
  assert.match(metrics, /^chain_node_gateway_staleness_seconds \d/m);
  assert.ok(!metrics.includes("refused_total{"), metrics);
  const ready = await fetch(new URL("/readyz", rpc));
  assert.deepEqual([ready.status, ((await ready.json()) as { height: number }).height], [200, 1]);
}

test("chain-node gateway serves what it has checked, with its figures", async () => {
  const port = String(await freePorts(1));
  const gateway = runProgram("gateway", "--upstream", ...chain.ready.rpc, "--port", port, "--json");
  await requireGateway(await readyOf(gateway));
  assert.equal((await stop(gateway)).code, 0);
});

test("npm run edge runs the same in workerd", async () => {
  const port = String(await freePorts(1));
  const words = ["run", "--silent", "edge", "--", "--port", port, "--json", "--upstream"];
  const edge = run("npm", [...words, ...chain.ready.rpc]);
  await requireGateway(await readyOf(edge));
  await stop(edge, "SIGTERM");
});

/** Names of Node that other fetch servers need not have. */
const WITHOUT_NODE =
  "const [process, Buffer, global, require, setImmediate, clearImmediate] = [];\n";

test("edge build writes a worker of less than 150 KiB that any fetch server runs", async () => {
  const place = join(folder, "worker");
  const built = runProgram("edge", "build", place, "--upstream", ...chain.ready.rpc, "--json");
  const { files } = JSON.parse((await endOf(built)).stdout) as {
    files: { file: string; gzipBytes: number }[];
  };
  assert.deepEqual(readdirSync(place).sort(), ["worker.js", "wrangler.toml"]);
  const worker = files.find(({ file }) => file.endsWith("worker.js"));
  assert.ok(worker && worker.gzipBytes < 150 * 1024, JSON.stringify(files));
  const text = readFileSync(join(place, "wrangler.toml"), "utf8");
  const { main, vars } = parse(text) as { main: string; vars: Record<string, string> };
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "getBlockByNumber",
    params: [1, "1", true],
  });
  const bare = join(folder, "bare.mjs");
  writeFileSync(bare, WITHOUT_NODE + readFileSync(join(place, main), "utf8"));
  const module = (await import(pathToFileURL(bare).href)) as {
    default: { fetch(request: Request, variables: unknown): Promise<Response> };
  };
  const request = new Request("http://localhost/", { method: "POST", body });
  const answer = await module.default.fetch(request, vars);
  assert.match(answer.headers.get("x-chain-node-proof") ?? "", /^certificate; height=1/);
  const { result } = (await answer.json()) as { result: { hash: string } };
  assert.equal(result.hash, receipt["blockHash"]);
});

test("nobody on another host is asked whom to trust", async () => {
  const gateway = runProgram("gateway", "--upstream", "http://chain.example:8545");
  const { code, stderr } = await endOf(gateway);
  assert.equal(code, 2);
  assert.match(stderr, /--trust NUMBER:HASH is wanted for upstreams on other hosts/);
});

test("what cannot be an upstream or a block is said in a sentence", async () => {
  const trust = `0:0x${"1".repeat(64)}`;
  for (const [args, said] of [
    [["--upstream", "ftp://a.example", "--trust", trust], /an upstream is a URL of http or https/],
    [["--upstream", "http://127.0.0.1:1", "--trust", "0:0x12"], /written as NUMBER:HASH/],
    [["--upstream", "http://127.0.0.1:1"], /does not answer as a node/],
  ] as const) {
    const { code, stderr } = await endOf(runProgram("gateway", ...args));
    assert.ok(code === 1 || code === 2, stderr);
    assert.match(stderr, said);
    assert.ok(!stderr.includes("    at "), stderr);
  }
});
