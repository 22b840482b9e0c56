/** `chain-node node add`: a node for a running chain, whole or waiting for its certificate. */
// rules: generator 5, generator 6, generator 9.2, sm-suite 7
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { readNodeFolder } from "../../../../runtimes/folder/chain-reader.ts";
import { readIdentity } from "../../../../runtimes/folder/node-identity.ts";
import { identityPaths } from "../../../../runtimes/node/observe/own-certificates.ts";
import type { Ended } from "../../../support/process/dev-chain-process.ts";
import { runHosted } from "../../../support/process/hosted-command.ts";
import { createHouse } from "../../../support/process/hosted-nodes.ts";
import { portsInRow } from "../../../support/process/ports.ts";
import { writeChainFolder } from "../../../support/process/written-chain.ts";
import { inFull } from "../../../support/runner/in-full.ts";

const scratch = mkdtempSync(join(tmpdir(), "chain-node-add-"));
const POSIX = process.platform !== "win32";
/** Room for nodes that are added. */
const RANGE = 12;

let chain: string;
let national: string;

async function writeChain(name: string, sm: boolean): Promise<string> {
  const first = await portsInRow(3 * RANGE);
  const basePorts = { rpc: first, channel: first + RANGE, p2p: first + 2 * RANGE };
  const home = join(scratch, name);
  await writeChainFolder(home, { nodes: 2, groups: "1:pbft,2:raft", sm, basePorts });
  return home;
}

beforeAll(async () => {
  chain = await writeChain("chain", false);
  national = await writeChain("national", true);
});

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

interface Told {
  readonly nodeId: string;
  readonly agency?: string;
  readonly endpoint: string;
  readonly ports: { readonly rpc: number; readonly channel: number; readonly p2p: number };
  readonly groups: readonly number[];
  readonly requests: readonly string[];
  readonly told: readonly string[];
  readonly next: readonly string[];
}

const add = (folder: string, ...args: readonly string[]): Promise<Ended> =>
  runHosted("node", "add", folder, ...args);

async function added(folder: string, ...args: readonly string[]): Promise<Told> {
  const { code, stdout, stderr } = await add(folder, ...args, "--json");
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as Told;
}

async function identityOf(folder: string) {
  const { config } = await readNodeFolder(folder);
  return readIdentity(identityPaths(folder, config.identity), Date.now());
}

function filesBelow(folder: string): readonly string[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.filter((name) => statSync(join(folder, name)).isFile()).sort();
}

test("a node has the files of its chain's others, ports of its own, and a certificate", async () => {
  const home = join(chain, "node2");
  const told = await added(home, "--ca", chain, "--agency", "agency");
  assert.deepEqual(filesBelow(home), filesBelow(join(chain, "node0")));
  const [node0, node1, node] = await Promise.all(
    ["node0", "node1", "node2"].map((name) => readNodeFolder(join(chain, name))),
  );
  assert.ok(node0 && node1 && node);
  assert.deepEqual([node.agency, told.agency], ["agency", "agency"]);
  assert.deepEqual(
    node.groups.map(({ text }) => text),
    node0.groups.map(({ text }) => text),
  );
  assert.deepEqual(node.ports, {
    rpc: node1.ports.rpc + 1,
    channel: node1.ports.channel + 1,
    p2p: node1.ports.p2p + 1,
  });
  const all = [node0, node1, node].map(({ ports }) => ports.p2p);
  for (const { config } of [node0, node1, node])
    assert.deepEqual(
      config.p2p.peers.map(({ port }) => port),
      all,
    );
  assert.deepEqual(told.told, ["node0", "node1"]);
  const { membership } = await identityOf(home);
  assert.deepEqual([membership.node, membership.agency], ["node2", "agency"]);
  assert.equal(membership.nodeId, told.nodeId);
  if (POSIX) assert.equal(statSync(join(home, "conf/node.key")).mode & 0o077, 0);
});

test("settings of the other node are taken over, but for what only one can have", async () => {
  const config = join(chain, "node0", "config.ini");
  const before = readFileSync(config, "utf8");
  const changed = before
    .replace(";listen_port=9300", "listen_port=9300")
    .replace("level=info", "level=debug");
  writeFileSync(config, changed);
  const home = join(chain, "node3");
  await added(home, "--ca", chain, "--agency", "agency", "--from", join(chain, "node0"));
  const node = await readNodeFolder(home);
  assert.deepEqual([node.config.log.level, node.config.metrics], ["debug", undefined]);
  writeFileSync(config, before);
});

test("a new agency is made with its SDK, and its node is of the chain", async () => {
  const home = join(chain, "node4");
  const told = await added(home, "--ca", join(chain, "cert"), "--agency", "new", "--new-agency");
  assert.equal(told.agency, "new");
  assert.ok(existsSync(join(chain, "cert/new/agency.key")));
  assert.ok(existsSync(join(chain, "new/sdk/sdk.crt")));
  assert.equal((await identityOf(home)).membership.agency, "new");
  const again = await add(join(chain, "node9"), "--ca", chain, "--agency", "new", "--new-agency");
  assert.equal(again.code, 1);
  assert.match(again.stderr, /agency new exists already: leave out --new-agency/);
  assert.ok(!existsSync(join(chain, "node9")));
});

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

test("without the agency's key a request is made, which the agency answers", async () => {
  const home = join(scratch, "apart");
  const args = [
    "--from",
    join(chain, "node0"),
    "--host",
    "192.0.2.14",
    "--ports",
    "9000,9001,9002",
  ];
  const told = await added(home, ...args);
  assert.deepEqual(told.requests, [join(home, "conf/node.csr")]);
  assert.deepEqual([told.endpoint, told.agency, told.told], ["192.0.2.14:9002", undefined, []]);
  assert.ok(!existsSync(join(home, "conf/node.crt")));
  const [request = ""] = told.requests;
  if (hasOpenssl) {
    const { status, stdout } = spawnSync("openssl", [
      "req",
      "-in",
      request,
      "-noout",
      "-subject",
      "-verify",
    ]);
    assert.equal(status, 0);
    assert.match(String(stdout), /CN = apart/);
  }
  const out = join(scratch, "answer");
  const issue = ["cert", "issue", "--ca", chain, "--agency", "agency", "--name", "apart"];
  const issued = await runHosted(...issue, "--request", request, "--out", out);
  assert.equal(issued.code, 0, issued.stderr);
  copyFileSync(join(out, "node.crt"), join(home, "conf/node.crt"));
  const { membership } = await identityOf(home);
  assert.equal(membership.nodeId, told.nodeId);
  const { config } = await readNodeFolder(home);
  assert.equal(config.p2p.listen.ip, "0.0.0.0", "others of the network reach it");
});

test("a request that was changed, and one of another curve, are refused", async () => {
  const request = join(scratch, "apart/conf/node.csr");
  const text = readFileSync(request, "utf8");
  const damaged = join(scratch, "damaged.csr");
  // A bit of the signature, in the last line but one.
  const lines = text.trimEnd().split("\n");
  const last = lines.at(-2) ?? "";
  const flipped = `${last.slice(0, 4)}${last[4] === "A" ? "B" : "A"}${last.slice(5)}`;
  writeFileSync(damaged, `${[...lines.slice(0, -2), flipped, lines.at(-1)].join("\n")}\n`);
  const issue = (ca: string, file: string) =>
    runHosted("cert", "issue", "--ca", ca, "--agency", "agency", "--request", file, "--out", "x");
  const bad = await issue(chain, damaged);
  assert.equal(bad.code, 1);
  assert.match(
    bad.stderr,
    /a certificate request in PEM for a secp256k1 key, signed with that key/,
  );
  const other = await issue(national, request);
  assert.match(other.stderr, /a certificate request in PEM for a SM2 key/);
});

// init-layout.test.ts and cert tests have the files of national chains.
inFull("on a national chain the port for SDKs has a key and a request of its own", async () => {
  const home = join(national, "node2");
  await added(home, "--ca", national, "--agency", "agency");
  assert.deepEqual(filesBelow(home), filesBelow(join(national, "node0")));
  assert.equal((await identityOf(home)).membership.agency, "agency");
  const apart = join(scratch, "gm-apart");
  const told = await added(apart, "--from", join(national, "node0"), "--ports", "9000,9001,9002");
  assert.deepEqual(
    told.requests,
    ["conf/gmnode.csr", "conf/origin_cert/node.csr"].map((name) => join(apart, name)),
  );
  for (const [index, ca] of [national, join(national, "cert/origin")].entries()) {
    const out = join(scratch, `gm-answer-${index}`);
    const issue = ["cert", "issue", "--ca", ca, "--agency", "agency", "--name", "gm-apart"];
    const issued = await runHosted(...issue, "--request", told.requests[index] ?? "", "--out", out);
    assert.equal(issued.code, 0, issued.stderr);
  }
  assert.ok(told.next.some((step) => step.includes("--ca CHAIN/cert/origin")));
});

// network-up.test.ts adds a node next to nodes that run.
inFull("a neighbour that runs is informed where the new node is, and notes it itself", async () => {
  const house = createHouse("standard");
  try {
    const config = join(chain, "node0", "config.ini");
    await house.start(config);
    const told = await added(join(chain, "node5"), "--ca", chain, "--agency", "agency");
    assert.ok(told.told.includes("node0"));
    const { config: noted } = await readNodeFolder(join(chain, "node0"));
    assert.ok(noted.p2p.peers.some(({ port }) => port === told.ports.p2p));
  } finally {
    await house.close();
  }
});

/** Arguments, the exit code, and what is reported. */
const REFUSALS: readonly (readonly [string, () => readonly string[], number, RegExp])[] = [
  [
    "a folder that is there",
    () => [join(chain, "node0"), "--ca", chain, "--agency", "agency"],
    1,
    /node0 exists already: name a folder that does not/,
  ],
  [
    "nowhere near a node",
    () => [join(scratch, "x", "node0"), "--ca", chain, "--agency", "agency"],
    2,
    /there is no node next to .*: name one of the chain with --from/,
  ],
  [
    "a CA without an agency",
    () => [join(chain, "n"), "--ca", chain],
    2,
    /--ca needs --agency: which one certifies the node/,
  ],
  [
    "an agency that the chain has not",
    () => [join(chain, "n"), "--ca", chain, "--agency", "nobody"],
    1,
    /has no agency nobody/,
  ],
  [
    "a CA that is none",
    () => [join(chain, "n"), "--ca", scratch, "--agency", "agency"],
    1,
    /holds no ca\.crt and no gmca\.crt/,
  ],
  [
    "a new agency without the chain's key",
    () => [join(chain, "n"), "--agency", "a", "--new-agency"],
    2,
    /--new-agency needs --ca with the chain's key/,
  ],
  [
    "a name that no certificate takes",
    () => [join(chain, "new node"), "--ca", chain, "--agency", "agency"],
    2,
    /"new node" cannot be the name of a node/,
  ],
  [
    "ports below the range",
    () => [join(chain, "n"), "--ca", chain, "--agency", "agency", "--ports", "80,81,82"],
    2,
    /ports from 1024 to 65535/,
  ],
];

for (const [what, args, code, said] of REFUSALS) {
  test(`refused, and nothing is written: ${what}`, async () => {
    const before = readdirSync(chain).sort();
    const ended = await add(...(args() as [string, ...string[]]));
    assert.deepEqual([ended.code, ended.stdout], [code, ""], ended.stderr);
    assert.match(ended.stderr, said);
    assert.deepEqual(readdirSync(chain).sort(), before);
  });
}
