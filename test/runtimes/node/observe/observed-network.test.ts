/** Four processes over TCP, examined as an operator does: methods, readiness, metrics, peers. */
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { growingPauses, request, steadyPorts } from "../../../support/process/dev-process.ts";
import { runHosted } from "../../../support/process/hosted-command.ts";
import {
  initProcessChain,
  type NodeProcess,
  type ProcessChain,
} from "../../../support/process/node-processes.ts";
import { type OtlpReceiver, startOtlpReceiver } from "../../../support/process/otlp-receiver.ts";
import { ROOT } from "../../../support/runner/root.ts";
import {
  requireReceipts,
  requireSameChain,
  send,
  sendAndSee,
  untilConnected,
} from "../../../support/process/process-checks.ts";
import { inFull } from "../../../support/runner/in-full.ts";

// rules: node-network 5, rpc-semantics 13

let chain: ProcessChain;
let first: NodeProcess;
let metricsUrl = "";
let collector: OtlpReceiver;
const ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT";
const DELAY = "OTEL_BSP_SCHEDULE_DELAY";
/** Figures that have no value while nothing goes wrong. */
const RARE = /refused|ended_sessions|rpc_errors/;

beforeAll(async () => {
  chain = await initProcessChain({ nodes: 4, hosted: true });
  const [node] = chain.nodes;
  assert.ok(node);
  first = node;
  const port = await steadyPorts(1);
  metricsUrl = `http://127.0.0.1:${port}/metrics`;
  const path = join(first.folder, "config.ini");
  const text = await readFile(path, "utf8");
  // As an operator does: the port stands there commented out.
  await writeFile(path, text.replace(/^( *);listen_port=\d+$/m, `$1listen_port=${port}`));
  collector = await startOtlpReceiver();
  // Only one of them sends spans.
  process.env[ENDPOINT] = collector.url;
  process.env[DELAY] = "200";
  await first.start();
  delete process.env[ENDPOINT];
  delete process.env[DELAY];
  await Promise.all(chain.nodes.slice(1).map((each) => each.start()));
  await untilConnected(chain.nodes);
});

afterAll(async () => {
  await chain?.close();
  await collector?.close();
});

const ids = () => chain.nodes.map(({ nodeId }) => nodeId).sort();

async function readyz(node: NodeProcess) {
  const response = await fetch(`${node.url}/readyz`);
  return { status: response.status, health: (await response.json()) as Record<string, unknown> };
}

test("consensus status counts the connected nodes from the beginning", async () => {
  for (const { url } of chain.nodes) {
    const [status] = (await request(url, "getConsensusStatus", [1])) as [Record<string, unknown>];
    assert.equal(status["connectedNodes"], 3);
    assert.equal(status["nodeNum"], 4);
  }
});

test("the lists of nodes are live and alike", async () => {
  await sendAndSee(first, chain.nodes);
  for (const { url, nodeId } of chain.nodes) {
    assert.deepEqual(await request(url, "getSealerList", [1]), ids());
    assert.deepEqual(await request(url, "getObserverList", [1]), []);
    assert.deepEqual(await request(url, "getGroupPeers", [1]), ids());
    const known = (await request(url, "getNodeIDList", [1])) as string[];
    assert.equal(known[0], nodeId);
    assert.deepEqual([...known].sort(), ids());
    const peers = (await request(url, "getPeers", [1])) as Record<string, unknown>[];
    for (const peer of peers) {
      assert.equal(peer["nodeId"], peer["NodeID"]);
      assert.equal(peer["Agency"], "agency");
      assert.match(String(peer["Node"]), /^node[0-3]$/);
      assert.match(String(peer["IPAndPort"]), /^127\.0\.0\.1:\d+$/);
      assert.deepEqual(peer["Topic"], []);
    }
  }
});

test("sync status names each peer with its height and hash", async () => {
  await sendAndSee(first, chain.nodes);
  const number = await requireSameChain(chain.nodes, 1);
  const limit = performance.now() + 240_000;
  for (;;) {
    const status = (await request(first.url, "getSyncStatus", [1])) as Record<string, unknown>;
    const peers = status["peers"] as Record<string, unknown>[];
    const current = peers.filter((peer) => peer["latestHash"] === status["latestHash"]);
    if (current.length === 3 && status["blockNumber"] === status["knownHighestNumber"]) {
      assert.ok(Number(status["blockNumber"]) >= number);
      assert.equal(status["isSyncing"], false);
      const names = peers.map((peer) => String(peer["nodeId"]));
      assert.deepEqual(
        names,
        ids().filter((id) => id !== first.nodeId),
      );
      assert.ok(peers.every((peer) => peer["genesisHash"] === status["genesisHash"]));
      return;
    }
    assert.ok(performance.now() < limit, JSON.stringify(status));
    await new Promise((resume) => setTimeout(resume, 100));
  }
});

test("each node is ready and says why one can believe it", async () => {
  for (const node of chain.nodes) {
    const { status, health } = await readyz(node);
    assert.deepEqual([status, health["ready"], health["reasons"]], [200, true, []]);
    assert.equal((health["peers"] as unknown[]).length, 3);
    assert.ok(Number(health["pid"]) > 0 && Number(health["certificateDaysLeft"]) > 3_000);
    const clocks = (health["peers"] as { clockSkewMs?: number }[]).map((peer) => peer.clockSkewMs);
    assert.ok(clocks.every((skew) => skew !== undefined && Math.abs(skew) < 10_000));
  }
});

test("metrics of one node show group, peers, calls and blocks", async () => {
  await sendAndSee(first, chain.nodes);
  const text = await (await fetch(metricsUrl)).text();
  const value = (line: string) => {
    const found = text.split("\n").find((candidate) => candidate.startsWith(`${line} `));
    return Number(found?.slice(line.length + 1));
  };
  assert.ok(value('chain_node_block_height{group="1"}') >= 1);
  assert.equal(value("chain_node_peers"), 3);
  assert.equal(value("chain_node_ready"), 1);
  assert.equal(value('chain_node_group_peers{group="1"}'), 3);
  assert.ok(value('chain_node_rpc_duration_seconds_count{method="getBlockNumber"}') > 0);
  assert.ok(value('chain_node_block_transactions_sum{group="1"}') >= 1);
  assert.ok(value('chain_node_p2p_messages_total{direction="out",class="consensus"}') > 0);
  await assert.rejects(
    fetch(`${first.url}/metrics`).then(async (r) => assert.equal(r.status, 200)),
  );
});

test("each figure that the sample dashboard and the alerts name is in a scrape", async () => {
  // An interval lies between two blocks.
  for (let block = 0; block < 2; block++) await sendAndSee(first, chain.nodes);
  const files = ["chain-node.json", "alerts.yaml"].map((name) =>
    join(ROOT, "docs/dashboard", name),
  );
  const texts = await Promise.all(files.map((file) => readFile(file, "utf8")));
  const text = await (await fetch(metricsUrl)).text();
  const named = new Set(texts.join().match(/chain_node_[a-z0-9_]+/g));
  assert.ok(named.size > 20);
  for (const name of named) {
    const plain = name.replace(/_(bucket|count|sum)$/, "");
    assert.match(text, new RegExp(`^# TYPE ${plain} `, "m"));
    if (!RARE.test(name)) assert.match(text, new RegExp(`^${name}[ {]`, "m"));
  }
});

test("who else scrapes takes nothing away: counts only grow, of delays and of disk syncs", async () => {
  const counts = async () => {
    const text = await (await fetch(metricsUrl)).text();
    return ["event_loop_delay", "disk_sync"].map((name) => {
      const line = new RegExp(`^chain_node_${name}_seconds_count(?:\\{group="1"\\})? (\\d+)$`, "m");
      return Number(line.exec(text)?.[1]);
    });
  };
  let before = await counts();
  for (let scrape = 0; scrape < 3; scrape++) {
    const now = await counts();
    for (const [index, count] of now.entries())
      assert.ok(count >= (before[index] ?? 0) && count > 0);
    before = now;
  }
});

test("each figure is documented in the text and named as the others are", async () => {
  const text = await (await fetch(metricsUrl)).text();
  const names = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)];
  for (const [, name = "", kind] of names) {
    assert.match(name, /^chain_node_[a-z0-9_]+$/);
    assert.equal(kind === "counter", name.endsWith("_total"), name);
    assert.match(text, new RegExp(`^# HELP ${name} \\S`, "m"));
  }
});

test("the life of a transaction arrives at a collector as spans", async () => {
  const hash = await send(first);
  await requireReceipts([hash], [first]);
  const own = () => collector.spans.filter(({ traceId }) => traceId === hash.slice(2, 34));
  const limit = performance.now() + 240_000;
  while (own().length < 6 && performance.now() < limit)
    await new Promise((resume) => setTimeout(resume, 50));
  const steps = ["received", "verified", "sealed", "executed", "committed"];
  const wanted = ["transaction", ...steps.map((step) => `transaction.${step}`)].sort();
  assert.deepEqual(
    own()
      .map(({ name }) => name)
      .sort(),
    wanted,
  );
  assert.equal(collector.resources[0]?.["service.instance.id"], first.nodeId);
});

test("addPeers and erasePeers change what is dialled and config.ini", async () => {
  const before = (await request(first.url, "queryPeers", [])) as string[];
  const fresh = `127.0.0.1:${await steadyPorts(1)}`;
  const added = await request(first.url, "addPeers", [[fresh]]);
  const message = "peers :update config file successfully";
  assert.deepEqual(added, { code: "0x0", message: `add ${message}` });
  assert.deepEqual(await request(first.url, "queryPeers", []), [...before, fresh]);
  const path = join(first.folder, "config.ini");
  assert.ok((await readFile(path, "utf8")).includes(`=${fresh}\n`));
  const erased = await request(first.url, "erasePeers", [[fresh, before[0]]]);
  assert.deepEqual(erased, { code: "0x0", message: `erase ${message}` });
  assert.deepEqual(await request(first.url, "queryPeers", []), before.slice(1));
  assert.equal(((await request(first.url, "getPeers", [1])) as unknown[]).length, 3);
  await request(first.url, "addPeers", [before.slice(0, 1)]);
});

/** Runs a command and parses what it prints. */
async function runJson(command: string, folder: string) {
  const { code, stdout } = await runHosted(command, folder, "--json");
  return { code, found: JSON.parse(stdout) as Record<string, unknown>[] };
}

type Found = Awaited<ReturnType<typeof runJson>>;

/** A busy node answers late, and a command does not wait for long: it is given again. */
async function untilFound(
  [command, folder]: readonly [command: string, folder: string],
  requires: (seen: Found) => void,
): Promise<void> {
  const limit = performance.now() + 240_000;
  for (const pause = growingPauses(); ; await pause()) {
    const seen = await runJson(command, folder);
    try {
      return requires(seen);
    } catch (cause) {
      if (performance.now() > limit) throw cause;
    }
  }
}

interface Verdict {
  readonly outcome: string;
  readonly says: string;
}

function verdictsOf({ found }: Found): readonly Verdict[] {
  return found.flatMap(({ verdicts }) => verdicts as readonly Verdict[]);
}

/** With a second node down there is no quorum: everything that an operator examines says so. */
async function requireStall() {
  const [node, , third] = chain.nodes;
  assert.ok(node && third);
  await third.end("SIGTERM");
  const missing = [third, chain.nodes[3]].map((each) => each?.nodeId.slice(0, 8)).sort();
  const cause = `2 of 4 sealers are connected, 3 are needed (missing: ${missing.join(", ")})`;
  const limit = performance.now() + 240_000;
  for (const pause = growingPauses(); ; await pause()) {
    const { found, code } = await runJson("status", join(chain.folder, "node0"));
    const [shown] = found as { warnings: string[]; ready: boolean; writable: boolean }[];
    const [text] = shown?.warnings ?? [];
    if (text?.endsWith(cause) && /for [1-9]\d* s: /.test(text)) {
      assert.deepEqual([code, shown?.ready, shown?.writable], [1, true, false]);
      break;
    }
    assert.ok(performance.now() < limit, JSON.stringify(found));
  }
  const codes = ["/readyz", "/readyz?writes"].map(
    async (path) => (await fetch(node.url + path)).status,
  );
  assert.deepEqual(await Promise.all(codes), [200, 503]);
  const scrape = await (await fetch(metricsUrl)).text();
  assert.match(scrape, /^chain_node_stalled_seconds\{group="1"\} [1-9]/m);
  await untilFound(["doctor", join(chain.folder, "node0")], ({ code, found }) => {
    assert.equal(code, 1);
    assert.ok(JSON.stringify(found).includes(cause));
  });
  await third.start();
}

// doctor.test.ts and operator-chain.test.ts have their words.
inFull("status and doctor find four nodes in order, then the one that is down", async () => {
  await untilFound(["status", chain.folder], ({ code, found }) => {
    assert.deepEqual(
      found.map(({ name, ready, peers }) => [name, ready, peers]),
      ["node0", "node1", "node2", "node3"].map((name) => [name, true, 3]),
    );
    assert.equal(code, 0);
  });
  await untilFound(["doctor", chain.folder], (well) => {
    const failures = verdictsOf(well).filter(({ outcome }) => outcome === "failure");
    assert.deepEqual([well.code, failures], [0, []]);
  });
  await chain.nodes[3]?.end("SIGTERM");
  await untilFound(["status", chain.folder], ({ code, found }) => {
    assert.equal(code, 1);
    assert.deepEqual([found[3]?.["running"], found[0]?.["ready"]], [false, true]);
  });
  // Its own key is tried while it does not run: the other three accept it.
  await untilFound(["doctor", join(chain.folder, "node3")], (alone) => {
    const says = verdictsOf(alone)
      .filter(({ says: text }) => text.endsWith("is connected"))
      .map(({ outcome }) => outcome);
    assert.deepEqual([says, alone.code], [["ok", "ok", "ok"], 0], JSON.stringify(alone.found));
  });
  await requireStall();
  await chain.nodes[3]?.start();
});
