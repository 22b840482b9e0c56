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
import { inFull } from "../../../support/runner/in-full.ts";

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

test("who stops one reads that it has ended", async () => {
  const port = String(await freePorts(1));
  const gateway = runProgram("gateway", "--upstream", ...chain.ready.rpc, "--port", port);
  await untilSaid(gateway, ({ stdout }) => stdout.includes(`:${port}`));
  const { code, stdout } = await stop(gateway, "SIGINT");
  assert.equal(code, 0);
  assert.match(stdout, /\nstopped; a gateway keeps nothing\n$/);
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
  const stopGroup = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "stopGroup", params: [1] });
  // As a platform hands it on: from somewhere else.
  const headers = { "X-Forwarded-For": "192.0.2.7" };
  const managing = new Request("http://localhost/", { method: "POST", body: stopGroup, headers });
  const refused = await (await module.default.fetch(managing, vars)).text();
  assert.match(refused, /a gateway hands on no management/);
});

// A folder that would be undone is refused by the same rule as in network/manifests.test.ts.
inFull("edge build does not undo what a folder was set up with", async () => {
  const place = join(folder, "set-up");
  const first = runProgram("edge", "build", place, "--upstream", ...chain.ready.rpc);
  assert.equal((await endOf(first)).code, 0);
  const again = runProgram("edge", "build", place, "--upstream", ...chain.ready.rpc);
  assert.equal((await endOf(again)).code, 0);
  const other = runProgram("edge", "build", place, "--upstream", chain.url);
  const { code, stderr } = await endOf(other);
  assert.equal(code, 1);
  assert.match(stderr, /wrangler\.toml has other settings than this command would write/);
});

// A trusted block of another chain is refused in core/gateway/follower.test.ts.
inFull("a chain that was not meant is refused at the start", async () => {
  const trust = `0:0x${"1".repeat(64)}`;
  for (const [args, said] of [
    [["--trust", trust], /is not of this chain: block 0 of the upstreams is 0x[0-9a-f]{64}/],
    [["--sm"], /--sm is for chains of SM2 and SM3: the upstreams are of secp256k1/],
  ] as const) {
    const gateway = runProgram("gateway", "--upstream", ...chain.ready.rpc, ...args);
    const { code, stderr } = await endOf(gateway);
    assert.equal(code, 1);
    assert.match(stderr, said);
  }
});

// core/gateway/agreed.test.ts: one upstream alone cannot agree.
inFull("with one upstream it is reported what cannot be answered", async () => {
  const port = String(await freePorts(1));
  const gateway = runProgram("gateway", "--upstream", chain.url, "--port", port);
  await untilSaid(gateway, ({ stdout }) => stdout.includes("stop "));
  assert.match(gateway.stdout(), /warning {3}one upstream: only what blocks prove is answered/);
  const url = `http://127.0.0.1:${port}/`;
  const code = [1, receipt["contractAddress"]];
  assert.match(
    JSON.stringify(await answerOf(url, "getCode", code)),
    /What no block proves is asked from at least 2 upstreams; this gateway has 1/,
  );
  await stop(gateway);
});

// dev-refusals.test.ts names the program that has a port.
inFull("edge dev names the program that has its port", async () => {
  const { port } = new URL(chain.url);
  const edge = runProgram("edge", "dev", "--upstream", ...chain.ready.rpc, "--port", port);
  const { code, stderr } = await endOf(edge);
  assert.equal(code, 1);
  assert.match(stderr, new RegExp(`^.*:${port}.* is in use by .*\\n$`));
});

test("nobody on another host is asked whom to trust", async () => {
  const gateway = runProgram("gateway", "--upstream", "http://chain.example:8545");
  const { code, stderr } = await endOf(gateway);
  assert.equal(code, 2);
  assert.match(stderr, /--trust NUMBER:HASH is wanted for upstreams on other hosts/);
});

// What cannot be a URL or a block: core/gateway/upstreams.test.ts, gateway-app.test.ts.
inFull("what cannot be an upstream or a block is reported in a sentence", async () => {
  const trust = `0:0x${"1".repeat(64)}`;
  for (const [args, said] of [
    [["--upstream", "ftp://a.example", "--trust", trust], /an upstream is a URL of http or https/],
    [
      ["--upstream", "http://127.0.0.1:1", "--trust", "0:0x12"],
      /block is NUMBER:HASH, .* not 0:0x12$/m,
    ],
    [["--upstream", "http://127.0.0.1:1"], /does not answer as a node/],
  ] as const) {
    const { code, stderr } = await endOf(runProgram("gateway", ...args));
    assert.ok(code === 1 || code === 2, stderr);
    assert.match(stderr, said);
    assert.ok(!stderr.includes("    at "), stderr);
  }
});
