/** A chain of the national suite as `init --sm` writes it: four nodes, every command. */
// rules: sm-suite 1, sm-suite 7, node-network 1
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { hexBytes, toHex } from "../../../../core/bytes/hex.ts";
import { runHosted } from "../../../support/process/hosted-command.ts";
import { request } from "../../../support/process/dev-process.ts";
import {
  initProcessChain,
  type NodeProcess,
  type ProcessChain,
  untilEqual,
} from "../../../support/process/node-processes.ts";
import {
  requireSameChain,
  sendAndSee,
  untilConnected,
} from "../../../support/process/process-checks.ts";
import { NATIONAL_SUITE } from "../../../support/suites.ts";

const LIMIT_MS = 240_000;
const suite = NATIONAL_SUITE;

let chain: ProcessChain;

beforeAll(async () => {
  chain = await initProcessChain({ nodes: 4, pauseMs: 100, sm: true, hosted: true });
  await Promise.all(chain.nodes.map((node) => node.start()));
  await untilConnected(chain.nodes);
});

afterAll(() => chain.close());

/** Runs a command to its end; what it printed. */
async function succeed(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runHosted(...args);
  assert.equal(code, 0, `${args.join(" ")}\n${stdout}\n${stderr}`);
  return stdout;
}

/** The seals of a block that the sealers' SM2 keys made. */
async function validSeals({ url }: NodeProcess, number: number): Promise<number> {
  const answer = await request(url, "getBlockHeaderByNumber", [1, `${number}`, true]);
  const { hash, sealerList, signatureList } = answer as {
    readonly hash: string;
    readonly sealerList: readonly string[];
    readonly signatureList: readonly { readonly index: string; readonly signature: string }[];
  };
  return signatureList.filter(({ index, signature }) => {
    const key = suite.recover(hexBytes(hash), hexBytes(signature));
    return key !== undefined && toHex(key) === sealerList[Number(index)];
  }).length;
}

/** A new certificate for the key of a node, which its peers accept when it starts. */
async function renew({ folder, nodeId }: NodeProcess): Promise<void> {
  const path = join(folder, "conf/gmnode.crt");
  const before = await readFile(path, "utf8");
  assert.ok((await succeed("cert", "renew", folder, "--ca", chain.folder)).includes(nodeId));
  assert.notEqual(await readFile(path, "utf8"), before);
}

test("three of four go on without the fourth, which catches up with a renewed certificate", async () => {
  const { nodes } = chain;
  const [first, , , last] = nodes;
  assert.ok(first && last);
  for (const node of [first, last]) await sendAndSee(node, nodes);
  await last.end("SIGTERM");
  await renew(last);
  const others = nodes.slice(0, 3);
  for (const node of others.slice(1)) await sendAndSee(node, others);
  const head = await requireSameChain(others, 4);
  await last.start();
  await requireSameChain(nodes, head);
  await sendAndSee(last, nodes);
  assert.ok((await validSeals(last, head)) >= 3);
});

test("role, status and doctor work on it", async () => {
  const [first, , , last] = chain.nodes;
  assert.ok(first && last);
  const key = join(chain.folder, "agency/sdk/gm/gmsdk.key");
  const role = ["role", last.folder, "--through", first.folder, "--as"];
  assert.match(await succeed(...role, "observer"), /is an observer of group 1/);
  assert.match(await succeed(...role, "sealer", "--key", key), /is a sealer of group 1/);
  await untilEqual(chain.nodes, await first.blockNumber(), LIMIT_MS);
  const status = await succeed("status", chain.folder);
  assert.equal(status.match(/ running .* 3\/3 .* sealer /g)?.length, 4, status);
  assert.match(await succeed("doctor", first.folder), /\n0 failed, 0 warnings, /);
});

test("certificates are issued, and the ledger is exported and replayed", async () => {
  const [first] = chain.nodes;
  assert.ok(first);
  await Promise.all(chain.nodes.map((node) => node.end("SIGTERM")));
  const file = join(chain.folder, "ledger.jsonl.gz");
  await succeed("export", file, "--node", first.folder);
  assert.match(await succeed("replay", file), /, 0 differences\n$/);
  const out = join(chain.folder, "node4");
  const issue = ["cert", "issue", "--ca", chain.folder, "--agency", "agency", "--out", out];
  const id = /^id ([0-9a-f]{128})$/m.exec(await succeed(...issue))?.[1];
  assert.equal(await readFile(join(out, "gmnode.nodeid"), "utf8"), `${id}\n`);
});
