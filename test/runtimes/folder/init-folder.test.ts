// rules: generator 5, generator 6, groups 1, interface 2.7
import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { parseCertificates } from "../../../runtimes/folder/certificate.ts";
import { daysLeft, verifyChain } from "../../../runtimes/formats/certificates/certificate-chain.ts";
import {
  chainFiles,
  createChainFolder,
  type WrittenNode,
} from "../../../runtimes/folder/chain-folder.ts";
import {
  type ChainChoices,
  DEFAULT_PORTS,
  parseBasePorts,
  planChain,
} from "../../../runtimes/folder/chain-layout.ts";
import { FolderFault } from "../../../runtimes/folder/folder-fault.ts";
import { readGenesisFile } from "../../../runtimes/formats/config/genesis-file.ts";
import { readNodeConfig } from "../../../runtimes/formats/config/node-config.ts";
import { nodeConfigText, settingsOf } from "../../../runtimes/folder/node-texts.ts";
import { parsePrivateKey } from "../../../runtimes/folder/private-key.ts";
import { DAY_MS, NOW, seededEntropy } from "./chain-of-certificates.ts";

const CONTEXT = {
  entropy: seededEntropy("init"),
  now: NOW + 123,
  days: 3650,
  program: { runtime: "/usr/bin/node", entry: "/opt/chain-node/main.js" },
};
const CHOICES: ChainChoices = {
  nodes: 4,
  agencies: ["A", "B"],
  groups: [
    { id: 1, consensus: "pbft" },
    { id: 7, consensus: "raft" },
  ],
  host: "127.0.0.1",
  basePorts: parseBasePorts("8545,20200,30300,40300"),
};
const POSIX = process.platform !== "win32";

let home: string;
let chain: string;
let nodes: readonly WrittenNode[];

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "chain-init-"));
  chain = join(home, "chain");
  nodes = await createChainFolder(chain, planChain(CHOICES), CONTEXT);
});

afterAll(() => rm(home, { recursive: true, force: true }));

function text(...path: readonly string[]): string {
  return readFileSync(join(chain, ...path), "utf8");
}

function filesBelow(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.filter((name) => statSync(join(folder, name)).isFile()).sort();
}

async function refusalOf(work: Promise<unknown>): Promise<FolderFault> {
  const error = await work.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  assert.ok(error instanceof FolderFault, String(error));
  return error;
}

test("the folder holds what is documented and nothing else", () => {
  const groups = ["group.1.genesis", "group.1.ini", "group.7.genesis", "group.7.ini"];
  const conf = ["ca.crt", ...groups, "node.crt", "node.key", "node.nodeid"];
  const scripts = ["load_new_groups", "reload_whitelist"].flatMap((name) =>
    ["sh", "cmd"].map((end) => `scripts/${name}.${end}`),
  );
  const inConf = conf.map((name) => `conf/${name}`);
  const ofWindows = ["chain-node.cmd", "start.cmd", "stop.cmd"];
  const node = ["chain-node", ...ofWindows, ...inConf, "config.ini", ...scripts, "start.sh"];
  const sdk = ["ca.crt", "node.crt", "node.key", "sdk.crt", "sdk.key"];
  const agency = ["agency.crt", "agency.key", "ca.crt"];
  const expected = [
    ...["A", "B"].flatMap((name) => sdk.map((file) => `${name}/sdk/${file}`)),
    ...["A", "B"].flatMap((name) => agency.map((file) => `cert/${name}/${file}`)),
    "cert/ca.crt",
    "cert/ca.key",
    ...[0, 1, 2, 3].flatMap((i) => [...node, "stop.sh"].map((file) => `node${i}/${file}`)),
    ...["start_all", "stop_all"].flatMap((name) => [`${name}.sh`, `${name}.cmd`]),
  ];
  assert.deepEqual(filesBelow(chain), expected.sort());
});

test.runIf(POSIX)("keys belong to their owner, scripts can be run", () => {
  for (const name of filesBelow(chain)) {
    const mode = statSync(join(chain, name)).mode & 0o777;
    const isScript = name.endsWith(".sh") || name.endsWith("chain-node");
    const expected = name.endsWith(".key") ? 0o600 : isScript ? 0o755 : 0o644;
    assert.equal(mode.toString(8), expected.toString(8), name);
  }
  for (const folder of [".", "cert", "cert/A", "A", "A/sdk", "node0", "node0/conf"]) {
    assert.equal(statSync(join(chain, folder)).mode & 0o777, 0o700, folder);
  }
});

test("every node's certificate proves its membership, its key and its ID", () => {
  const [ca] = parseCertificates(text("cert", "ca.crt"));
  assert.ok(ca);
  assert.equal(new Set(nodes.map(({ nodeId }) => nodeId)).size, 4);
  for (const { name, agency, nodeId } of nodes) {
    const certificates = parseCertificates(text(name, "conf", "node.crt"));
    assert.equal(certificates.length, 2);
    const verdict = verifyChain(certificates, { authorities: [ca], now: CONTEXT.now });
    assert.ok(verdict.ok);
    assert.deepEqual([verdict.node, verdict.agency, verdict.nodeId], [name, agency, nodeId]);
    assert.equal(text(name, "conf", "node.nodeid"), `${nodeId}\n`);
    assert.equal(parsePrivateKey(text(name, "conf", "node.key"))?.nodeId, nodeId);
    assert.equal(text(name, "conf", "ca.crt"), text("cert", "ca.crt"));
    const [leaf, issuer] = certificates.map((der) => new X509Certificate(der));
    assert.ok(leaf && issuer && leaf.checkIssued(issuer) && leaf.verify(issuer.publicKey));
  }
});

test("an SDK has one pair under both names, from its agency", () => {
  const [ca] = parseCertificates(text("A", "sdk", "ca.crt"));
  assert.ok(ca);
  assert.equal(text("A", "sdk", "sdk.key"), text("A", "sdk", "node.key"));
  assert.equal(text("A", "sdk", "sdk.crt"), text("A", "sdk", "node.crt"));
  const certificates = parseCertificates(text("A", "sdk", "sdk.crt"));
  const verdict = verifyChain(certificates, { authorities: [ca], now: CONTEXT.now });
  assert.ok(verdict.ok && verdict.agency === "A" && verdict.node === "sdk");
});

test("node certificates last as long as asked, those that issue them ten times as long", () => {
  const left = (...path: readonly string[]) => {
    const [first] = parseCertificates(text(...path));
    return first && daysLeft(first, CONTEXT.now);
  };
  assert.equal(left("node0", "conf", "node.crt"), 3650);
  assert.equal(left("cert", "A", "agency.crt"), 36_500);
  assert.equal(left("cert", "ca.crt"), 36_500);
});

test("new certificates are valid where the clock is some minutes behind", () => {
  const authorities = parseCertificates(text("cert", "ca.crt"));
  const certificates = parseCertificates(text("node0", "conf", "node.crt"));
  assert.ok(verifyChain(certificates, { authorities, now: CONTEXT.now - DAY_MS / 48 }).ok);
});

test("config.ini names the node's ports, all peers and the files that are there", () => {
  const { value, warnings } = readNodeConfig(text("node2", "config.ini"), "config.ini");
  assert.deepEqual(warnings, []);
  const ip = "127.0.0.1";
  assert.deepEqual(value.rpc.jsonrpc, { ip, port: 8547 });
  assert.deepEqual(value.rpc.channel, { ip, port: 20_202 });
  assert.deepEqual(value.p2p.listen, { ip, port: 30_302 });
  assert.equal(value.p2p.webSocket?.port, 40_302);
  const ports = [30_300, 30_301, 30_302, 30_303];
  assert.deepEqual(
    value.p2p.peers,
    ports.map((port) => ({ host: ip, port })),
  );
  const { key, cert, caCert } = value.identity;
  for (const file of [key, cert, caCert]) assert.ok(existsSync(join(chain, "node2", file)), file);
});

test("a chain on other hosts opens peers' and SDKs' ports, not JSON-RPC, and no WebSocket", () => {
  const plan = planChain({ ...CHOICES, host: "2001:db8::1", basePorts: DEFAULT_PORTS });
  const [node] = chainFiles(plan, CONTEXT).nodes;
  assert.ok(node);
  const { value, warnings } = readNodeConfig(nodeConfigText(settingsOf(node, plan)), "config.ini");
  assert.deepEqual(warnings, []);
  assert.equal(value.p2p.webSocket, undefined);
  assert.deepEqual(value.p2p.peers[1], { host: "2001:db8::1", port: 30_301 });
  const ips = [value.p2p.listen, value.rpc.channel, value.rpc.jsonrpc].map(({ ip }) => ip);
  assert.deepEqual(ips, ["::", "::", "127.0.0.1"]);
});

test("all nodes hold the same genesis of each group, with every node as a sealer", () => {
  for (const { id, consensus } of CHOICES.groups) {
    const file = `group.${id}.genesis`;
    for (const { name } of nodes) {
      assert.equal(text(name, "conf", file), text("node0", "conf", file));
    }
    const { value, warnings } = readGenesisFile(text("node0", "conf", file), file);
    assert.deepEqual(warnings, []);
    const { groupId, consensusType, timestamp, sealers } = value.genesis;
    assert.deepEqual([groupId, consensusType, timestamp], [id, consensus, BigInt(NOW)]);
    assert.deepEqual(
      sealers,
      nodes.map(({ nodeId }) => nodeId),
    );
  }
});

test("a folder that holds a CA is refused and stays as it is", async () => {
  const before = text("cert", "ca.key");
  const fault = await refusalOf(createChainFolder(chain, planChain(CHOICES), CONTEXT));
  assert.equal(fault.kind, "exists");
  assert.match(fault.message, /already holds a chain's CA \(cert\/ca\.key\)/);
  assert.equal(text("cert", "ca.key"), before);
});

const OCCUPIED = [
  ...["ca.key", "ca.crt", "cert/ca.crt", "node3/own.txt", "start_all.sh"],
  // A node, and a node of another chain, whose CA is kept elsewhere.
  ...["config.ini", "node7/config.ini"],
];
for (const file of OCCUPIED) {
  test(`a folder with ${file} is refused and nothing is added`, async () => {
    const folder = join(home, `with-${file.replace("/", "-")}`);
    mkdirSync(join(folder, file, ".."), { recursive: true });
    writeFileSync(join(folder, file), "kept");
    const fault = await refusalOf(createChainFolder(folder, planChain(CHOICES), CONTEXT));
    assert.equal(fault.kind, "exists");
    assert.deepEqual(filesBelow(folder), [file]);
  });
}

test("other files in the folder are left alone", async () => {
  const folder = join(home, "shared");
  mkdirSync(folder);
  writeFileSync(join(folder, "notes.txt"), "mine");
  await createChainFolder(folder, planChain(CHOICES), CONTEXT);
  assert.equal(readFileSync(join(folder, "notes.txt"), "utf8"), "mine");
  assert.ok(existsSync(join(folder, "cert", "ca.key")));
});

test("where nothing can be written, a sentence says so and nothing is left", async () => {
  const file = join(home, "file");
  writeFileSync(file, "");
  const fault = await refusalOf(createChainFolder(join(file, "x"), planChain(CHOICES), CONTEXT));
  assert.equal(fault.kind, "unusable");
  assert.match(fault.message, /cannot be written/);
  assert.equal(readFileSync(file, "utf8"), "");
});
